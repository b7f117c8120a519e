/* blocks.c - which points are whose, where many processes work on one sweep */
#include "sim/sweep/shard/blocks.h"

#include <stdio.h>
#include <string.h>

#include "sim/sweep/shard/life.h"
#include "sim/sweep/shard/places.h"

typedef enum { FREE, CLAIMED, DONE } State;

/* What the folder says of a block, and what was seen of whoever has it. */
typedef struct {
    State state;
    guint generation;
    LifeWatch watch;
} Seen;

typedef struct {
    guint block, generation, n_left;
} Held;

struct Blocks {
    char *folder;        /* owned */
    char *results, *who; /* owned; NULL: claims do not say whose they are */
    guint n_points, block_points, n_blocks;
    ShardPart part;
    guint next_own;
    gint64 stale_us;
    const ClaimClock *clock; /* borrowed */
    Seen *seen;              /* owned, n_blocks of them */
    GArray *held;            /* owned, of Held */
    BlocksCount count;
};

/* ---- names and lengths ------------------------------------------------ */

static char *path_of(const Blocks *b, guint block, guint generation)
{
    return g_strdup_printf("%s/%u.%u", b->folder, block, generation);
}

static guint part_begin(const Blocks *b, guint part)
{
    return (guint)((guint64)b->n_blocks * part / b->part.n);
}

static guint first_point(const Blocks *b, guint block)
{
    return block * b->block_points;
}

static guint n_points_of(const Blocks *b, guint block)
{
    return MIN(b->block_points, b->n_points - first_point(b, block));
}

/* ---- what others have ------------------------------------------------- */

/* Of several generations the last counts. */
static void see(Blocks *b, const char *name)
{
    guint block, generation;
    Seen *seen;
    int n = 0;

    if (sscanf(name, "%u.%n", &block, &n) != 1 || n == 0 ||
        block >= b->n_blocks)
        return;
    seen = &b->seen[block];
    if (strcmp(name + n, "done") == 0)
        seen->state = DONE;
    if (sscanf(name + n, "%u", &generation) != 1)
        return;
    if (generation > seen->generation)
        seen->watch = (LifeWatch){ 0 };
    seen->generation = MAX(seen->generation, generation);
    if (seen->state == FREE)
        seen->state = CLAIMED;
}

/* No name ever goes, so what was read stays true, and whoever reads too little
 * finds a name taken.  To ask the server for the folder makes what a client
 * knew of it void. */
static void list(Blocks *b)
{
    gint64 ignored;
    g_autoptr(GDir) dir = NULL;
    const char *name;

    (void)!claim_touched_us(b->folder, &ignored);
    dir = g_dir_open(b->folder, 0, NULL);
    while (dir && (name = g_dir_read_name(dir)))
        see(b, name);
}

static gboolean is_held(const Blocks *b, guint block)
{
    for (guint i = 0; i < b->held->len; i++)
        if (g_array_index(b->held, Held, i).block == block)
            return TRUE;
    return FALSE;
}

/* ---- claiming --------------------------------------------------------- */

/* Says whose it is.  Where that cannot be said only time tells. */
static void mark(const Blocks *b, guint block, guint generation)
{
    g_autofree char *path = path_of(b, block, generation);
    g_autofree char *inner =
        b->who ? g_build_filename(path, b->who, NULL) : NULL;

    if (inner)
        (void)!(claim_make(inner, NULL) == CLAIM_OURS);
}

static void hold(Blocks *b, guint block, guint generation, Block *ret)
{
    const Held held = { block, generation, n_points_of(b, block) };

    g_assert(!is_held(b, block));
    mark(b, block, generation);
    g_array_append_val(b->held, held);
    b->seen[block].state = CLAIMED;
    b->seen[block].generation = generation;
    *ret = (Block){ first_point(b, block), held.n_left, generation > 0 };
}

static ClaimResult take(Blocks *b, guint block, guint generation, Block *ret,
                        GError **error)
{
    g_autofree char *path = path_of(b, block, generation);
    ClaimResult result = claim_make(path, error);

    if (result == CLAIM_OURS)
        hold(b, block, generation, ret);
    return result;
}

static BlocksResult take_own(Blocks *b, Block *ret, GError **error)
{
    guint end = part_begin(b, b->part.index + 1);

    while (b->next_own < end) {
        guint block = b->next_own++;
        ClaimResult result;

        if (b->seen[block].state != FREE)
            continue;
        result = take(b, block, 0, ret, error);
        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        if (result == CLAIM_ANOTHERS)
            continue;
        b->count.n_own++;
        return BLOCKS_ONE;
    }
    return BLOCKS_NONE;
}

/* The last free block of the part that has most of them: its owner comes from
 * the other end.  FALSE: none is free. */
static gboolean find_free(const Blocks *b, guint *ret)
{
    guint most = 0;

    for (guint part = 0; part < b->part.n; part++) {
        guint end = part_begin(b, part + 1), n = 0, last = 0;

        for (guint block = part_begin(b, part); block < end; block++) {
            if (b->seen[block].state != FREE)
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

static BlocksResult steal(Blocks *b, Block *ret, GError **error)
{
    guint block;

    for (list(b); find_free(b, &block); list(b)) {
        ClaimResult result = take(b, block, 0, ret, error);

        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        b->seen[block].state = CLAIMED;
        if (result == CLAIM_ANOTHERS)
            continue;
        b->count.n_stolen++;
        return BLOCKS_ONE;
    }
    return BLOCKS_NONE;
}

/* ---- taking over ------------------------------------------------------ */

/* Nobody has to be waited for who was a process of this machine. */
static gboolean is_of_the_dead(const Blocks *b, const char *path)
{
    g_autoptr(GDir) dir = b->who ? g_dir_open(path, 0, NULL) : NULL;
    const char *who = dir ? g_dir_read_name(dir) : NULL;
    g_autofree char *journal = NULL;

    if (!who || g_str_equal(who, b->who))
        return FALSE;
    journal = places_journal_of(b->results, who);
    return life_has_ended_here(who, journal);
}

static Life life_of_claim(Blocks *b, guint block)
{
    Seen *seen = &b->seen[block];
    g_autofree char *path = path_of(b, block, seen->generation);
    Life life = life_by_time(path, b->clock, b->stale_us, &seen->watch);

    return (life == LIFE_UNSURE || life == LIFE_ALIVE) &&
                   is_of_the_dead(b, path)
               ? LIFE_DEAD
               : life;
}

static BlocksResult inherit(Blocks *b, Block *ret, GError **error)
{
    b->count.n_unsure = b->count.n_open = 0;
    for (guint block = 0; block < b->n_blocks; block++) {
        ClaimResult result;
        Life life;

        if (b->seen[block].state != CLAIMED || is_held(b, block))
            continue;
        b->count.n_open++;
        life = life_of_claim(b, block);
        b->count.n_unsure += life == LIFE_UNSURE;
        if (life != LIFE_DEAD)
            continue;
        result = take(b, block, b->seen[block].generation + 1, ret, error);
        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        if (result == CLAIM_ANOTHERS)
            continue;
        b->count.n_taken_over++;
        return BLOCKS_ONE;
    }
    return BLOCKS_NONE;
}

/* ---- all of it -------------------------------------------------------- */

Blocks *blocks_new(const char *folder, guint n_points, ShardPart part,
                   gint64 stale_us, const ClaimClock *clock)
{
    Blocks *b = g_new0(Blocks, 1);

    g_assert(n_points > 0 && part.index < part.n);
    b->folder = g_strdup(folder);
    b->n_points = n_points;
    b->block_points = (n_points + BLOCKS_MAX - 1) / BLOCKS_MAX;
    b->n_blocks = (n_points + b->block_points - 1) / b->block_points;
    b->part = part;
    b->next_own = part_begin(b, part.index);
    b->stale_us = stale_us;
    b->clock = clock;
    b->seen = g_new0(Seen, b->n_blocks);
    b->held = g_array_new(FALSE, FALSE, sizeof(Held));
    list(b);
    return b;
}

void blocks_sign(Blocks *b, const char *results, const char *who)
{
    g_assert(!b->who && b->held->len == 0);
    b->results = g_strdup(results);
    b->who = g_strdup(who);
}

void blocks_free(Blocks *b)
{
    if (!b)
        return;
    g_free(b->results);
    g_free(b->who);
    g_array_unref(b->held);
    g_free(b->seen);
    g_free(b->folder);
    g_free(b);
}

BlocksResult blocks_next(Blocks *b, Block *ret, GError **error)
{
    BlocksResult result = take_own(b, ret, error);

    if (result == BLOCKS_NONE)
        result = steal(b, ret, error);
    if (result == BLOCKS_NONE)
        result = inherit(b, ret, error);
    return result;
}

/* A block that was taken from us is done all the same. */
static void finish(Blocks *b, guint i)
{
    guint block = g_array_index(b->held, Held, i).block;
    g_autofree char *path = g_strdup_printf("%s/%u.done", b->folder, block);

    (void)!(claim_make(path, NULL) == CLAIM_OURS);
    b->seen[block].state = DONE;
    g_array_remove_index_fast(b->held, i);
}

void blocks_point_done(Blocks *b, guint point)
{
    for (guint i = 0; i < b->held->len; i++) {
        Held *held = &g_array_index(b->held, Held, i);

        if (held->block != point / b->block_points)
            continue;
        g_assert(held->n_left > 0);
        if (--held->n_left == 0)
            finish(b, i);
        return;
    }
}

void blocks_touch(Blocks *b)
{
    for (guint i = 0; i < b->held->len; i++) {
        const Held *held = &g_array_index(b->held, Held, i);
        g_autofree char *path = path_of(b, held->block, held->generation);

        (void)!(claim_touch(path, NULL, NULL) == CLAIM_OURS);
    }
}

void blocks_let_go(Blocks *b)
{
    for (guint i = 0; i < b->held->len; i++) {
        const Held *held = &g_array_index(b->held, Held, i);
        g_autofree char *path = path_of(b, held->block, held->generation);

        claim_let_go(path);
    }
    g_array_set_size(b->held, 0);
}

guint blocks_n_held(const Blocks *b)
{
    return b->held->len;
}

const BlocksCount *blocks_count(const Blocks *b)
{
    return &b->count;
}
