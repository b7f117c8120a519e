/*
 * isolated_job_runs.h - runs each job of a run in isolation, and writes the
 * rows
 *
 * Owner    the caller owns the array
 */
#ifndef SIM_CLI_ISOLATED_JOB_RUNS_H
#define SIM_CLI_ISOLATED_JOB_RUNS_H

#include "sim/study/jobs/job_slowdown.h"

/* Same as job_slowdowns_run(), and writes rows to @csv unless it is NULL. Sets
 * *@to_stdout if @csv is standard output.  Returns NULL and sets @error on
 * failure. */
G_GNUC_WARN_UNUSED_RESULT
GArray *run_isolated_jobs(const char *path, char *const *sets,
                          RunOptions run_options, const System *system,
                          const char *csv, gboolean *to_stdout, GError **error);

#endif
