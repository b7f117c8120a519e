/* cmd_plot.c - acesim plot: what a sweep found, as pictures */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/cli/plots/write.h"

/* FALSE: @name is no kind, and *@status says so. */
static gboolean check_name(const CliCommand *command, const char *name,
                           int *status)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autofree char *all = NULL;
    const char *nearest;

    if (plot_find(name))
        return TRUE;
    for (guint i = 0; plot_kinds[i]; i++)
        g_ptr_array_add(names, (gpointer)plot_kinds[i]->name);
    g_ptr_array_add(names, NULL);
    all = g_strjoinv(", ", (char **)names->pdata);
    nearest = config_nearest(name, (const char *const *)names->pdata);
    *status = nearest
                  ? cli_usage(command,
                              "unknown kind of plot '%s'; did you mean "
                              "'%s'?",
                              name, nearest)
                  : cli_usage(command, "unknown kind of plot '%s'; known: %s",
                              name, all);
    return FALSE;
}

static gboolean write_kind(const PlotKind *kind, const Results *results,
                           GError **error)
{
    if (!plot_write(kind, results, NULL, error))
        return FALSE;
    fprintf(stderr, "wrote %s/plots/%s.svg and .png\n", results->folder,
            kind->name);
    return TRUE;
}

/* All kinds that fit; of the others it is said why they do not. */
static gboolean write_fitting(const Results *results, GError **error)
{
    for (guint i = 0; plot_kinds[i]; i++) {
        g_autofree char *why_not = NULL;

        if (!plot_fits(plot_kinds[i], results, &why_not, error))
            return FALSE;
        if (why_not)
            fprintf(stderr, "left out %s: %s\n", plot_kinds[i]->name, why_not);
        else if (!write_kind(plot_kinds[i], results, error))
            return FALSE;
    }
    return TRUE;
}

/* These, whether that is possible or an error. */
static gboolean write_named(const Results *results, char *const *names,
                            GError **error)
{
    for (guint i = 0; names[i]; i++) {
        const PlotKind *kind = plot_find(names[i]);
        g_autofree char *why_not = NULL;

        if (!plot_fits(kind, results, &why_not, error))
            return FALSE;
        if (why_not) {
            g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                        "%s: no plot %s: %s", results->path, kind->name,
                        why_not);
            return FALSE;
        }
        if (!write_kind(kind, results, error))
            return FALSE;
    }
    return TRUE;
}

static char *detail(const CliCommand *command)
{
    GString *out = g_string_new("Kinds, all that fit by default:\n");

    for (guint i = 0; plot_kinds[i]; i++)
        g_string_append_printf(out, "  %-17s %s\n", plot_kinds[i]->name,
                               plot_kinds[i]->summary);
    g_string_append_printf(out, "\n%s", command->detail);
    return g_string_free(out, FALSE);
}

static int run(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(Results) results = NULL;
    g_autofree char *kinds = detail(command);
    const GOptionEntry entries[] = { OPTIONS_END };
    CliCommand with_kinds = *command;
    int status;

    with_kinds.detail = kinds;
    if (!options_parse(&with_kinds, entries, argv, &rest, &status) ||
        !options_count(command, rest, 1, G_MAXUINT, &status))
        return status;
    for (guint i = 1; rest[i]; i++)
        if (!check_name(command, rest[i], &status))
            return status;
    results = results_load(rest[0], &error);
    if (!results)
        return cli_fail(error);
    if (rest[1] ? !write_named(results, rest + 1, &error)
                : !write_fitting(results, &error))
        return cli_fail(error);
    return CLI_OK;
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
    .run = run,
};
