/*
 * pat.c - parallel aggregated trees: one tree per block, with common steps
 *
 * Every rank is the root of a binomial tree for its block.  In each step, a
 * rank sends the blocks of all trees as one message.  All-gather: the distances
 * fall from the largest power of two to 1, so that most data travels the
 * shortest distance.  Before a step, a rank has the blocks of the ranks behind
 * it at multiples of twice the distance, and sends those that the receiver
 * lacks.  Reduce-scatter is the reverse: sums of more and more ranks, at
 * growing distances.  All-reduce is one after the other.
 *
 * Cost     log2 n steps, rounded up, and (n-1)/n payloads sent per rank and
 *          half, for any n
 * Assumes  room for all blocks of a step: if its buffers are smaller, NCCL
 *          splits a step, which corresponds to several messages here
 * Sources  [PAT]
 */
#include "models/collectives/algorithm.h"

static gboolean pat_supports(const CollGroup *group)
{
    return coll_kind_has_halves(group->kind) && group->n_ranks >= 2 &&
           group->n_dims == 1;
}

static uint32_t n_pat_steps_per_half(const CollGroup *group)
{
    return 32 - (uint32_t)__builtin_clz(group->n_ranks - 1);
}

static uint32_t pat_n_steps(const CollGroup *group)
{
    uint32_t half = n_pat_steps_per_half(group);

    return group->kind == COLL_ALL_REDUCE ? 2 * half : half;
}

static void pat_step(const CollGroup *group, uint32_t rank, uint32_t step,
                     CollStep *ret)
{
    uint32_t n = group->n_ranks, half = n_pat_steps_per_half(group);
    gboolean gathers = group->kind == COLL_ALL_GATHER || step >= half;
    uint32_t on = gathers ? 1U << (half - 1 - step % half) : 1U << step;
    uint32_t ahead = add_modulo_n(rank, on, n),
             behind = subtract_modulo_n(rank, on, n);

    *ret = (CollStep){
        .send_to = gathers ? ahead : behind,
        .recv_from = gathers ? behind : ahead,
        .send_block = gathers ? rank : behind,
        .recv_block = gathers ? behind : rank,
        .n_row = 1,
        .stride = 2 * on < n ? n - 2 * on
                             /* The next row of blocks begins 2 * distance
                              * earlier, modulo n; 0: a single row. */
                             : 0,
        .n_blocks = (n - on + 2 * on - 1) / (2 * on),
        .reduces = !gathers,
    };
}

const CollAlgorithm coll_pat = {
    .name = "pat",
    .summary = "log2 n steps and (n-1)/n payloads sent per rank and half, for "
               "any n",
    .symmetry = COLL_BY_ROTATION,
    .supports = pat_supports,
    .n_steps = pat_n_steps,
    .step = pat_step,
};
