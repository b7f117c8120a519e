/*
 * sweep_estimate.h - estimates the run time of a sweep
 *
 * The cost of points differs by a factor of a thousand, with platform, payload
 * and folding.  So a sample is run: up to SWEEP_SAMPLE_POINTS points, spread
 * evenly over the list, for SWEEP_SAMPLE_S seconds at most.  The others are
 * assumed to take the mean, separately for points that are tuned
 * (tune_endpoint.h).  A point that is not done by then counts as
 * SWEEP_SAMPLE_S.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_SWEEP_SWEEP_ESTIMATE_H
#define SIM_SWEEP_SWEEP_ESTIMATE_H

#include "models/run/system.h"
#include "sim/sweep/sweep_plan.h"

#define SWEEP_SAMPLE_POINTS 16
#define SWEEP_SAMPLE_S      3

/* Returns "about 0:06 with 2 jobs, by 16 points that took 1.3 s".  @n_jobs must
 * be at least 1.  Returns NULL if signal *@number ended the estimate. */
char *sweep_estimate(const SweepPlan *plan, RunOptions run_options,
                     guint n_jobs, int *number);

#endif
