/* cmd_report.c - acesim report: writes the results of a sweep as one page */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/host/interrupt.h"
#include "sim/sweep/explained_points.h"
#include "sim/view/data_package.h"
#include "sim/view/plots/plot_files.h"
#include "sim/view/report/report.h"

#define PAGE                "report.html"
#define DEFAULT_EXPLAIN_FOR "10 s"
#define PS_PER_US           UINT64_C(1000000)

/* Adds a file of the folder; takes ownership of @text. */
static gboolean add_data_file(OutputGroup *group, const char *folder,
                              const char *name, GString *text, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GString) owned = text;

    return output_group_add_file(group, path, owned, error);
}

/* Adds compare.csv, if rows can be compared, and why points take their time. */
static gboolean add_data_files(OutputGroup *group, const SweepResults *r,
                               const ExplainedPoints *points, GError **error)
{
    return (!r->comparison ||
            add_data_file(group, r->folder, "compare.csv",
                          compare_csv(r->comparison), error)) &&
           add_data_file(group, r->folder, "attribution.csv",
                         explained_points_attribution_csv(r, points), error) &&
           add_data_file(group, r->folder, "what_ifs.csv",
                         explained_points_what_ifs_csv(r, points), error);
}

/* Writes plots and page as one group. */
static gboolean write_report_files(const char *folder, const char *path,
                                   guint64 limit_us, ReportGaps *gaps,
                                   GError **error)
{
    g_autoptr(SweepResults) results = results_load(folder, error);
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(FolderPlan) plan = NULL;
    g_autoptr(ExplainedPoints) points = NULL;
    g_autoptr(GString) page = NULL;

    if (!results)
        return FALSE;
    plan = folder_plan_open(results);
    points = explained_points_new(results, plan, limit_us);
    plot_remove_leftovers(folder);
    output_remove_leftovers(folder, PAGE);
    page = report_make_page(results, group, gaps, error);
    return page && output_group_add_file(group, path, page, error) &&
           add_data_files(group, results, points, error) &&
           interrupt_check_signal(error) && output_group_commit(group, error) &&
           data_package_write(folder, error);
}

static int write_folder_report(const char *folder, guint64 limit_us)
{
    g_autofree char *path = g_build_filename(folder, PAGE, NULL);
    g_autoptr(GError) error = NULL;
    g_auto(ReportGaps) gaps = { 0 };
    Interrupt interrupt;
    gboolean ok;

    report_gaps_init(&gaps);
    interrupt_begin_deferring(&interrupt);
    ok = write_report_files(folder, path, limit_us, &gaps, &error);
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
    g_autofree char *explain_for = g_strdup(DEFAULT_EXPLAIN_FOR);
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
        !options_parse_quantity(command, "--explain-for", explain_for,
                                CONFIG_TIME, &limit_ps, &status))
        return status;
    return write_folder_report(rest[0], limit_ps / PS_PER_US);
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
