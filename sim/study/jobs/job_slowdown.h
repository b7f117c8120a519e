/*
 * job_slowdown.h - runs each job of a run alone on the same NPUs, for its
 * slowdown
 *
 * In the run of a job, the NPUs of all other jobs are idle (`workload.only`).
 *
 * Units    ps per iteration
 * Errors   those of the RunManyFn.  A run that ends with an error is no error
 *          here; its message becomes .reason.
 * Owner    the caller owns the array, which owns its texts
 */
#ifndef SIM_STUDY_JOBS_JOB_SLOWDOWN_H
#define SIM_STUDY_JOBS_JOB_SLOWDOWN_H

#include "models/run/report/job_results.h"
#include "sim/study/run_many.h"

typedef struct {
    JobResult together;
    SimTime alone_ps;     /* time of the isolated job; 0: it could not run */
    char *reason;         /* owned: why it could not be run; otherwise NULL */
    gboolean has_crashed; /* its run was killed or crashed (failed_runs.h) */
} JobSlowdown;

/* Runs the jobs of @system, which has run, in their order.  @path and @sets are
 * those that it was loaded from.  Returns an array (of JobSlowdown), or NULL
 * and sets @error. */
G_GNUC_WARN_UNUSED_RESULT
GArray *job_slowdowns_run(const char *path, char *const *sets,
                          RunOptions run_options, const System *system,
                          RunManyFn run_many, GError **error);

/* Returns FALSE and sets @error if the runs of some jobs were killed or
 * crashed. */
G_GNUC_WARN_UNUSED_RESULT
gboolean job_slowdowns_check_none_failed(const GArray *jobs, GError **error);

/* Appends CSV with its header: one row per job with its time alone and its
 * slowdown. */
void job_slowdowns_append_csv(GString *out, const GArray *jobs);

#endif
