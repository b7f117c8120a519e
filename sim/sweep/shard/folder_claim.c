/*
 * folder_claim.c - a folder as a claim: only one of several processes can
 * create it; see folder_claim.h
 */
#include "sim/sweep/shard/folder_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/host/output.h"

static ClaimResult claim_result_of_errno(const char *path, int code,
                                         GError **error)
{
    if (code == 0)
        return CLAIM_OURS;
    if (code == EEXIST || code == ENOENT || code == ENOTEMPTY)
        return CLAIM_TAKEN;
    return output_set_write_error(path, code, error) ? CLAIM_OURS
                                                     : CLAIM_FAILED;
}

/* A missing parent folder is an error, not a claim of another process. */
ClaimResult create_claim_file(const char *path, GError **error)
{
    int code = mkdir(path, 0777) == 0 ? 0 : errno;

    if (code != ENOENT)
        return claim_result_of_errno(path, code, error);
    return output_set_write_error(path, code, error) ? CLAIM_OURS
                                                     : CLAIM_FAILED;
}

/* The server sets the time.  A claim in another user's folder may allow
 * renaming but not touching; then the name alone decides which process has
 * it. */
ClaimResult touch_claim_file(const char *path, ClaimClock *clock,
                             GError **error)
{
    int code =
        utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;

    if (code == EACCES || code == EPERM)
        return CLAIM_OURS;
    if (code != 0 || !clock)
        return claim_result_of_errno(path, code, error);
    if (!claim_last_touch_us(path, &clock->server_us))
        return CLAIM_TAKEN;
    clock->local_us = g_get_monotonic_time();
    return CLAIM_OURS;
}

ClaimResult rename_claim_file(const char *from, const char *to, GError **error)
{
    return claim_result_of_errno(to, rename(from, to) == 0 ? 0 : errno, error);
}

/* A touch near the epoch is older than any limit. */
void release_claim_file(const char *path)
{
    const struct timespec times[] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

    (void)utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

gboolean claim_last_touch_us(const char *path, gint64 *ret)
{
    struct statx status;

    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_STATX_FORCE_SYNC,
              STATX_MTIME | STATX_TYPE, &status) != 0 ||
        !S_ISDIR(status.stx_mode))
        return FALSE;
    *ret = (gint64)status.stx_mtime.tv_sec * G_USEC_PER_SEC +
           status.stx_mtime.tv_nsec / 1000;
    return TRUE;
}

gint64 claim_server_time_us(const ClaimClock *clock)
{
    g_assert(clock->local_us > 0);
    return clock->server_us + (g_get_monotonic_time() - clock->local_us);
}
