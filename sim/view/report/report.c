/* report.c - results of a sweep as one HTML page; see report.h */
#include "sim/view/report/report.h"

#include "sim/study/window.h"
#include "sim/sweep/info.h"
#include "sim/view/plots/svg.h"
#include "sim/view/plots/write.h"
#include "sim/view/report/answer.h"
#include "sim/view/report/configuration.h"
#include "sim/view/report/html.h"
#include "sim/view/report/sensitivity.h"

extern const char text_page_css[];

/* ---- the head of the page ------------------------------------------------ */

static void write_head(GString *out, const char *title)
{
    g_string_append(
        out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
             "<meta charset=\"utf-8\" />\n"
             "<meta name=\"viewport\" content=\"width=device-width, "
             "initial-scale=1\" />\n"
             "<meta name=\"color-scheme\" content=\"light dark\" />\n"
             /* The content security policy is a second defence: scripts never
              * run, even if escaping failed. */
             "<meta http-equiv=\"Content-Security-Policy\" "
             "content=\"default-src 'none'; style-src 'unsafe-inline'\" />\n");
    html_add(out, "<title>%s</title>\n<style>\n", title);
    g_string_append(out, text_page_css);
    g_string_append(out, "</style>\n</head>\n<body>\n<main>\n");
}

static void write_answer(GString *out, const Results *r, const char *question)
{
    g_autofree char *sentence = answer_sentence(r);

    html_add(out,
             "<header>\n<h1>%s</h1>\n<p class=\"answer\">%s</p>\n</header>\n",
             question, sentence);
    answer_write_table(out, r);
}

/* ---- the plots on the page ----------------------------------------------- */

static void add_figure(GString *out, const PlotKind *kind, const Results *r,
                       const GString *svg)
{
    g_autofree char *says = plot_caption(kind, r);
    g_autoptr(GString) element = svg_inline(svg, kind->name, kind->summary);

    g_string_append(out, "<figure>\n<div class=\"wide\">\n");
    g_string_append_len(out, element->str, (gssize)element->len);
    html_add(out, "</div>\n<figcaption>%s</figcaption>\n</figure>\n", says);
}

static void add_gap(GString *out, const PlotKind *kind, ReportGaps *gaps,
                    const char *why)
{
    html_add(out, "<p class=\"loss\">%s could not be drawn: %s.</p>\n",
             kind->name, why);
    g_string_append_printf(gaps->names, "%s%s",
                           gaps->names->len > 0 ? ", " : "", kind->name);
    g_string_append_printf(gaps->why, "%s: %s\n", kind->name, why);
}

/* Sets *@no_gnuplot if gnuplot is not installed. */
static gboolean write_plot(GString *out, const PlotKind *kind, const Results *r,
                           OutputGroup *group, ReportGaps *gaps,
                           char **no_gnuplot, GError **error)
{
    g_autoptr(GString) svg = NULL;
    g_autoptr(GError) reason = NULL;

    if (plot_write(kind, r, group, &svg, &reason)) {
        add_figure(out, kind, r, svg);
        return TRUE;
    }
    if (g_error_matches(reason, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT)) {
        *no_gnuplot = g_strdup(reason->message);
        return TRUE;
    }
    if (reason->domain == G_SPAWN_ERROR) {
        add_gap(out, kind, gaps, reason->message);
        return TRUE;
    }
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
}

static gboolean write_plots(GString *out, const Results *r, OutputGroup *group,
                            ReportGaps *gaps, GError **error)
{
    g_autoptr(GString) left_out = g_string_new(NULL);
    g_autofree char *no_gnuplot = NULL;

    g_string_append(out, "<section>\n<h2>Plots</h2>\n");
    for (guint i = 0; plot_kinds[i] && !no_gnuplot; i++) {
        const PlotKind *kind = plot_kinds[i];
        g_autofree char *why_not = NULL;

        if (!plot_fits(kind, r, &why_not, error))
            return FALSE;
        if (why_not)
            html_add(left_out, "<li>%s: %s</li>\n", kind->name, why_not);
        else if (!write_plot(out, kind, r, group, gaps, &no_gnuplot, error))
            return FALSE;
    }
    if (no_gnuplot) {
        html_add(out, "<p>There are none: %s.</p>\n", no_gnuplot);
        g_string_assign(gaps->names, "plots");
        g_string_printf(gaps->why, "%s\n", no_gnuplot);
    } else if (left_out->len > 0) {
        g_string_append_printf(out,
                               "<details>\n<summary>Not drawn</summary>\n<ul>\n"
                               "%s</ul>\n</details>\n",
                               left_out->str);
    }
    g_string_append(out, "</section>\n");
    return TRUE;
}

/* ---- the facts at the foot of the page ----------------------------------- */

/* Appends facts about the sweep; nothing if info.json is missing. */
static gboolean write_foot(GString *out, const Results *r, GError **error)
{
    g_autofree char *path = g_build_filename(r->folder, "info.json", NULL);
    g_autofree char *version = NULL;
    g_autofree char *date = NULL;
    g_autofree char *shell = NULL;
    g_auto(GStrv) command = NULL;

    g_string_append(out, "<footer>\n");
    if (g_file_test(path, G_FILE_TEST_EXISTS)) {
        version = info_read_text(path, "version", error);
        date = version ? info_read_text(path, "date", error) : NULL;
        command = date ? info_read_list(path, "command", error) : NULL;
        if (!command)
            return FALSE;
        shell = g_strjoinv(" ", command);
        html_add(out, "<p>Swept on %s with acesim %s by</p>\n<pre>%s</pre>\n",
                 date, version, shell);
    }
    html_add(out, "<p>Report of acesim %s.</p>\n</footer>\n", ACESIM_VERSION);
    return TRUE;
}

static void write_failures(GString *out, const Results *r)
{
    guint n = csv_table_n_rows(r->table) - r->rows->len;

    if (n > 0)
        g_string_append_printf(out,
                               "<p class=\"loss\">%u of %u points failed; "
                               "runs.csv says why.</p>\n",
                               n, csv_table_n_rows(r->table));
}

static void write_window(GString *out, const Results *r)
{
    g_autofree char *note = window_note(r->table);

    if (!note)
        return;
    note[0] = g_ascii_toupper(note[0]);
    html_add(out, "<p class=\"loss\">%s.</p>\n", note);
}

void report_gaps_init(ReportGaps *gaps)
{
    gaps->names = g_string_new(NULL);
    gaps->why = g_string_new(NULL);
}

void report_gaps_clear(ReportGaps *gaps)
{
    g_string_free(gaps->names, TRUE);
    g_string_free(gaps->why, TRUE);
}

GString *report_html(const Results *r, OutputGroup *group, ReportGaps *gaps,
                     GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *question = answer_question(r);

    write_head(out, question);
    write_answer(out, r, question);
    write_failures(out, r);
    write_window(out, r);
    if (!write_plots(out, r, group, gaps, error))
        return NULL;
    answer_write_all(out, r);
    if (!sensitivity_write(out, r, error))
        return NULL;
    if (!configuration_write(out, r->folder, error) ||
        !write_foot(out, r, error))
        return NULL;
    g_string_append(out, "</main>\n</body>\n</html>\n");
    return g_steal_pointer(&out);
}
