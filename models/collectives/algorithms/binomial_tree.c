/*
 * binomial_tree.c - in each step, every rank with the data sends it to one more
 *
 * The root sends to the place half way round, then both send to places a
 * quarter further, and so on.  The parent of place p is p without its lowest
 * set bit b; the subtree of p is the places p to p + b - 1.
 *
 * Cost     log2 n steps, rounded up.  Broadcast, reduce: log2 n payloads at the
 *          root; gather, scatter: (n-1)/n of one
 * Sources  [THAKUR]
 */
#include "models/collectives/algorithms/tree_impl.h"

static uint32_t n_steps(uint32_t n)
{
    return 32 - (uint32_t)__builtin_clz(n - 1);
}

static uint32_t lowest_bit(uint32_t place)
{
    return place & (0 - place);
}

static uint32_t parent_position_in_tree(uint32_t n, uint32_t place)
{
    (void)n;
    return place - lowest_bit(place);
}

static uint32_t step_in_which_rank_receives(uint32_t n, uint32_t place)
{
    return n_steps(n) - 1 - (uint32_t)__builtin_ctz(place);
}

static uint32_t child_in_step(uint32_t n, uint32_t place, uint32_t step)
{
    uint32_t on = 1U << (n_steps(n) - 1 - step);

    return place % (2 * on) == 0 && on < n - place ? place + on : TREE_NONE;
}

static uint32_t subtree_size(uint32_t n, uint32_t place)
{
    return place == 0 ? n : MIN(lowest_bit(place), n - place);
}

/* Sends come at the end of all steps, to distances ... 4, 2, 1 that are within
 * the subtree. */
static TreeSpan steps_in_which_rank_sends(uint32_t n, uint32_t place)
{
    uint32_t below = subtree_size(n, place),
             n_sends = below > 1 ? n_steps(below) : 0;

    return (TreeSpan){ n_steps(n) - n_sends, n_sends };
}

static const TreeShape shape = {
    n_steps,       parent_position_in_tree,   step_in_which_rank_receives,
    child_in_step, steps_in_which_rank_sends, subtree_size
};

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

static uint32_t binomial_tree_next(const CollGroup *group, uint32_t rank,
                                   uint32_t from)
{
    return tree_next(&shape, group, rank, from);
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
    .next = binomial_tree_next,
};
