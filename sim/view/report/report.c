/* report.c - results of a sweep as one HTML page; see report.h */
#include "sim/view/report/report.h"

#include "sim/sweep/sweep_info.h"
#include "sim/view/report/attribution_bar.h"
#include "sim/view/report/html_escape.h"
#include "sim/view/report/report_configuration.h"
#include "sim/view/report/report_error_margin.h"
#include "sim/view/report/report_impl.h"
#include "sim/view/report/report_sensitivity.h"

extern const char text_page_css[], text_page_js[];

static void clear_report_page(ReportPage *page)
{
    report_clear_columns(page);
    g_free(page->question);
    g_free(page->answer);
    g_free(page->support);
    g_free(page->used_groups);
    g_clear_pointer(&page->notes, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ReportPage, clear_report_page)

/* Lists the groups that some point of the page has time in. */
static void list_used_attribution_groups(ReportPage *page)
{
    g_autoptr(GPtrArray) parts = g_ptr_array_new();

    for (guint i = 0; i < page->rows->len; i++)
        g_ptr_array_add(
            parts,
            page->why->parts->pdata[g_array_index(page->rows, guint, i)]);
    page->used_groups = attribution_list_used_groups(parts->pdata, parts->len);
}

/* ---- the head and the foot of the page ----------------------------------- */

/* Returns the hash of the script for the content security policy. */
static char *csp_hash_of_script(void)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize n = sizeof digest;

    g_checksum_update(sum, (const guchar *)text_page_js, -1);
    g_checksum_get_digest(sum, digest, &n);
    return g_base64_encode(digest, n);
}

static void write_html_head(GString *out, const char *title)
{
    g_autofree char *hash = csp_hash_of_script();

    g_string_append(out,
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                    "<meta charset=\"utf-8\" />\n"
                    "<meta name=\"viewport\" content=\"width=device-width, "
                    "initial-scale=1\" />\n"
                    "<meta name=\"color-scheme\" content=\"light dark\" />\n");
    g_string_append_printf(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'\" />\n",
        hash);
    html_append_format(out, "<title>%s</title>\n<style>\n", title);
    g_string_append(out, text_page_css);
    g_string_append(out, text_parts_css);
    g_string_append(out, "</style>\n</head>\n<body>\n"
                         "<main class=\"acesim\">\n");
}

static void write_answer_section(GString *out, const ReportPage *page)
{
    html_append_format(out,
                       "<header>\n<h1>%s</h1>\n<p class=\"answer\">%s</p>\n"
                       "<p class=\"support\">%s</p>\n",
                       page->question, page->answer, page->support);
    if (page->notes->len > 0) {
        g_string_append(out, "<div class=\"notes\">\n<h2>Before quoting it</h2>"
                             "\n<ul>\n");
        for (guint i = 0; i < page->notes->len; i++)
            html_append_format(out, "<li>%s</li>\n",
                               (const char *)g_ptr_array_index(page->notes, i));
        g_string_append(out, "</ul>\n</div>\n");
    }
    g_string_append(out, "</header>\n");
}

/* Writes links to the files of the folder, and how they were made. */
static gboolean write_links_to_files(GString *out, const SweepResults *results,
                                     GError **error)
{
    static const char *const files[] = { "runs.csv",        "compare.csv",
                                         "attribution.csv", "what_ifs.csv",
                                         "config.csv",      "report.json",
                                         "datapackage.json" };
    g_autofree char *path =
        g_build_filename(results->folder, "info.json", NULL);

    g_string_append(out, "<footer>\n<p>Files of this folder:");
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        if (g_str_equal(files[i], "compare.csv") && !results->comparison)
            continue;
        g_string_append_printf(out, " <a href=\"%s\">%s</a>", files[i],
                               files[i]);
    }
    g_string_append(out, "</p>\n");
    if (g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_autofree char *version = sweep_info_read_text(path, "version", error);
        g_autofree char *date =
            version ? sweep_info_read_text(path, "date", error) : NULL;
        g_auto(GStrv) command =
            date ? sweep_info_read_list(path, "command", error) : NULL;
        g_autofree char *shell = command ? g_strjoinv(" ", command) : NULL;

        if (!command)
            return FALSE;
        html_append_format(
            out, "<p>Swept on %s with acesim %s by <code>%s</code></p>\n", date,
            version, shell);
    }
    html_append_format(out, "<p>Report of acesim %s.</p>\n</footer>\n",
                       ACESIM_VERSION);
    return TRUE;
}

static void write_data_and_scripts(GString *out, const GString *json)
{
    g_string_append(out,
                    "<script type=\"application/json\" id=\"acesim-data\">\n");
    g_string_append_len(out, json->str, (gssize)json->len);
    g_string_append(out, "</script>\n<script>");
    g_string_append(out, text_page_js);
    g_string_append(out, "</script>\n");
}

GString *report_make_page(const SweepResults *results, const FolderPlan *plan,
                          const PointExplanations *points, GString **json,
                          GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_auto(ReportPage) page = { .r = results, .plan = plan, .why = points };

    page.error_ratio = report_default_error_ratio(&page.error_source);
    report_choose_columns(&page);
    list_used_attribution_groups(&page);
    report_make_verdict(&page);
    write_html_head(out, page.question);
    write_answer_section(out, &page);
    report_write_lines(out, &page);
    report_write_chart(out, &page);
    report_write_points(out, &page);
    report_write_commands(out, &page);
    if (!report_write_sensitivity(out, results, error) ||
        !report_write_configuration(out, results->folder, error) ||
        !write_links_to_files(out, results, error))
        return NULL;
    g_string_append(out, "</main>\n");
    *json = report_json_text(&page);
    write_data_and_scripts(out, *json);
    g_string_append(out, "</body>\n</html>\n");
    return g_steal_pointer(&out);
}
