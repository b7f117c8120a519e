/*
 * shard_builder.h - adds the operations of a sharding where a loop has its own
 *
 * The shardings (sharding.h) give the messages, the kernels and their
 * dependencies.  A builder adds them to the segments of a pipeline
 * (segment_shards.h), or to a graph of operations (graph_shards.h).
 *
 * Units    bytes
 * Owner    the caller owns a builder; names are static
 */
#ifndef WORKLOADS_SHARDING_SHARD_BUILDER_H
#define WORKLOADS_SHARDING_SHARD_BUILDER_H

#include "workloads/collective.h"
#include "workloads/kernel_work.h"

#define SHARD_NO_OP UINT32_MAX

/* A collective of the values of some groups of weights. */
typedef struct {
    const char *name; /* in reports */
    CollKind kind;
    const char *axes; /* ranks that take part, such as "cp+dp" */
    uint64_t bytes;
    guint first_group, last_group;
} ShardMessage;

typedef struct ShardBuilder ShardBuilder;
struct ShardBuilder {
    /* Add an operation without dependencies and return its index. */
    uint32_t (*add_collective)(const ShardBuilder *self,
                               const ShardMessage *message);
    uint32_t (*add_kernel)(const ShardBuilder *self, const char *name,
                           const OpWork *work);
    /* Makes @op wait for @on, which was added before. */
    void (*add_dependency)(const ShardBuilder *self, uint32_t op, uint32_t on);
    /* Makes @op wait for operation @on of backward pass number @pass, in the
     * last micro-batch. */
    void (*add_backward_dependency)(const ShardBuilder *self, uint32_t op,
                                    guint pass, uint32_t on);
};

#endif
