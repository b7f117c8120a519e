/*
 * alone.h - runs each job of a run alone on the same NPUs, for its slowdown
 *
 * In the run of a job, the NPUs of all other jobs are idle (`workload.only`).
 *
 * Units    ps per iteration
 * Errors   those of the RunManyFn.  A run that ends with an error is no error
 *          here; its message becomes .reason.
 * Owner    the caller owns the array, which owns its texts
 */
#ifndef SIM_STUDY_JOBS_ALONE_H
#define SIM_STUDY_JOBS_ALONE_H

#include "models/run/report/jobs.h"
#include "sim/study/run_many.h"

typedef struct {
    JobResult together;
    SimTime alone_ps;     /* 0: it could not be run */
    char *reason;         /* owned: why it could not be run; otherwise NULL */
    gboolean has_crashed; /* its run was killed or crashed (losses.h) */
} JobAlone;

/* Runs the jobs of @system, which has run, in their order.  @path and @sets are
 * those that it was loaded from.  Returns an array (of JobAlone), or NULL and
 * sets @error. */
G_GNUC_WARN_UNUSED_RESULT
GArray *alone_run(const char *path, char *const *sets, FoldMode fold,
                  const System *system, RunManyFn run_many, GError **error);

/* Returns FALSE and sets @error if the runs of some jobs were killed or
 * crashed. */
G_GNUC_WARN_UNUSED_RESULT
gboolean alone_is_whole(const GArray *jobs, GError **error);

/* Appends CSV with its header: one row per job with its time alone and its
 * slowdown. */
void alone_add_rows(GString *out, const GArray *jobs);

#endif
