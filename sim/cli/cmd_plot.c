/* cmd_plot.c - acesim plot: draws the results of a sweep */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/host/interrupt.h"
#include "sim/view/plots/chart_set.h"
#include "sim/view/plots/plot_files.h"

/* Plots are renamed to their final names after all are drawn; only then
 * messages about them are printed. */
typedef struct {
    const SweepResults *results; /* borrowed */
    OutputGroup *group;          /* borrowed */
    GString *messages;           /* borrowed: the messages */
    guint width_px;              /* of the images */
} PlotWriting;

#define MOST_WIDTH_PX 4000

static gboolean draw_plot_kind(const PlotWriting *writing, const PlotKind *kind,
                               GError **error)
{
    if (!plot_write_kind(kind, writing->results, writing->width_px,
                         writing->group, NULL, error))
        return FALSE;
    g_string_append_printf(writing->messages,
                           "wrote %s/plots/%s.svg and .png\n",
                           writing->results->folder, kind->name);
    return TRUE;
}

static gboolean draw_one_chart(const PlotWriting *writing, const Chart *chart,
                               GError **error)
{
    g_autofree char *name = chart_file_name(chart);

    if (!plot_write_chart(name, chart, writing->width_px, writing->group,
                          error))
        return FALSE;
    g_string_append_printf(writing->messages,
                           "wrote %s/plots/%s.svg and .png\n",
                           writing->results->folder, name);
    return TRUE;
}

/* Draws the chart that is asked for.  One that does not fit is an error. */
static gboolean draw_requested_chart(const PlotWriting *writing,
                                     const ChartRequest *request,
                                     GError **error)
{
    g_autoptr(Chart) chart = chart_new(writing->results, request, error);

    return chart && draw_one_chart(writing, chart, error);
}

/* Draws the kinds that show other files of the folder, where there are such
 * files. */
static gboolean draw_remaining_files(const PlotWriting *writing, GError **error)
{
    for (guint i = 0; plot_kinds[i]; i++) {
        g_autofree char *reason = NULL;

        if (plot_kinds[i]->chart)
            continue;
        if (!plot_fits_results(plot_kinds[i], writing->results, &reason, error))
            return FALSE;
        if (!reason && !draw_plot_kind(writing, plot_kinds[i], error))
            return FALSE;
    }
    return TRUE;
}

/* Draws the charts of the axes, and adds a message for each that does not
 * fit. */
static gboolean draw_chart_set(const PlotWriting *writing, GError **error)
{
    g_autoptr(GPtrArray) charts =
        chart_set_new(writing->results, writing->messages, error);

    for (guint i = 0; charts && i < charts->len; i++)
        if (!draw_one_chart(writing, g_ptr_array_index(charts, i), error))
            return FALSE;
    return charts && draw_remaining_files(writing, error);
}

/* Draws the named plots.  A plot that does not fit is an error. */
static gboolean draw_named_plots(const PlotWriting *writing, char *const *names,
                                 GError **error)
{
    for (guint i = 0; names[i]; i++) {
        const PlotKind *kind = plot_find_kind(names[i]);
        g_autofree char *reason = NULL;

        if (!plot_fits_results(kind, writing->results, &reason, error))
            return FALSE;
        if (reason) {
            g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                        "%s: no plot %s: %s", writing->results->path,
                        kind->name, reason);
            return FALSE;
        }
        if (!draw_plot_kind(writing, kind, error))
            return FALSE;
    }
    return TRUE;
}

/* The plots that the command line names: kinds, or a chart, or none. */
typedef struct {
    char *const *kinds; /* borrowed: names, which may be none */
    ChartRequest request;
    guint width_px;
} PlotQuestion;

static gboolean draw_plots_of_folder(const char *folder,
                                     const PlotQuestion *question,
                                     GError **error)
{
    g_autoptr(SweepResults) results = results_load(folder, error);
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(GString) messages = g_string_new(NULL);
    const PlotWriting w = { results, group, messages, question->width_px };
    const ChartRequest *request = &question->request;

    if (!results)
        return FALSE;
    plot_remove_leftovers(folder);
    if (!(question->kinds[0] ? draw_named_plots(&w, question->kinds, error)
          : request->y || request->series || request->panels
              ? draw_requested_chart(&w, request, error)
              : draw_chart_set(&w, error)) ||
        !interrupt_check_signal(error) || !output_group_commit(group, error))
        return FALSE;
    fputs(messages->str, stderr);
    return TRUE;
}

static char *list_plot_kinds(void)
{
    GString *out =
        g_string_new("Kinds, names for charts of published figures:\n");

    for (guint i = 0; plot_kinds[i]; i++)
        g_string_append_printf(out, "  %-17s %s\n", plot_kinds[i]->name,
                               plot_kinds[i]->summary);
    return g_string_free(out, FALSE);
}

/* Reads the operands after the folder: names of kinds, or Y and X.  `speedup`
 * is both a kind and a Y. */
static gboolean read_plot_operands(const CliCommand *command,
                                   char *const *operands,
                                   PlotQuestion *question, int *status)
{
    guint n = g_strv_length((char **)operands);
    guint n_kinds = 0;

    for (guint i = 0; i < n; i++)
        n_kinds += plot_find_kind(operands[i]) != NULL;
    if (n > 0 && n_kinds == n && !question->request.series &&
        !question->request.panels) {
        question->kinds = operands;
        return TRUE;
    }
    if (n > 2 ||
        n_kinds > (n > 0 && g_str_equal(operands[0], CHART_SPEEDUP) ? 1 : 0)) {
        *status = cli_report_usage_error(
            command, "expected the names of kinds, or Y and X");
        return FALSE;
    }
    question->request.y = n > 0 ? operands[0] : NULL;
    question->request.x = n > 1 ? operands[1] : NULL;
    return TRUE;
}

static int run_plot_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_autofree char *by = NULL;
    g_autofree char *panels = NULL;
    int width_px = CANVAS_WIDTH_PX;
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        { "by", 0, 0, G_OPTION_ARG_STRING, &by,
          "Draw a line, or a row of a heat map, for each value of it", "AXIS" },
        { "panels", 0, 0, G_OPTION_ARG_STRING, &panels,
          "Draw a panel for each value of it", "AXIS" },
        { "width", 0, 0, G_OPTION_ARG_INT, &width_px,
          "Width of the image in pixels (800); 400 is legible on a phone",
          "PX" },
        OPTIONS_END
    };
    char *const none[] = { NULL };
    PlotQuestion question = { .kinds = none };
    Interrupt interrupt;
    gboolean ok;
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, G_MAXUINT, &status))
        return status;
    question.request.series = by;
    question.request.panels = panels;
    if (width_px < CANVAS_LEAST_WIDTH_PX || width_px > MOST_WIDTH_PX)
        return cli_report_usage_error(
            command, "--width=%d: expected a number from %d to %d", width_px,
            CANVAS_LEAST_WIDTH_PX, MOST_WIDTH_PX);
    question.width_px = (guint)width_px;
    if (!read_plot_operands(command, rest + 1, &question, &status))
        return status;
    interrupt_begin_deferring(&interrupt);
    ok = draw_plots_of_folder(rest[0], &question, &error);
    interrupt_end_deferring(&interrupt);
    return ok ? CLI_OK : cli_report_error_or_signal(error);
}

const CliCommand cmd_plot = {
    .name = "plot",
    .arguments = "DIR [Y] [X]",
    .summary = "Draw any column by any axis: SVG and PNG",
    .detail =
        "Y is a column of runs.csv, or `speedup`; X is an axis of the sweep.\n"
        "A numeric axis of four values makes lines, two numeric axes a heat\n"
        "map, others rows of dots, and further axes panels.  Without Y, draws\n"
        "the answer and the time by each axis.  Writes DIR/plots/Y-by-X.svg\n"
        "and .png, the same bytes for the same rows, by gnuplot (Debian:\n"
        "gnuplot-nox).  Instead of Y and X, kinds of plots can be named.\n\n"
        "Example:\n"
        "  acesim plot results/isca21\n"
        "  acesim plot results/isca21 exposed_comm_us n_npus\n"
        "  acesim plot results/isca21 speedup scaling",
    .introduce = list_plot_kinds,
    .run = run_plot_command,
};
