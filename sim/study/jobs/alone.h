/*
 * alone.h - each job of a run by itself, on the same NPUs: what it is slowed
 * down by
 *
 * A run for each job, in which the NPUs of all others do nothing
 * (`workload.only`).
 *
 * Units    ps, of an iteration
 * Errors   those of the RunManyFn; what a run itself has to complain of is its
 *          .reason
 * Owner    the caller owns the array, and that its texts
 */
#ifndef SIM_STUDY_JOBS_ALONE_H
#define SIM_STUDY_JOBS_ALONE_H

#include "models/run/report/jobs.h"
#include "sim/study/run_many.h"

typedef struct {
    JobResult together;
    SimTime alone_ps; /* 0: it could not be run */
    char *reason;     /* owned: why not; else NULL */
    gboolean is_lost; /* its run never ended (losses.h) */
} JobAlone;

/* The jobs of @system, which has run, in their order; @path and @sets are those
 * that it was loaded from.  NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
GArray *alone_run(const char *path, char *const *sets, FoldMode fold,
                  const System *system, RunManyFn run_many, GError **error);

/* FALSE: some of @jobs are lost. */
G_GNUC_WARN_UNUSED_RESULT
gboolean alone_is_whole(const GArray *jobs, GError **error);

/* jobs.csv with what each takes alone. */
void alone_add_rows(GString *out, const GArray *jobs);

#endif
