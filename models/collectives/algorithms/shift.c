/*
 * shift.c - every rank sends its payload to the next rank, all simultaneously
 *
 * Ring attention moves blocks of keys and values from rank to rank so.  There
 * is one step and one block, which is the whole payload.  Ranks form a line
 * that is closed to a ring, whatever dimensions the group spans.
 *
 * Cost     1 step, 1 payload sent per rank
 * Sources  [RINGATTENTION]
 */
#include "models/collectives/algorithm.h"

static gboolean shift_supports(const CollGroup *group)
{
    return group->kind == COLL_SHIFT && group->n_ranks >= 2 &&
           group->n_dims == 1;
}

static uint32_t shift_n_steps(const CollGroup *group)
{
    (void)group;
    return 1;
}

static uint32_t shift_n_blocks(const CollGroup *group)
{
    (void)group;
    return 1;
}

static void shift_step(const CollGroup *group, uint32_t rank, uint32_t step,
                       CollStep *ret)
{
    (void)step;
    *ret = (CollStep){ .send_to = add_modulo_n(rank, 1, group->n_ranks),
                       .recv_from = subtract_modulo_n(rank, 1, group->n_ranks),
                       .n_blocks = 1 };
}

const CollAlgorithm coll_shift = {
    .name = "shift",
    .summary = "1 step and 1 payload, from each rank to the next",
    .symmetry = COLL_BY_ROTATION,
    .independent = TRUE,
    .single_source = TRUE,
    .supports = shift_supports,
    .n_steps = shift_n_steps,
    .n_blocks = shift_n_blocks,
    .step = shift_step,
};
