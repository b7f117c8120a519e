/* cmd_report.c - acesim report: writes the results of a sweep as one page */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/host/interrupt.h"
#include "sim/view/plots/write.h"
#include "sim/view/report/report.h"

#define PAGE "report.html"

/* Writes plots and page as one group. */
static gboolean write_report(const char *folder, const char *path,
                             ReportGaps *gaps, GError **error)
{
    g_autoptr(Results) results = results_load(folder, error);
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(GString) page = NULL;

    if (!results)
        return FALSE;
    plot_remove_leftovers(folder);
    output_remove_leftovers(folder, PAGE);
    page = report_html(results, group, gaps, error);
    return page && output_group_add(group, path, page, error) &&
           interrupt_check(error) && output_group_commit(group, error);
}

static int report_folder(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, PAGE, NULL);
    g_autoptr(GError) error = NULL;
    g_auto(ReportGaps) gaps = { 0 };
    Interrupt interrupt;
    gboolean ok;

    report_gaps_init(&gaps);
    interrupt_begin(&interrupt);
    ok = write_report(folder, path, &gaps, &error);
    interrupt_end(&interrupt);
    if (!ok)
        return cli_fail_or_signal(error);
    fprintf(stderr, "%swrote %s%s%s\n", gaps.why->str, path,
            gaps.names->len > 0 ? ", without " : "", gaps.names->str);
    return gaps.names->len > 0 ? CLI_FAILED : CLI_OK;
}

static int run(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    const GOptionEntry entries[] = { OPTIONS_END };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_count(command, rest, 1, 1, &status))
        return status;
    return report_folder(rest[0]);
}

const CliCommand cmd_report = {
    .name = "report",
    .arguments = "DIR",
    .summary = "Write a sweep's results as one page: DIR/report.html",
    .detail =
        "The answer first, then plots (all that `acesim plot` can draw, which\n"
        "are written too), then every value of the configuration and where it\n"
        "is from.  The page needs no network and no script.\n\n"
        "Example:\n"
        "  acesim report results/isca21",
    .run = run,
};
