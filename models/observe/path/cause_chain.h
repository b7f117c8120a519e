/*
 * cause_chain.h - sequences of causes in time, for critical_path.c
 *
 * A chain ends at a point in time.  It says for each interval before, without a
 * gap, what the time was spent on, back to .keep_from_ps of its pool.  Chains
 * with a common past share its links.  A mark at the end of an interval says
 * that something had waited for room since a certain time.
 *
 * If a period of a run is not reported because it repeats
 * (cause_chain_repeats.h), one link represents all links that it would have
 * created.
 *
 * Units    ps
 * Owner    the owner of a chain releases it with cause_chain_clear(); the
 *          pool must outlive its chains
 * Cost     40 bytes for each interval that is kept, up to the pool's limit;
 *          beyond that, chains become shorter
 */
#ifndef MODELS_OBSERVE_PATH_CAUSE_CHAIN_H
#define MODELS_OBSERVE_PATH_CAUSE_CHAIN_H

#include "models/observe/path/server_service_history.h"

typedef struct ChainRepeats ChainRepeats; /* see cause_chain_repeats.h */

#define CHAIN_NO_OP UINT32_MAX

typedef struct CauseChainLink CauseChainLink;
struct CauseChainLink {
    union {
        /* The link before this one, owned by reference counts; in the list of
         * free links, the next free link. */
        CauseChainLink *before;
        ChainRepeats *repeats; /* Owned.  This member holds if .is_repeated,
                                  else .before holds. */
    };
    SimTime from_ps, to_ps;
    uint32_t n_owners;
    /* The collective that had the server; for a mark, the one that waited for
     * room; CHAIN_NO_OP: none. */
    uint32_t op;
    uint16_t row;
    uint8_t is_mark : 1;
    uint8_t is_queue : 1; /* the time was spent in a queue, not in service */
    uint8_t is_own : 1;   /* the queue was behind the same collective */
    uint8_t is_other : 1; /* the queue was behind collective .op */
    /* A mark that begins when its collective was issued. */
    uint8_t is_issue : 1;
    uint8_t is_repeated : 1; /* .from_ps is a chain number in .repeats */
    /* A link without time, which makes its chain different from all others. */
    uint8_t is_tag : 1;
};

typedef struct {
    SimTime to_ps;
    CauseChainLink *last; /* owned: the latest link; NULL: nothing is known */
} CauseChain;

typedef struct {
    SimTime keep_from_ps; /* never decreases; earlier intervals are dropped */
    uint64_t n_links, most_links, max_links;
    uint64_t n_taken;           /* number of links taken so far */
    CauseChainLink *free_links; /* owned: list of unused links */
    GPtrArray *blocks;          /* owned: allocations of BLOCK links each */
    /* Frees .repeats of a link; set by chain_snapshot_new(). */
    void (*free_repeats)(ChainRepeats *repeats);
} CauseChainPool;

void cause_chain_pool_init(CauseChainPool *pool, uint64_t max_links);
void cause_chain_pool_clear(CauseChainPool *pool);

/* Empties @chain and sets its end to @to_ps; its causes are unknown. */
void cause_chain_start(CauseChainPool *pool, CauseChain *chain, SimTime to_ps);
/* Releases the links of @chain. */
void cause_chain_clear(CauseChainPool *pool, CauseChain *chain);
void cause_chain_copy(CauseChainPool *pool, CauseChain *to,
                      const CauseChain *from);
/* Extends @chain from its end to @to_ps, if that is later, by the row @row:
 * the time until @served_ps is spent in the queue, the rest in service. */
void cause_chain_extend(CauseChainPool *pool, CauseChain *chain, uint32_t row,
                        SimTime served_ps, SimTime to_ps);
/* Same as cause_chain_extend(), for a message or a chunk of collective @op. The
 * time in the queue during each of the @n spans of @front is spent behind the
 * collective of that span, and other time behind @op itself.  The chain is in
 * the queue until @waits_ps, which is at most @served_ps, and then in service.
 * Between @waits_ps and @served_ps the room is never the cause. */
void cause_chain_extend_in_queue(CauseChainPool *pool, CauseChain *chain,
                                 uint32_t row, uint32_t op,
                                 const ServiceSpan *front, guint n,
                                 SimTime waits_ps, SimTime served_ps,
                                 SimTime to_ps);
/* Marks that collective @op waited for room of the row @row from @since_ps to
 * the end of @chain.  @is_issue says that it was issued at @since_ps. */
void cause_chain_mark_room_wait(CauseChainPool *pool, CauseChain *chain,
                                uint32_t row, uint32_t op, SimTime since_ps,
                                gboolean is_issue);
/* Makes @chain different from all other chains, unless its causes are
 * unknown. */
void cause_chain_make_unique(CauseChainPool *pool, CauseChain *chain);
/* Replaces the links of @chain by chain @number of @repeats, which is taken
 * over.  The chain then ends at @to_ps. */
void cause_chain_set_repeats(CauseChainPool *pool, CauseChain *chain,
                             ChainRepeats *repeats, guint number,
                             SimTime to_ps);

#endif
