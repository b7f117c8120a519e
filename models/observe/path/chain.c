/* chain.c - chains of causes: reference-counted links that chains share */
#include "models/observe/path/chain.h"

#define BLOCK 1024 /* number of links in one allocation of 40 KiB */

void chain_pool_init(ChainPool *pool, uint64_t max_links)
{
    *pool = (ChainPool){ .max_links = max_links,
                         .blocks = g_ptr_array_new_with_free_func(g_free) };
}

/* Removes and returns the link before @link.  Call when the last owner of @link
 * releases it. */
static ChainLink *take_before(ChainPool *pool, ChainLink *link)
{
    ChainRepeats *repeats = link->repeats;

    if (!link->is_repeated)
        return link->before;
    link->is_repeated = FALSE;
    link->before = NULL;
    pool->let_go(repeats);
    return NULL;
}

void chain_pool_clear(ChainPool *pool)
{
    for (guint b = 0; b < pool->blocks->len; b++) {
        ChainLink *block = g_ptr_array_index(pool->blocks, b);

        for (guint i = 0; i < BLOCK; i++)
            if (block[i].is_repeated)
                (void)take_before(pool, &block[i]);
    }
    g_ptr_array_unref(pool->blocks);
}

static ChainLink *take_free_link(ChainPool *pool)
{
    ChainLink *link;

    if (!pool->free_links) {
        ChainLink *block = g_new(ChainLink, BLOCK);

        g_ptr_array_add(pool->blocks, block);
        for (guint i = 0; i < BLOCK; i++) {
            block[i].is_repeated = FALSE;
            block[i].before = pool->free_links;
            pool->free_links = &block[i];
        }
    }
    link = pool->free_links;
    pool->free_links = link->before;
    pool->n_links++;
    pool->n_taken++;
    pool->most_links = MAX(pool->most_links, pool->n_links);
    return link;
}

static void release_link(ChainPool *pool, ChainLink *link)
{
    while (link && --link->n_owners == 0) {
        ChainLink *before = take_before(pool, link);

        link->before = pool->free_links;
        pool->free_links = link;
        pool->n_links--;
        link = before;
    }
}

void chain_start(ChainPool *pool, Chain *chain, SimTime to_ps)
{
    chain_clear(pool, chain);
    chain->to_ps = to_ps;
}

void chain_clear(ChainPool *pool, Chain *chain)
{
    release_link(pool, chain->last);
    *chain = (Chain){ 0 };
}

void chain_copy(ChainPool *pool, Chain *to, const Chain *from)
{
    Chain copy = *from;

    if (copy.last)
        copy.last->n_owners++;
    if (to->last)
        release_link(pool, to->last);
    *to = copy;
}

static void drop_links(ChainPool *pool, Chain *chain)
{
    if (chain->last)
        release_link(pool, chain->last);
    chain->last = NULL;
}

/* Appends @link to @chain.  Drops the earlier links of the chain if they are
 * too early or the pool is full. */
static void append(ChainPool *pool, Chain *chain, ChainLink link)
{
    ChainLink *last;

    if (link.from_ps <= pool->keep_from_ps && !link.is_mark)
        drop_links(pool, chain);
    if (link.to_ps <= pool->keep_from_ps || pool->n_links >= pool->max_links) {
        drop_links(pool, chain);
        return;
    }
    last = take_free_link(pool);
    *last = link;
    last->before = chain->last;
    last->n_owners = 1;
    chain->last = last;
}

/* Extends @chain from its end to @to_ps, if that is later.  Sets the times of
 * @link. */
static void extend(ChainPool *pool, Chain *chain, ChainLink link, SimTime to_ps)
{
    SimTime from_ps = chain->to_ps;

    if (to_ps <= from_ps)
        return;
    chain->to_ps = to_ps;
    if (to_ps <=
        pool->keep_from_ps) { /* all earlier links are dropped as well */
        drop_links(pool, chain);
        return;
    }
    link.from_ps = from_ps;
    link.to_ps = to_ps;
    append(pool, chain, link);
}

void chain_extend_behind(ChainPool *pool, Chain *chain, uint32_t what,
                         uint32_t op, const ServiceSpan *front, guint n,
                         SimTime waits_ps, SimTime served_ps, SimTime to_ps)
{
    ChainLink link = { .op = op, .what = (uint16_t)what, .is_queue = TRUE };

    served_ps = MIN(served_ps, to_ps);
    waits_ps = MIN(waits_ps, served_ps);
    link.is_own = TRUE;
    for (guint i = 0; i < n; i++) {
        ChainLink other = link;

        if (front[i].op == op)
            continue;
        other.op = front[i].op;
        other.is_own = FALSE;
        other.is_other = TRUE;
        extend(pool, chain, link, MIN(front[i].from_ps, waits_ps));
        extend(pool, chain, other, MIN(front[i].to_ps, waits_ps));
    }
    extend(pool, chain, link, waits_ps);
    link.is_own = FALSE;
    extend(pool, chain, link, served_ps);
    link.is_queue = FALSE;
    extend(pool, chain, link, to_ps);
}

void chain_extend(ChainPool *pool, Chain *chain, uint32_t what,
                  SimTime served_ps, SimTime to_ps)
{
    chain_extend_behind(pool, chain, what, CHAIN_NO_OP, NULL, 0, 0, served_ps,
                        to_ps);
}

void chain_mark(ChainPool *pool, Chain *chain, uint32_t what, uint32_t op,
                SimTime since_ps, gboolean is_issue)
{
    if (since_ps >= chain->to_ps || !chain->last)
        return;
    append(pool, chain,
           (ChainLink){ .from_ps = since_ps,
                        .to_ps = chain->to_ps,
                        .op = op,
                        .what = (uint16_t)what,
                        .is_mark = TRUE,
                        .is_issue = is_issue ? 1 : 0 });
}

void chain_make_unique(ChainPool *pool, Chain *chain)
{
    ChainLink *tag;

    if (!chain->last)
        return;
    tag = take_free_link(pool);
    *tag = (ChainLink){ .before = chain->last,
                        .from_ps = chain->to_ps,
                        .to_ps = chain->to_ps,
                        .n_owners = 1,
                        .is_tag = TRUE };
    chain->last = tag;
}

void chain_repeat(ChainPool *pool, Chain *chain, ChainRepeats *repeats,
                  guint number, SimTime to_ps)
{
    ChainLink *link = take_free_link(pool);

    *link = (ChainLink){ .repeats = repeats,
                         .from_ps = number,
                         .to_ps = to_ps,
                         .n_owners = 1,
                         .is_repeated = TRUE };
    chain_clear(pool, chain);
    *chain = (Chain){ to_ps, link };
}
