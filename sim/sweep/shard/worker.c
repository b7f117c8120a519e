/* worker.c - see worker.h */
#include "sim/sweep/shard/worker.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/host/output.h"
#include "sim/sweep/shard/places.h"
#include "sim/sweep/shard/seen_ids.h"
#include "sim/sweep/shard/sweep_word.h"

#define MAX_TOUCH_US G_GINT64_CONSTANT(5000000)
#define MAX_POLL_US  G_GINT64_CONSTANT(500000)

struct Worker {
    WorkerSetup setup;
    /* owned: the name of this process, the folder of claims, worker.NAME in it,
     * and the path of the journal */
    char *who, *claims, *place, *path;
    Journal *journal; /* owned */
    SeenIds *seen;    /* owned */
    Blocks *blocks;   /* owned */
    ClaimClock clock;
    SweepSource source;
    /* the times of the next touch and of the next attempt to claim */
    gint64 touch_us, try_us;
    gboolean is_wait_said;
};

/* ---- the source of points ------------------------------------------------ */

static void stop(Worker *w, GError *reason)
{
    if (w->setup.run->stop) {
        g_error_free(reason);
        return;
    }
    w->setup.run->stop = TRUE;
    w->setup.run->error = reason;
}

/* Appends the points of @block that are not done to @todo.  Returns their
 * number. */
static guint add_points(Worker *w, const Block *block, GArray *todo)
{
    guint n = 0;

    for (guint i = 0; i < block->n_points; i++) {
        guint point = block->first + i;
        const char *id =
            seen_ids_n(w->seen) > 0 ? sweep_run_id(w->setup.run, point) : NULL;

        if (id && seen_ids_has(w->seen, id)) {
            blocks_point_done(w->blocks, point);
            continue;
        }
        g_array_append_val(todo, point);
        n++;
    }
    return n;
}

/* Tells the user that the worker waits, because otherwise it would seem to
 * hang. */
static void report_wait(Worker *w)
{
    guint n_blocks = blocks_count(w->blocks)->n_unsure;
    g_autofree char *text = g_strdup_printf(
        "waiting, for up to %.0f s, to see whether who has the last points is "
        "still at it: %u block%s of points without a sign of life",
        (double)w->setup.stale_us / G_USEC_PER_SEC, n_blocks,
        n_blocks == 1 ? "" : "s");

    if (!w->is_wait_said && w->setup.say && !w->setup.run->progress.is_quiet)
        w->setup.say(w->setup.self, text);
    w->is_wait_said = TRUE;
}

/* Returns whether more points may come: the owners of the remaining blocks may
 * be dead.  The worker stays until each owner has proved to be alive, because
 * otherwise the last points might be left undone. */
static gboolean may_get_more(Worker *w)
{
    w->try_us =
        g_get_monotonic_time() + MIN(MAX_POLL_US, w->setup.stale_us / 8);
    if (blocks_n_held(w->blocks) > 0)
        return TRUE;
    if (blocks_count(w->blocks)->n_unsure == 0)
        return FALSE;
    report_wait(w);
    return TRUE;
}

static gboolean more(gpointer self, GArray *todo)
{
    Worker *w = self;
    GError *reason = NULL;
    Block block;

    if (g_get_monotonic_time() < w->try_us)
        return TRUE;
    for (;;) {
        switch (blocks_next(w->blocks, &block, &reason)) {
        case BLOCKS_NONE:
            return may_get_more(w);
        case BLOCKS_FAILED:
            stop(w, reason);
            return FALSE;
        case BLOCKS_ONE:
            break;
        }
        if (block.is_taken_over && !seen_ids_update(w->seen, &reason)) {
            stop(w, reason);
            return FALSE;
        }
        if (add_points(w, &block, todo) > 0)
            return TRUE;
    }
}

static void done(gpointer self, guint point)
{
    Worker *w = self;

    blocks_point_done(w->blocks, point);
}

static void tick(gpointer self)
{
    Worker *w = self;
    gint64 now_us = g_get_monotonic_time();
    GError *reason = NULL;
    ClaimResult result;

    if (now_us < w->touch_us)
        return;
    w->touch_us = now_us + MIN(MAX_TOUCH_US, w->setup.stale_us / 4);
    result = claim_touch(w->place, &w->clock, &reason);
    if (result == CLAIM_ANOTHERS && !places_is_gone(w->setup.folder, &reason))
        g_set_error(&reason, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                    "%s: gone: this worker gave no sign of life for too long, "
                    "and somebody went on without it",
                    w->place);
    if (reason)
        stop(w, reason);
    else
        blocks_touch(w->blocks);
}

/* ---- starting ------------------------------------------------------------ */

static gboolean make_claims(Worker *w, GError **error)
{
    g_autofree char *word = sweep_word(w->setup.run);

    w->claims = g_build_filename(w->setup.folder, PLACES_CLAIMS, word, NULL);
    return output_make_subfolder(w->claims, TRUE, error);
}

static gboolean open_journal(Worker *w, GError **error)
{
    w->path = places_journal_of(w->setup.folder, w->who);
    w->journal = journal_lock(w->path, error);
    return w->journal && journal_load(w->journal, FALSE, error) &&
           journal_keep(w->journal, error);
}

/* Makes worker.NAME after the journal is locked, because processes that see it
 * check the lock. */
static gboolean make_worker_claim(Worker *w, GError **error)
{
    g_autofree char *name = g_strconcat(PLACES_WORKER, w->who, NULL);
    ClaimResult result;

    w->place = g_build_filename(w->claims, name, NULL);
    result = claim_make(w->place, error);
    if (result != CLAIM_FAILED)
        result = claim_touch(w->place, &w->clock, error);
    output_note_temporary(w->place);
    if (result == CLAIM_ANOTHERS)
        return output_fail(
            w->place,
            g_file_test(w->claims, G_FILE_TEST_IS_DIR) ? EBUSY : ENOENT, error);
    return result == CLAIM_OURS;
}

static gboolean is_folder_free(const Worker *w, GError **error)
{
    g_autofree char *journal =
        g_build_filename(w->setup.folder, PLACES_JOURNAL, NULL);
    const FolderLocking locking = { .folder = w->setup.folder,
                                    .journal = journal,
                                    .stale_us = w->setup.stale_us,
                                    .say = w->setup.say,
                                    .self = w->setup.self };

    return folder_lock_check(&locking, &w->clock, error);
}

static void fill_source(Worker *w)
{
    guint n_points = sweep_plan_n_points(w->setup.run->plan);

    w->source = (SweepSource){ .n_expected = (n_points + w->setup.part.n - 1) /
                                             w->setup.part.n,
                               .more = more,
                               .done = done,
                               .self = w };
    w->setup.run->source = &w->source;
    w->setup.run->journal = w->journal;
    w->setup.run->tick = tick;
    w->setup.run->tick_self = w;
}

/* Explains a missing folder: another sweep that ended has removed the claims,
 * in which this worker had none yet. */
static gboolean explain(const Worker *w, GError *reason, GError **error)
{
    g_autofree char *all =
        g_build_filename(w->setup.folder, PLACES_CLAIMS, NULL);

    if (!g_error_matches(reason, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
        g_file_test(all, G_FILE_TEST_EXISTS)) {
        g_propagate_error(error, reason);
        return FALSE;
    }
    g_error_free(reason);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                "%s: another sweep ended here as this worker began; the same "
                "command begins again",
                w->setup.folder);
    return FALSE;
}

static gboolean begin(Worker *w, GError **error)
{
    GError *reason = NULL;

    if (!make_claims(w, &reason) || !open_journal(w, &reason) ||
        !make_worker_claim(w, &reason))
        return explain(w, reason, error);
    return is_folder_free(w, error);
}

Worker *worker_new(const WorkerSetup *setup, GError **error)
{
    g_autoptr(Worker) w = g_new0(Worker, 1);

    w->setup = *setup;
    w->who = life_our_name();
    if (!begin(w, error))
        return NULL;
    w->seen = seen_ids_new(setup->folder, w->path);
    if (!seen_ids_update(w->seen, error))
        return NULL;
    w->blocks = blocks_new(w->claims, sweep_plan_n_points(setup->run->plan),
                           setup->part, setup->stale_us, &w->clock);
    blocks_sign(w->blocks, setup->folder, w->who);
    fill_source(w);
    return g_steal_pointer(&w);
}

void worker_free(Worker *w)
{
    if (!w)
        return;
    if (w->blocks)
        blocks_let_go(w->blocks);
    if (w->place) {
        rmdir(w->place);
        output_forget_temporary(w->place);
    }
    blocks_free(w->blocks);
    seen_ids_free(w->seen);
    journal_close(w->journal);
    g_free(w->who);
    g_free(w->claims);
    g_free(w->place);
    g_free(w->path);
    g_free(w);
}

const BlocksCount *worker_count(const Worker *w)
{
    return blocks_count(w->blocks);
}
