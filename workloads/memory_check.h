/*
 * memory_check.h - refuses a workload whose ranks need more memory than an NPU
 * has
 *
 * A loop that knows its memory by pipeline stage adds a StageMemory for each
 * stage to OpGraph.memory: see transformer/memory.h.  For any other loop that
 * has weights, memory_estimate_of_roles() counts everything that forward
 * kernels write, because back-propagation reads it.  With recomputation, only
 * the activations between segments of layers are kept, and all of the largest
 * segment; the number of layers in a segment is the one that needs the least
 * memory [CHECKPOINTS].  With gradient accumulation, only the activations of
 * one micro-batch are kept.
 *
 * Left out are workspaces of kernels, buffers of libraries, fragmentation, and
 * embedding tables that are divided among the ranks.  Libraries that compute
 * activations in place need less: ResNet-152 was trained on a P100 of 16 GiB in
 * a batch for which the estimate is 19.4 GiB.  A layer without a shape
 * (only a time or counts) adds no activations that could be counted.
 *
 * Units    bytes
 * Errors   CONFIG_ERROR_CONFLICT at the workload
 */
#ifndef WORKLOADS_MEMORY_CHECK_H
#define WORKLOADS_MEMORY_CHECK_H

#include "workloads/graph.h"

/* The settings of `training` that an estimate depends on. */
typedef struct {
    uint64_t weight_bytes, gradient_bytes; /* of one weight */
    gboolean master_copies;
    uint64_t n_micro_batches;
    gboolean recompute;
} MemoryTraining;

/* Adds the memory of the rank whose role needs most activations to @graph,
 * unless its loop has done so or it has no weights. */
void memory_estimate_of_roles(OpGraph *graph, const MemoryTraining *training);

#define MEMORY_MAX_CHANGES 3

/* Changes of a workload that was refused, which would fit. */
typedef struct MemoryChanges {
    uint64_t capacity_bytes;
    GPtrArray *texts; /* owned by the caller: of char * */
} MemoryChanges;

/* Offers the change @text, which makes the fullest rank need @bytes.  Returns
 * whether it fits. */
gboolean memory_changes_add_offer(MemoryChanges *changes, uint64_t bytes,
                                  const char *text);

static inline gboolean memory_changes_list_is_full(const MemoryChanges *changes)
{
    return changes->texts->len >= MEMORY_MAX_CHANGES;
}

/* Offers changes of the workload @self, the simplest first. */
typedef void (*MemoryTryFn)(gconstpointer self, MemoryChanges *changes);

/* Returns NULL if each rank of @graph fits in @capacity_bytes, which is 0 if it
 * is not known.  Otherwise returns a sentence with the need of the fullest
 * rank, which the caller frees. */
char *memory_describe_excess(const OpGraph *graph, uint64_t capacity_bytes);

/* Sets @error at @node: @excess, and what fits according to @offer. */
void memory_set_excess_error(const char *excess, uint64_t capacity_bytes,
                             const ConfigNode *node, MemoryTryFn offer,
                             gconstpointer self, GError **error);

#endif
