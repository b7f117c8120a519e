/* cmd_report.c - acesim report: writes the results of a sweep as one page */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/host/interrupt.h"
#include "sim/host/output.h"
#include "sim/sweep/point_explanations.h"
#include "sim/view/data_package.h"
#include "sim/view/report/report.h"

#define PAGE                "report.html"
#define DEFAULT_EXPLAIN_FOR "10 s"
#define PS_PER_US           UINT64_C(1000000)

static gboolean add_data_file(OutputGroup *group, const SweepResults *results,
                              const char *name, const GString *text,
                              GError **error)
{
    g_autofree char *path = g_build_filename(results->folder, name, NULL);

    return output_group_add_file(group, path, text, error);
}

/* Adds compare.csv, if rows can be compared, and why points take their time. */
static gboolean add_data_files(OutputGroup *group, const SweepResults *results,
                               const PointExplanations *points, GError **error)
{
    g_autoptr(GString) pairs =
        results->comparison ? compare_csv(results->comparison) : NULL;

    return (!pairs ||
            add_data_file(group, results, "compare.csv", pairs, error)) &&
           point_explanations_add_files(points, results, group, error);
}

/* Writes the page and its data as one group. */
static gboolean write_report_files(const SweepResults *results,
                                   const FolderPlan *plan,
                                   const PointExplanations *points,
                                   GError **error)
{
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(GString) json = NULL;
    g_autoptr(GString) page =
        report_make_page(results, plan, points, &json, error);

    return page && add_data_file(group, results, PAGE, page, error) &&
           add_data_file(group, results, "report.json", json, error) &&
           add_data_files(group, results, points, error) &&
           interrupt_check_signal(error) && output_group_commit(group, error) &&
           data_package_write(results->folder, error);
}

static int write_folder_report(const char *folder, guint64 limit_us)
{
    g_autofree char *path = g_build_filename(folder, PAGE, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepResults) results = results_load_any(folder, &error);
    g_autoptr(FolderPlan) plan = NULL;
    g_autoptr(PointExplanations) points = NULL;
    const ExplainEffort effort = {
        .limit_us = limit_us,
        .n_jobs = g_get_num_processors(),
        .what_ifs = WHAT_IFS_OF_COMPARED,
    };
    Interrupt interrupt;
    gboolean ok;

    if (!results)
        return cli_report_error(error);
    plan = folder_plan_open(results);
    points = point_explanations_new(results, plan, &effort);
    if (points->signal != 0)
        return CLI_SIGNALLED + points->signal;
    output_remove_leftovers(folder, PAGE);
    interrupt_begin_deferring(&interrupt);
    ok = write_report_files(results, plan, points, &error);
    interrupt_end_deferring(&interrupt);
    if (!ok)
        return cli_report_error_or_signal(error);
    if (points->n_missing > 0)
        fprintf(stderr,
                "%u points are without causes; --explain-for=TIME runs more of "
                "them\n",
                points->n_missing);
    fprintf(stderr, "wrote %s\n", path);
    return CLI_OK;
}

static int run_report_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_autofree char *explain_for = NULL;
    const GOptionEntry entries[] = {
        { "explain-for", 0, 0, G_OPTION_ARG_STRING, &explain_for,
          "Longest time to find out why points take their time; '10 s'",
          "TIME" },
        OPTIONS_END,
    };
    guint64 limit_ps;
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status) ||
        !options_parse_quantity(command, "--explain-for",
                                explain_for ?: DEFAULT_EXPLAIN_FOR, CONFIG_TIME,
                                &limit_ps, &status))
        return status;
    return write_folder_report(rest[0], limit_ps / PS_PER_US);
}

const CliCommand cmd_report = {
    .name = "report",
    .arguments = "DIR",
    .summary = "Write one HTML page: answer, points, causes, sources",
    .detail =
        "The answer by rule first, then a chart, all points, and where every\n"
        "value of the configuration is from.  A row opens the causes of a\n"
        "point, what would make it faster and the command that runs it.  The\n"
        "page needs no network and is complete without scripts.  Points of\n"
        "which the causes are not known are simulated again, for at most\n"
        "--explain-for; a later report keeps them.\n\n"
        "Writes compare.csv, attribution.csv, what_ifs.csv, report.json and\n"
        "datapackage.json too.\n\n"
        "Example:\n"
        "  acesim report results/isca21",
    .run = run_report_command,
};
