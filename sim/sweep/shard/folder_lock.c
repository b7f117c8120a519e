/*
 * folder_lock.c - locks a results folder for one sweep, across machines; see
 * folder_lock.h
 */
#include "sim/sweep/shard/folder_lock.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/host/output.h"
#include "sim/sweep/shard/claim_paths.h"

#define LOCK_NAME "runs.lock"
#define POLL_US   G_GINT64_CONSTANT(100000)
#define TOUCH_US  G_GINT64_CONSTANT(1000000)
/* A failed attempt means that another process was faster, or that runs.lock is
 * not a folder of acesim. */
#define MAX_TRIES 1000

struct FolderLock {
    char *folder; /* owned */
    /* The path of runs.lock, and the path of this process's folder in it (owned
     * texts). */
    char *path, *ours;
    char *process; /* owned: the name of this process */
    ClaimClock clock;
    gint64 touch_us; /* the time of the next touch */
};

/* Returns the name of the process that has the lock, or NULL. The caller owns
 * the text. */
static char *find_lock_holder(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);

    return dir ? g_strdup(g_dir_read_name(dir)) : NULL;
}

static void set_folder_locked_error(const FolderLocking *locking,
                                    const char *process, GError **error)
{
    g_autofree char *name = liveness_describe_process(process);

    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                "%s: in use by another sweep, %s", locking->folder, name);
}

static void report_lock_wait(const FolderLocking *locking, const char *process,
                             gboolean *is_reported)
{
    g_autofree char *name = liveness_describe_process(process);
    g_autofree char *text = g_strdup_printf(
        "%s: waiting, for up to %.0f s, to see whether another sweep, %s, is "
        "still at it",
        locking->folder, (double)locking->stale_us / G_USEC_PER_SEC, name);

    if (!*is_reported && locking->print_message)
        locking->print_message(locking->self, text);
    *is_reported = TRUE;
}

/* Returns whether the process @process, which has the lock, is alive.  Waits
 * while that is unknown. */
static ProcessLiveness wait_until_liveness_known(const FolderLocking *locking,
                                                 const char *path,
                                                 const char *process,
                                                 const ClaimClock *clock)
{
    g_autofree char *claim = g_build_filename(path, process, NULL);
    LivenessWatch seen = { 0 };
    gboolean is_reported = FALSE;
    ProcessLiveness life;

    /* If this process has locked the journal, a local process that has the
     * folder lock is dead. */
    if (locking->has_journal && liveness_is_local_process(process))
        return LIVENESS_DEAD;
    while ((life = worker_liveness_of_process(process, claim, locking->journal,
                                              clock, locking->stale_us,
                                              &seen)) == LIVENESS_UNSURE) {
        report_lock_wait(locking, process, &is_reported);
        g_usleep((gulong)POLL_US);
    }
    return life;
}

/* ---- locking a results folder -------------------------------------------- */

/* Makes the lock under another name and renames it, so that no process sees it
 * empty. */
static ClaimResult try_create_lock(FolderLock *lock, GError **error)
{
    g_autofree char *temporary =
        g_strdup_printf("%s.%s", lock->path, lock->process);
    g_autofree char *inner = g_build_filename(temporary, lock->process, NULL);
    ClaimResult result = create_claim_file(temporary, error);

    if (result == CLAIM_FAILED)
        return result;
    result = create_claim_file(inner, error);
    if (result != CLAIM_FAILED)
        result = touch_claim_file(inner, &lock->clock, error);
    if (result == CLAIM_OURS)
        result = rename_claim_file(temporary, lock->path, error);
    if (result == CLAIM_OURS)
        return result;
    rmdir(inner);
    rmdir(temporary);
    return result;
}

static ClaimResult try_take_over_lock(FolderLock *lock, const char *process,
                                      GError **error)
{
    g_autofree char *from = g_build_filename(lock->path, process, NULL);
    ClaimResult result = touch_claim_file(from, &lock->clock, error);

    return result == CLAIM_OURS ? rename_claim_file(from, lock->ours, error)
                                : result;
}

static ClaimResult try_lock_folder(FolderLock *lock,
                                   const FolderLocking *locking, GError **error)
{
    ClaimResult result = try_create_lock(lock, error);
    g_autofree char *process =
        result == CLAIM_TAKEN ? find_lock_holder(lock->path) : NULL;
    ProcessLiveness life;

    if (!process)
        return result;
    life =
        wait_until_liveness_known(locking, lock->path, process, &lock->clock);
    if (life == LIVENESS_DEAD)
        return try_take_over_lock(lock, process, error);
    if (life == LIVENESS_GONE)
        return CLAIM_TAKEN;
    set_folder_locked_error(locking, process, error);
    return CLAIM_FAILED;
}

/* Removes what processes left that died while locking or unlocking.  A process
 * that is locking at this moment tries again. */
static void remove_leftover_locks(const FolderLocking *locking)
{
    g_autoptr(GDir) dir = g_dir_open(locking->folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *temporary =
            g_build_filename(locking->folder, name, NULL);
        g_autofree char *process = NULL;
        g_autofree char *inner = NULL;

        if (!g_str_has_prefix(name, LOCK_NAME "."))
            continue;
        process = find_lock_holder(temporary);
        inner = g_build_filename(temporary, process ? process : "", NULL);
        rmdir(inner);
        rmdir(temporary);
    }
}

/* Registers the folders for removal by a signal at any moment.  Folders with
 * content of another process stay. */
static void register_lock_folders(const FolderLock *lock)
{
    g_autofree char *temporary =
        g_strdup_printf("%s.%s", lock->path, lock->process);
    g_autofree char *inner = g_build_filename(temporary, lock->process, NULL);

    output_register_folder(lock->path);
    output_register_folder(lock->ours);
    output_register_folder(temporary);
    output_register_folder(inner);
}

FolderLock *folder_lock_new(const FolderLocking *locking, GError **error)
{
    FolderLock *lock = g_new0(FolderLock, 1);
    ClaimResult result = CLAIM_TAKEN;

    lock->folder = g_strdup(locking->folder);
    lock->path = g_build_filename(locking->folder, LOCK_NAME, NULL);
    lock->process = liveness_own_process_name();
    lock->ours = g_build_filename(lock->path, lock->process, NULL);
    register_lock_folders(lock);
    for (guint i = 0; i < MAX_TRIES && result == CLAIM_TAKEN; i++)
        result = try_lock_folder(lock, locking, error);
    if (result == CLAIM_OURS) {
        remove_leftover_locks(locking);
        return lock;
    }
    if (result == CLAIM_TAKEN)
        (void)!output_set_write_error(lock->path, EBUSY, error);
    g_clear_pointer(&lock->ours, g_free);
    folder_lock_free(lock);
    return NULL;
}

/* Renames the lock before removing it, so that no process sees it empty. */
void folder_lock_free(FolderLock *lock)
{
    g_autofree char *temporary = NULL;
    g_autofree char *inner = NULL;

    if (!lock)
        return;
    temporary = g_strdup_printf("%s.%s", lock->path, lock->process);
    inner = g_build_filename(temporary, lock->process, NULL);
    if (lock->ours && g_file_test(lock->ours, G_FILE_TEST_IS_DIR) &&
        rename(lock->path, temporary) == 0) {
        rmdir(inner);
        rmdir(temporary);
    }
    g_free(lock->folder);
    g_free(lock->path);
    g_free(lock->ours);
    g_free(lock->process);
    g_free(lock);
}

/* ---- keeping the lock while a sweep runs --------------------------------- */

gboolean folder_lock_touch(FolderLock *lock, GError **error)
{
    gint64 now_us = g_get_monotonic_time();

    if (now_us < lock->touch_us)
        return TRUE;
    lock->touch_us = now_us + TOUCH_US;
    switch (touch_claim_file(lock->ours, &lock->clock, error)) {
    case CLAIM_OURS:
        return TRUE;
    case CLAIM_TAKEN:
        if (claim_paths_check_folder_gone(lock->folder, error))
            return FALSE;
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                    "%s: another sweep has taken it: this one gave no sign of "
                    "life for too long",
                    lock->path);
        return FALSE;
    case CLAIM_FAILED:
        break;
    }
    return FALSE;
}

const ClaimClock *folder_lock_server_clock(const FolderLock *lock)
{
    return &lock->clock;
}

gboolean folder_lock_is_free(const FolderLocking *locking,
                             const ClaimClock *clock, GError **error)
{
    g_autofree char *path = g_build_filename(locking->folder, LOCK_NAME, NULL);
    g_autofree char *process = find_lock_holder(path);

    if (!process || wait_until_liveness_known(locking, path, process, clock) !=
                        LIVENESS_ALIVE)
        return TRUE;
    set_folder_locked_error(locking, process, error);
    return FALSE;
}
