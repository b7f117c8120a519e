/* collective_plan.c - derives the properties of phases, and the bytes that they
 * send */
#include "models/collectives/collective_plan.h"

#include "sim/core/integer_math.h"

/* Returns the number of steps of @phase that reduce.  In every algorithm these
 * steps come first, so a binary search finds their end. */
static uint32_t count_reducing_steps(const CollPhase *phase)
{
    uint32_t from = 0, to = phase->n_steps;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        CollStep step;

        phase->algorithm->step(&phase->group, 0, middle, &step);
        if (step.reduces)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void record_step_properties_of_rank(CollPhase *phase, uint32_t rank,
                                           uint32_t *most_sent)
{
    uint32_t n_steps =
        phase->algorithm->partial ? phase->n_steps : MIN(phase->n_steps, 64);
    CollStep step;
    uint32_t s;

    /* Independent steps are all similar, so one is examined.  Other steps are
     * few enough to examine all, except for a ring, whose steps are also
     * similar. */
    for (s = coll_phase_next_active_step(phase, rank, 0); s < n_steps;
         s = coll_phase_next_active_step(phase, rank, s + 1)) {
        phase->algorithm->step(&phase->group, rank, s, &step);
        if (step.n_blocks > *most_sent) {
            phase->sample_rank = rank;
            *most_sent = step.n_blocks;
        }
        phase->max_blocks = MAX(phase->max_blocks, step.n_blocks);
        phase->max_blocks =
            MAX(phase->max_blocks, coll_step_n_received_blocks(&step));
    }
}

void coll_plan_add_phase(CollPlan *plan, const CollPhase *phase)
{
    CollPhase *coll_phase = &plan->phases[plan->n_phases++];
    uint32_t n_ranks = phase->group.n_ranks, most_sent = 0;

    g_assert(plan->n_phases <= COLL_MAX_PHASES);
    g_assert(n_ranks == phase->members.n_ranks);
    *coll_phase = *phase;
    coll_phase->mirrored = coll_phase->group;
    coll_phase->mirrored.backwards = TRUE;
    coll_phase->n_blocks =
        coll_n_blocks(coll_phase->algorithm, &coll_phase->group);
    coll_phase->n_steps = coll_phase->algorithm->n_steps(&coll_phase->group);
    coll_phase->n_reducing = count_reducing_steps(coll_phase);
    plan->reduces |= coll_phase->n_reducing > 0;
    plan->via_switch |= coll_phase->algorithm->via_switch;
    for (uint32_t r = 0; r < (coll_phase->algorithm->partial ? n_ranks : 1);
         r++)
        record_step_properties_of_rank(coll_phase, r, &most_sent);
    coll_phase->sample_npu = coll_members_npu_of_rank(&coll_phase->members, 0,
                                                      coll_phase->sample_rank);
    coll_phase->is_even =
        coll_phase->max_blocks == 1 && !coll_phase->group.weights;
    coll_phase->is_uniform = coll_phase->algorithm->single_source &&
                             coll_phase->max_blocks == 1 &&
                             !coll_phase->algorithm->partial;
}

uint64_t coll_phase_bytes(const CollPhase *phase, uint64_t chunk_bytes)
{
    return MAX(1, divide_rounding_up(chunk_bytes, phase->divisor));
}

/* Returns the part of @bytes that belongs to the ranks before @rank. */
static uint64_t payload_offset_of_rank_bytes(const CollWeights *weights,
                                             uint32_t rank, uint64_t bytes)
{
    return (uint64_t)((SimWide)bytes * weights->sums[rank] /
                      weights->sums[weights->n]);
}

uint64_t coll_block_bytes_for_rank(const CollPhase *phase, uint64_t chunk_bytes,
                                   uint32_t rank)
{
    const CollWeights *weights = phase->group.weights;
    uint64_t bytes = coll_phase_bytes(phase, chunk_bytes);

    return payload_offset_of_rank_bytes(weights, rank + 1, bytes) -
           payload_offset_of_rank_bytes(weights, rank, bytes);
}

static uint64_t max_block_bytes(const CollPhase *phase, uint64_t chunk_bytes)
{
    uint64_t most = 1;

    for (uint32_t r = 0; r < phase->group.n_ranks; r++)
        most = MAX(most, coll_block_bytes_for_rank(phase, chunk_bytes, r));
    return most;
}

uint64_t coll_block_bytes(const CollPhase *phase, uint64_t chunk_bytes)
{
    if (G_UNLIKELY(phase->group.weights))
        return max_block_bytes(phase, chunk_bytes);
    return divide_rounding_up(coll_phase_bytes(phase, chunk_bytes),
                              phase->n_blocks);
}

uint32_t coll_n_lanes(const CollPhase *phase, uint64_t chunk_bytes,
                      uint64_t message_bytes)
{
    uint64_t most = coll_block_bytes(phase, chunk_bytes) * phase->max_blocks;

    return (uint32_t)MIN(divide_rounding_up(most, message_bytes),
                         COLL_MAX_LANES);
}

uint64_t coll_lane_bytes(const CollPhase *phase, uint64_t chunk_bytes,
                         uint32_t n_blocks, uint32_t n_lanes)
{
    return divide_rounding_up(coll_block_bytes(phase, chunk_bytes) * n_blocks,
                              n_lanes);
}

uint64_t coll_lane_bytes_for_rank(const CollPhase *phase, uint64_t chunk_bytes,
                                  uint32_t rank, uint32_t n_lanes)
{
    return MAX(
        1, divide_rounding_up(
               coll_block_bytes_for_rank(phase, chunk_bytes, rank), n_lanes));
}

/* Returns the bytes that the rank with the smallest block of its own sends: all
 * blocks but its own. */
static uint64_t max_bytes_sent(const CollPhase *phase, uint64_t chunk_bytes)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t r = 0; r < phase->group.n_ranks; r++)
        least = MIN(least, coll_block_bytes_for_rank(phase, chunk_bytes, r));
    return coll_phase_bytes(phase, chunk_bytes) - least;
}

uint64_t coll_sent_bytes(const CollPhase *phase, uint64_t chunk_bytes)
{
    uint32_t rank = phase->sample_rank;
    uint64_t n_blocks = 0;
    CollStep step;

    if (phase->group.weights)
        return max_bytes_sent(phase, chunk_bytes);
    if (phase->max_blocks == 1 && !phase->algorithm->partial)
        return phase->n_steps * coll_block_bytes(phase, chunk_bytes);
    for (uint32_t s = coll_phase_next_active_step(phase, rank, 0);
         s < phase->n_steps;
         s = coll_phase_next_active_step(phase, rank, s + 1)) {
        phase->algorithm->step(&phase->group, rank, s, &step);
        n_blocks += step.n_blocks;
    }
    return n_blocks * coll_block_bytes(phase, chunk_bytes);
}
