/*
 * sweep_run.h - the points of a sweep, run, and their rows in axis order
 *
 * Owner    the caller owns the SweepRun, which borrows the plan
 */
#ifndef SIM_CLI_SWEEP_RUN_H
#define SIM_CLI_SWEEP_RUN_H

#include "models/system.h"
#include "sim/cli/progress.h"
#include "sim/cli/rows.h"
#include "sim/cli/sweep_plan.h"

typedef struct {
    const SweepPlan *plan;
    FoldMode fold;
    gboolean wanted[ROWS_N_FILES];
    Progress progress;
    /* owned arrays of owned text, NULL where a point is not done */
    GPtrArray *rows[ROWS_N_FILES];
} SweepRun;

void sweep_run_init(SweepRun *run, const SweepPlan *plan);
void sweep_run_clear(SweepRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SweepRun, sweep_run_clear)

/* Runs all points, @n_jobs at a time, and reports failures and progress.
 * Returns 0 or the signal that ended it. */
int sweep_run_all(SweepRun *run, guint n_jobs);

/* The CSV of the points that are done.  Owner: the caller. */
GString *sweep_run_csv(const SweepRun *run, RowsFile file);

/* Reads the configuration of up to SWEEP_CHECK_POINTS points, and with @build
 * builds their systems; then, when that were all, the names under `compare:`.
 * FALSE: *@error has all problems, each once. */
#define SWEEP_CHECK_POINTS 10000
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_run_check(const SweepPlan *plan, gboolean build, GError **error);

#endif
