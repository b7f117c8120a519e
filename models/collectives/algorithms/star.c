/*
 * star.c - the root sends to all others simultaneously, or all others to the
 * root
 *
 * This is linear.c without an order: in a reduce and a gather, the root takes
 * messages in the order of arrival.  A push to a parameter server is such a
 * reduce, and a pull from it is such a broadcast.
 *
 * Cost     n-1 messages, which do not wait.  Broadcast, reduce: n-1 payloads at
 *          the root; gather, scatter: (n-1)/n of one
 */
#include "models/collectives/algorithms/tree_impl.h"

static gboolean collective_goes_to_root(CollKind kind)
{
    return kind == COLL_REDUCE || kind == COLL_GATHER;
}

static gboolean has_block_per_rank(CollKind kind)
{
    return kind == COLL_GATHER || kind == COLL_SCATTER;
}

static gboolean star_supports(const CollGroup *group)
{
    return (collective_goes_to_root(group->kind) ||
            has_block_per_rank(group->kind) || group->kind == COLL_BROADCAST) &&
           group->n_ranks >= 2 && group->n_dims == 1 &&
           group->from < group->n_ranks;
}

static uint32_t star_n_steps(const CollGroup *group)
{
    return group->n_ranks - 1;
}

static uint32_t star_n_blocks(const CollGroup *group)
{
    return has_block_per_rank(group->kind) ? group->n_ranks : 1;
}

/* Sets the actions of @rank in @step, which is between the root and position
 * step
 * + 1. */
static void star_step(const CollGroup *group, uint32_t rank, uint32_t step,
                      CollStep *ret)
{
    uint32_t position = tree_position_of_rank(group, rank);
    uint32_t other = tree_rank_at_position(group, step + 1);
    gboolean is_other = position == step + 1;
    gboolean sends =
        collective_goes_to_root(group->kind) ? is_other : position == 0;
    gboolean receives =
        collective_goes_to_root(group->kind) ? position == 0 : is_other;
    uint32_t peer = position == 0 ? other : is_other ? group->from : rank;
    uint32_t block = has_block_per_rank(group->kind) ? other : 0;

    *ret = (CollStep){
        .send_to = peer,
        .recv_from = peer,
        .send_block = block,
        .recv_block = block,
        .n_blocks = sends ? 1 : 0,
        .n_recv_blocks = receives ? 1 : 0,
        .recv_none = !receives,
        .reduces = group->kind == COLL_REDUCE,
    };
}

static uint32_t star_next_active_step(const CollGroup *group, uint32_t rank,
                                      uint32_t first_step)
{
    uint32_t position = tree_position_of_rank(group, rank),
             n_steps = star_n_steps(group);

    if (position > 0)
        return first_step < position ? position - 1 : n_steps;
    return MIN(first_step, n_steps);
}

const CollAlgorithm coll_star = {
    .name = "star",
    .summary = "n-1 simultaneous messages from the root or to it, received in "
               "order of arrival",
    .symmetry = COLL_BY_ROTATION,
    .independent = TRUE,
    .partial = TRUE,
    .supports = star_supports,
    .n_steps = star_n_steps,
    .n_blocks = star_n_blocks,
    .step = star_step,
    .next_active_step = star_next_active_step,
};
