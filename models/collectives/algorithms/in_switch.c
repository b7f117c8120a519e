/*
 * in_switch.c - ranks send to a switch, which adds or gathers, and multicasts
 *
 * There is one step, via a switch with an adder.  All-reduce: every rank sends
 * all its blocks up and receives all sums.  Reduce-scatter: it sends all blocks
 * and receives the sum of its own block.  All-gather: it sends its own block
 * and receives those of all ranks.
 *
 * Cost     all-reduce: a payload up and one down per rank, half of a ring's and
 *          no additions; reduce-scatter: one up, 1/n down; all-gather: 1/n up,
 *          one down
 * Sources  [NVLS] adds like this; its all-reduce takes (n+1)/n payloads in each
 *          direction, as every rank reduces 1/n and multicasts it
 */
#include "models/collectives/algorithm.h"

static gboolean in_switch_supports(const CollGroup *group)
{
    return coll_kind_has_halves(group->kind) && group->n_ranks >= 2 &&
           group->n_dims == 1;
}

static uint32_t in_switch_n_steps(const CollGroup *group)
{
    (void)group;
    return 1;
}

static void in_switch_step(const CollGroup *group, uint32_t rank, uint32_t step,
                           CollStep *ret)
{
    gboolean sends_all = group->kind != COLL_ALL_GATHER;
    gboolean gets_all = group->kind != COLL_REDUCE_SCATTER;

    (void)step;
    *ret = (CollStep){
        .send_to = rank,
        .recv_from = rank,
        .send_block = sends_all ? 0 : rank,
        .recv_block = gets_all ? 0 : rank,
        .n_blocks = sends_all ? group->n_ranks : 1,
        .n_recv_blocks = gets_all ? group->n_ranks : 1,
    };
}

const CollAlgorithm coll_in_switch = {
    .name = "in-switch",
    .summary = "1 step and 1 payload at most sent per rank; a switch with "
               "`reduces` adds",
    .symmetry = COLL_BY_ROTATION,
    .via_switch = TRUE,
    .single_source = TRUE,
    .supports = in_switch_supports,
    .n_steps = in_switch_n_steps,
    .step = in_switch_step,
};
