/*
 * p2p.c - one rank of a group sends its payload to another; the others are idle
 *
 * A point-to-point message of the program.  It has one step and one block,
 * which is the whole payload.
 *
 * Cost     a payload sent by one rank and received by another
 */
#include "models/collectives/algorithm.h"

static gboolean p2p_supports(const CollGroup *group)
{
    return group->kind == COLL_SEND && group->from != group->to &&
           MAX(group->from, group->to) < group->n_ranks;
}

static uint32_t p2p_n_steps(const CollGroup *group)
{
    (void)group;
    return 1;
}

static uint32_t p2p_n_blocks(const CollGroup *group)
{
    (void)group;
    return 1;
}

static void p2p_step(const CollGroup *group, uint32_t rank, uint32_t step,
                     CollStep *ret)
{
    (void)step;
    *ret = (CollStep){
        .send_to = rank == group->from ? group->to : rank,
        .recv_from = rank == group->to ? group->from : rank,
        .n_blocks = rank == group->from,
        .n_recv_blocks = rank == group->to,
        .recv_none = rank != group->to,
    };
}

static uint32_t p2p_next_active_step(const CollGroup *group, uint32_t rank,
                                     uint32_t first_step)
{
    return first_step == 0 && (rank == group->from || rank == group->to) ? 0
                                                                         : 1;
}

const CollAlgorithm coll_p2p = {
    .name = "p2p",
    .summary = "1 step and 1 payload, from one rank to another",
    .symmetry = COLL_BY_ROTATION,
    .single_source = TRUE,
    .partial = TRUE,
    .supports = p2p_supports,
    .n_steps = p2p_n_steps,
    .n_blocks = p2p_n_blocks,
    .step = p2p_step,
    .next_active_step = p2p_next_active_step,
};
