/*
 * binomial_tree.c - in each step, every rank with the data sends it to one more
 *
 * The root sends to the position half way round, then both send to positions a
 * quarter further, and so on.  The parent of position p is p without its lowest
 * set bit b; the subtree of p is the positions p to p + b - 1.
 *
 * Cost     log2 n steps, rounded up.  Broadcast, reduce: log2 n payloads at the
 *          root; gather, scatter: (n-1)/n of one
 * Sources  [THAKUR]
 */
#include "models/collectives/algorithms/tree_impl.h"

static uint32_t n_steps_of_tree(uint32_t n)
{
    return 32 - (uint32_t)__builtin_clz(n - 1);
}

static uint32_t lowest_set_bit(uint32_t position)
{
    return position & (0 - position);
}

static uint32_t parent_position_in_tree(uint32_t n, uint32_t position)
{
    (void)n;
    return position - lowest_set_bit(position);
}

static uint32_t subtree_size(uint32_t n, uint32_t position)
{
    return position == 0 ? n : MIN(lowest_set_bit(position), n - position);
}

/* Returns the number of steps in which @position sends: to distances ... 4, 2,
 * 1 that are within the subtree. */
static uint32_t n_sends_at_tree_position(uint32_t n, uint32_t position)
{
    uint32_t below = subtree_size(n, position);

    return below > 1 ? n_steps_of_tree(below) : 0;
}

/* Sends come at the end of all steps. */
static TreeSteps active_steps_at_position(uint32_t n, uint32_t position)
{
    uint32_t n_all = n_steps_of_tree(n),
             n_sends = n_sends_at_tree_position(n, position);

    return (TreeSteps){
        .receive = position > 0 ? n_all - 1 - (uint32_t)__builtin_ctz(position)
                                : TREE_NONE,
        .first_send = n_all - n_sends,
        .n_sends = n_sends,
    };
}

static uint32_t child_position_of_send(uint32_t n, uint32_t position,
                                       uint32_t i)
{
    return position + (1U << (n_sends_at_tree_position(n, position) - 1 - i));
}

static const TreeShape shape = { n_steps_of_tree, parent_position_in_tree,
                                 active_steps_at_position,
                                 child_position_of_send, subtree_size };

static gboolean binomial_tree_supports(const CollGroup *group)
{
    return tree_supports(&shape, group);
}

static uint32_t binomial_tree_n_steps(const CollGroup *group)
{
    return tree_n_steps(&shape, group);
}

static void binomial_tree_step(const CollGroup *group, uint32_t rank,
                               uint32_t step, CollStep *ret)
{
    tree_step(&shape, group, rank, step, ret);
}

static uint32_t binomial_tree_next_active_step(const CollGroup *group,
                                               uint32_t rank,
                                               uint32_t first_step)
{
    return tree_next_active_step(&shape, group, rank, first_step);
}

const CollAlgorithm coll_binomial_tree = {
    .name = "binomial-tree",
    .summary = "log2 n steps; in each, all ranks that have the data send it",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = binomial_tree_supports,
    .n_steps = binomial_tree_n_steps,
    .n_blocks = tree_n_blocks,
    .step = binomial_tree_step,
    .next_active_step = binomial_tree_next_active_step,
};
