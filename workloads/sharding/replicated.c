/* replicated.c - each rank holds all weights and makes the whole step */
#include "workloads/sharding/sharding_impl.h"

const ShardingKind sharding_replicated = {
    .base = { .name = "replicated",
              .summary = "gradients are all-reduced, each rank makes the step",
              .fields = sharding_plain_fields,
              .size = sizeof(ShardingParams) },
};
