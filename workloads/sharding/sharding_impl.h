/*
 * sharding_impl.h - what the kinds of sharding share, private to this folder
 *
 * A kind says which values are divided among the data-parallel ranks, and its
 * parameters.  sharding.c has their table, and adds the operations.
 */
#ifndef WORKLOADS_SHARDING_SHARDING_IMPL_H
#define WORKLOADS_SHARDING_SHARDING_IMPL_H

#include "workloads/sharding/sharding.h"

/* The parameters of every kind. */
typedef struct {
    gboolean overlaps;
    uint64_t bucket_weights, n_prefetched, n_within;
} ShardingParams;

typedef struct {
    ConfigKind base;
    gboolean states, gradients, weights; /* as in Sharding */
    /* Divides them among .n_within data-parallel ranks only.  It must divide
     * all three. */
    gboolean has_groups;
} ShardingKind;

#define SHARDING_MAX_BUCKET     UINT64_C(1000000000000)
#define SHARDING_MAX_PREFETCHED 1000

#define SHARDING_OVERLAP_FIELD(Fallback, Source)                               \
    {                                                                          \
        .key = "overlap",                                                      \
        .help =                                                                \
            "whether gradients and weights are communicated beside kernels",   \
        .type = CONFIG_BOOL, .offset = offsetof(ShardingParams, overlaps),     \
        .fallback = (Fallback), .source = (Source)                             \
    }
#define SHARDING_BUCKET_FIELD                                                  \
    {                                                                          \
        .key = "bucket",                                                       \
        .help =                                                                \
            "the least number of weights that are communicated together, "     \
            "with `overlap`; auto: 40 million, or a million for each rank",    \
        .type = CONFIG_COUNT,                                                  \
        .offset = offsetof(ShardingParams, bucket_weights), .min = 1,          \
        .max = SHARDING_MAX_BUCKET, .may_be_auto = TRUE, .fallback = "auto",   \
        .source = "MEGATRONDDP"                                                \
    }
#define SHARDING_PREFETCH_FIELD                                                \
    {                                                                          \
        .key = "prefetch",                                                     \
        .help = "groups of weights, such as layers, that are gathered ahead, " \
                "with `overlap`",                                              \
        .type = CONFIG_COUNT,                                                  \
        .offset = offsetof(ShardingParams, n_prefetched), .min = 1,            \
        .max = SHARDING_MAX_PREFETCHED, .fallback = "1", .source = "FSDP"      \
    }

/* The fields of kinds that reduce all gradients behind the last backward
 * pass. */
extern const ConfigField sharding_plain_fields[];

#endif
