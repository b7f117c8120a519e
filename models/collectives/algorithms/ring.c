/*
 * ring.c - blocks travel round a ring, summed up or copied on the way
 *
 * In step s of the reduce-scatter half, rank r sends block r - s to rank r + 1
 * and adds the block that comes from rank r - 1.  After n - 1 steps it holds
 * the sum of block r + 1.  The all-gather half passes finished blocks on for n
 * - 1 steps.  Backwards, rank r has the role of rank n - 1 - r.
 *
 * Cost     (n-1)/n payloads sent per rank and half [NCCLPERF]
 */
#include "models/collectives/algorithm.h"

static gboolean ring_supports(const CollGroup *group)
{
    return coll_kind_has_halves(group->kind) && group->n_ranks >= 2 &&
           group->n_dims == 1;
}

static uint32_t ring_n_steps(const CollGroup *group)
{
    uint32_t half = group->n_ranks - 1;

    return group->kind == COLL_ALL_REDUCE ? 2 * half : half;
}

/* Returns the rank, or block, whose role @i takes if the ring goes
 * backwards. */
static uint32_t mirrored_rank(const CollGroup *group, uint32_t i)
{
    return group->backwards ? group->n_ranks - 1 - i : i;
}

static void ring_step(const CollGroup *group, uint32_t rank, uint32_t step,
                      CollStep *ret)
{
    uint32_t n = group->n_ranks;
    uint32_t r = mirrored_rank(group, rank);
    gboolean gathers = group->kind == COLL_ALL_GATHER || step >= n - 1;
    uint32_t s = step % (n - 1);
    /* A gather starts with the block that the rank owns: its own block in an
     * all-gather, block r + 1 after the reduce-scatter half. */
    uint32_t first =
        gathers && group->kind == COLL_ALL_REDUCE ? add_modulo_n(r, 1, n) : r;

    *ret = (CollStep){
        .send_to = mirrored_rank(group, add_modulo_n(r, 1, n)),
        .recv_from = mirrored_rank(group, subtract_modulo_n(r, 1, n)),
        .send_block = mirrored_rank(group, subtract_modulo_n(first, s, n)),
        .recv_block = mirrored_rank(group, subtract_modulo_n(first, s + 1, n)),
        .n_blocks = 1,
        .reduces = !gathers,
    };
}

const CollAlgorithm coll_ring = {
    .name = "ring",
    .summary = "n-1 steps and (n-1)/n payloads sent per rank and half",
    .symmetry = COLL_BY_ROTATION,
    .single_source = TRUE,
    .supports = ring_supports,
    .n_steps = ring_n_steps,
    .step = ring_step,
};
