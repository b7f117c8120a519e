/*
 * cause_chain_repeats.h - chains over periods of a run that were skipped
 *
 * A snapshot numbers all chains that can continue.  Two snapshots at times at
 * which the run is in the same state number the chains in the same order.
 * Between them, links were added to each chain i, and chain i of the second
 * snapshot continues chain f(i) of the first.  Suppose that the period is
 * repeated n times from a third snapshot on.  Then chain i at the end consists
 * of the links that were added to i in the period, then of those added to f(i),
 * f(f(i)) and so on, n times in all, each one period earlier.  Before that
 * comes the chain of the resulting number at the third snapshot.  Links are not
 * copied: the walk back along such a chain visits the links of the period
 * repeatedly.
 *
 * Units    ps
 * Owner    all objects count their references; the pool must outlive them
 */
#ifndef MODELS_OBSERVE_PATH_CAUSE_CHAIN_REPEATS_H
#define MODELS_OBSERVE_PATH_CAUSE_CHAIN_REPEATS_H

#include "models/observe/path/cause_chain.h"

typedef struct ChainSnapshot ChainSnapshot;
typedef struct ChainPeriod ChainPeriod;

/* Returns an empty snapshot at @now_ps.  Chains get numbers in the order in
 * which they are added, and each becomes different from all others, because
 * chains with equal links can continue differently. */
ChainSnapshot *chain_snapshot_new(CauseChainPool *pool, SimTime now_ps);
void chain_snapshot_add(ChainSnapshot *snapshot, CauseChain *chain);
guint chain_snapshot_n_chains(const ChainSnapshot *snapshot);
ChainSnapshot *chain_snapshot_ref(ChainSnapshot *snapshot);
void chain_snapshot_unref(ChainSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ChainSnapshot, chain_snapshot_unref)

/* Returns the period between two snapshots, or NULL if some chain has no known
 * predecessor.  That is not checked unless @is_kept: while the followed NPU
 * does not wait, chains are not kept. */
ChainPeriod *chain_period_new(ChainSnapshot *from, ChainSnapshot *to,
                              gboolean is_kept);
/* Returns the number of links that were created in the period. */
uint64_t chain_period_n_links_created(const ChainPeriod *period);
void chain_period_unref(ChainPeriod *period);

/* Returns @n repetitions of @period from @snapshot on, for collective @op,
 * which was issued at @issued_ps.  The period may have been observed with
 * another collective. */
ChainRepeats *chain_repeats_new(ChainPeriod *period, ChainSnapshot *snapshot,
                                uint64_t n, uint32_t op, SimTime issued_ps);
/* Returns the end of chain @number after the repetitions. */
SimTime chain_repeats_end_ps(const ChainRepeats *repeats, guint number);
ChainRepeats *chain_repeats_ref(ChainRepeats *repeats);
void chain_repeats_unref(ChainRepeats *repeats);

/* A position on the walk back along a chain. */
typedef struct {
    const CauseChainLink *link; /* the next link back; NULL: the walk is over */
    /* The repetitions that the walk is in; NULL: none. */
    const ChainRepeats *repeats;
    guint number;
    uint64_t n_left; /* remaining periods, including the current one */
} ChainWalk;

/* Returns a position at the end of @chain. */
ChainWalk chain_walk_start(const CauseChain *chain);
/* Sets *@ret to the next link back in time.  Returns FALSE if no earlier causes
 * are known.  The references of *@ret are not valid. */
gboolean chain_walk_to_previous_link(ChainWalk *walk, CauseChainLink *ret);

#endif
