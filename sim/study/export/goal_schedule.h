/*
 * goal_schedule.h - writes a run as a GOAL schedule for other network
 * simulators
 *
 * The schedule contains one or more iterations from the start.  Collectives
 * become the sends and receives of their plan.  Kernels and other work become
 * `calc` operations with their simulated times in ns.  `requires` lines express
 * all dependences.  A label is defined before it is used.
 *
 * Left out are the work of endpoints on messages, the order in which chunks are
 * served, and the limit of chunks in flight; the other simulator must model
 * them.
 *
 * Errors   CONFIG_ERROR if GOAL cannot express the run; those of the run
 * Owner    the caller owns results
 */
#ifndef SIM_STUDY_EXPORT_GOAL_SCHEDULE_H
#define SIM_STUDY_EXPORT_GOAL_SCHEDULE_H

#include "models/run/system.h"

typedef struct {
    uint32_t n_ranks;
    uint64_t n_sends, n_calcs, n_requires;
    /* The ranks that the results of a run describe: all but servers. */
    uint32_t n_counted;
    uint64_t sent_bytes;     /* of all of them, in all iterations */
    uint64_t run_sent_bytes; /* of one of them, per iteration, as the run
                              * reports it */
} GoalCounts;

/* Runs @config without folding for @n_iterations and returns the schedule, or
 * NULL and sets @error. */
G_GNUC_WARN_UNUSED_RESULT
GString *goal_export(const SystemConfig *config, uint64_t n_iterations,
                     GoalCounts *ret, GError **error);

#endif
