/*
 * run_many_pool.h - many runs of a study, side by side in child processes
 *
 * As many at a time as there are processors.  ^C ends them and, by the same
 * signal, us.
 *
 * Errors   G_FILE_ERROR_INTR where we outlive the signal
 */
#ifndef SIM_SWEEP_RUN_MANY_POOL_H
#define SIM_SWEEP_RUN_MANY_POOL_H

#include "sim/study/run_many.h"

/* A RunManyFn. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_many_pool(const RunMany *many, GError **error);

/* In one child, where there is a processor for it. */
extern const RunAhead run_ahead_child;

#endif
