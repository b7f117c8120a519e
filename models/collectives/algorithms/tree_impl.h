/*
 * tree_impl.h - collectives along a tree of ranks, for any shape of the tree
 *
 * The positions of a tree are ranks relative to the root of the collective,
 * which has position 0.  Kinds without a root use rank 0.  A shape defines the
 * children of each position, and the steps: a parent sends to one child per
 * step, in consecutive steps after it has received.  A broadcast and a scatter
 * go down in this way.  A reduce and a gather are the same, reversed in time.
 * An all-reduce is one up and one down.
 *
 * A gather and a scatter send the blocks of a subtree as one message.  This
 * requires that the positions of each subtree are consecutive.
 *
 * Units    steps of the downward direction, counted from 0
 */
#ifndef MODELS_COLLECTIVES_ALGORITHMS_TREE_IMPL_H
#define MODELS_COLLECTIVES_ALGORITHMS_TREE_IMPL_H

#include "models/collectives/algorithm.h"

#define TREE_NONE UINT32_MAX

/* The steps in which a position is active.  It sends in .n_sends steps from
 * .first_send on, all after .receive. */
typedef struct {
    uint32_t receive; /* its parent sends to it; TREE_NONE for the root */
    uint32_t first_send, n_sends;
} TreeSteps;

typedef struct {
    uint32_t (*n_steps)(uint32_t n);
    uint32_t (*parent)(uint32_t n, uint32_t position); /* of @position > 0 */
    TreeSteps (*steps)(uint32_t n, uint32_t position);
    /* Returns the child to which @position sends in step .first_send + @i. */
    uint32_t (*child)(uint32_t n, uint32_t position, uint32_t i);
    /* Returns the size of the subtree of @position, which starts at @position.
     * NULL: the positions of a subtree are not consecutive. */
    uint32_t (*n_below)(uint32_t n, uint32_t position);
} TreeShape;

/* Functions of a CollAlgorithm for a tree of shape @shape. */
gboolean tree_supports(const TreeShape *shape, const CollGroup *group);
uint32_t tree_n_steps(const TreeShape *shape, const CollGroup *group);
uint32_t tree_n_blocks(const CollGroup *group);
void tree_step(const TreeShape *shape, const CollGroup *group, uint32_t rank,
               uint32_t step, CollStep *ret);
uint32_t tree_next_active_step(const TreeShape *shape, const CollGroup *group,
                               uint32_t rank, uint32_t first_step);

/* ---- helpers for other trees ------------------------------------------- */

/* Returns whether @kind sends whole payloads along the tree: a broadcast, a
 * reduce or an all-reduce.  The other kinds have a block for each rank. */
gboolean tree_sends_whole_payload(CollKind kind);

/* Converts @step, of @n_down steps per direction, to a step of the downward
 * direction.  Sets *@ret_up if the step goes up. */
uint32_t tree_step_in_downward_order(CollKind kind, uint32_t n_down,
                                     uint32_t step, gboolean *ret_up);

/* Returns the step nearest to @step in which @position of a tree of @shape
 * sends or receives: at @step or after it, or if @back, at it or before it.
 * Returns TREE_NONE if there is none.  Steps are those of the downward
 * direction. */
uint32_t tree_nearest_active_step(const TreeShape *shape, uint32_t n,
                                  uint32_t position, uint32_t step,
                                  gboolean back);

/* Returns the active step of a rank nearest to a given one, like
 * tree_nearest_active_step(). tree_next_step_by_nearest_active() implements
 * CollAlgorithm.next_active_step() with it, for any tree with @n_down steps per
 * direction. Every rank must be active in each direction. */
typedef uint32_t (*TreeNearest)(gconstpointer tree, const CollGroup *group,
                                uint32_t rank, uint32_t step, gboolean back);
uint32_t tree_next_step_by_nearest_active(TreeNearest nearest,
                                          gconstpointer tree,
                                          const CollGroup *group,
                                          uint32_t n_down, uint32_t rank,
                                          uint32_t first_step);

/* Return the rank at position @position, and the position of rank @rank. */
static inline uint32_t tree_rank_at_position(const CollGroup *group,
                                             uint32_t position)
{
    return add_modulo_n(position, group->from, group->n_ranks);
}

static inline uint32_t tree_position_of_rank(const CollGroup *group,
                                             uint32_t rank)
{
    return subtract_modulo_n(rank, group->from, group->n_ranks);
}

/* ---- the shape that two algorithms share ------------------------------- */

extern const TreeShape tree_binary;

/* Returns the position to which @position sends in @step of a tree of @shape,
 * or TREE_NONE.  @steps is that of @position. */
static inline uint32_t tree_child_in_step(const TreeShape *shape, uint32_t n,
                                          uint32_t position,
                                          const TreeSteps *steps, uint32_t step)
{
    return step >= steps->first_send &&
                   step - steps->first_send < steps->n_sends
               ? shape->child(n, position, step - steps->first_send)
               : TREE_NONE;
}

#endif
