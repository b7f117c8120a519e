/*
 * sweep_worker.c - one of several processes that run one sweep in one folder;
 * see sweep_worker.h
 */
#include "sim/sweep/shard/sweep_worker.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/host/output.h"
#include "sim/sweep/shard/claim_paths.h"
#include "sim/sweep/shard/point_id_cache.h"
#include "sim/sweep/shard/sweep_fingerprint.h"

#define MAX_TOUCH_US G_GINT64_CONSTANT(5000000)
#define MAX_POLL_US  G_GINT64_CONSTANT(500000)

struct SweepWorker {
    SweepWorkerSetup setup;
    /* The name of this process, the folder of claims, the worker's own claim in
     * it, and the path of the journal (owned texts). */
    char *process, *claims, *place, *path;
    Journal *journal;    /* owned */
    IdCache *id_cache;   /* owned */
    PointBlocks *blocks; /* owned */
    ClaimClock clock;
    SweepSource source;
    /* The times of the next touch of the claims and of the next attempt to
     * claim a block. */
    gint64 touch_us, try_us;
    gboolean is_wait_said;
};

/* ---- the source of the worker's points ----------------------------------- */

static void stop_worker_with_error(SweepWorker *worker, GError *reason)
{
    if (worker->setup.run->stop) {
        g_error_free(reason);
        return;
    }
    worker->setup.run->stop = TRUE;
    worker->setup.run->error = reason;
}

/* Appends the points of @block that are not done to @todo.  Returns their
 * number. */
static guint add_points_of_block(SweepWorker *worker, const PointBlock *block,
                                 GArray *todo)
{
    guint n = 0;

    for (guint i = 0; i < block->n_points; i++) {
        guint point = block->first + i;
        const char *id = id_cache_count(worker->id_cache) > 0
                             ? sweep_run_point_id(worker->setup.run, point)
                             : NULL;

        if (id && id_cache_contains(worker->id_cache, id)) {
            point_blocks_mark_point_done(worker->blocks, point);
            continue;
        }
        g_array_append_val(todo, point);
        n++;
    }
    return n;
}

/* Tells the user that the worker waits, because otherwise it would seem to
 * hang. */
static void report_worker_wait(SweepWorker *worker)
{
    guint n_blocks = point_blocks_count_states(worker->blocks)->n_unsure;
    g_autofree char *text = g_strdup_printf(
        "waiting up to %.0f s for a sign of life of the workers that have the "
        "last points: %u block%s",
        (double)worker->setup.stale_us / G_USEC_PER_SEC, n_blocks,
        n_blocks == 1 ? "" : "s");

    if (!worker->is_wait_said && worker->setup.print_message &&
        !worker->setup.run->progress.is_quiet)
        worker->setup.print_message(worker->setup.self, text);
    worker->is_wait_said = TRUE;
}

/* Returns whether more points may come: the owners of the remaining blocks may
 * be dead.  The worker stays until each owner has proved to be alive, because
 * otherwise the last points might be left undone. */
static gboolean may_get_more_points(SweepWorker *worker)
{
    worker->try_us =
        g_get_monotonic_time() + MIN(MAX_POLL_US, worker->setup.stale_us / 8);
    if (point_blocks_count_claimed(worker->blocks) > 0)
        return TRUE;
    if (point_blocks_count_states(worker->blocks)->n_unsure == 0)
        return FALSE;
    report_worker_wait(worker);
    return TRUE;
}

static gboolean claim_more_sweep_points(gpointer self, GArray *todo)
{
    SweepWorker *worker = self;
    GError *reason = NULL;
    PointBlock block;

    if (g_get_monotonic_time() < worker->try_us)
        return TRUE;
    for (;;) {
        switch (point_blocks_claim_next(worker->blocks, &block, &reason)) {
        case BLOCKS_NONE:
            return may_get_more_points(worker);
        case BLOCKS_FAILED:
            stop_worker_with_error(worker, reason);
            return FALSE;
        case BLOCKS_CLAIMED:
            break;
        }
        if (block.is_taken_over &&
            !id_cache_update(worker->id_cache, &reason)) {
            stop_worker_with_error(worker, reason);
            return FALSE;
        }
        if (add_points_of_block(worker, &block, todo) > 0)
            return TRUE;
    }
}

static void mark_sweep_point_done(gpointer self, guint point)
{
    SweepWorker *worker = self;

    point_blocks_mark_point_done(worker->blocks, point);
}

static void touch_worker_claims(gpointer self)
{
    SweepWorker *worker = self;
    gint64 now_us = g_get_monotonic_time();
    GError *reason = NULL;
    ClaimResult result;

    if (now_us < worker->touch_us)
        return;
    worker->touch_us = now_us + MIN(MAX_TOUCH_US, worker->setup.stale_us / 4);
    result = touch_claim_file(worker->place, &worker->clock, &reason);
    if (result == CLAIM_TAKEN &&
        !claim_paths_check_folder_gone(worker->setup.folder, &reason))
        g_set_error(&reason, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                    "%s: this worker gave no sign of life for too long, and "
                    "another one took over",
                    worker->place);
    if (reason)
        stop_worker_with_error(worker, reason);
    else
        point_blocks_touch_claims(worker->blocks);
}

/* ---- starting a worker --------------------------------------------------- */

static gboolean create_claims_folder(SweepWorker *worker, GError **error)
{
    g_autofree char *word = sweep_fingerprint(worker->setup.run);

    worker->claims =
        g_build_filename(worker->setup.folder, CLAIM_PATHS_CLAIMS, word, NULL);
    return output_make_subfolder(worker->claims, TRUE, error);
}

static gboolean open_worker_journal(SweepWorker *worker, GError **error)
{
    worker->path =
        claim_paths_journal_of(worker->setup.folder, worker->process);
    worker->journal = journal_lock(worker->path, error);
    return worker->journal &&
           journal_load_records(worker->journal, FALSE, error) &&
           journal_begin_keeping_all(worker->journal, error);
}

/* Makes worker.NAME after the journal is locked, because processes that see it
 * check the lock. */
static gboolean create_worker_claim(SweepWorker *worker, GError **error)
{
    g_autofree char *name =
        g_strconcat(CLAIM_PATHS_WORKER, worker->process, NULL);
    ClaimResult result;

    worker->place = g_build_filename(worker->claims, name, NULL);
    result = create_claim_file(worker->place, error);
    if (result != CLAIM_FAILED)
        result = touch_claim_file(worker->place, &worker->clock, error);
    output_register_temporary(worker->place);
    if (result == CLAIM_TAKEN)
        return output_set_write_error(
            worker->place,
            g_file_test(worker->claims, G_FILE_TEST_IS_DIR) ? EBUSY : ENOENT,
            error);
    return result == CLAIM_OURS;
}

static gboolean check_folder_unlocked(const SweepWorker *worker, GError **error)
{
    g_autofree char *journal =
        g_build_filename(worker->setup.folder, CLAIM_PATHS_JOURNAL, NULL);
    const FolderLocking locking = { .folder = worker->setup.folder,
                                    .journal = journal,
                                    .stale_us = worker->setup.stale_us,
                                    .print_message =
                                        worker->setup.print_message,
                                    .self = worker->setup.self };

    return folder_lock_is_free(&locking, &worker->clock, error);
}

static void init_point_source(SweepWorker *worker)
{
    guint n_points = sweep_plan_count_points(worker->setup.run->plan);

    worker->source =
        (SweepSource){ .n_expected = (n_points + worker->setup.part.n - 1) /
                                     worker->setup.part.n,
                       .find_more_points = claim_more_sweep_points,
                       .point_ended = mark_sweep_point_done,
                       .self = worker };
    worker->setup.run->source = &worker->source;
    worker->setup.run->journal = worker->journal;
    worker->setup.run->tick = touch_worker_claims;
    worker->setup.run->tick_self = worker;
}

/* Explains a missing folder: another sweep that ended has removed the claims,
 * in which this worker had none yet. */
static gboolean explain_missing_folder(const SweepWorker *worker,
                                       GError *reason, GError **error)
{
    g_autofree char *all =
        g_build_filename(worker->setup.folder, CLAIM_PATHS_CLAIMS, NULL);

    if (!g_error_matches(reason, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
        g_file_test(all, G_FILE_TEST_EXISTS)) {
        g_propagate_error(error, reason);
        return FALSE;
    }
    g_error_free(reason);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                "%s: another sweep ended here as this worker began; the same "
                "command begins again",
                worker->setup.folder);
    return FALSE;
}

static gboolean begin_sweep_worker(SweepWorker *worker, GError **error)
{
    GError *reason = NULL;

    if (!create_claims_folder(worker, &reason) ||
        !open_worker_journal(worker, &reason) ||
        !create_worker_claim(worker, &reason))
        return explain_missing_folder(worker, reason, error);
    return check_folder_unlocked(worker, error);
}

SweepWorker *sweep_worker_new(const SweepWorkerSetup *setup, GError **error)
{
    g_autoptr(SweepWorker) worker = g_new0(SweepWorker, 1);

    worker->setup = *setup;
    worker->process = liveness_own_process_name();
    if (!begin_sweep_worker(worker, error))
        return NULL;
    worker->id_cache = id_cache_new(setup->folder, worker->path);
    if (!id_cache_update(worker->id_cache, error))
        return NULL;
    worker->blocks = point_blocks_new(
        worker->claims, sweep_plan_count_points(setup->run->plan), setup->part,
        setup->stale_us, &worker->clock);
    point_blocks_set_owner(worker->blocks, setup->folder, worker->process);
    init_point_source(worker);
    return g_steal_pointer(&worker);
}

void sweep_worker_free(SweepWorker *worker)
{
    if (!worker)
        return;
    if (worker->blocks)
        point_blocks_release_claims(worker->blocks);
    if (worker->place) {
        rmdir(worker->place);
        output_unregister_temporary(worker->place);
    }
    point_blocks_free(worker->blocks);
    id_cache_free(worker->id_cache);
    journal_close(worker->journal);
    g_free(worker->process);
    g_free(worker->claims);
    g_free(worker->place);
    g_free(worker->path);
    g_free(worker);
}

const PointBlockCount *sweep_worker_count_blocks(const SweepWorker *worker)
{
    return point_blocks_count_states(worker->blocks);
}
