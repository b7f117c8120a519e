/*
 * worker.h - one of several processes that work on one sweep in one folder
 *
 * It has a journal of its own, claims points in blocks, shows that it is alive
 * and ends when nothing is left that it could do.  What it leaves is for
 * gather.h.
 *
 * Order    the sweep has been checked, so that ids are known; new, source, run,
 *          free
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the worker, which borrows what it is made of
 */
#ifndef SIM_SWEEP_SHARD_WORKER_H
#define SIM_SWEEP_SHARD_WORKER_H

#include "sim/sweep/shard/blocks.h"
#include "sim/sweep/shard/folder_lock.h"
#include "sim/sweep/sweep_run.h"

typedef struct Worker Worker;

typedef struct {
    const char *folder;
    SweepRun *run; /* whose journal and source it becomes */
    ShardPart part;
    gint64 stale_us;
    FolderSay say; /* may be NULL */
    gpointer self;
} WorkerSetup;

G_GNUC_WARN_UNUSED_RESULT
Worker *worker_new(const WorkerSetup *setup, GError **error);

/* Gives back what it has not done. */
void worker_free(Worker *worker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Worker, worker_free)

const BlocksCount *worker_count(const Worker *worker);

#endif
