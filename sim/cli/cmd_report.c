/* cmd_report.c - acesim report: a sweep's results as one page */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/report/report.h"

static int report_folder(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "report.html", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(Results) results = results_load(folder, &error);
    g_autoptr(GString) page = NULL;
    g_autofree char *no_plots = NULL;

    if (!results)
        return cli_fail(error);
    page = report_html(results, &no_plots, &error);
    if (!page || !output_replace(path, page, &error))
        return cli_fail(error);
    if (no_plots)
        fprintf(stderr, "%s\n", no_plots);
    fprintf(stderr, "wrote %s%s\n", path, no_plots ? ", without plots" : "");
    return no_plots ? CLI_FAILED : CLI_OK;
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
