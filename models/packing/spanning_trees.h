/*
 * spanning_trees.h - spanning trees that share the capacity of links
 *
 * Multiplicative weights generate candidates: the cheapest tree is taken, its
 * links become more expensive, and so on.  The rates are scaled down until the
 * fullest link fits.  The result is many trees with odd rates.  An integer
 * program then selects few of them, with rates that are multiples of 1 / den,
 * for the smallest den that comes close enough to the bound
 * (tree_rate_bounds.h).
 *
 * A tree of rate x uses x of every link on it: from parent to child if data
 * flow down, from child to parent if they flow up, and both if a tree is used
 * up and then down, as in an all-reduce.  On a switch the trees are known: from
 * a root, trees of two hops through each other rank; for all-reduce, a star
 * around each rank.
 *
 * Units    rates in links
 * Owner    the caller owns the PackTrees
 * Cost     for 8 ranks some ms by weights, and some more to select few
 * Sources  Blink (MLSys 2020); Garg and Koenemann (1998) for the weights
 */
#ifndef MODELS_PACKING_SPANNING_TREES_H
#define MODELS_PACKING_SPANNING_TREES_H

#include "models/packing/tree_rate_bounds.h"

#define PACK_EPSILON   0.1
#define PACK_TOLERANCE 0.05
#define PACK_MAX_DEN   8
#define PACK_ANY_ROOT  UINT32_MAX /* each tree is rooted in its middle */

typedef enum {
    PACK_DOWN, /* data flow from parent to child: broadcast */
    PACK_UP,   /* data flow from child to parent: reduce */
    PACK_BOTH, /* data flow up and then down the same tree: all-reduce */
} PackUse;

typedef struct {
    PackUse use;
    uint32_t n_ranks, n_trees;
    /* Tree t has rate shares[t] / den.  Trees by weights have den 0 and no
     * shares. */
    uint32_t den;
    uint32_t *shares; /* owned: the share of each tree */
    double *rates;    /* owned: the rate of each tree */
    /* Owned: the parents of the ranks; tree t begins at t * n_ranks, and a root
     * is its own parent. */
    uint32_t *parents;
} PackTrees;

/* Returns many trees by multiplicative weights.  @root may be PACK_ANY_ROOT
 * only for PACK_BOTH.  @epsilon is the price increase of a link that a tree
 * fills. Returns no trees if the root does not reach all ranks. */
PackTrees *pack_trees_by_weights(const PackGraph *graph, PackUse use,
                                 uint32_t root, double epsilon);

/* Returns disjoint trees of integer rate, as many as the bound has links.  @use
 * must be PACK_DOWN or PACK_UP. */
PackTrees *pack_trees_disjoint(const PackGraph *graph, PackUse use,
                               uint32_t root);

/* Selects few of @candidates: for the smallest den, from 1 to @max_den, whose
 * rate comes within @tolerance of the bound, or for the best den, with as few
 * trees as possible. */
PackTrees *pack_trees_choose_fewest(const PackGraph *graph,
                                    const PackTrees *candidates,
                                    double tolerance, uint32_t max_den);

/* Returns few trees that are selected from those by weights and, for PACK_DOWN
 * and PACK_UP, from the disjoint ones.  For PACK_DOWN and PACK_UP the rate is
 * that of the bound. */
PackTrees *pack_fewest_trees_by_ilp(const PackGraph *graph, PackUse use,
                                    uint32_t root);

void pack_trees_free(PackTrees *trees);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PackTrees, pack_trees_free)

/* Returns the sum of the rates of all trees. */
double pack_trees_total_rate(const PackTrees *trees);

/* Returns the largest utilisation of a link; 1 is a full link. */
double pack_trees_utilisation(const PackGraph *graph, const PackTrees *trees);

static inline const uint32_t *pack_tree_parents(const PackTrees *trees,
                                                uint32_t tree)
{
    return trees->parents + (gsize)tree * trees->n_ranks;
}

/* Returns the number of links from the root to the farthest rank. */
uint32_t pack_tree_depth(const uint32_t *parents, uint32_t n_ranks);

#endif
