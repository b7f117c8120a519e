/*
 * sharding.h - how weights, gradients and the optimiser's state lie on the
 * data-parallel ranks
 *
 * A sharding adds to the update segment of a pipeline stage: the reduction of
 * the gradients, the optimiser's step, and what gathers the new weights.  With
 * P weights of a rank, g bytes of a gradient, w bytes of a weight and D ranks:
 *
 *   replicated   all-reduce of P g bytes; a step on P weights
 *   zero-1       reduce-scatter of P g bytes; a step on P / D weights;
 *                all-gather of P w bytes [ZERO]
 *
 * Each kind is one file in this folder and one line in the table of
 * shardings.c.
 *
 * Units    bytes, weights
 * Owner    the segment's owner owns what is added
 */
#ifndef WORKLOADS_SHARDING_SHARDING_H
#define WORKLOADS_SHARDING_SHARDING_H

#include "workloads/optimiser.h"
#include "workloads/segments/segment_builder.h"

/* Weights of a stage whose gradients are ready at the same time. */
typedef struct {
    const char *part;   /* in reports; borrowed, static */
    uint64_t n_weights; /* of a rank */
    const char *axes;   /* ranks that hold the same weights, such as "dp+cp" */
    uint32_t n_ranks;   /* of these axes */
    SegmentDep ready;   /* the last operation that adds to the gradients */
    OptimiserStep step; /* .n_weights is set by the sharding */
    int optimiser;
} ShardedWeights;

typedef struct {
    ConfigKind base;
    gboolean shards_states; /* of the optimiser, among the ranks */
    void (*add)(SegmentBuilder *update, const ShardedWeights *weights);
} ShardingOps;

extern const ConfigRegistry sharding_registry;

static inline void sharding_add(const ConfigVariant *sharding,
                                SegmentBuilder *update,
                                const ShardedWeights *weights)
{
    ((const ShardingOps *)sharding->kind)->add(update, weights);
}

/* Adds the optimiser's step on @n_weights weights behind @after, operations of
 * the update, and returns its last operation. */
uint32_t sharding_add_step(SegmentBuilder *update,
                           const ShardedWeights *weights, uint64_t n_weights,
                           uint32_t after);
/* Adds a collective of the ranks of @weights, which waits for the gradients.
 * Returns its operation, or SEGMENT_NONE if there is one rank only. */
uint32_t sharding_add_reduction(SegmentBuilder *update,
                                const ShardedWeights *weights, CollKind kind);

#endif
