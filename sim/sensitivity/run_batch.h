/*
 * run_batch.h - runs configurations of the compared endpoints in parallel, each
 * once
 *
 * Values that are `auto` are chosen for each configuration by further runs,
 * which are not counted (tune_endpoint.h).
 *
 * Order    run_batch_add_run() for all runs, then run_batch_simulate_all(),
 *          then read the results; this may be repeated
 * Errors   those of configurations; a run that fails has a .reason
 * Owner    the caller owns the RunBatch; endpoints and alternatives must
 *          outlive it
 */
#ifndef SIM_SENSITIVITY_RUN_BATCH_H
#define SIM_SENSITIVITY_RUN_BATCH_H

#include "sim/sensitivity/assumption.h"

typedef struct RunBatch RunBatch;

typedef struct {
    const ComparedEndpoint *endpoint; /* the first that has this
                                       * configuration */
    GPtrArray *alternatives;          /* owned, of borrowed Alternative */
    gboolean is_done;
    double value; /* the value in the measured column */
    char *reason; /* owned: why there is no value; otherwise NULL */
    gboolean
        has_crashed; /* its process was killed or crashed (failed_runs.h) */
} BatchRun;

/* Returns a batch whose runs are measured by @column of runs.csv. */
RunBatch *run_batch_new(const ComparedEndpoints *endpoints,
                        RunOptions run_options, const char *column);
void run_batch_free(RunBatch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunBatch, run_batch_free)

/* Adds the run of @endpoint with all of @alternatives (of Alternative), unless
 * an equal one exists.  Returns the run, which the batch owns, or NULL and sets
 * @error. */
G_GNUC_WARN_UNUSED_RESULT
BatchRun *run_batch_add_run(RunBatch *batch, const ComparedEndpoint *endpoint,
                            const GPtrArray *alternatives, GError **error);

/* Makes the runs that are not done.  Returns 0, or the number of a signal. */
int run_batch_simulate_all(RunBatch *batch, guint n_jobs,
                           void (*on_progress)(gpointer self, guint n_done,
                                               guint n_total),
                           gpointer self);

guint run_batch_n_runs(const RunBatch *batch);
const BatchRun *run_batch_get_run(const RunBatch *batch, guint i);

#endif
