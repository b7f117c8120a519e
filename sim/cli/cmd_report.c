/* cmd_report.c - acesim report: writes the results of a sweep as one page */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/host/interrupt.h"
#include "sim/view/plots/plot_files.h"
#include "sim/view/report/report.h"

#define PAGE "report.html"

/* Writes plots and page as one group. */
static gboolean write_report_files(const char *folder, const char *path,
                                   ReportGaps *gaps, GError **error)
{
    g_autoptr(SweepResults) results = results_load(folder, error);
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(GString) page = NULL;

    if (!results)
        return FALSE;
    plot_remove_leftovers(folder);
    output_remove_leftovers(folder, PAGE);
    page = report_make_page(results, group, gaps, error);
    return page && output_group_add_file(group, path, page, error) &&
           interrupt_check_signal(error) && output_group_commit(group, error);
}

static int write_folder_report(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, PAGE, NULL);
    g_autoptr(GError) error = NULL;
    g_auto(ReportGaps) gaps = { 0 };
    Interrupt interrupt;
    gboolean ok;

    report_gaps_init(&gaps);
    interrupt_begin_deferring(&interrupt);
    ok = write_report_files(folder, path, &gaps, &error);
    interrupt_end_deferring(&interrupt);
    if (!ok)
        return cli_report_error_or_signal(error);
    fprintf(stderr, "%swrote %s%s%s\n", gaps.why->str, path,
            gaps.names->len > 0 ? ", without " : "", gaps.names->str);
    return gaps.names->len > 0 ? CLI_FAILED : CLI_OK;
}

static int run_report_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    const GOptionEntry entries[] = { OPTIONS_END };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status))
        return status;
    return write_folder_report(rest[0]);
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
    .run = run_report_command,
};
