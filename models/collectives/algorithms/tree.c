/* tree.c - steps along a tree, down or up */
#include "models/collectives/algorithms/tree_impl.h"

gboolean tree_sends_whole_payload(CollKind kind)
{
    return kind == COLL_BROADCAST || kind == COLL_REDUCE ||
           kind == COLL_ALL_REDUCE;
}

static gboolean has_block_per_rank(CollKind kind)
{
    return kind == COLL_GATHER || kind == COLL_SCATTER;
}

gboolean tree_supports(const TreeShape *shape, const CollGroup *group)
{
    return (tree_sends_whole_payload(group->kind) ||
            (shape->n_below && has_block_per_rank(group->kind))) &&
           group->n_ranks >= 2 && group->n_dims == 1 &&
           group->from < group->n_ranks;
}

uint32_t tree_n_steps(const TreeShape *shape, const CollGroup *group)
{
    uint32_t n = shape->n_steps(group->n_ranks);

    return group->kind == COLL_ALL_REDUCE ? 2 * n : n;
}

uint32_t tree_n_blocks(const CollGroup *group)
{
    return has_block_per_rank(group->kind) ? group->n_ranks : 1;
}

uint32_t tree_step_in_downward_order(CollKind kind, uint32_t n_down,
                                     uint32_t step, gboolean *ret_up)
{
    *ret_up = kind == COLL_REDUCE || kind == COLL_GATHER ||
              (kind == COLL_ALL_REDUCE && step < n_down);
    if (*ret_up)
        return n_down - 1 - step;
    return kind == COLL_ALL_REDUCE ? step - n_down : step;
}

void tree_step(const TreeShape *shape, const CollGroup *group, uint32_t rank,
               uint32_t step, CollStep *ret)
{
    uint32_t n = group->n_ranks, position = tree_position_of_rank(group, rank);
    gboolean up, parts = has_block_per_rank(group->kind);
    uint32_t now =
        tree_step_in_downward_order(group->kind, shape->n_steps(n), step, &up);
    TreeSteps steps = shape->steps(n, position);
    uint32_t below = tree_child_in_step(shape, n, position, &steps, now);
    uint32_t above = TREE_NONE;
    /* The edge between a position and its parent carries the blocks of the
     * position's subtree. */
    uint32_t n_mine = parts ? shape->n_below(n, position) : 1, n_theirs = 0;
    uint32_t mine = parts ? rank : 0, theirs = 0;

    if (steps.receive == now)
        above = tree_rank_at_position(group, shape->parent(n, position));
    if (below != TREE_NONE) {
        n_theirs = parts ? shape->n_below(n, below) : 1;
        below = tree_rank_at_position(group, below);
        theirs = parts ? below : 0;
    }
    n_mine = above == TREE_NONE ? 0 : n_mine;
    above = above == TREE_NONE ? rank : above;
    below = below == TREE_NONE ? rank : below;
    *ret = (CollStep){
        .send_to = up ? above : below,
        .recv_from = up ? below : above,
        .send_block = up ? mine : theirs,
        .recv_block = up ? theirs : mine,
        .n_blocks = up ? n_mine : n_theirs,
        .n_recv_blocks = up ? n_theirs : n_mine,
        .recv_none = (up ? n_theirs : n_mine) == 0,
        .reduces = up && !parts,
    };
}

/* ---- the next active step ---------------------------------------------- */

uint32_t tree_nearest_active_step(const TreeShape *shape, uint32_t n,
                                  uint32_t position, uint32_t step,
                                  gboolean back)
{
    TreeSteps steps = shape->steps(n, position);
    uint32_t end = steps.first_send + steps.n_sends;

    g_assert(position == 0 || steps.n_sends == 0 ||
             steps.receive < steps.first_send);
    if (back) {
        if (steps.n_sends > 0 && step >= steps.first_send)
            return MIN(step, end - 1);
        return position > 0 && steps.receive <= step ? steps.receive
                                                     : TREE_NONE;
    }
    if (position > 0 && step <= steps.receive)
        return steps.receive;
    step = MAX(step, steps.first_send);
    return step < end ? step : TREE_NONE;
}

uint32_t tree_next_step_by_nearest_active(TreeNearest nearest,
                                          gconstpointer tree,
                                          const CollGroup *group,
                                          uint32_t n_down, uint32_t rank,
                                          uint32_t first_step)
{
    gboolean is_both = group->kind == COLL_ALL_REDUCE, up;
    uint32_t n_steps = is_both ? 2 * n_down : n_down;
    uint32_t now, found;

    if (first_step >= n_steps)
        return n_steps;
    now = tree_step_in_downward_order(group->kind, n_down, first_step, &up);
    found = nearest(tree, group, rank, now, up);
    if (found != TREE_NONE)
        return first_step + (up ? now - found : found - now);
    if (!is_both || !up)
        return n_steps;
    found = nearest(tree, group, rank, 0, FALSE);
    g_assert(found != TREE_NONE);
    return n_down + found;
}

static uint32_t nearest_active_step_of_rank(gconstpointer shape,
                                            const CollGroup *group,
                                            uint32_t rank, uint32_t step,
                                            gboolean back)
{
    return tree_nearest_active_step(
        shape, group->n_ranks, tree_position_of_rank(group, rank), step, back);
}

uint32_t tree_next_active_step(const TreeShape *shape, const CollGroup *group,
                               uint32_t rank, uint32_t first_step)
{
    return tree_next_step_by_nearest_active(
        nearest_active_step_of_rank, shape, group,
        shape->n_steps(group->n_ranks), rank, first_step);
}
