/*
 * goal.h - a run as a schedule of GOAL, for other simulators of networks
 *
 * One iteration, or as many as asked for, from standstill: collectives as the
 * sends and receives that their plan makes, kernels and what else takes time as
 * `calc` in ns as they ran here, all of them bound by `requires`.  A label is
 * defined before it is named.
 *
 * Not in it: what an endpoint spends on a message, in which order chunks are
 * served, how many are under way at once; that is for the other simulator to
 * model.
 *
 * Errors   CONFIG_ERROR where the run has what GOAL cannot say; those of the
 *          run
 * Owner    the caller owns what is returned
 */
#ifndef SIM_STUDY_EXPORT_GOAL_H
#define SIM_STUDY_EXPORT_GOAL_H

#include "models/run/system.h"

typedef struct {
    uint32_t n_ranks;
    uint64_t n_sends, n_calcs, n_requires;
    /* Of those ranks that a run's results are of: all but servers. */
    uint32_t n_counted;
    uint64_t sent_bytes;     /* of all of them, in all iterations */
    uint64_t run_sent_bytes; /* of one in an iteration, as the run has it */
} GoalCounts;

/* Runs @config. */
G_GNUC_WARN_UNUSED_RESULT
GString *goal_export(const SystemConfig *config, uint64_t n_iterations,
                     GoalCounts *ret, GError **error);

#endif
