/*
 * bruck.c - each step covers one of the distances 1, 2, 4, ... for many blocks
 *
 * All-gather: in step k, a rank receives from the rank at distance 2^k ahead as
 * many blocks as it has, or as are missing.  They follow its own blocks.
 * All-to-all: a block for the rank at distance o travels the distances that are
 * the set bits of o.  So in step k, a rank sends all blocks whose number has
 * bit k to the rank at distance 2^k ahead.
 *
 * Cost     log2 n steps, rounded up, for any n.  All-gather: (n-1)/n payloads
 *          sent per rank; all-to-all: half of one in each step
 * Sources  [BRUCK]
 */
#include "models/collectives/algorithm.h"

static gboolean bruck_supports(const CollGroup *group)
{
    return (group->kind == COLL_ALL_GATHER || group->kind == COLL_ALL_TO_ALL) &&
           group->n_ranks >= 2 && group->n_dims == 1;
}

static uint32_t bruck_n_steps(const CollGroup *group)
{
    return 32 - (uint32_t)__builtin_clz(group->n_ranks - 1);
}

/* Returns how many numbers below @n have bit number @bit set. */
static uint32_t count_numbers_with_bit_set(uint32_t n, uint32_t bit)
{
    uint32_t rest = n & (2 * bit - 1);

    return (n - rest) / 2 + (rest > bit ? rest - bit : 0);
}

static void bruck_step(const CollGroup *group, uint32_t rank, uint32_t step,
                       CollStep *ret)
{
    uint32_t n = group->n_ranks, on = 1U << step;
    uint32_t ahead = add_modulo_n(rank, on, n),
             behind = subtract_modulo_n(rank, on, n);

    if (group->kind == COLL_ALL_GATHER)
        *ret = (CollStep){ .send_to = behind,
                           .recv_from = ahead,
                           .send_block = rank,
                           .recv_block = ahead,
                           .n_blocks = MIN(on, n - on) };
    else
        *ret = (CollStep){ .send_to = ahead,
                           .recv_from = behind,
                           .send_block = on,
                           .recv_block = on,
                           .n_row = on,
                           .stride = 2 * on,
                           .n_blocks = count_numbers_with_bit_set(n, on) };
}

const CollAlgorithm coll_bruck = {
    .name = "bruck",
    .summary = "log2 n steps; all-gather: (n-1)/n payloads sent per rank, "
               "all-to-all: half of one in each step",
    .symmetry = COLL_BY_ROTATION,
    .supports = bruck_supports,
    .n_steps = bruck_n_steps,
    .step = bruck_step,
};
