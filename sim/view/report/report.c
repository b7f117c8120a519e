/* report.c - results of a sweep as one HTML page; see report.h */
#include "sim/view/report/report.h"

#include "sim/study/window_limit_notes.h"
#include "sim/sweep/sweep_info.h"
#include "sim/view/plots/plot_files.h"
#include "sim/view/plots/svg.h"
#include "sim/view/report/html_escape.h"
#include "sim/view/report/report_answer.h"
#include "sim/view/report/report_configuration.h"
#include "sim/view/report/report_models.h"
#include "sim/view/report/report_sensitivity.h"

extern const char text_page_css[];

/* ---- the head of the page ------------------------------------------------ */

static void write_report_head(GString *out, const char *title)
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
    html_append_format(out, "<title>%s</title>\n<style>\n", title);
    g_string_append(out, text_page_css);
    g_string_append(out, "</style>\n</head>\n<body>\n<main>\n");
}

static void write_report_answer(GString *out, const SweepResults *r,
                                const char *question)
{
    g_autofree char *sentence = report_answer_sentence(r);

    html_append_format(
        out, "<header>\n<h1>%s</h1>\n<p class=\"answer\">%s</p>\n</header>\n",
        question, sentence);
    report_write_answer_table(out, r);
}

/* ---- the plots on the page ----------------------------------------------- */

static void append_plot_figure(GString *out, const PlotKind *kind,
                               const SweepResults *r, const GString *svg)
{
    g_autofree char *says = plot_caption_text(kind, r);
    g_autoptr(GString) element =
        svg_make_inline(svg, kind->name, kind->summary);

    g_string_append(out, "<figure>\n<div class=\"wide\">\n");
    g_string_append_len(out, element->str, (gssize)element->len);
    html_append_format(out, "</div>\n<figcaption>%s</figcaption>\n</figure>\n",
                       says);
}

static void record_missing_plot(GString *out, const PlotKind *kind,
                                ReportGaps *gaps, const char *why)
{
    html_append_format(out,
                       "<p class=\"loss\">%s could not be drawn: %s.</p>\n",
                       kind->name, why);
    g_string_append_printf(gaps->names, "%s%s",
                           gaps->names->len > 0 ? ", " : "", kind->name);
    g_string_append_printf(gaps->why, "%s: %s\n", kind->name, why);
}

/* Sets *@no_gnuplot if gnuplot is not installed. */
static gboolean write_report_plot(GString *out, const PlotKind *kind,
                                  const SweepResults *r, OutputGroup *group,
                                  ReportGaps *gaps, char **no_gnuplot,
                                  GError **error)
{
    g_autoptr(GString) svg = NULL;
    g_autoptr(GError) reason = NULL;

    if (plot_write_kind(kind, r, group, &svg, &reason)) {
        append_plot_figure(out, kind, r, svg);
        return TRUE;
    }
    if (g_error_matches(reason, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT)) {
        *no_gnuplot = g_strdup(reason->message);
        return TRUE;
    }
    if (reason->domain == G_SPAWN_ERROR) {
        record_missing_plot(out, kind, gaps, reason->message);
        return TRUE;
    }
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
}

static gboolean write_report_plots(GString *out, const SweepResults *r,
                                   OutputGroup *group, ReportGaps *gaps,
                                   GError **error)
{
    g_autoptr(GString) left_out = g_string_new(NULL);
    g_autofree char *no_gnuplot = NULL;

    g_string_append(out, "<section>\n<h2>Plots</h2>\n");
    for (guint i = 0; plot_kinds[i] && !no_gnuplot; i++) {
        const PlotKind *kind = plot_kinds[i];
        g_autofree char *why_not = NULL;

        if (!plot_fits_results(kind, r, &why_not, error))
            return FALSE;
        if (why_not)
            html_append_format(left_out, "<li>%s: %s</li>\n", kind->name,
                               why_not);
        else if (!write_report_plot(out, kind, r, group, gaps, &no_gnuplot,
                                    error))
            return FALSE;
    }
    if (no_gnuplot) {
        html_append_format(out, "<p>There are none: %s.</p>\n", no_gnuplot);
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
static gboolean write_sweep_facts(GString *out, const SweepResults *r,
                                  GError **error)
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
        command = date ? sweep_info_read_list(path, "command", error) : NULL;
        if (!command)
            return FALSE;
        shell = g_strjoinv(" ", command);
        html_append_format(
            out, "<p>Swept on %s with acesim %s by</p>\n<pre>%s</pre>\n", date,
            version, shell);
    }
    html_append_format(out, "<p>Report of acesim %s.</p>\n</footer>\n",
                       ACESIM_VERSION);
    return TRUE;
}

static void write_failed_points(GString *out, const SweepResults *r)
{
    guint n = csv_table_n_rows(r->table) - r->rows->len;

    if (n > 0)
        g_string_append_printf(out,
                               "<p class=\"loss\">%u of %u points failed; "
                               "runs.csv says why.</p>\n",
                               n, csv_table_n_rows(r->table));
}

static void write_window_note(GString *out, const SweepResults *r)
{
    g_autofree char *note = note_on_chunk_window(r->table);

    if (!note)
        return;
    note[0] = g_ascii_toupper(note[0]);
    html_append_format(out, "<p class=\"loss\">%s.</p>\n", note);
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

GString *report_make_page(const SweepResults *r, OutputGroup *group,
                          ReportGaps *gaps, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *question = report_question_text(r);

    write_report_head(out, question);
    write_report_answer(out, r, question);
    report_write_models(out, r);
    write_failed_points(out, r);
    write_window_note(out, r);
    if (!write_report_plots(out, r, group, gaps, error))
        return NULL;
    report_write_all_comparisons(out, r);
    if (!report_write_sensitivity(out, r, error))
        return NULL;
    if (!report_write_configuration(out, r->folder, error) ||
        !write_sweep_facts(out, r, error))
        return NULL;
    g_string_append(out, "</main>\n</body>\n</html>\n");
    return g_steal_pointer(&out);
}
