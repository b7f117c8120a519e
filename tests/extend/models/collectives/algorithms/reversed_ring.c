/*
 * reversed_ring.c - an example of a collective algorithm: a ring in the reverse
 * direction
 *
 * In step s of the reduce-scatter half, rank r sends block r + s to rank r - 1
 * and adds the block that arrives from rank r + 1.  After n - 1 steps it holds
 * the sum of block r - 1.  The all-gather half forwards the finished blocks.
 *
 * Cost: each rank sends (n-1)/n payloads in each half.
 */
#include "models/collectives/algorithm.h"

static gboolean reversed_ring_supports(const CollGroup *group)
{
    return coll_kind_has_halves(group->kind) && group->n_ranks >= 2 &&
           group->n_dims == 1;
}

static uint32_t reversed_ring_n_steps(const CollGroup *group)
{
    uint32_t half = group->n_ranks - 1;

    return group->kind == COLL_ALL_REDUCE ? 2 * half : half;
}

static void reversed_ring_step(const CollGroup *group, uint32_t rank,
                               uint32_t step, CollStep *ret)
{
    uint32_t n = group->n_ranks, s = step % (n - 1);
    gboolean gathers = group->kind == COLL_ALL_GATHER || step >= n - 1;
    /* The all-gather half of an all-reduce starts with the block that was added
     * last. */
    uint32_t first = gathers && group->kind == COLL_ALL_REDUCE
                         ? subtract_modulo_n(rank, 1, n)
                         : rank;

    *ret = (CollStep){
        .send_to = subtract_modulo_n(rank, 1, n),
        .recv_from = add_modulo_n(rank, 1, n),
        .send_block = add_modulo_n(first, s, n),
        .recv_block = add_modulo_n(first, s + 1, n),
        .n_blocks = 1,
        .reduces = !gathers,
    };
}

const CollAlgorithm coll_reversed_ring = {
    .name = "reversed-ring",
    .summary = "a toy: a ring that goes round the other way",
    .symmetry = COLL_BY_ROTATION,
    .single_source = TRUE,
    .supports = reversed_ring_supports,
    .n_steps = reversed_ring_n_steps,
    .step = reversed_ring_step,
};
