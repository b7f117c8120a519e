/*
 * recursive_doubling.c - partners at distance 1, 2, ... n/2 exchange all data
 *
 * All-reduce: both exchange whole payloads, and each adds the other's to its
 * own.  All-gather: they exchange the blocks that each has, twice as many after
 * each step.
 *
 * Cost     log2 n steps.  All-reduce: log2 n payloads sent per rank, good for
 *          small ones; all-gather: (n-1)/n of one
 * Sources  [THAKUR]
 */
#include "models/collectives/algorithm.h"

static gboolean recursive_doubling_supports(const CollGroup *group)
{
    uint32_t n = group->n_ranks;

    return (group->kind == COLL_ALL_REDUCE || group->kind == COLL_ALL_GATHER) &&
           n >= 2 && (n & (n - 1)) == 0;
}

static uint32_t recursive_doubling_n_steps(const CollGroup *group)
{
    return (uint32_t)__builtin_ctz(group->n_ranks);
}

static uint32_t recursive_doubling_n_blocks(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE ? 1 : group->n_ranks;
}

static void recursive_doubling_step(const CollGroup *group, uint32_t rank,
                                    uint32_t step, CollStep *ret)
{
    gboolean adds = group->kind == COLL_ALL_REDUCE;
    uint32_t size = 1U << step, partner = rank ^ size;

    *ret = (CollStep){
        .send_to = partner,
        .recv_from = partner,
        .send_block = adds ? 0 : rank & ~(size - 1),
        .recv_block = adds ? 0 : partner & ~(size - 1),
        .n_blocks = adds ? 1 : size,
        .reduces = adds,
    };
}

const CollAlgorithm coll_recursive_doubling = {
    .name = "recursive-doubling",
    .summary = "log2 n steps of a payload each, added; all-gather: doubling; "
               "n a power of two",
    .symmetry = COLL_BY_XOR,
    .supports = recursive_doubling_supports,
    .n_steps = recursive_doubling_n_steps,
    .n_blocks = recursive_doubling_n_blocks,
    .step = recursive_doubling_step,
};
