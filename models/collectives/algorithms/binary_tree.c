/*
 * binary_tree.c - two children each, in the order of their places
 *
 * Below the root, place 0, is a tree of the others in which every place stands
 * between those on its left and those on its right: odd places are leaves,
 * those with lowest bit b have children at b/2 to either side, as far as there
 * are any; on the right that may be a smaller one.  So neighbours in the tree
 * are neighbours by rank where most goes.  The left side is never the
 * shallower and is served first.
 *
 * Cost     2 log2 n steps one way at most, 2 payloads sent per rank at most
 * Sources  [TWOTREE]
 */
#include "models/collectives/algorithms/tree_impl.h"

static uint32_t lowest_bit(uint32_t place)
{
    return place & (0 - place);
}

static uint32_t log2_of(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

static uint32_t highest_bit(uint32_t n)
{
    return 1U << log2_of(n);
}

static uint32_t n_ones(uint32_t n)
{
    return (uint32_t)__builtin_popcount(n);
}

/* From the root's child on the way goes right as often as the number of the
 * last place has ones; to the left of each of those places is a full tree, of
 * places in which a one of it is 0.  The tree of lowest bit b has 2 log2 b
 * steps to the last below it, and further right b is smaller: so it is the
 * first of them, or the last place itself. */
static uint32_t n_steps(uint32_t n)
{
    return MAX(2 * log2_of(n - 1), 2 * n_ones(n - 1) - 1);
}

static uint32_t parent(uint32_t n, uint32_t place)
{
    uint32_t bit = lowest_bit(place), up = (place ^ bit) | bit << 1;

    return up < n ? up : place ^ bit;
}

static uint32_t left_of(uint32_t place)
{
    uint32_t bit = lowest_bit(place);

    return bit > 1 ? place - bit / 2 : TREE_NONE;
}

static uint32_t right_of(uint32_t n, uint32_t place)
{
    uint32_t most = MIN(lowest_bit(place) / 2, n - 1 - place);

    return most > 0 ? place + highest_bit(most) : TREE_NONE;
}

/* To the right each takes two steps, to the left one.  Right first, as often as
 * there are ones before @place differs from the last place; then left once into
 * a full tree, in which a one after that bit is once right, a zero once left,
 * down to the lowest one. */
static uint32_t got(uint32_t n, uint32_t place)
{
    uint32_t last = n - 1, bit = place == last ? 0 : log2_of(place ^ last);
    uint32_t within = place & ((1U << bit) - 1);
    uint32_t n_right = n_ones(place >> bit);

    if (within == 0)
        return 2 * (n_right - 1);
    return 2 * n_right + bit - (uint32_t)__builtin_ctz(within) +
           n_ones(within) - 1;
}

static uint32_t child(uint32_t n, uint32_t place, uint32_t step)
{
    uint32_t first = place == 0 ? 0 : got(n, place) + 1;

    if (step == first)
        return place == 0 ? highest_bit(n - 1) : left_of(place);
    return place != 0 && step == first + 1 ? right_of(n, place) : TREE_NONE;
}

static TreeSpan sends(uint32_t n, uint32_t place)
{
    uint32_t n_sends = 1;

    if (place == 0)
        return (TreeSpan){ 0, n_sends };
    if (left_of(place) == TREE_NONE)
        n_sends = 0;
    else if (right_of(n, place) != TREE_NONE)
        n_sends = 2;
    return (TreeSpan){ got(n, place) + 1, n_sends };
}

const TreeShape tree_binary = { n_steps, parent, got, child, sends, NULL };

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

static uint32_t binary_tree_next(const CollGroup *group, uint32_t rank,
                                 uint32_t from)
{
    return tree_next(&tree_binary, group, rank, from);
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
    .next = binary_tree_next,
};

/* ---- beside it ---------------------------------------------------------- */

/* Its root is one rank further on, so that odd and even change about. */
static void beside_step(const CollGroup *group, uint32_t rank, uint32_t step,
                        CollStep *ret)
{
    CollGroup turned = *group;

    turned.from = coll_ahead(group->from, 1, group->n_ranks);
    tree_step(&tree_binary, &turned, rank, step, ret);
}

static uint32_t beside_next(const CollGroup *group, uint32_t rank,
                            uint32_t from)
{
    CollGroup turned = *group;

    turned.from = coll_ahead(group->from, 1, group->n_ranks);
    return tree_next(&tree_binary, &turned, rank, from);
}

static gboolean beside_supports(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE && tree_supports(&tree_binary, group);
}

const CollAlgorithm coll_binary_tree_beside = {
    .name = "binary-tree-beside",
    .summary = "a binary tree whose leaves are within the one of that name",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = beside_supports,
    .n_steps = binary_tree_n_steps,
    .n_blocks = tree_n_blocks,
    .step = beside_step,
    .next = beside_next,
};
