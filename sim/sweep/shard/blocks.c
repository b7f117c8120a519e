/* blocks.c - see blocks.h */
#include "sim/sweep/shard/blocks.h"

#include <stdio.h>
#include <string.h>

#include "sim/sweep/shard/claim_paths.h"
#include "sim/sweep/shard/worker_liveness.h"

typedef enum { FREE, CLAIMED, DONE } State;

/* The state of a block in the folder, and the observations of its owner. */
typedef struct {
    State state;
    guint generation;
    LivenessWatch watch;
} BlockInfo;

typedef struct {
    guint block, generation, n_left;
} Held;

struct Blocks {
    char *folder;            /* owned */
    char *results, *process; /* owned; NULL if claims carry no name */
    guint n_points, block_points, n_blocks;
    ShardPart part;
    guint next_own;
    gint64 stale_us;
    const ClaimClock *clock; /* borrowed */
    BlockInfo *info;         /* owned, n_blocks of them */
    GArray *held;            /* owned, of Held */
    BlocksCount count;
};

/* ---- names and sizes of blocks ------------------------------------------- */

static char *path_of(const Blocks *blocks, guint block, guint generation)
{
    return g_strdup_printf("%s/%u.%u", blocks->folder, block, generation);
}

static guint part_begin(const Blocks *blocks, guint part)
{
    return (guint)((guint64)blocks->n_blocks * part / blocks->part.n);
}

static guint first_point(const Blocks *blocks, guint block)
{
    return block * blocks->block_points;
}

static guint n_points_of(const Blocks *blocks, guint block)
{
    return MIN(blocks->block_points,
               blocks->n_points - first_point(blocks, block));
}

/* ---- claims of other workers --------------------------------------------- */

/* Updates the state of a block by the name of one claim.  The last generation
 * counts. */
static void observe(Blocks *blocks, const char *name)
{
    guint block, generation;
    BlockInfo *info;
    int n = 0;

    if (sscanf(name, "%u.%n", &block, &n) != 1 || n == 0 ||
        block >= blocks->n_blocks)
        return;
    info = &blocks->info[block];
    if (strcmp(name + n, "done") == 0)
        info->state = DONE;
    if (sscanf(name + n, "%u", &generation) != 1)
        return;
    if (generation > info->generation)
        info->watch = (LivenessWatch){ 0 };
    info->generation = MAX(info->generation, generation);
    if (info->state == FREE)
        info->state = CLAIMED;
}

/* Reads all claims.  Names are never removed, so earlier observations stay
 * true, and a listing that misses a name only leads to a claim that fails.
 * Asking the server for the folder's time first makes the client drop its
 * cached listing. */
static void list_claims(Blocks *blocks)
{
    gint64 ignored;
    g_autoptr(GDir) dir = NULL;
    const char *name;

    (void)!claim_touched_us(blocks->folder, &ignored);
    dir = g_dir_open(blocks->folder, 0, NULL);
    while (dir && (name = g_dir_read_name(dir)))
        observe(blocks, name);
}

static gboolean is_held(const Blocks *blocks, guint block)
{
    for (guint i = 0; i < blocks->held->len; i++)
        if (g_array_index(blocks->held, Held, i).block == block)
            return TRUE;
    return FALSE;
}

/* ---- claiming blocks ----------------------------------------------------- */

/* Adds the name of this process to a claim.  If this fails, other workers have
 * to wait for @stale_us. */
static void add_name(const Blocks *blocks, guint block, guint generation)
{
    g_autofree char *path = path_of(blocks, block, generation);
    g_autofree char *inner =
        blocks->process ? g_build_filename(path, blocks->process, NULL) : NULL;

    if (inner)
        (void)!(claim_make(inner, NULL) == CLAIM_OURS);
}

static void note_claimed(Blocks *blocks, guint block, guint generation,
                         Block *ret)
{
    const Held held = { block, generation, n_points_of(blocks, block) };

    g_assert(!is_held(blocks, block));
    add_name(blocks, block, generation);
    g_array_append_val(blocks->held, held);
    blocks->info[block].state = CLAIMED;
    blocks->info[block].generation = generation;
    *ret = (Block){ first_point(blocks, block), held.n_left, generation > 0 };
}

static ClaimResult claim(Blocks *blocks, guint block, guint generation,
                         Block *ret, GError **error)
{
    g_autofree char *path = path_of(blocks, block, generation);
    ClaimResult result = claim_make(path, error);

    if (result == CLAIM_OURS)
        note_claimed(blocks, block, generation, ret);
    return result;
}

static BlocksResult claim_own(Blocks *blocks, Block *ret, GError **error)
{
    guint end = part_begin(blocks, blocks->part.index + 1);

    while (blocks->next_own < end) {
        guint block = blocks->next_own++;
        ClaimResult result;

        if (blocks->info[block].state != FREE)
            continue;
        result = claim(blocks, block, 0, ret, error);
        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        if (result == CLAIM_TAKEN)
            continue;
        blocks->count.n_own++;
        return BLOCKS_CLAIMED;
    }
    return BLOCKS_NONE;
}

/* Finds the last free block of the part with most free blocks, because the
 * owner of the part proceeds from the front.  Returns FALSE if no block is
 * free. */
static gboolean find_free(const Blocks *blocks, guint *ret)
{
    guint most = 0;

    for (guint part = 0; part < blocks->part.n; part++) {
        guint end = part_begin(blocks, part + 1), n = 0, last = 0;

        for (guint block = part_begin(blocks, part); block < end; block++) {
            if (blocks->info[block].state != FREE)
                continue;
            n++;
            last = block;
        }
        if (n <= most)
            continue;
        most = n;
        *ret = last;
    }
    return most > 0;
}

static BlocksResult claim_from_others(Blocks *blocks, Block *ret,
                                      GError **error)
{
    guint block;

    for (list_claims(blocks); find_free(blocks, &block); list_claims(blocks)) {
        ClaimResult result = claim(blocks, block, 0, ret, error);

        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        blocks->info[block].state = CLAIMED;
        if (result == CLAIM_TAKEN)
            continue;
        blocks->count.n_stolen++;
        return BLOCKS_CLAIMED;
    }
    return BLOCKS_NONE;
}

/* ---- taking over blocks of dead workers ---------------------------------- */

/* Returns whether the claim carries the name of a process of this machine that
 * has ended. */
static gboolean has_ended_owner(const Blocks *blocks, const char *path)
{
    g_autoptr(GDir) dir = blocks->process ? g_dir_open(path, 0, NULL) : NULL;
    const char *process = dir ? g_dir_read_name(dir) : NULL;
    g_autofree char *journal = NULL;

    if (!process || g_str_equal(process, blocks->process))
        return FALSE;
    journal = claim_paths_journal_of(blocks->results, process);
    return liveness_has_ended_locally(process, journal);
}

static Liveness life_of_claim(Blocks *blocks, guint block)
{
    BlockInfo *info = &blocks->info[block];
    g_autofree char *path = path_of(blocks, block, info->generation);
    Liveness life =
        liveness_by_time(path, blocks->clock, blocks->stale_us, &info->watch);

    return (life == LIVENESS_UNSURE || life == LIVENESS_ALIVE) &&
                   has_ended_owner(blocks, path)
               ? LIVENESS_DEAD
               : life;
}

static BlocksResult take_over(Blocks *blocks, Block *ret, GError **error)
{
    blocks->count.n_unsure = blocks->count.n_open = 0;
    for (guint block = 0; block < blocks->n_blocks; block++) {
        ClaimResult result;
        Liveness life;

        if (blocks->info[block].state != CLAIMED || is_held(blocks, block))
            continue;
        blocks->count.n_open++;
        life = life_of_claim(blocks, block);
        blocks->count.n_unsure += life == LIVENESS_UNSURE;
        if (life != LIVENESS_DEAD)
            continue;
        result = claim(blocks, block, blocks->info[block].generation + 1, ret,
                       error);
        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        if (result == CLAIM_TAKEN)
            continue;
        blocks->count.n_taken_over++;
        return BLOCKS_CLAIMED;
    }
    return BLOCKS_NONE;
}

/* ---- the public functions of blocks.h ------------------------------------ */

Blocks *blocks_new(const char *folder, guint n_points, ShardPart part,
                   gint64 stale_us, const ClaimClock *clock)
{
    Blocks *blocks = g_new0(Blocks, 1);

    g_assert(n_points > 0 && part.index < part.n);
    blocks->folder = g_strdup(folder);
    blocks->n_points = n_points;
    blocks->block_points = (n_points + BLOCKS_MAX - 1) / BLOCKS_MAX;
    blocks->n_blocks =
        (n_points + blocks->block_points - 1) / blocks->block_points;
    blocks->part = part;
    blocks->next_own = part_begin(blocks, part.index);
    blocks->stale_us = stale_us;
    blocks->clock = clock;
    blocks->info = g_new0(BlockInfo, blocks->n_blocks);
    blocks->held = g_array_new(FALSE, FALSE, sizeof(Held));
    list_claims(blocks);
    return blocks;
}

void blocks_set_owner(Blocks *blocks, const char *results, const char *process)
{
    g_assert(!blocks->process && blocks->held->len == 0);
    blocks->results = g_strdup(results);
    blocks->process = g_strdup(process);
}

void blocks_free(Blocks *blocks)
{
    if (!blocks)
        return;
    g_free(blocks->results);
    g_free(blocks->process);
    g_array_unref(blocks->held);
    g_free(blocks->info);
    g_free(blocks->folder);
    g_free(blocks);
}

BlocksResult blocks_next(Blocks *blocks, Block *ret, GError **error)
{
    BlocksResult result = claim_own(blocks, ret, error);

    if (result == BLOCKS_NONE)
        result = claim_from_others(blocks, ret, error);
    if (result == BLOCKS_NONE)
        result = take_over(blocks, ret, error);
    return result;
}

/* Marks a block as done, also if another worker has taken it over meanwhile. */
static void finish(Blocks *blocks, guint i)
{
    guint block = g_array_index(blocks->held, Held, i).block;
    g_autofree char *path =
        g_strdup_printf("%s/%u.done", blocks->folder, block);

    (void)!(claim_make(path, NULL) == CLAIM_OURS);
    blocks->info[block].state = DONE;
    g_array_remove_index_fast(blocks->held, i);
}

void blocks_point_done(Blocks *blocks, guint point)
{
    for (guint i = 0; i < blocks->held->len; i++) {
        Held *held = &g_array_index(blocks->held, Held, i);

        if (held->block != point / blocks->block_points)
            continue;
        g_assert(held->n_left > 0);
        if (--held->n_left == 0)
            finish(blocks, i);
        return;
    }
}

void blocks_touch(Blocks *blocks)
{
    for (guint i = 0; i < blocks->held->len; i++) {
        const Held *held = &g_array_index(blocks->held, Held, i);
        g_autofree char *path = path_of(blocks, held->block, held->generation);

        (void)!(claim_touch(path, NULL, NULL) == CLAIM_OURS);
    }
}

void blocks_release(Blocks *blocks)
{
    for (guint i = 0; i < blocks->held->len; i++) {
        const Held *held = &g_array_index(blocks->held, Held, i);
        g_autofree char *path = path_of(blocks, held->block, held->generation);

        claim_release(path);
    }
    g_array_set_size(blocks->held, 0);
}

guint blocks_n_held(const Blocks *blocks)
{
    return blocks->held->len;
}

const BlocksCount *blocks_count(const Blocks *blocks)
{
    return &blocks->count;
}
