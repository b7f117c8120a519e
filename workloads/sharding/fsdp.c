/* fsdp.c - each rank also keeps a part of the weights only (ZeRO-3) */
#include "workloads/sharding/sharding_impl.h"

static const ConfigField fsdp_fields[] = {
    SHARDING_OVERLAP_FIELD("true", "FSDP"),
    SHARDING_PREFETCH_FIELD,
    CONFIG_END,
};

const ShardingKind sharding_fsdp = {
    .base = { .name = "fsdp",
              .summary =
                  "each rank keeps its part of the weights, too (zero-3)",
              .fields = fsdp_fields,
              .size = sizeof(ShardingParams) },
    .states = TRUE,
    .gradients = TRUE,
    .weights = TRUE,
};
