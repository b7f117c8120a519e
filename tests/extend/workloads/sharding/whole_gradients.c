/*
 * whole_gradients.c - a toy: a sharding that divides weights but not gradients
 *
 * Weights are gathered before they are used, as under fsdp.  Gradients of all
 * micro-batches are summed on each rank and reduced once, as under zero-1.
 */
#include "workloads/sharding/sharding_impl.h"

const ShardingKind sharding_whole_gradients = {
    .base = { .name = "whole-gradients",
              .summary = "a toy: weights are divided, gradients are not",
              .fields = sharding_plain_fields,
              .size = sizeof(ShardingParams) },
    .states = TRUE,
    .weights = TRUE,
};
