/*
 * direct.c - every rank sends every other rank its block at once
 *
 * In step s rank r sends to the rank that lies s + 1 further on, coordinate
 * by coordinate on the group's grid, so that all ranks of a torus see the same
 * pattern.  All-to-all: block of the receiver.  Reduce-scatter: likewise, and
 * the receiver adds.  All-gather: the sender's own block.  All-reduce is one
 * after the other (plan.h): its two halves depend on each other.
 *
 * Cost     n-1 messages of 1/n payload sent per rank, none waits
 */
#include "models/collectives/algorithm.h"

static gboolean direct_supports(const CollGroup *group)
{
    return group->kind != COLL_ALL_REDUCE && group->n_ranks >= 2;
}

static uint32_t direct_n_steps(const CollGroup *group)
{
    return group->n_ranks - 1;
}

/* @rank moved by the grid vector of rank @offset, forth or back. */
static uint32_t moved(const CollGroup *group, uint32_t rank, uint32_t offset,
                      gboolean back)
{
    uint32_t ret = 0, stride = 1;

    for (uint32_t d = 0; d < group->n_dims; d++) {
        uint32_t size = group->dims[d];
        uint32_t x = rank / stride % size, by = offset / stride % size;

        ret += stride *
               (back ? coll_behind(x, by, size) : coll_ahead(x, by, size));
        stride *= size;
    }
    return ret;
}

static void direct_step(const CollGroup *group, uint32_t rank, uint32_t step,
                        CollStep *ret)
{
    uint32_t to = moved(group, rank, step + 1, FALSE);
    uint32_t from = moved(group, rank, step + 1, TRUE);
    gboolean gathers = group->kind == COLL_ALL_GATHER;

    *ret = (CollStep){
        .send_to = to,
        .recv_from = from,
        .send_block = gathers ? rank : to,
        .recv_block = gathers ? from : rank,
        .n_blocks = 1,
        .reduces = group->kind == COLL_REDUCE_SCATTER,
    };
}

const CollAlgorithm coll_direct = {
    .name = "direct",
    .summary = "n-1 messages of 1/n payload at once; all-reduce in two phases",
    .symmetry = COLL_BY_ROTATION,
    .independent = TRUE,
    .supports = direct_supports,
    .n_steps = direct_n_steps,
    .step = direct_step,
};
