/*
 * trees.h - spanning trees that share the links among them
 *
 * Candidates come of multiplicative weights: the cheapest tree, whose links
 * then cost more, again and again; scaled down by the fullest link their rates
 * fit.  That are many trees with odd rates.  An integer program takes few of
 * them with rates that are multiples of 1 / den, for the least den that comes
 * within a share of the bound (bounds.h).
 *
 * A tree of rate x takes x of every link that it uses, so of those from parent
 * to child when data flow down, of those back when they flow up, and of both
 * when a tree is used up and then down, as in an all-reduce.  On a switch trees
 * are given: of two hops down from the root by each other rank; for both ways a
 * star round each rank.
 *
 * Units    rates in links
 * Owner    the caller owns the PackTrees
 * Cost     for 8 ranks some ms by weights, some more for few
 * Sources  Blink (MLSys 2020); Garg and Koenemann (1998) for the weights
 */
#ifndef MODELS_PACKING_TREES_H
#define MODELS_PACKING_TREES_H

#include "models/packing/bounds.h"

#define PACK_EPSILON  0.1
#define PACK_SLACK    0.05
#define PACK_MAX_DEN  8
#define PACK_ANY_ROOT UINT32_MAX /* each tree from its middle */

typedef enum {
    PACK_DOWN, /* from parent to child: broadcast */
    PACK_UP,   /* from child to parent: reduce */
    PACK_BOTH, /* the same links each way: all-reduce */
} PackUse;

typedef struct {
    PackUse use;
    uint32_t n_ranks, n_trees;
    /* Tree t has rate shares[t] / den; by weights den is 0, and no shares. */
    uint32_t den;
    uint32_t *shares;  /* owned */
    double *rates;     /* owned: of each tree */
    uint32_t *parents; /* owned: tree t from t * n_ranks; a root is its own */
} PackTrees;

/* @root PACK_ANY_ROOT: for PACK_BOTH only.  @epsilon is how much dearer a link
 * gets when a tree fills it.  No trees: the root does not reach all. */
PackTrees *pack_trees_by_weights(const PackGraph *graph, PackUse use,
                                 uint32_t root, double epsilon);

/* As many trees of rate 1, or multiples of it, as the bound has links, down or
 * up. */
PackTrees *pack_trees_disjoint(const PackGraph *graph, PackUse use,
                               uint32_t root);

/* Few of @candidates: the least den, 1 to @max_den, whose most comes within
 * @slack of the bound, or the best there is; of that the fewest trees. */
PackTrees *pack_trees_few(const PackGraph *graph, const PackTrees *candidates,
                          double slack, uint32_t max_den);

/* Few of those by weights and, down and up, of the disjoint ones, by the
 * constants above: so down and up the rate is that of the bound. */
PackTrees *pack_trees(const PackGraph *graph, PackUse use, uint32_t root);

void pack_trees_free(PackTrees *trees);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PackTrees, pack_trees_free)

/* Of all trees together. */
double pack_trees_rate(const PackTrees *trees);

/* Of all links in use the largest share that is taken: 1 is a full link. */
double pack_trees_fill(const PackGraph *graph, const PackTrees *trees);

static inline const uint32_t *pack_tree(const PackTrees *trees, uint32_t tree)
{
    return trees->parents + (gsize)tree * trees->n_ranks;
}

/* Links from the root to the rank farthest from it. */
uint32_t pack_tree_depth(const uint32_t *parents, uint32_t n_ranks);

#endif
