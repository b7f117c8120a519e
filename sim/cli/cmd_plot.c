/* cmd_plot.c - acesim plot: draws the results of a sweep */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/core/word_suggestions.h"
#include "sim/host/interrupt.h"
#include "sim/view/plots/plot_files.h"

/* Returns FALSE and sets *@status if @name is not a kind of plot. */
static gboolean check_plot_name(const CliCommand *command, const char *name,
                                int *status)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autofree char *all = NULL;
    const char *nearest;

    if (plot_find_kind(name))
        return TRUE;
    for (guint i = 0; plot_kinds[i]; i++)
        g_ptr_array_add(names, (gpointer)plot_kinds[i]->name);
    g_ptr_array_add(names, NULL);
    all = g_strjoinv(", ", (char **)names->pdata);
    nearest = words_find_nearest(name, (const char *const *)names->pdata);
    *status =
        nearest
            ? cli_report_usage_error(command,
                                     "unknown kind of plot '%s'; did you mean "
                                     "'%s'?",
                                     name, nearest)
            : cli_report_usage_error(
                  command, "unknown kind of plot '%s'; known: %s", name, all);
    return FALSE;
}

/* Plots are renamed to their final names after all are drawn; only then
 * messages about them are printed. */
typedef struct {
    const SweepResults *results; /* borrowed */
    OutputGroup *group;          /* borrowed */
    GString *messages;           /* borrowed: the messages */
} PlotWriting;

static gboolean draw_plot_kind(const PlotWriting *w, const PlotKind *kind,
                               GError **error)
{
    if (!plot_write_kind(kind, w->results, w->group, NULL, error))
        return FALSE;
    g_string_append_printf(w->messages, "wrote %s/plots/%s.svg and .png\n",
                           w->results->folder, kind->name);
    return TRUE;
}

/* Draws all kinds of plots that fit, and adds a message for each of the
 * others. */
static gboolean draw_all_applicable_plots(const PlotWriting *w, GError **error)
{
    for (guint i = 0; plot_kinds[i]; i++) {
        g_autofree char *reason = NULL;

        if (!plot_fits_results(plot_kinds[i], w->results, &reason, error))
            return FALSE;
        if (reason)
            g_string_append_printf(w->messages, "left out %s: %s\n",
                                   plot_kinds[i]->name, reason);
        else if (!draw_plot_kind(w, plot_kinds[i], error))
            return FALSE;
    }
    return TRUE;
}

/* Draws the named plots.  A plot that does not fit is an error. */
static gboolean draw_named_plots(const PlotWriting *w, char *const *names,
                                 GError **error)
{
    for (guint i = 0; names[i]; i++) {
        const PlotKind *kind = plot_find_kind(names[i]);
        g_autofree char *reason = NULL;

        if (!plot_fits_results(kind, w->results, &reason, error))
            return FALSE;
        if (reason) {
            g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                        "%s: no plot %s: %s", w->results->path, kind->name,
                        reason);
            return FALSE;
        }
        if (!draw_plot_kind(w, kind, error))
            return FALSE;
    }
    return TRUE;
}

/* Draws the plots @names, or all that fit if @names is empty. */
static gboolean draw_plots(const char *folder, char *const *names,
                           GError **error)
{
    g_autoptr(SweepResults) results = results_load(folder, error);
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(GString) messages = g_string_new(NULL);
    const PlotWriting w = { results, group, messages };

    if (!results)
        return FALSE;
    plot_remove_leftovers(folder);
    if (!(names[0] ? draw_named_plots(&w, names, error)
                   : draw_all_applicable_plots(&w, error)) ||
        !interrupt_check_signal(error) || !output_group_commit(group, error))
        return FALSE;
    fputs(messages->str, stderr);
    return TRUE;
}

static char *list_plot_kinds(void)
{
    GString *out = g_string_new("Kinds, all that fit by default:\n");

    for (guint i = 0; plot_kinds[i]; i++)
        g_string_append_printf(out, "  %-17s %s\n", plot_kinds[i]->name,
                               plot_kinds[i]->summary);
    return g_string_free(out, FALSE);
}

static int run_plot_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = { OPTIONS_END };
    Interrupt interrupt;
    gboolean ok;
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, G_MAXUINT, &status))
        return status;
    for (guint i = 1; rest[i]; i++)
        if (!check_plot_name(command, rest[i], &status))
            return status;
    interrupt_begin_deferring(&interrupt);
    ok = draw_plots(rest[0], rest + 1, &error);
    interrupt_end_deferring(&interrupt);
    return ok ? CLI_OK : cli_report_error_or_signal(error);
}

const CliCommand cmd_plot = {
    .name = "plot",
    .arguments = "DIR [KIND...]",
    .summary = "Draw a sweep's results: SVG and PNG",
    .detail =
        "Writes DIR/plots/KIND.svg and .png, the same bytes for the same\n"
        "rows, by gnuplot (Debian: gnuplot-nox).\n\n"
        "Example:\n"
        "  acesim plot results/isca21\n"
        "  acesim plot results/isca21 speedup scaling",
    .introduce = list_plot_kinds,
    .run = run_plot_command,
};
