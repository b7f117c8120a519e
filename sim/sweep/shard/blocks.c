/* blocks.c - see blocks.h */
#include "sim/sweep/shard/blocks.h"

#include <stdio.h>
#include <string.h>

#include "sim/sweep/shard/life.h"
#include "sim/sweep/shard/places.h"

typedef enum { FREE, CLAIMED, DONE } State;

/* The state of a block in the folder, and the observations of its owner. */
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
    char *results, *who; /* owned; NULL if claims carry no name */
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

/* ---- claims of other workers --------------------------------------------- */

/* Updates the state of a block by the name of one claim.  The last generation
 * counts. */
static void observe(Blocks *b, const char *name)
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

/* Reads all claims.  Names are never removed, so earlier observations stay
 * true, and a listing that misses a name only leads to a claim that fails.
 * Asking the server for the folder's time first makes the client drop its
 * cached listing. */
static void list_claims(Blocks *b)
{
    gint64 ignored;
    g_autoptr(GDir) dir = NULL;
    const char *name;

    (void)!claim_touched_us(b->folder, &ignored);
    dir = g_dir_open(b->folder, 0, NULL);
    while (dir && (name = g_dir_read_name(dir)))
        observe(b, name);
}

static gboolean is_held(const Blocks *b, guint block)
{
    for (guint i = 0; i < b->held->len; i++)
        if (g_array_index(b->held, Held, i).block == block)
            return TRUE;
    return FALSE;
}

/* ---- claiming --------------------------------------------------------- */

/* Adds the name of this process to a claim.  If this fails, other workers have
 * to wait for @stale_us. */
static void add_name(const Blocks *b, guint block, guint generation)
{
    g_autofree char *path = path_of(b, block, generation);
    g_autofree char *inner =
        b->who ? g_build_filename(path, b->who, NULL) : NULL;

    if (inner)
        (void)!(claim_make(inner, NULL) == CLAIM_OURS);
}

static void note_claimed(Blocks *b, guint block, guint generation, Block *ret)
{
    const Held held = { block, generation, n_points_of(b, block) };

    g_assert(!is_held(b, block));
    add_name(b, block, generation);
    g_array_append_val(b->held, held);
    b->seen[block].state = CLAIMED;
    b->seen[block].generation = generation;
    *ret = (Block){ first_point(b, block), held.n_left, generation > 0 };
}

static ClaimResult claim(Blocks *b, guint block, guint generation, Block *ret,
                         GError **error)
{
    g_autofree char *path = path_of(b, block, generation);
    ClaimResult result = claim_make(path, error);

    if (result == CLAIM_OURS)
        note_claimed(b, block, generation, ret);
    return result;
}

static BlocksResult claim_own(Blocks *b, Block *ret, GError **error)
{
    guint end = part_begin(b, b->part.index + 1);

    while (b->next_own < end) {
        guint block = b->next_own++;
        ClaimResult result;

        if (b->seen[block].state != FREE)
            continue;
        result = claim(b, block, 0, ret, error);
        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        if (result == CLAIM_ANOTHERS)
            continue;
        b->count.n_own++;
        return BLOCKS_ONE;
    }
    return BLOCKS_NONE;
}

/* Finds the last free block of the part with most free blocks, because the
 * owner of the part proceeds from the front.  Returns FALSE if no block is
 * free. */
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

static BlocksResult claim_from_others(Blocks *b, Block *ret, GError **error)
{
    guint block;

    for (list_claims(b); find_free(b, &block); list_claims(b)) {
        ClaimResult result = claim(b, block, 0, ret, error);

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

/* ---- taking over blocks of dead workers ---------------------------------- */

/* Returns whether the claim carries the name of a process of this machine that
 * has ended. */
static gboolean has_ended_owner(const Blocks *b, const char *path)
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
                   has_ended_owner(b, path)
               ? LIFE_DEAD
               : life;
}

static BlocksResult take_over(Blocks *b, Block *ret, GError **error)
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
        result = claim(b, block, b->seen[block].generation + 1, ret, error);
        if (result == CLAIM_FAILED)
            return BLOCKS_FAILED;
        if (result == CLAIM_ANOTHERS)
            continue;
        b->count.n_taken_over++;
        return BLOCKS_ONE;
    }
    return BLOCKS_NONE;
}

/* ---- public functions ---------------------------------------------------- */

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
    list_claims(b);
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
    BlocksResult result = claim_own(b, ret, error);

    if (result == BLOCKS_NONE)
        result = claim_from_others(b, ret, error);
    if (result == BLOCKS_NONE)
        result = take_over(b, ret, error);
    return result;
}

/* Marks a block as done, also if another worker has taken it over meanwhile. */
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
