/*
 * chain.h - what came to pass one after the other, for critical_path.c
 *
 * A chain ends at an instant and tells, interval by interval and without a gap,
 * what the time before it went by with, back to .keep_from_ps of its pool.
 * Chains that were one share what they had in common.  A mark at the end of an
 * interval says that something waited since a certain time for room.
 *
 * Units    ps
 * Owner    whoever has a Chain owns it and lets go of it with chain_clear();
 *          the pool must outlive its chains
 * Cost     a record of 40 bytes an interval that is kept; no more than the
 *          pool's limit, past which chains become shorter
 */
#ifndef MODELS_OBSERVE_CHAIN_H
#define MODELS_OBSERVE_CHAIN_H

#include "sim/core/time.h"

typedef struct ChainLink ChainLink;
struct ChainLink {
    ChainLink *before; /* owned, one of .n_owners; or the next free one */
    SimTime from_ps, to_ps;
    uint32_t n_owners;
    uint16_t what;
    uint8_t is_mark;
    uint8_t is_queue; /* waited for it, was not served */
};

typedef struct {
    SimTime keep_from_ps; /* never falls; earlier intervals are forgotten */
    uint64_t n_links, most_links, max_links;
    ChainLink *free_links; /* owned */
    GPtrArray *blocks;     /* owned */
} ChainPool;

typedef struct {
    SimTime to_ps;
    ChainLink *last; /* owned; NULL: nothing is known */
} Chain;

void chain_pool_init(ChainPool *pool, uint64_t max_links);
void chain_pool_clear(ChainPool *pool);

/* Ends at @to_ps, with nothing known before. */
void chain_start(ChainPool *pool, Chain *chain, SimTime to_ps);
void chain_clear(ChainPool *pool, Chain *chain);
void chain_copy(ChainPool *pool, Chain *to, const Chain *from);
/* From its end to @to_ps, unless that is earlier, it was @what: until
 * @served_ps in its queue, then served by it. */
void chain_extend(ChainPool *pool, Chain *chain, uint32_t what,
                  SimTime served_ps, SimTime to_ps);
/* @what was waited for from @since_ps to its end. */
void chain_mark(ChainPool *pool, Chain *chain, uint32_t what, SimTime since_ps);

#endif
