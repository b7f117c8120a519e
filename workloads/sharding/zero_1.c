/* zero_1.c - each rank makes the step of a part of the weights */
#include "workloads/sharding/sharding_impl.h"

const ShardingKind sharding_zero_1 = {
    .base = { .name = "zero-1",
              .summary = "each rank makes the step of its part of the weights",
              .fields = sharding_plain_fields,
              .size = sizeof(ShardingParams) },
    .states = TRUE,
};
