/*
 * batch.h - configurations of contenders, each run once, many at a time
 *
 * What is `auto` of an endpoint is chosen for each of them, by runs that are
 * not counted; see tune.h.
 *
 * Order    want all, run, then ask; and again
 * Errors   those of configurations; a run that fails has a reason
 * Owner    the caller owns the Batch; contenders and tries must outlive it
 */
#ifndef SIM_SENSITIVITY_BATCH_H
#define SIM_SENSITIVITY_BATCH_H

#include "sim/sensitivity/assumption.h"

typedef struct Batch Batch;

typedef struct {
    const Contender *contender; /* the first that wanted it */
    GPtrArray *tries;           /* owned, of borrowed Try: what is changed */
    gboolean done;
    double value;     /* of the column */
    char *reason;     /* owned: why there is none; else NULL */
    gboolean is_lost; /* it never ended (losses.h) */
} BatchRun;

/* @column of a run's CSV is what is asked for. */
Batch *batch_new(const Contenders *contenders, FoldMode fold,
                 const char *column);
void batch_free(Batch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Batch, batch_free)

/* @contender with all of @tries (of Try).  NULL on error; the batch's. */
G_GNUC_WARN_UNUSED_RESULT
BatchRun *batch_want(Batch *batch, const Contender *contender,
                     const GPtrArray *tries, GError **error);

/* Runs what was not run yet.  0, or the number of a signal. */
int batch_run(Batch *batch, guint n_jobs,
              void (*on_progress)(gpointer self, guint n_done, guint n_total),
              gpointer self);

guint batch_n_runs(const Batch *batch);
const BatchRun *batch_at(const Batch *batch, guint i);

#endif
