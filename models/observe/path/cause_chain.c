/* cause_chain.c - chains of causes: reference-counted links that
 * chains share */
#include "models/observe/path/cause_chain.h"

#define BLOCK 1024 /* number of links in one allocation of 40 KiB */

void cause_chain_pool_init(CauseChainPool *pool, uint64_t max_links)
{
    *pool =
        (CauseChainPool){ .max_links = max_links,
                          .blocks = g_ptr_array_new_with_free_func(g_free) };
}

/* Removes and returns the link before @link.  Call when the last owner of @link
 * releases it. */
static CauseChainLink *detach_previous_chain_link(CauseChainPool *pool,
                                                  CauseChainLink *link)
{
    ChainRepeats *repeats = link->repeats;

    if (!link->is_repeated)
        return link->before;
    link->is_repeated = FALSE;
    link->before = NULL;
    pool->free_repeats(repeats);
    return NULL;
}

void cause_chain_pool_clear(CauseChainPool *pool)
{
    for (guint b = 0; b < pool->blocks->len; b++) {
        CauseChainLink *block = g_ptr_array_index(pool->blocks, b);

        for (guint i = 0; i < BLOCK; i++)
            if (block[i].is_repeated)
                (void)detach_previous_chain_link(pool, &block[i]);
    }
    g_ptr_array_unref(pool->blocks);
}

static CauseChainLink *take_free_chain_link(CauseChainPool *pool)
{
    CauseChainLink *link;

    if (!pool->free_links) {
        CauseChainLink *block = g_new(CauseChainLink, BLOCK);

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

static void release_chain_link(CauseChainPool *pool, CauseChainLink *link)
{
    while (link && --link->n_owners == 0) {
        CauseChainLink *before = detach_previous_chain_link(pool, link);

        link->before = pool->free_links;
        pool->free_links = link;
        pool->n_links--;
        link = before;
    }
}

void cause_chain_start(CauseChainPool *pool, CauseChain *chain, SimTime to_ps)
{
    cause_chain_clear(pool, chain);
    chain->to_ps = to_ps;
}

void cause_chain_clear(CauseChainPool *pool, CauseChain *chain)
{
    release_chain_link(pool, chain->last);
    *chain = (CauseChain){ 0 };
}

void cause_chain_copy(CauseChainPool *pool, CauseChain *to,
                      const CauseChain *from)
{
    CauseChain copy = *from;

    if (copy.last)
        copy.last->n_owners++;
    if (to->last)
        release_chain_link(pool, to->last);
    *to = copy;
}

static void drop_chain_links(CauseChainPool *pool, CauseChain *chain)
{
    if (chain->last)
        release_chain_link(pool, chain->last);
    chain->last = NULL;
}

/* Appends @link to @chain.  Drops the earlier links of the chain if they are
 * too early or the pool is full. */
static void append_chain_link(CauseChainPool *pool, CauseChain *chain,
                              CauseChainLink link)
{
    CauseChainLink *last;

    if (link.from_ps <= pool->keep_from_ps && !link.is_mark)
        drop_chain_links(pool, chain);
    if (link.to_ps <= pool->keep_from_ps || pool->n_links >= pool->max_links) {
        drop_chain_links(pool, chain);
        return;
    }
    last = take_free_chain_link(pool);
    *last = link;
    last->before = chain->last;
    last->n_owners = 1;
    chain->last = last;
}

/* Extends @chain from its end to @to_ps, if that is later.  Sets the times of
 * @link. */
static void extend_chain_with_link(CauseChainPool *pool, CauseChain *chain,
                                   CauseChainLink link, SimTime to_ps)
{
    SimTime from_ps = chain->to_ps;

    if (to_ps <= from_ps)
        return;
    chain->to_ps = to_ps;
    if (to_ps <=
        pool->keep_from_ps) { /* all earlier links are dropped as well */
        drop_chain_links(pool, chain);
        return;
    }
    link.from_ps = from_ps;
    link.to_ps = to_ps;
    append_chain_link(pool, chain, link);
}

void cause_chain_extend_in_queue(CauseChainPool *pool, CauseChain *chain,
                                 uint32_t row, uint32_t op,
                                 const ServiceSpan *front, guint n,
                                 SimTime waits_ps, SimTime served_ps,
                                 SimTime to_ps)
{
    CauseChainLink link = { .op = op, .row = (uint16_t)row, .is_queue = TRUE };

    served_ps = MIN(served_ps, to_ps);
    waits_ps = MIN(waits_ps, served_ps);
    link.is_own = TRUE;
    for (guint i = 0; i < n; i++) {
        CauseChainLink other = link;

        if (front[i].op == op)
            continue;
        other.op = front[i].op;
        other.is_own = FALSE;
        other.is_other = TRUE;
        extend_chain_with_link(pool, chain, link,
                               MIN(front[i].from_ps, waits_ps));
        extend_chain_with_link(pool, chain, other,
                               MIN(front[i].to_ps, waits_ps));
    }
    extend_chain_with_link(pool, chain, link, waits_ps);
    link.is_own = FALSE;
    extend_chain_with_link(pool, chain, link, served_ps);
    link.is_queue = FALSE;
    extend_chain_with_link(pool, chain, link, to_ps);
}

void cause_chain_extend(CauseChainPool *pool, CauseChain *chain, uint32_t row,
                        SimTime served_ps, SimTime to_ps)
{
    cause_chain_extend_in_queue(pool, chain, row, CHAIN_NO_OP, NULL, 0, 0,
                                served_ps, to_ps);
}

void cause_chain_mark_room_wait(CauseChainPool *pool, CauseChain *chain,
                                uint32_t row, uint32_t op, SimTime since_ps,
                                gboolean is_issue)
{
    if (since_ps >= chain->to_ps || !chain->last)
        return;
    append_chain_link(pool, chain,
                      (CauseChainLink){ .from_ps = since_ps,
                                        .to_ps = chain->to_ps,
                                        .op = op,
                                        .row = (uint16_t)row,
                                        .is_mark = TRUE,
                                        .is_issue = is_issue ? 1 : 0 });
}

void cause_chain_make_unique(CauseChainPool *pool, CauseChain *chain)
{
    CauseChainLink *tag;

    if (!chain->last)
        return;
    tag = take_free_chain_link(pool);
    *tag = (CauseChainLink){ .before = chain->last,
                             .from_ps = chain->to_ps,
                             .to_ps = chain->to_ps,
                             .n_owners = 1,
                             .is_tag = TRUE };
    chain->last = tag;
}

void cause_chain_set_repeats(CauseChainPool *pool, CauseChain *chain,
                             ChainRepeats *repeats, guint number, SimTime to_ps)
{
    CauseChainLink *link = take_free_chain_link(pool);

    *link = (CauseChainLink){ .repeats = repeats,
                              .from_ps = number,
                              .to_ps = to_ps,
                              .n_owners = 1,
                              .is_repeated = TRUE };
    cause_chain_clear(pool, chain);
    *chain = (CauseChain){ to_ps, link };
}
