/*
 * jobs_text.h - the jobs of a run as a table
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_TEXT_JOBS_TEXT_H
#define SIM_VIEW_TEXT_JOBS_TEXT_H

#include "sim/study/jobs/alone.h"

/* "" where all is one workload; with what each takes @alone (of JobAlone),
 * unless that is NULL. */
char *jobs_text(const System *system, const GArray *alone);

#endif
