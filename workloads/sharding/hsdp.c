/* hsdp.c - fsdp within groups of ranks, and copies in all groups */
#include "workloads/sharding/sharding_impl.h"

static const ConfigField hsdp_fields[] = {
    { .key = "within",
      .help =
          "consecutive data-parallel ranks among which weights are divided; "
          "each such group has a copy",
      .type = CONFIG_COUNT,
      .offset = offsetof(ShardingParams, n_within),
      .min = 1,
      .max = MESH_MAX_AXIS },
    SHARDING_OVERLAP_FIELD("true", "FSDP"),
    SHARDING_PREFETCH_FIELD,
    CONFIG_END,
};

const ShardingKind sharding_hsdp = {
    .base = { .name = "hsdp",
              .summary = "fsdp within groups of ranks, such as a node, and a "
                         "copy in each group",
              .fields = hsdp_fields,
              .size = sizeof(ShardingParams) },
    .states = TRUE,
    .gradients = TRUE,
    .weights = TRUE,
    .has_groups = TRUE,
};
