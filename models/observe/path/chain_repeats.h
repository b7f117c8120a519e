/*
 * chain_repeats.h - chains over periods of a run that nobody was told of
 *
 * Two looks at all chains that can go on, at moments at which the run was in
 * the same state, number them alike.  What was added to chain i between the two
 * is known, and of which chain of the first look it is the continuation, f(i).
 * So if the period is repeated n times from a third moment on, at the end chain
 * i is what was added to i in the period, then what was added to f(i), f(f(i))
 * and so on, n times in all, each a period earlier; and before that the chain
 * of that number as it was at the third moment.  Links are not copied: walking
 * back along such a chain goes through those of the period again and again.
 *
 * Units    ps
 * Owner    all are counted by their owners; the pool must outlive them
 */
#ifndef MODELS_OBSERVE_PATH_CHAIN_REPEATS_H
#define MODELS_OBSERVE_PATH_CHAIN_REPEATS_H

#include "models/observe/path/chain.h"

typedef struct ChainLook ChainLook;
typedef struct ChainPeriod ChainPeriod;

/* Chains as they are now, numbered as they are added, by which each becomes one
 * of its own: two that know the same need not be continued alike. */
ChainLook *chain_look_new(ChainPool *pool, SimTime now_ps);
void chain_look_add(ChainLook *look, Chain *chain);
guint chain_look_n(const ChainLook *look);
ChainLook *chain_look_ref(ChainLook *look);
void chain_look_unref(ChainLook *look);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ChainLook, chain_look_unref)

/* From one to the next.  NULL: how some chain goes on is not known; where
 * nothing @is_kept, as while what is followed does not wait, it need not be. */
ChainPeriod *chain_period_new(ChainLook *from, ChainLook *to, gboolean is_kept);
/* Links that were made in it. */
uint64_t chain_period_n_links(const ChainPeriod *period);
void chain_period_unref(ChainPeriod *period);

/* @n times @period from @look on, with collective @op that was issued at
 * @issued_ps: the period may have been seen of another. */
ChainRepeats *chain_repeats_new(ChainPeriod *period, ChainLook *look,
                                uint64_t n, uint32_t op, SimTime issued_ps);
/* The end of chain @number as it was at the look. */
SimTime chain_repeats_to_ps(const ChainRepeats *repeats, guint number);
ChainRepeats *chain_repeats_ref(ChainRepeats *repeats);
void chain_repeats_unref(ChainRepeats *repeats);

/* Back along a chain. */
typedef struct {
    const ChainLink *link;       /* the next; NULL: there is none */
    const ChainRepeats *repeats; /* through which it goes; NULL: none */
    guint number;
    uint64_t left; /* periods, this one too */
} ChainWalk;

ChainWalk chain_walk(const Chain *chain);
/* FALSE: no more is known.  What *@ret owns is of no use. */
gboolean chain_walk_back(ChainWalk *walk, ChainLink *ret);

#endif
