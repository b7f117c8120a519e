/*
 * chain.c - from rank to rank, starting at the root or ending there
 *
 * Chunks follow each other along the chain: each link carries one chunk while
 * the next link carries the chunk before.  With many chunks, the total is
 * little more than the time of one payload on one link.
 *
 * Cost     n-1 steps.  Broadcast, reduce: a payload sent per rank; gather,
 *          scatter: (n-1)/n of one at the root, less at each further rank
 */
#include "models/collectives/algorithms/tree_impl.h"

static uint32_t n_steps_of_tree(uint32_t n)
{
    return n - 1;
}

static uint32_t parent_position_in_tree(uint32_t n, uint32_t position)
{
    (void)n;
    return position - 1;
}

static uint32_t subtree_size(uint32_t n, uint32_t position)
{
    return n - position;
}

static TreeSteps active_steps_at_position(uint32_t n, uint32_t position)
{
    return (TreeSteps){ .receive = position > 0 ? position - 1 : TREE_NONE,
                        .first_send = position,
                        .n_sends = position + 1 < n ? 1 : 0 };
}

static uint32_t child_position_of_send(uint32_t n, uint32_t position,
                                       uint32_t i)
{
    (void)n;
    (void)i;
    return position + 1;
}

static const TreeShape shape = { n_steps_of_tree, parent_position_in_tree,
                                 active_steps_at_position,
                                 child_position_of_send, subtree_size };

static gboolean chain_supports(const CollGroup *group)
{
    return tree_supports(&shape, group);
}

static uint32_t chain_n_steps(const CollGroup *group)
{
    return tree_n_steps(&shape, group);
}

static void chain_step(const CollGroup *group, uint32_t rank, uint32_t step,
                       CollStep *ret)
{
    tree_step(&shape, group, rank, step, ret);
}

static uint32_t chain_next_active_step(const CollGroup *group, uint32_t rank,
                                       uint32_t first_step)
{
    return tree_next_active_step(&shape, group, rank, first_step);
}

const CollAlgorithm coll_chain = {
    .name = "chain",
    .summary =
        "n-1 steps along the ranks, a payload sent per rank; chunks follow each other",
    .symmetry = COLL_BY_ROTATION,
    /* In an all-reduce, a rank first receives from its child, then from its
     * parent. */
    .single_source = TRUE,
    .partial = TRUE,
    .supports = chain_supports,
    .n_steps = chain_n_steps,
    .n_blocks = tree_n_blocks,
    .step = chain_step,
    .next_active_step = chain_next_active_step,
};
