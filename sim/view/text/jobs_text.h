/*
 * jobs_text.h - the jobs of a run as a table, one line per job
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_TEXT_JOBS_TEXT_H
#define SIM_VIEW_TEXT_JOBS_TEXT_H

#include "sim/study/jobs/job_slowdown.h"

/* Returns the table, or "" if the run has one workload.  If @isolated_runs (of
 * JobSlowdown) is not NULL, the table has the times of each job in an isolated
 * run. */
char *jobs_text(const System *system, const GArray *isolated_runs);

#endif
