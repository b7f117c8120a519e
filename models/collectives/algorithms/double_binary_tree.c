/*
 * double_binary_tree.c - each half of the payload uses a different binary tree
 *
 * Both trees (binary_tree.c) have the same root.  A leaf of one tree is an
 * inner node of the other, for all positions but at most one.  To achieve this,
 * the second tree counts the positions from the other end if their number is
 * even, and otherwise from one position further, so that odd and even positions
 * change roles.  So no rank sends more than one payload in a direction, and all
 * ranks send.
 *
 * Steps alternate between the trees, so that a rank is active in one tree at a
 * time.
 *
 * Cost     at most 4 log2 n steps in one direction, with half a payload each; a
 *          payload sent per rank in one direction
 * Sources  [TWOTREE]
 */
#include "models/collectives/algorithms/tree_impl.h"

static gboolean double_tree_supports(const CollGroup *group)
{
    return tree_sends_whole_payload(group->kind) && group->n_ranks >= 2 &&
           group->n_dims == 1 && group->from < group->n_ranks;
}

static uint32_t n_steps_per_direction(const CollGroup *group)
{
    return 2 * tree_binary.n_steps(group->n_ranks);
}

static uint32_t double_tree_n_steps(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE ? 2 * n_steps_per_direction(group)
                                          : n_steps_per_direction(group);
}

static uint32_t double_tree_n_blocks(const CollGroup *group)
{
    (void)group;
    return 2;
}

/* Convert a position of @n positions to its position in tree number @tree, and
 * back. */
static uint32_t rank_to_tree_position(uint32_t n, uint32_t tree,
                                      uint32_t position)
{
    uint32_t n_below = n - 1;

    if (tree == 0 || position == 0)
        return position;
    if (n_below % 2 == 0)
        return n_below + 1 - position;
    return position == 1 ? n_below : position - 1;
}

static uint32_t tree_position_to_rank(uint32_t n, uint32_t tree,
                                      uint32_t position)
{
    uint32_t n_below = n - 1;

    if (tree == 0 || position == 0)
        return position;
    if (n_below % 2 == 0)
        return n_below + 1 - position;
    return position == n_below ? 1 : position + 1;
}

static void double_tree_step(const CollGroup *group, uint32_t rank,
                             uint32_t step, CollStep *ret)
{
    uint32_t n = group->n_ranks, above = rank, below = rank;
    gboolean up, has_above, has_below;
    uint32_t now = tree_step_in_downward_order(
        group->kind, n_steps_per_direction(group), step, &up);
    uint32_t tree = now % 2;
    uint32_t position =
        rank_to_tree_position(n, tree, tree_position_of_rank(group, rank));
    TreeSteps steps = tree_binary.steps(n, position);
    uint32_t child =
        tree_child_in_step(&tree_binary, n, position, &steps, now / 2);

    has_above = steps.receive == now / 2;
    has_below = child != TREE_NONE;
    if (has_above)
        above = tree_rank_at_position(
            group,
            tree_position_to_rank(n, tree, tree_binary.parent(n, position)));
    if (has_below)
        below =
            tree_rank_at_position(group, tree_position_to_rank(n, tree, child));
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

/* The trees alternate: step 2 k + t is step k of tree t. */
static uint32_t nearest_active_step(gconstpointer none, const CollGroup *group,
                                    uint32_t rank, uint32_t step, gboolean back)
{
    uint32_t n = group->n_ranks, found = TREE_NONE;

    (void)none;
    for (uint32_t tree = 0; tree < 2; tree++) {
        uint32_t position = rank_to_tree_position(
                     n, tree, tree_position_of_rank(group, rank)),
                 candidate;

        if (back && step < tree)
            continue;
        candidate = back ? (step - tree) / 2 : (step + 1 - tree) / 2;
        candidate = tree_nearest_active_step(&tree_binary, n, position,
                                             candidate, back);
        if (candidate == TREE_NONE)
            continue;
        candidate = 2 * candidate + tree;
        if (found == TREE_NONE ||
            (back ? candidate > found : candidate < found))
            found = candidate;
    }
    return found;
}

static uint32_t double_tree_next_active_step(const CollGroup *group,
                                             uint32_t rank, uint32_t first_step)
{
    return tree_next_step_by_nearest_active(nearest_active_step, NULL, group,
                                            n_steps_per_direction(group), rank,
                                            first_step);
}

const CollAlgorithm coll_double_binary_tree = {
    .name = "double-binary-tree",
    .summary = "4 log2 n steps one way of half a payload, a payload sent per "
               "rank; the leaves of one tree are within the other",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = double_tree_supports,
    .n_steps = double_tree_n_steps,
    .n_blocks = double_tree_n_blocks,
    .step = double_tree_step,
    .next_active_step = double_tree_next_active_step,
};
