/*
 * graph_shards.h - shardings in a loop that is a graph of operations
 *
 * All NPUs train the same layers, so the axis dp has all of them.  The loop
 * announces each layer with weights once, and then says when its passes begin
 * and end.  Weights are gathered before a pass that reads them, unless they are
 * still whole: behind the pass before, which was of the same layer.  Gradients
 * are reduced behind each micro-batch, if ranks keep a part of them only.
 *
 * The first gathers of an iteration wait for the step of the one before, and
 * all others for the end of an earlier pass of a layer (sharding.h), so none
 * begins before the kernel that its prefetch names.  Reductions of a layer wait
 * for each other, since they add to the same values.
 *
 * Units    bytes, weights
 * Errors   CONFIG_ERROR at the sharding
 * Owner    the caller owns a GraphShards; the graph is borrowed
 */
#ifndef WORKLOADS_SHARDING_GRAPH_SHARDS_H
#define WORKLOADS_SHARDING_GRAPH_SHARDS_H

#include "workloads/machine_facts.h"
#include "workloads/optimiser.h"
#include "workloads/sharding/sharding.h"

typedef struct GraphShards GraphShards;

/* Returns the sharding @shard of the loop of @graph, whose step is @step of
 * @optimiser; .n_weights is not used.  Returns NULL with @error set if the NPUs
 * of @site cannot be divided so. */
G_GNUC_WARN_UNUSED_RESULT
GraphShards *graph_shards_new(const ConfigVariant *shard, OpGraph *graph,
                              const WorkloadSite *site,
                              const OptimiserStep *step, int optimiser,
                              GError **error);
void graph_shards_free(GraphShards *shards);

/* Announces the @n_weights weights of @layer, the next in the order of the
 * forward pass, whose messages have @priority.  Returns the number of the
 * group. */
guint graph_shards_add_group(GraphShards *shards, uint32_t layer,
                             uint64_t n_weights, uint32_t priority);

/* Begins @pass of @group; @reads_weights: its kernels need the weights. */
void graph_shards_begin_group(GraphShards *shards, guint group, OpPass pass,
                              gboolean reads_weights);
/* Makes @op, a kernel that the loop has just added, wait for the collectives
 * before it. */
void graph_shards_begin_kernel(GraphShards *shards, uint32_t op);
/* The kernel before computed the gradients of @group in a micro-batch. */
void graph_shards_reduce_gradients(GraphShards *shards, guint group);
/* Ends a pass of a group with the kernel before. */
void graph_shards_end_group(GraphShards *shards);

/* An iteration, as far as it concerns the update. */
typedef struct {
    uint32_t first; /* operation that waits for the update */
    /* By group: operation that completes its gradients, and the one of the next
     * iteration that needs new weights. */
    const uint32_t *ready, *needed;
    guint n_groups; /* all that were announced */
} GraphShardsIteration;

/* Adds the update behind all passes, and sets the memory of a rank. */
void graph_shards_add_update(GraphShards *shards,
                             const GraphShardsIteration *iteration);

#endif
