/*
 * sweep_estimate.h - how long a sweep will take
 *
 * Points of a sweep differ a thousandfold in cost, by platform, payload and
 * folding, so some are run: up to SWEEP_SAMPLE_POINTS, spread evenly over the
 * list, for SWEEP_SAMPLE_S at most.  Their mean stands for the others, points
 * that are tuned (tune.h) apart; what is not done by then counts as that long.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_SWEEP_SWEEP_ESTIMATE_H
#define SIM_SWEEP_SWEEP_ESTIMATE_H

#include "models/run/system.h"
#include "sim/sweep/sweep_plan.h"

#define SWEEP_SAMPLE_POINTS 16
#define SWEEP_SAMPLE_S      3

/* "about 0:06 with 2 jobs, by 16 points that took 1.3 s".  @n_jobs from 1.
 * NULL: it was ended by signal *@number. */
char *sweep_estimate(const SweepPlan *plan, FoldMode fold, guint n_jobs,
                     int *number);

#endif
