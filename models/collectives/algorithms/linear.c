/*
 * linear.c - the root sends to each other rank, or receives from each
 *
 * This is a tree in which all ranks are children of the root, served one after
 * the other in the order of positions.  Only the root passes data on.
 *
 * Cost     n-1 steps.  Broadcast, reduce: n-1 payloads at the root; gather,
 *          scatter: (n-1)/n of one, which is the minimum
 */
#include "models/collectives/algorithms/tree_impl.h"

static uint32_t n_steps_of_tree(uint32_t n)
{
    return n - 1;
}

static uint32_t parent_position_in_tree(uint32_t n, uint32_t position)
{
    (void)n;
    (void)position;
    return 0;
}

static uint32_t subtree_size(uint32_t n, uint32_t position)
{
    return position == 0 ? n : 1;
}

static TreeSteps active_steps_at_position(uint32_t n, uint32_t position)
{
    return (TreeSteps){ .receive = position > 0 ? position - 1 : TREE_NONE,
                        .first_send = position,
                        .n_sends = position == 0 ? n - 1 : 0 };
}

/* Only the root sends: to position i + 1 in step i. */
static uint32_t child_position_of_send(uint32_t n, uint32_t position,
                                       uint32_t i)
{
    (void)n;
    (void)position;
    return i + 1;
}

static const TreeShape shape = { n_steps_of_tree, parent_position_in_tree,
                                 active_steps_at_position,
                                 child_position_of_send, subtree_size };

static gboolean linear_supports(const CollGroup *group)
{
    return tree_supports(&shape, group);
}

static uint32_t linear_n_steps(const CollGroup *group)
{
    return tree_n_steps(&shape, group);
}

static void linear_step(const CollGroup *group, uint32_t rank, uint32_t step,
                        CollStep *ret)
{
    tree_step(&shape, group, rank, step, ret);
}

static uint32_t linear_next_active_step(const CollGroup *group, uint32_t rank,
                                        uint32_t first_step)
{
    return tree_next_active_step(&shape, group, rank, first_step);
}

const CollAlgorithm coll_linear = {
    .name = "linear",
    .summary =
        "n-1 steps from the root or to it, one for each rank; each rank's "
        "block separately",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = linear_supports,
    .n_steps = linear_n_steps,
    .n_blocks = tree_n_blocks,
    .step = linear_step,
    .next_active_step = linear_next_active_step,
};
