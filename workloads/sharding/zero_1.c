/* zero_1.c - the optimiser's state is divided among the ranks [ZERO] */
#include "workloads/sharding/sharding.h"

static void zero_1_add(SegmentBuilder *update, const ShardedWeights *weights)
{
    uint32_t sum = sharding_add_reduction(update, weights, COLL_REDUCE_SCATTER);
    uint64_t n_own =
        (weights->n_weights + weights->n_ranks - 1) / weights->n_ranks;
    uint32_t step = sharding_add_step(update, weights, n_own, sum), gather;

    if (sum == SEGMENT_NONE)
        return;
    gather = segment_builder_collective(
        update, weights->part, "weights", COLL_ALL_GATHER, weights->axes,
        weights->n_weights * weights->step.weight_bytes);
    segment_builder_after(update, gather, step);
}

const ShardingOps sharding_zero_1 = {
    .base = { .name = "zero-1",
              .summary =
                  "each rank makes the step of its part of the weights" },
    .shards_states = TRUE,
    .add = zero_1_add,
};
