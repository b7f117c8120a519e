/*
 * chain.h - sequences of causes in time, for critical_path.c
 *
 * A chain ends at a point in time.  It says for each interval before, without a
 * gap, what the time was spent on, back to .keep_from_ps of its pool.  Chains
 * with a common past share its links.  A mark at the end of an interval says
 * that something had waited for room since a certain time.
 *
 * If a period of a run is not reported because it repeats (chain_repeats.h),
 * one link represents all links that it would have created.
 *
 * Units    ps
 * Owner    the owner of a Chain releases it with chain_clear(); the pool must
 *          outlive its chains
 * Cost     40 bytes for each interval that is kept, up to the pool's limit;
 *          beyond that, chains become shorter
 */
#ifndef MODELS_OBSERVE_PATH_CHAIN_H
#define MODELS_OBSERVE_PATH_CHAIN_H

#include "models/observe/path/server_history.h"

typedef struct ChainRepeats ChainRepeats; /* see chain_repeats.h */

#define CHAIN_NO_OP UINT32_MAX

typedef struct ChainLink ChainLink;
struct ChainLink {
    union {
        /* owned together with .n_owners - 1 others; or the next free link */
        ChainLink *before;
        ChainRepeats *repeats; /* owned, if .is_repeated */
    };
    SimTime from_ps, to_ps;
    uint32_t n_owners;
    /* collective that had the server; of a mark, that waited for room;
     * CHAIN_NO_OP if none */
    uint32_t op;
    uint16_t what;
    uint8_t is_mark : 1;
    uint8_t is_queue : 1; /* waited for it and was not served */
    uint8_t is_own : 1;   /* in the queue behind its own collective */
    uint8_t is_other : 1; /* in the queue behind .op */
    /* a mark that begins at the issue of its collective */
    uint8_t is_issue : 1;
    uint8_t is_repeated : 1; /* .from_ps is a chain number in .repeats */
    uint8_t is_tag : 1; /* no time: makes its chain different from others */
};

typedef struct {
    SimTime to_ps;
    ChainLink *last; /* owned; NULL if nothing is known */
} Chain;

typedef struct {
    SimTime keep_from_ps; /* never decreases; earlier intervals are dropped */
    uint64_t n_links, most_links, max_links;
    uint64_t n_taken;      /* number of links taken so far */
    ChainLink *free_links; /* owned */
    GPtrArray *blocks;     /* owned */
    /* frees .repeats of a link; set by chain_snapshot_new() */
    void (*let_go)(ChainRepeats *repeats);
} ChainPool;

void chain_pool_init(ChainPool *pool, uint64_t max_links);
void chain_pool_clear(ChainPool *pool);

/* Makes @chain end at @to_ps with nothing known before. */
void chain_start(ChainPool *pool, Chain *chain, SimTime to_ps);
/* Releases the links of @chain. */
void chain_clear(ChainPool *pool, Chain *chain);
void chain_copy(ChainPool *pool, Chain *to, const Chain *from);
/* Extends @chain from its end to @to_ps, if that is later, by @what: in its
 * queue until @served_ps, then served. */
void chain_extend(ChainPool *pool, Chain *chain, uint32_t what,
                  SimTime served_ps, SimTime to_ps);
/* Same as chain_extend(), for a message or a chunk of collective @op.  The time
 * in the queue during each of the @n spans of @front is spent behind the
 * collective of that span, and other time behind @op itself.  The chain is in
 * the queue until @waits_ps, which is at most @served_ps, and then in service.
 * Between @waits_ps and @served_ps the room is never the cause. */
void chain_extend_behind(ChainPool *pool, Chain *chain, uint32_t what,
                         uint32_t op, const ServiceSpan *front, guint n,
                         SimTime waits_ps, SimTime served_ps, SimTime to_ps);
/* Marks that @op waited for room of @what from @since_ps to the end of @chain.
 * @is_issue says that its collective was issued at @since_ps. */
void chain_mark(ChainPool *pool, Chain *chain, uint32_t what, uint32_t op,
                SimTime since_ps, gboolean is_issue);
/* Makes @chain different from all other chains, unless nothing is known of
 * it. */
void chain_make_unique(ChainPool *pool, Chain *chain);
/* Replaces the links of @chain by chain @number of @repeats, which is taken
 * over.  The chain then ends at @to_ps. */
void chain_repeat(ChainPool *pool, Chain *chain, ChainRepeats *repeats,
                  guint number, SimTime to_ps);

#endif
