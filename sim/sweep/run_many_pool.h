/*
 * run_many_pool.h - runs many simulations of a study in parallel, in child
 * processes
 *
 * As many processes run at a time as there are processors.  A ^C ends the
 * children and then, by the same signal, this process.
 *
 * Errors   G_FILE_ERROR_INTR if this process survives the signal
 */
#ifndef SIM_SWEEP_RUN_MANY_POOL_H
#define SIM_SWEEP_RUN_MANY_POOL_H

#include "sim/study/run_many.h"

/* Runs the simulations of a study in child processes; implements RunManyFn. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_many_pool(const RunMany *many, GError **error);

/* Implements RunAhead with one child, if there is more than one processor. */
extern const RunAhead run_ahead_child;

#endif
