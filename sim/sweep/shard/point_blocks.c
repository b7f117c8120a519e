/*
 * point_blocks.c - distributes the points of a sweep over several processes;
 * see point_blocks.h
 */
#include "sim/sweep/shard/point_blocks.h"

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
} BlockState;

typedef struct {
    guint block, generation, n_left;
} HeldBlock;

struct PointBlocks {
    char *folder; /* owned */
    /* Owned: the results folder, and the name of this process, which its claims
     * carry; NULL if claims carry no name. */
    char *results, *process;
    guint n_points, block_points, n_blocks;
    ShardPart part;
    guint next_own;
    gint64 stale_us;
    const ClaimClock *clock; /* borrowed */
    BlockState *info;        /* owned, n_blocks of them */
    GArray *held;            /* owned, of HeldBlock */
    PointBlockCount count;
};

/* ---- names and sizes of blocks ------------------------------------------- */

static char *claim_path_of_block(const PointBlocks *blocks, guint block,
                                 guint generation)
{
    return g_strdup_printf("%s/%u.%u", blocks->folder, block, generation);
}

static guint first_block_of_part(const PointBlocks *blocks, guint part)
{
    return (guint)((guint64)blocks->n_blocks * part / blocks->part.n);
}

static guint first_point_of_block(const PointBlocks *blocks, guint block)
{
    return block * blocks->block_points;
}

static guint n_points_of_block(const PointBlocks *blocks, guint block)
{
    return MIN(blocks->block_points,
               blocks->n_points - first_point_of_block(blocks, block));
}

/* ---- claims of other workers --------------------------------------------- */

/* Updates the state of a block by the name of one claim.  The last generation
 * counts. */
static void record_claim_file_name(PointBlocks *blocks, const char *name)
{
    guint block, generation;
    BlockState *info;
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
static void read_all_claims(PointBlocks *blocks)
{
    gint64 ignored;
    g_autoptr(GDir) dir = NULL;
    const char *name;

    (void)!claim_last_touch_us(blocks->folder, &ignored);
    dir = g_dir_open(blocks->folder, 0, NULL);
    while (dir && (name = g_dir_read_name(dir)))
        record_claim_file_name(blocks, name);
}

static gboolean is_block_claimed_by_this_worker(const PointBlocks *blocks,
                                                guint block)
{
    for (guint i = 0; i < blocks->held->len; i++)
        if (g_array_index(blocks->held, HeldBlock, i).block == block)
            return TRUE;
    return FALSE;
}

/* ---- claiming blocks ----------------------------------------------------- */

/* Adds the name of this process to a claim.  If this fails, other workers have
 * to wait for @stale_us. */
static void add_owner_name_to_claim(const PointBlocks *blocks, guint block,
                                    guint generation)
{
    g_autofree char *path = claim_path_of_block(blocks, block, generation);
    g_autofree char *inner =
        blocks->process ? g_build_filename(path, blocks->process, NULL) : NULL;

    if (inner)
        (void)!(create_claim_file(inner, NULL) == CLAIM_OURS);
}

static void record_claimed_block(PointBlocks *blocks, guint block,
                                 guint generation, PointBlock *ret)
{
    const HeldBlock held = { block, generation,
                             n_points_of_block(blocks, block) };

    g_assert(!is_block_claimed_by_this_worker(blocks, block));
    add_owner_name_to_claim(blocks, block, generation);
    g_array_append_val(blocks->held, held);
    blocks->info[block].state = CLAIMED;
    blocks->info[block].generation = generation;
    *ret = (PointBlock){ first_point_of_block(blocks, block), held.n_left,
                         generation > 0 };
}

static ClaimResult claim_block_generation(PointBlocks *blocks, guint block,
                                          guint generation, PointBlock *ret,
                                          GError **error)
{
    g_autofree char *path = claim_path_of_block(blocks, block, generation);
    ClaimResult result = create_claim_file(path, error);

    if (result == CLAIM_OURS)
        record_claimed_block(blocks, block, generation, ret);
    return result;
}

static BlocksResult claim_block_of_assigned_part(PointBlocks *blocks,
                                                 PointBlock *ret,
                                                 GError **error)
{
    guint end = first_block_of_part(blocks, blocks->part.index + 1);

    while (blocks->next_own < end) {
        guint block = blocks->next_own++;
        ClaimResult result;

        if (blocks->info[block].state != FREE)
            continue;
        result = claim_block_generation(blocks, block, 0, ret, error);
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
static gboolean find_free_block(const PointBlocks *blocks, guint *ret)
{
    guint most = 0;

    for (guint part = 0; part < blocks->part.n; part++) {
        guint end = first_block_of_part(blocks, part + 1), n = 0, last = 0;

        for (guint block = first_block_of_part(blocks, part); block < end;
             block++) {
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

static BlocksResult claim_block_of_other_parts(PointBlocks *blocks,
                                               PointBlock *ret, GError **error)
{
    guint block;

    for (read_all_claims(blocks); find_free_block(blocks, &block);
         read_all_claims(blocks)) {
        ClaimResult result =
            claim_block_generation(blocks, block, 0, ret, error);

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
static gboolean has_claim_owner_ended(const PointBlocks *blocks,
                                      const char *path)
{
    g_autoptr(GDir) dir = blocks->process ? g_dir_open(path, 0, NULL) : NULL;
    const char *process = dir ? g_dir_read_name(dir) : NULL;
    g_autofree char *journal = NULL;

    if (!process || g_str_equal(process, blocks->process))
        return FALSE;
    journal = claim_paths_journal_of(blocks->results, process);
    return liveness_has_local_process_ended(process, journal);
}

static ProcessLiveness worker_liveness_of_claim(PointBlocks *blocks,
                                                guint block)
{
    BlockState *info = &blocks->info[block];
    g_autofree char *path =
        claim_path_of_block(blocks, block, info->generation);
    ProcessLiveness life = liveness_judge_by_time(
        path, blocks->clock, blocks->stale_us, &info->watch);

    return (life == LIVENESS_UNSURE || life == LIVENESS_ALIVE) &&
                   has_claim_owner_ended(blocks, path)
               ? LIVENESS_DEAD
               : life;
}

static BlocksResult take_over_dead_block(PointBlocks *blocks, PointBlock *ret,
                                         GError **error)
{
    blocks->count.n_unsure = blocks->count.n_open = 0;
    for (guint block = 0; block < blocks->n_blocks; block++) {
        ClaimResult result;
        ProcessLiveness life;

        if (blocks->info[block].state != CLAIMED ||
            is_block_claimed_by_this_worker(blocks, block))
            continue;
        blocks->count.n_open++;
        life = worker_liveness_of_claim(blocks, block);
        blocks->count.n_unsure += life == LIVENESS_UNSURE;
        if (life != LIVENESS_DEAD)
            continue;
        result = claim_block_generation(
            blocks, block, blocks->info[block].generation + 1, ret, error);
        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        if (result == CLAIM_TAKEN)
            continue;
        blocks->count.n_taken_over++;
        return BLOCKS_CLAIMED;
    }
    return BLOCKS_NONE;
}

/* ---- the public functions of point_blocks.h ------------------------------ */

PointBlocks *point_blocks_new(const char *folder, guint n_points,
                              ShardPart part, gint64 stale_us,
                              const ClaimClock *clock)
{
    PointBlocks *blocks = g_new0(PointBlocks, 1);

    g_assert(n_points > 0 && part.index < part.n);
    blocks->folder = g_strdup(folder);
    blocks->n_points = n_points;
    blocks->block_points = (n_points + BLOCKS_MAX - 1) / BLOCKS_MAX;
    blocks->n_blocks =
        (n_points + blocks->block_points - 1) / blocks->block_points;
    blocks->part = part;
    blocks->next_own = first_block_of_part(blocks, part.index);
    blocks->stale_us = stale_us;
    blocks->clock = clock;
    blocks->info = g_new0(BlockState, blocks->n_blocks);
    blocks->held = g_array_new(FALSE, FALSE, sizeof(HeldBlock));
    read_all_claims(blocks);
    return blocks;
}

void point_blocks_set_owner(PointBlocks *blocks, const char *results,
                            const char *process)
{
    g_assert(!blocks->process && blocks->held->len == 0);
    blocks->results = g_strdup(results);
    blocks->process = g_strdup(process);
}

void point_blocks_free(PointBlocks *blocks)
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

BlocksResult point_blocks_claim_next(PointBlocks *blocks, PointBlock *ret,
                                     GError **error)
{
    BlocksResult result = claim_block_of_assigned_part(blocks, ret, error);

    if (result == BLOCKS_NONE)
        result = claim_block_of_other_parts(blocks, ret, error);
    if (result == BLOCKS_NONE)
        result = take_over_dead_block(blocks, ret, error);
    return result;
}

/* Marks a block as done, also if another worker has taken it over meanwhile. */
static void mark_block_done(PointBlocks *blocks, guint i)
{
    guint block = g_array_index(blocks->held, HeldBlock, i).block;
    g_autofree char *path =
        g_strdup_printf("%s/%u.done", blocks->folder, block);

    (void)!(create_claim_file(path, NULL) == CLAIM_OURS);
    blocks->info[block].state = DONE;
    g_array_remove_index_fast(blocks->held, i);
}

void point_blocks_mark_point_done(PointBlocks *blocks, guint point)
{
    for (guint i = 0; i < blocks->held->len; i++) {
        HeldBlock *held = &g_array_index(blocks->held, HeldBlock, i);

        if (held->block != point / blocks->block_points)
            continue;
        g_assert(held->n_left > 0);
        if (--held->n_left == 0)
            mark_block_done(blocks, i);
        return;
    }
}

void point_blocks_touch_claims(PointBlocks *blocks)
{
    for (guint i = 0; i < blocks->held->len; i++) {
        const HeldBlock *held = &g_array_index(blocks->held, HeldBlock, i);
        g_autofree char *path =
            claim_path_of_block(blocks, held->block, held->generation);

        (void)!(touch_claim_file(path, NULL, NULL) == CLAIM_OURS);
    }
}

void point_blocks_release_claims(PointBlocks *blocks)
{
    for (guint i = 0; i < blocks->held->len; i++) {
        const HeldBlock *held = &g_array_index(blocks->held, HeldBlock, i);
        g_autofree char *path =
            claim_path_of_block(blocks, held->block, held->generation);

        release_claim_file(path);
    }
    g_array_set_size(blocks->held, 0);
}

guint point_blocks_count_claimed(const PointBlocks *blocks)
{
    return blocks->held->len;
}

const PointBlockCount *point_blocks_count_states(const PointBlocks *blocks)
{
    return &blocks->count;
}
