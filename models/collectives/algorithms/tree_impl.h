/*
 * tree_impl.h - what goes along a tree of ranks, whatever its shape
 *
 * Places of a tree are ranks counted from the root of the collective, which
 * has place 0; a kind that has no root takes rank 0 for one.  A shape says who
 * is below whom, and when: a parent sends to one child a step, in steps of its
 * own that follow its getting something.  A broadcast and a scatter go down so.
 * A reduce and a gather are the same backwards in time, an all-reduce is one up
 * and one down.
 *
 * What a parent sends to its children, it sends in steps that follow each
 * other.
 *
 * Of a gather and a scatter, blocks go together that are of one subtree, for
 * which its places have to follow each other.
 *
 * Units    steps of one way down, counted from 0
 */
#ifndef MODELS_COLLECTIVES_ALGORITHMS_TREE_IMPL_H
#define MODELS_COLLECTIVES_ALGORITHMS_TREE_IMPL_H

#include "models/collectives/algorithm.h"

#define TREE_NONE UINT32_MAX

/* Steps .first to .first + .n - 1. */
typedef struct {
    uint32_t first, n;
} TreeSpan;

typedef struct {
    uint32_t (*n_steps)(uint32_t n);
    uint32_t (*parent)(uint32_t n, uint32_t place); /* of place > 0, */
    uint32_t (*got)(uint32_t n, uint32_t place); /* and the step from there */
    /* To whom @place sends in @step; TREE_NONE: to nobody. */
    uint32_t (*child)(uint32_t n, uint32_t place, uint32_t step);
    /* And all steps in which it sends to somebody, after it got something. */
    TreeSpan (*sends)(uint32_t n, uint32_t place);
    /* Places from @place on that are below it, itself one of them; NULL: they
     * do not follow each other. */
    uint32_t (*n_below)(uint32_t n, uint32_t place);
} TreeShape;

/* What the functions of a CollAlgorithm promise, of a tree of @shape. */
gboolean tree_supports(const TreeShape *shape, const CollGroup *group);
uint32_t tree_n_steps(const TreeShape *shape, const CollGroup *group);
uint32_t tree_n_blocks(const CollGroup *group);
void tree_step(const TreeShape *shape, const CollGroup *group, uint32_t rank,
               uint32_t step, CollStep *ret);
uint32_t tree_next(const TreeShape *shape, const CollGroup *group,
                   uint32_t rank, uint32_t from);

/* ---- parts of it, for other trees --------------------------------------- */

/* A kind that has one way, or two, and no blocks of its own for each rank. */
gboolean tree_is_whole(CollKind kind);

/* Step @step of @n_down one way, as a step down; *@ret_up: backwards. */
uint32_t tree_way(CollKind kind, uint32_t n_down, uint32_t step,
                  gboolean *ret_up);

/* The step nearest to @step, a step down, in which @place of a tree of @shape
 * sends or gets something: at it or after it, or @back: at it or before it.
 * TREE_NONE: there is none. */
uint32_t tree_nearest(const TreeShape *shape, uint32_t n, uint32_t place,
                      uint32_t step, gboolean back);

/* What CollAlgorithm.next() promises, of @n_down steps one way of which
 * @nearest() says what tree_nearest() does, of a rank.  None is idle all the
 * way. */
typedef uint32_t (*TreeNearest)(gconstpointer tree, const CollGroup *group,
                                uint32_t rank, uint32_t step, gboolean back);
uint32_t tree_next_of(TreeNearest nearest, gconstpointer tree,
                      const CollGroup *group, uint32_t n_down, uint32_t rank,
                      uint32_t from);

/* The rank at @place, and the other way round. */
static inline uint32_t tree_rank(const CollGroup *group, uint32_t place)
{
    return coll_ahead(place, group->from, group->n_ranks);
}

static inline uint32_t tree_place(const CollGroup *group, uint32_t rank)
{
    return coll_behind(rank, group->from, group->n_ranks);
}

/* ---- the shape that two files share -------------------------------------- */

extern const TreeShape tree_binary;

#endif
