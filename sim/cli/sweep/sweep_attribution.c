/*
 * sweep_attribution.c - finds out why the points of a finished sweep take their
 * time; see sweep_attribution.h
 */
#include "sim/cli/sweep/sweep_attribution.h"

#include <stdio.h>

#include "sim/sweep/point_explanations.h"
#include "sim/view/data_package.h"

/* Writes what is known.  All files are written before the first is renamed. */
static gboolean write_causes_of_points(const SweepResults *results,
                                       const PointExplanations *points,
                                       GError **error)
{
    g_autoptr(OutputGroup) group = output_group_new();

    return point_explanations_add_files(points, results, group, error) &&
           output_group_commit(group, error) &&
           data_package_write(results->folder, error);
}

/* A disk that is full now may have room later, so a failure is a message. */
static void save_causes_to_folder(gpointer self, const SweepResults *results,
                                  const PointExplanations *points)
{
    g_autoptr(GError) error = NULL;

    if (!write_causes_of_points(results, points, &error))
        progress_print_message(self, "%s", error->message);
}

static int report_interrupting_signal(int number)
{
    fputs("interrupted: the causes found so far are saved; the same command "
          "continues from there\n",
          stderr);
    return CLI_SIGNALLED + number;
}

static int report_points_without_causes(const PointExplanations *points)
{
    if (points->n_missing == 0)
        return CLI_OK;
    fprintf(stderr,
            "%u points have no parts: %u take another time now than in "
            "runs.csv, the others failed\n",
            points->n_missing, points->n_changed);
    return CLI_FAILED;
}

int sweep_find_causes(const SweepOptions *options)
{
    Progress progress = { .is_quiet = options->quiet };
    const ExplainEffort effort = {
        .limit_us = G_MAXUINT64,
        .n_jobs = (guint)options->n_jobs,
        .timeout_us = options->timeout_us,
        .memory_bytes = options->memory_bytes,
        .what_ifs = options->what_ifs ? WHAT_IFS_OF_ALL : WHAT_IFS_OF_NONE,
        .progress = &progress,
        .save = save_causes_to_folder,
        .self = &progress,
    };
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepResults) results = NULL;
    g_autoptr(FolderPlan) plan = NULL;
    g_autoptr(PointExplanations) points = NULL;

    if (!options->attribution && !options->what_ifs)
        return CLI_OK;
    results = results_load_any(options->folder, &error);
    if (!results)
        return cli_report_error(error);
    plan = folder_plan_open(results);
    if (!plan->plan) {
        fprintf(stderr, "%s: causes cannot be found: %s\n", options->folder,
                plan->reason);
        return CLI_FAILED;
    }
    points = point_explanations_new(results, plan, &effort);
    if (!write_causes_of_points(results, points, &error))
        return cli_report_error(error);
    if (points->signal != 0)
        return report_interrupting_signal(points->signal);
    if (!options->quiet)
        fprintf(stderr, "wrote %s/attribution.csv\n", options->folder);
    return report_points_without_causes(points);
}
