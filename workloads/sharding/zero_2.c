/* zero_2.c - each rank also keeps a part of the gradients only */
#include "workloads/sharding/sharding_impl.h"

static const ConfigField zero_2_fields[] = {
    SHARDING_OVERLAP_FIELD("true",
                           "assumed: else nothing hides a reduction of each "
                           "micro-batch"),
    SHARDING_BUCKET_FIELD,
    CONFIG_END,
};

const ShardingKind sharding_zero_2 = {
    .base = { .name = "zero-2",
              .summary = "each rank keeps its part of the gradients, too",
              .fields = zero_2_fields,
              .size = sizeof(ShardingParams) },
    .states = TRUE,
    .gradients = TRUE,
};
