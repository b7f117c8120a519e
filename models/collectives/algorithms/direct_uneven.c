/*
 * direct_uneven.c - an all-to-allv: a block of any size for every other rank
 *
 * Steps and block numbers are those of direct.c, but a rank with weight 0 is
 * sent no block.
 *
 * Cost     at most n-1 messages sent per rank, which do not wait; the rank with
 *          the largest weight w receives (n-1) w of a payload
 */
#include "models/collectives/algorithm.h"

static gboolean direct_uneven_supports(const CollGroup *group)
{
    return group->kind == COLL_ALL_TO_ALLV && group->n_ranks >= 2 &&
           group->weights && group->weights->n == group->n_ranks;
}

static uint32_t direct_uneven_n_steps(const CollGroup *group)
{
    return group->n_ranks - 1;
}

static void direct_uneven_step(const CollGroup *group, uint32_t rank,
                               uint32_t step, CollStep *ret)
{
    uint32_t to = translate_rank_on_grid(group, rank, step + 1, FALSE);
    gboolean gets = coll_has_weight(group->weights, rank);

    *ret = (CollStep){
        .send_to = to,
        .recv_from = translate_rank_on_grid(group, rank, step + 1, TRUE),
        .send_block = step + 1,
        .recv_block = step + 1,
        .n_blocks = coll_has_weight(group->weights, to) ? 1 : 0,
        .n_recv_blocks = gets ? 1 : 0,
        .recv_none = !gets,
    };
}

const CollAlgorithm coll_direct_uneven = {
    .name = "direct",
    .summary = "n-1 simultaneous messages, each as large as the receiver's "
               "weight",
    .symmetry = COLL_BY_ROTATION,
    .independent = TRUE,
    .partial = TRUE,
    .supports = direct_uneven_supports,
    .n_steps = direct_uneven_n_steps,
    .step = direct_uneven_step,
};
