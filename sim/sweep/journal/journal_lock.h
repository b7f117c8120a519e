/*
 * journal_lock.h - a journal is one process's, where the file system has locks
 *
 * A lock of fcntl(): it ends with its process, whatever that dies of, children
 * do not have it, and it knows who has it.  Where the file system has none
 * (NFS without its lock service, Lustre without -o flock) or keeps them from
 * other machines (NFS with -o nolock), somebody else has to see to it.
 *
 * Errors   G_FILE_ERROR
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_LOCK_H
#define SIM_SWEEP_JOURNAL_JOURNAL_LOCK_H

#include <glib.h>

/* Opens the file or makes it, and locks it.  A descriptor of the file that has
 * the name, or -1.  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
int journal_lock_open(const char *path, gboolean *is_locked, GError **error);

/* Locks what is open.  No error where there are no locks. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_lock_file(const char *path, int fd, gboolean *is_locked,
                           GError **error);

typedef enum { JOURNAL_LOCKED, JOURNAL_FREE, JOURNAL_NO_LOCKS } JournalLock;

/* Whether a process has the lock of the file at @path, and which (0: it is not
 * of this machine); JOURNAL_NO_LOCKS: that cannot be known.  A process that
 * asks of its own file loses its lock. */
JournalLock journal_ask_lock(const char *path, int *pid);

#endif
