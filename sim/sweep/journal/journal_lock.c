/*
 * journal_lock.c - locks a journal for one process, if the file system has
 * locks; see journal_lock.h
 */
#include "sim/sweep/journal/journal_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/host/output.h"

static struct flock whole_file_lock(void)
{
    return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

/* The errors of NFS without its lock service, Lustre without -o flock, and
 * similar file systems. */
static gboolean is_locking_unsupported(int code)
{
    return code == ENOLCK || code == ENOSYS || code == EOPNOTSUPP ||
           code == EINVAL;
}

static gboolean set_locked_error(const char *path, int fd, int code,
                                 GError **error)
{
    struct flock lock = whole_file_lock();

    if (code != EACCES && code != EAGAIN) {
        g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code),
                    "%s: cannot be locked: %s", path, g_strerror(code));
        return FALSE;
    }
    if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK ||
        lock.l_pid <= 0)
        lock.l_pid = 0;
    if (lock.l_pid > 0)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                    "%s: in use by another sweep, process %d", path,
                    (int)lock.l_pid);
    else
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                    "%s: in use by another sweep", path);
    return FALSE;
}

gboolean journal_lock_open_file(const char *path, int fd, gboolean *is_locked,
                                GError **error)
{
    struct flock lock = whole_file_lock();

    *is_locked = fcntl(fd, F_SETLK, &lock) == 0;
    return *is_locked || is_locking_unsupported(errno) ||
           set_locked_error(path, fd, errno, error);
}

static int open_journal_file(const char *path, int flags)
{
    return open(path,
                flags | O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
                    O_CLOEXEC | O_NOCTTY,
                0666);
}

/* Returns a descriptor; or -1 with *@error; or -1 without an error if the file
 * was replaced meanwhile. */
static int try_open_locked(const char *path, gboolean *is_locked,
                           GError **error)
{
    int fd = open_journal_file(path, O_CREAT);
    struct stat ours, there;
    gboolean ok = FALSE;

    if (fd < 0) {
        output_set_write_error(path, errno, error);
        return -1;
    }
    if (fstat(fd, &ours) != 0)
        output_set_write_error(path, errno, error);
    else if (!S_ISREG(ours.st_mode))
        output_set_write_error(path, EINVAL, error);
    else if (journal_lock_open_file(path, fd, is_locked, error))
        ok = lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
             ours.st_ino == there.st_ino;
    if (ok)
        return fd;
    close(fd);
    return -1;
}

int journal_open_and_lock(const char *path, gboolean *is_locked, GError **error)
{
    GError *reason = NULL;
    int fd;

    /* The process that held the lock may have replaced the file before it
     * ended. */
    do
        fd = try_open_locked(path, is_locked, &reason);
    while (fd < 0 && !reason);
    if (fd < 0)
        g_propagate_error(error, reason);
    return fd;
}

JournalLock journal_query_lock(const char *path, int *pid)
{
    struct flock lock = whole_file_lock();
    int fd = open_journal_file(path, 0);
    int code;

    *pid = 0;
    if (fd < 0) /* a file of another user may be visible but not readable */
        return errno == ENOENT ? JOURNAL_FREE : JOURNAL_NO_LOCKS;
    code = fcntl(fd, F_GETLK, &lock) == 0 ? 0 : errno;
    close(fd);
    if (code != 0)
        return JOURNAL_NO_LOCKS;
    if (lock.l_type == F_UNLCK)
        return JOURNAL_FREE;
    *pid = MAX(lock.l_pid, 0);
    return JOURNAL_LOCKED;
}
