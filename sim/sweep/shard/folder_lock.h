/*
 * folder_lock.h - a results folder is one sweep's, whatever machine it is on
 *
 * runs.lock in the folder holds a folder that is called after whoever has it,
 * see life.h, and that he touches.  So locks of the file system are not needed;
 * where the folder's journal has one, it tells at once that a process of this
 * machine is no more.
 *
 * Assumes  whoever locks has locked the folder's journal before, where that can
 *          be
 * Errors   G_FILE_ERROR; AGAIN: somebody else has it
 * Owner    the caller owns the lock
 */
#ifndef SIM_SWEEP_SHARD_FOLDER_LOCK_H
#define SIM_SWEEP_SHARD_FOLDER_LOCK_H

#include "sim/sweep/shard/life.h"

typedef struct FolderLock FolderLock;

/* Told what is waited for. */
typedef void (*FolderSay)(gpointer self, const char *text);

typedef struct {
    const char *folder; /* borrowed, as all of it */
    const char *journal;
    gboolean has_journal; /* we have its lock */
    gint64 stale_us;
    FolderSay say; /* may be NULL */
    gpointer self;
} FolderLocking;

/* Of whom it is not known whether he is alive is waited for until it is. */
G_GNUC_WARN_UNUSED_RESULT
FolderLock *folder_lock_new(const FolderLocking *locking, GError **error);
void folder_lock_free(FolderLock *lock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FolderLock, folder_lock_free)

/* Now and then.  FALSE: it has been taken from us, who looked dead. */
G_GNUC_WARN_UNUSED_RESULT
gboolean folder_lock_touch(FolderLock *lock, GError **error);

const ClaimClock *folder_lock_clock(const FolderLock *lock);

/* Waits until it is known that nobody alive has the lock; TRUE: nobody has.
 * @clock is of a touch in that folder. */
G_GNUC_WARN_UNUSED_RESULT
gboolean folder_lock_check(const FolderLocking *locking,
                           const ClaimClock *clock, GError **error);

#endif
