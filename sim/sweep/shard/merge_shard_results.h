/*
 * merge_shard_results.h - merges the results of several workers into the
 * journal of one sweep
 *
 * The rows of a point do not depend on the worker that ran it.  If two workers
 * have different rows for one point, nothing is merged, because a machine or
 * this program has made an error.
 *
 * Order    lock the folder; merge_check_no_live_worker(); merge_worker_rows()
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the texts
 */
#ifndef SIM_SWEEP_SHARD_MERGE_SHARD_RESULTS_H
#define SIM_SWEEP_SHARD_MERGE_SHARD_RESULTS_H

#include "sim/sweep/journal.h"
#include "sim/sweep/shard/folder_lock.h"

typedef struct {
    const char *folder; /* borrowed, like all fields */
    const ClaimClock *clock;
    gint64 stale_us;
    FolderMessageFn print_message; /* may be NULL */
    gpointer self;
} WorkerResultMerge;

/* Returns FALSE and names the workers in @error if some are still running.  If
 * that is unknown for a worker, waits until it is known. */
G_GNUC_WARN_UNUSED_RESULT
gboolean merge_check_no_live_worker(const WorkerResultMerge *gathering,
                                    GError **error);

/* Adds the rows of all workers to @journal, which must be loaded, and loads it
 * again.  Reports damaged journals by .print_message.  Adds failed points to
 * @failures (id -> GString, which it owns) and the letters of points to
 * @methods (id -> PointMethod).  Sets *@n_journals to their number. */
G_GNUC_WARN_UNUSED_RESULT
gboolean merge_worker_rows(const WorkerResultMerge *gathering, Journal *journal,
                           GHashTable *failures, GHashTable *methods,
                           guint *n_journals, GError **error);

#endif
