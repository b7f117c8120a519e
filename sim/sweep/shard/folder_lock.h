/*
 * folder_lock.h - locks a results folder for one sweep, across machines
 *
 * The folder contains a folder runs.lock, which contains a folder with the name
 * of the process that has the lock (worker_liveness.h).  This process touches
 * it.  So the lock works without locks of the file system.  If the folder's
 * journal has such a lock, the end of a process of this machine is detected at
 * once.
 *
 * Assumes  the process has locked the folder's journal before, if the file
 *          system has locks
 * Errors   G_FILE_ERROR; AGAIN: another process has the lock
 * Owner    the caller owns the lock
 */
#ifndef SIM_SWEEP_SHARD_FOLDER_LOCK_H
#define SIM_SWEEP_SHARD_FOLDER_LOCK_H

#include "sim/sweep/shard/worker_liveness.h"

typedef struct FolderLock FolderLock;

/* Receives a message about what is being waited for. */
typedef void (*FolderMessageFn)(gpointer self, const char *text);

typedef struct {
    const char *folder; /* borrowed, like all fields */
    const char *journal;
    gboolean has_journal; /* this process has locked the journal */
    gint64 stale_us;
    FolderMessageFn print_message; /* may be NULL */
    gpointer self;
} FolderLocking;

/* Locks the folder.  If it is unknown whether the process that has the lock is
 * alive, waits until it is known. */
G_GNUC_WARN_UNUSED_RESULT
FolderLock *folder_lock_new(const FolderLocking *locking, GError **error);
void folder_lock_free(FolderLock *lock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FolderLock, folder_lock_free)

/* Touches the lock; to be called regularly.  Returns FALSE if another sweep has
 * taken it over because this process seemed dead. */
G_GNUC_WARN_UNUSED_RESULT
gboolean folder_lock_touch(FolderLock *lock, GError **error);

const ClaimClock *folder_lock_server_clock(const FolderLock *lock);

/* Returns whether no live process has the lock; waits until this is known.
 * @clock must have been set by a touch in the folder. */
G_GNUC_WARN_UNUSED_RESULT
gboolean folder_lock_is_free(const FolderLocking *locking,
                             const ClaimClock *clock, GError **error);

#endif
