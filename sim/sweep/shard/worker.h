/*
 * worker.h - one of several processes that run one sweep in one folder
 *
 * A worker has its own journal, claims points in blocks, shows that it is
 * alive, and ends when no work is left for it. gather.h merges the journals
 * later.
 *
 * Order    the sweep has been checked, so that ids are known; worker_new(),
 *          sweep_run_all(), worker_free()
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the worker, which borrows its setup
 */
#ifndef SIM_SWEEP_SHARD_WORKER_H
#define SIM_SWEEP_SHARD_WORKER_H

#include "sim/sweep/shard/blocks.h"
#include "sim/sweep/shard/folder_lock.h"
#include "sim/sweep/sweep_run.h"

typedef struct Worker Worker;

typedef struct {
    const char *folder;
    SweepRun *run; /* the worker sets its journal and its source */
    ShardPart part;
    gint64 stale_us;
    FolderMessageFn say; /* may be NULL */
    gpointer self;
} WorkerSetup;

G_GNUC_WARN_UNUSED_RESULT
Worker *worker_new(const WorkerSetup *setup, GError **error);

/* Releases the blocks that are not done. */
void worker_free(Worker *worker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Worker, worker_free)

const BlocksCount *worker_count(const Worker *worker);

#endif
