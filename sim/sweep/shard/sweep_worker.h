/*
 * sweep_worker.h - one of several processes that run one sweep in one folder
 *
 * A worker has its own journal, claims points in blocks, shows that it is
 * alive, and ends when no work is left for it. merge_shard_results.h merges the
 * journals later.
 *
 * Order    the sweep has been checked, so that ids are known;
 * sweep_worker_new(), sweep_run_all_points(), sweep_worker_free() Errors
 * G_FILE_ERROR Owner    the caller owns the worker, which borrows its setup
 */
#ifndef SIM_SWEEP_SHARD_SWEEP_WORKER_H
#define SIM_SWEEP_SHARD_SWEEP_WORKER_H

#include "sim/sweep/shard/folder_lock.h"
#include "sim/sweep/shard/point_blocks.h"
#include "sim/sweep/sweep_run.h"

typedef struct SweepWorker SweepWorker;

typedef struct {
    const char *folder;
    SweepRun *run; /* the worker sets its journal and its source */
    ShardPart part;
    gint64 stale_us;
    FolderMessageFn print_message; /* may be NULL */
    gpointer self;
} SweepWorkerSetup;

G_GNUC_WARN_UNUSED_RESULT
SweepWorker *sweep_worker_new(const SweepWorkerSetup *setup, GError **error);

/* Releases the blocks that are not done. */
void sweep_worker_free(SweepWorker *worker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SweepWorker, sweep_worker_free)

const PointBlockCount *sweep_worker_count_blocks(const SweepWorker *worker);

#endif
