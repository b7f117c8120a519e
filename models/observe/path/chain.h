/*
 * chain.h - what came to pass one after the other, for critical_path.c
 *
 * A chain ends at an instant and tells, interval by interval and without a gap,
 * what the time before it went by with, back to .keep_from_ps of its pool.
 * Chains that were one share what they had in common.  A mark at the end of an
 * interval says that something waited since a certain time for room.
 *
 * Where a period of a run is not told of, since it repeats (chain_repeats.h), a
 * link stands for all that it would have made.
 *
 * Units    ps
 * Owner    whoever has a Chain owns it and lets go of it with chain_clear();
 *          the pool must outlive its chains
 * Cost     a record of 40 bytes an interval that is kept; no more than the
 *          pool's limit, past which chains become shorter
 */
#ifndef MODELS_OBSERVE_CHAIN_H
#define MODELS_OBSERVE_CHAIN_H

#include "models/observe/path/served.h"

typedef struct ChainRepeats ChainRepeats; /* chain_repeats.h */

#define CHAIN_NO_OP UINT32_MAX

typedef struct ChainLink ChainLink;
struct ChainLink {
    union {
        ChainLink *before; /* owned, one of .n_owners; or the next free one */
        ChainRepeats *repeats; /* if it stands for some: owned, */
    };
    SimTime from_ps, to_ps;
    uint32_t n_owners;
    uint32_t op; /* the collective that had the server then; of a mark, that
                  * waited for room; CHAIN_NO_OP: none */
    uint16_t what;
    uint8_t is_mark : 1;
    uint8_t is_queue : 1;    /* waited for it, was not served */
    uint8_t is_own : 1;      /* in the queue, behind its own collective */
    uint8_t is_other : 1;    /* in the queue, behind .op */
    uint8_t is_issue : 1;    /* a mark since its collective was issued */
    uint8_t is_repeated : 1; /* and .from_ps is a number in .repeats */
    uint8_t is_tag : 1; /* no time: tells a chain from those it was one with */
};

typedef struct {
    SimTime to_ps;
    ChainLink *last; /* owned; NULL: nothing is known */
} Chain;

typedef struct {
    SimTime keep_from_ps; /* never falls; earlier intervals are forgotten */
    uint64_t n_links, most_links, max_links;
    uint64_t n_taken;                      /* ever */
    ChainLink *free_links;                 /* owned */
    GPtrArray *blocks;                     /* owned */
    void (*let_go)(ChainRepeats *repeats); /* set by who makes such */
} ChainPool;

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
/* The same for a message or a chunk of collective @op: of the time in the queue
 * each of the @n spans of @front, one after the other, is behind that
 * collective, and what is in none of them behind @op itself.  Until
 * @waits_ps, @served_ps at most, it waited; from there on it is served,
 * although until @served_ps no room is to blame for it. */
void chain_extend_behind(ChainPool *pool, Chain *chain, uint32_t what,
                         uint32_t op, const ServedSpan *front, guint n,
                         SimTime waits_ps, SimTime served_ps, SimTime to_ps);
/* Room of @what was waited for by @op from @since_ps to its end; @is_issue:
 * that is when its collective was issued. */
void chain_mark(ChainPool *pool, Chain *chain, uint32_t what, uint32_t op,
                SimTime since_ps, gboolean is_issue);
/* It is one with no other any more, unless nothing is known of it. */
void chain_tag(ChainPool *pool, Chain *chain);
/* From now on it ends at @to_ps, and all it knows is number @number of
 * @repeats, which it takes. */
void chain_repeat(ChainPool *pool, Chain *chain, ChainRepeats *repeats,
                  guint number, SimTime to_ps);

#endif
