/* replicated.c - each rank holds all weights and makes the whole step */
#include "workloads/sharding/sharding.h"

static void replicated_add(SegmentBuilder *update,
                           const ShardedWeights *weights)
{
    uint32_t sum = sharding_add_reduction(update, weights, COLL_ALL_REDUCE);

    sharding_add_step(update, weights, weights->n_weights, sum);
}

const ShardingOps sharding_replicated = {
    .base = { .name = "replicated",
              .summary =
                  "gradients are all-reduced, each rank makes the step" },
    .add = replicated_add,
};
