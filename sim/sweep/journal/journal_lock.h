/*
 * journal_lock.h - locks a journal for one process, if the file system has
 * locks
 *
 * The lock is made by fcntl().  It ends with its process, whatever the cause;
 * children do not inherit it; and it records which process holds it.  Some file
 * systems have no locks (NFS without its lock service, Lustre without -o flock)
 * or hide them from other machines (NFS with -o nolock).  The caller then has
 * to exclude other processes, see shard/folder_lock.h.
 *
 * Errors   G_FILE_ERROR
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_LOCK_H
#define SIM_SWEEP_JOURNAL_JOURNAL_LOCK_H

#include <glib.h>

/* Opens or creates the file @path and locks it.  Returns its descriptor, which
 * the caller owns, or -1.  Sets *@is_locked to FALSE
 * if the file system has no locks. */
G_GNUC_WARN_UNUSED_RESULT
int journal_open_and_lock(const char *path, gboolean *is_locked,
                          GError **error);

/* Locks an open file.  Succeeds with *@is_locked FALSE if the file system has
 * no locks. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_lock_open_file(const char *path, int fd, gboolean *is_locked,
                                GError **error);

typedef enum { JOURNAL_LOCKED, JOURNAL_FREE, JOURNAL_NO_LOCKS } JournalLock;

/* Returns whether a process has locked the file at @path, and sets *@pid to the
 * process (0 if it is on another machine).  JOURNAL_NO_LOCKS means that this is
 * unknown.  The process that holds the lock must not call this: it would lose
 * its lock. */
JournalLock journal_query_lock(const char *path, int *pid);

#endif
