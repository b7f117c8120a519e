/*
 * direct.c - every rank sends a block to every other rank, all simultaneously
 *
 * In step s, rank r sends to the rank at distance s + 1 ahead, coordinate by
 * coordinate on the grid of the group, so that all ranks of a torus see the
 * same pattern.  All-to-all: the block for the receiver.  Reduce-scatter: the
 * receiver's block, which it adds.  All-gather: the sender's own block.  An
 * all-reduce is a reduce-scatter and then an all-gather (measurement_plan.h),
 * because the second half depends on the first.
 *
 * Cost     n-1 messages of 1/n payload sent per rank, which do not wait
 */
#include "models/collectives/algorithm.h"

static gboolean direct_supports(const CollGroup *group)
{
    return (group->kind == COLL_REDUCE_SCATTER ||
            group->kind == COLL_ALL_GATHER || group->kind == COLL_ALL_TO_ALL) &&
           group->n_ranks >= 2;
}

static uint32_t direct_n_steps(const CollGroup *group)
{
    return group->n_ranks - 1;
}

static void direct_step(const CollGroup *group, uint32_t rank, uint32_t step,
                        CollStep *ret)
{
    uint32_t to = translate_rank_on_grid(group, rank, step + 1, FALSE);
    uint32_t from = translate_rank_on_grid(group, rank, step + 1, TRUE);
    gboolean gathers = group->kind == COLL_ALL_GATHER;
    gboolean exchanges = group->kind == COLL_ALL_TO_ALL;

    *ret = (CollStep){
        .send_to = to,
        .recv_from = from,
        .send_block = exchanges ? step + 1
                      : gathers ? rank
                                : to,
        .recv_block = exchanges ? step + 1
                      : gathers ? from
                                : rank,
        .n_blocks = 1,
        .reduces = group->kind == COLL_REDUCE_SCATTER,
    };
}

const CollAlgorithm coll_direct = {
    .name = "direct",
    .summary = "n-1 simultaneous messages of 1/n payload; all-reduce in two "
               "phases",
    .symmetry = COLL_BY_ROTATION,
    .independent = TRUE,
    .supports = direct_supports,
    .n_steps = direct_n_steps,
    .step = direct_step,
};
