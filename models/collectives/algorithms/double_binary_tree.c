/*
 * double_binary_tree.c - each half of the payload along a tree of its own
 *
 * Both are binary trees (binary_tree.c) below the same root.  Who is a leaf of
 * the first stands within the second, and the other way round, but for one
 * place at most: the second counts the places from the other end where they are
 * even in number, else from one further on, so that odd and even change about.
 * So nobody sends more than a payload one way, and all send.
 *
 * Steps alternate between the trees, so that a rank has to do with one of them
 * at a time.
 *
 * Cost     4 log2 n steps one way at most, of half a payload each; a payload
 *          sent per rank one way
 * Sources  [TWOTREE]
 */
#include "models/collectives/algorithms/tree_impl.h"

static gboolean double_supports(const CollGroup *group)
{
    return tree_is_whole(group->kind) && group->n_ranks >= 2 &&
           group->n_dims == 1 && group->from < group->n_ranks;
}

static uint32_t n_down(const CollGroup *group)
{
    return 2 * tree_binary.n_steps(group->n_ranks);
}

static uint32_t double_n_steps(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE ? 2 * n_down(group) : n_down(group);
}

static uint32_t double_n_blocks(const CollGroup *group)
{
    (void)group;
    return 2;
}

/* Where who has @place of the @n has to stand in tree @tree. */
static uint32_t to_tree(uint32_t n, uint32_t tree, uint32_t place)
{
    uint32_t n_below = n - 1;

    if (tree == 0 || place == 0)
        return place;
    if (n_below % 2 == 0)
        return n_below + 1 - place;
    return place == 1 ? n_below : place - 1;
}

static uint32_t from_tree(uint32_t n, uint32_t tree, uint32_t place)
{
    uint32_t n_below = n - 1;

    if (tree == 0 || place == 0)
        return place;
    if (n_below % 2 == 0)
        return n_below + 1 - place;
    return place == n_below ? 1 : place + 1;
}

static void double_step(const CollGroup *group, uint32_t rank, uint32_t step,
                        CollStep *ret)
{
    uint32_t n = group->n_ranks, above = rank, below = rank;
    gboolean up, has_above, has_below;
    uint32_t now = tree_way(group->kind, n_down(group), step, &up);
    uint32_t tree = now % 2;
    uint32_t place = to_tree(n, tree, tree_place(group, rank));
    uint32_t child = tree_binary.child(n, place, now / 2);

    has_above = place > 0 && tree_binary.got(n, place) == now / 2;
    has_below = child != TREE_NONE;
    if (has_above)
        above =
            tree_rank(group, from_tree(n, tree, tree_binary.parent(n, place)));
    if (has_below)
        below = tree_rank(group, from_tree(n, tree, child));
    *ret = (CollStep){
        .send_to = up ? above : below,
        .recv_from = up ? below : above,
        .send_block = tree,
        .recv_block = tree,
        .n_blocks = (up ? has_above : has_below) ? 1 : 0,
        .n_recv_blocks = (up ? has_below : has_above) ? 1 : 0,
        .recv_none = up ? !has_below : !has_above,
        .reduces = up,
    };
}

/* In step 2 k + t both trees' steps are: k of tree t. */
static uint32_t nearest(gconstpointer none, const CollGroup *group,
                        uint32_t rank, uint32_t step, gboolean back)
{
    uint32_t n = group->n_ranks, found = TREE_NONE;

    (void)none;
    for (uint32_t tree = 0; tree < 2; tree++) {
        uint32_t place = to_tree(n, tree, tree_place(group, rank)), one;

        if (back && step < tree)
            continue;
        one = back ? (step - tree) / 2 : (step + 1 - tree) / 2;
        one = tree_nearest(&tree_binary, n, place, one, back);
        if (one == TREE_NONE)
            continue;
        one = 2 * one + tree;
        if (found == TREE_NONE || (back ? one > found : one < found))
            found = one;
    }
    return found;
}

static uint32_t double_next(const CollGroup *group, uint32_t rank,
                            uint32_t from)
{
    return tree_next_of(nearest, NULL, group, n_down(group), rank, from);
}

const CollAlgorithm coll_double_binary_tree = {
    .name = "double-binary-tree",
    .summary = "4 log2 n steps one way of half a payload, a payload sent per "
               "rank; the leaves of one tree are within the other",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = double_supports,
    .n_steps = double_n_steps,
    .n_blocks = double_n_blocks,
    .step = double_step,
    .next = double_next,
};
