/*
 * plan_estimates.h - estimates the times of what-ifs that are other plans
 *
 * A plan is estimated as `acesim optimise` does it (plan_samples.h): runs of a
 * few layers time the passes, with which the pipeline schedule is replayed.
 * The run itself is estimated, too, and the ratio of the two estimates times
 * its simulated time is the estimate of the what-if.
 *
 * Units    ps
 * Errors   those of the RunManyFn
 */
#ifndef SIM_STUDY_EXPLAIN_PLAN_ESTIMATES_H
#define SIM_STUDY_EXPLAIN_PLAN_ESTIMATES_H

#include "sim/study/what_ifs.h"

/* Returns whether the what-if is another plan for the same work. */
gboolean what_if_is_plan(const WhatIf *what_if);

/* Sets .estimate_ps of each of @what_ifs that is another plan, or leaves 0 if
 * it cannot be estimated.  Returns FALSE and sets @error if it was
 * interrupted. */
G_GNUC_WARN_UNUSED_RESULT
gboolean estimate_plan_what_ifs(GArray *what_ifs, const WhatIfSource *source,
                                GError **error);

#endif
