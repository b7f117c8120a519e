/*
 * halving_doubling.c - partners at distance n/2, n/4, ... 1, and back
 *
 * Reduce-scatter by recursive halving: in step s, ranks whose numbers differ in
 * bit (log2 n - 1 - s) exchange halves of the range that both still hold.  Each
 * keeps the half with its own block.  All-gather by recursive doubling is the
 * reverse.  All-reduce is one after the other.
 *
 * Cost     log2 n steps and (n-1)/n payloads sent per rank and half
 * Sources  [RABENSEIFNER]
 */
#include "models/collectives/algorithm.h"

static uint32_t floor_log2(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

static gboolean halving_doubling_supports(const CollGroup *group)
{
    uint32_t n = group->n_ranks;

    return coll_kind_has_halves(group->kind) && n >= 2 && (n & (n - 1)) == 0;
}

static uint32_t halving_doubling_n_steps(const CollGroup *group)
{
    uint32_t half = floor_log2(group->n_ranks);

    return group->kind == COLL_ALL_REDUCE ? 2 * half : half;
}

/* Returns the first block of the range of @size blocks, aligned to @size, that
 * contains @block. */
static uint32_t range_start_of_block(uint32_t block, uint32_t size)
{
    return block & ~(size - 1);
}

static void halving_doubling_step(const CollGroup *group, uint32_t rank,
                                  uint32_t step, CollStep *ret)
{
    uint32_t half = floor_log2(group->n_ranks);
    gboolean gathers = group->kind == COLL_ALL_GATHER || step >= half;
    uint32_t s = step % half;
    /* The number of blocks exchanged equals the distance to the partner. */
    uint32_t size = gathers ? 1U << s : group->n_ranks >> (s + 1);
    uint32_t partner = rank ^ size;
    uint32_t mine = range_start_of_block(rank, size),
             theirs = range_start_of_block(partner, size);

    *ret = (CollStep){
        .send_to = partner,
        .recv_from = partner,
        .send_block = gathers ? mine : theirs,
        .recv_block = gathers ? theirs : mine,
        .n_blocks = size,
        .reduces = !gathers,
    };
}

const CollAlgorithm coll_halving_doubling = {
    .name = "halving-doubling",
    .summary = "log2 n steps and (n-1)/n payloads sent per rank and half; "
               "n a power of two",
    .symmetry = COLL_BY_XOR,
    .supports = halving_doubling_supports,
    .n_steps = halving_doubling_n_steps,
    .step = halving_doubling_step,
};
