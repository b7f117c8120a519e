/*
 * binary_tree.c - a tree with two children per rank, in the order of positions
 *
 * Position 0 is the root, with one child.  Below it, the other positions form a
 * search tree: each position lies between the positions of its left subtree and
 * those of its right subtree.  Odd positions are leaves.  A position with
 * lowest set bit b has children at distance b/2 on both sides, as far as these
 * positions exist; a smaller subtree may be on the right.  So most of the
 * traffic goes between ranks that are close to each other.  The left subtree is
 * never shallower than the right one, and is served first.
 *
 * Cost     at most 2 log2 n steps in one direction, and 2 payloads sent per
 *          rank
 * Sources  [TWOTREE]
 */
#include "models/collectives/algorithms/tree_impl.h"

static uint32_t lowest_set_bit(uint32_t position)
{
    return position & (0 - position);
}

static uint32_t floor_log2(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

static uint32_t highest_set_bit(uint32_t n)
{
    return 1U << floor_log2(n);
}

/* Without a machine instruction for it, __builtin_popcount() calls a function
 * that needs twice as many instructions. */
static uint32_t count_one_bits(uint32_t n)
{
    n -= n >> 1 & 0x55555555U;
    n = (n & 0x33333333U) + (n >> 2 & 0x33333333U);
    n = (n + (n >> 4)) & 0x0F0F0F0FU;
    return n * 0x01010101U >> 24;
}

/* Returns the number of steps to the last position.  The path from the root's
 * child to the last position, n - 1, turns right once for each further set bit
 * of n - 1. To the left of each position on that path is a full subtree. A
 * subtree with lowest bit b needs 2 log2 b steps, and b falls to the right.  So
 * the maximum is in the first of these subtrees, or at the last position
 * itself. */
static uint32_t n_steps_of_tree(uint32_t n)
{
    return MAX(2 * floor_log2(n - 1), 2 * count_one_bits(n - 1) - 1);
}

static uint32_t parent_position_in_tree(uint32_t n, uint32_t position)
{
    uint32_t bit = lowest_set_bit(position), up = (position ^ bit) | bit << 1;

    return up < n ? up : position ^ bit;
}

static uint32_t left_child_position(uint32_t position)
{
    uint32_t bit = lowest_set_bit(position);

    return bit > 1 ? position - bit / 2 : TREE_NONE;
}

static uint32_t right_child_position(uint32_t n, uint32_t position)
{
    uint32_t most = MIN(lowest_set_bit(position) / 2, n - 1 - position);

    return most > 0 ? position + highest_set_bit(most) : TREE_NONE;
}

/* Returns the step in which @position receives. A right child is served in the
 * second step, a left child in the first.  The path first turns right for each
 * set bit above the highest bit in which @position differs from the last
 * position, then left once into a full subtree.  In there, each set bit below
 * turns right, each clear bit left, down to the lowest set bit. */
static uint32_t receiving_step_at_tree_position(uint32_t n, uint32_t position)
{
    uint32_t last = n - 1,
             bit = position == last ? 0 : floor_log2(position ^ last);
    uint32_t within = position & ((1U << bit) - 1);
    uint32_t n_right = count_one_bits(position >> bit);

    if (within == 0)
        return 2 * (n_right - 1);
    return 2 * n_right + bit - (uint32_t)__builtin_ctz(within) +
           count_one_bits(within) - 1;
}

/* The root sends to its only child in step 0. */
static TreeSteps active_steps_at_position(uint32_t n, uint32_t position)
{
    TreeSteps steps = { .receive = TREE_NONE, .first_send = 0, .n_sends = 1 };

    if (position == 0)
        return steps;
    steps.receive = receiving_step_at_tree_position(n, position);
    steps.first_send = steps.receive + 1;
    if (left_child_position(position) == TREE_NONE)
        steps.n_sends = 0;
    else if (right_child_position(n, position) != TREE_NONE)
        steps.n_sends = 2;
    return steps;
}

static uint32_t child_position_of_send(uint32_t n, uint32_t position,
                                       uint32_t i)
{
    if (position == 0)
        return highest_set_bit(n - 1);
    return i == 0 ? left_child_position(position)
                  : right_child_position(n, position);
}

const TreeShape tree_binary = { n_steps_of_tree, parent_position_in_tree,
                                active_steps_at_position,
                                child_position_of_send, NULL };

static gboolean binary_tree_supports(const CollGroup *group)
{
    return tree_supports(&tree_binary, group);
}

static uint32_t binary_tree_n_steps(const CollGroup *group)
{
    return tree_n_steps(&tree_binary, group);
}

static void binary_tree_step(const CollGroup *group, uint32_t rank,
                             uint32_t step, CollStep *ret)
{
    tree_step(&tree_binary, group, rank, step, ret);
}

static uint32_t binary_tree_next_active_step(const CollGroup *group,
                                             uint32_t rank, uint32_t first_step)
{
    return tree_next_active_step(&tree_binary, group, rank, first_step);
}

const CollAlgorithm coll_binary_tree = {
    .name = "binary-tree",
    .summary = "2 log2 n steps one way, 2 payloads sent per rank at most",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = binary_tree_supports,
    .n_steps = binary_tree_n_steps,
    .n_blocks = tree_n_blocks,
    .step = binary_tree_step,
    .next_active_step = binary_tree_next_active_step,
};

/* ---- the complement ---------------------------------------------------- */

/* The complement uses the same tree with a root that is one rank further, so
 * that leaves and inner nodes change roles. */
static void complement_tree_step(const CollGroup *group, uint32_t rank,
                                 uint32_t step, CollStep *ret)
{
    CollGroup shifted = *group;

    shifted.from = add_modulo_n(group->from, 1, group->n_ranks);
    tree_step(&tree_binary, &shifted, rank, step, ret);
}

static uint32_t complement_tree_next_active_step(const CollGroup *group,
                                                 uint32_t rank,
                                                 uint32_t first_step)
{
    CollGroup shifted = *group;

    shifted.from = add_modulo_n(group->from, 1, group->n_ranks);
    return tree_next_active_step(&tree_binary, &shifted, rank, first_step);
}

static gboolean complement_tree_supports(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE && tree_supports(&tree_binary, group);
}

const CollAlgorithm coll_binary_tree_complement = {
    .name = "binary-tree-beside",
    .summary = "a binary tree whose leaves are within the one of that name",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = complement_tree_supports,
    .n_steps = binary_tree_n_steps,
    .n_blocks = tree_n_blocks,
    .step = complement_tree_step,
    .next_active_step = complement_tree_next_active_step,
};
