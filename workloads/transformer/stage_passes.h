/*
 * stage_passes.h - the passes of a language model on one rank of a mesh
 *
 * A pass of a virtual stage consists of the modules of its layers, one after
 * the other (modules/modules.h); the backward pass has them in the opposite
 * order.  Recomputation repeats the forward pass of a layer or of modules
 * before, or pieces of them (recompute.h).
 *
 * The weights of a layer, of the embedding and of the head are gathered before
 * they are used, and their gradients reduced behind, as the sharding says.
 *
 * With `overlap` of n pieces, n > 1, a gather goes on beside the product behind
 * it, and a sum beside the product before it, in n pieces of rows each.  The
 * second gather of a backward pass goes on beside the product for the input's
 * gradient, and the sum behind that beside the product for the weights, as a
 * whole [TE].  This is of dense modules with `sequence`.
 *
 * With products of q bytes a value, fp8 and below, each operand is quantised
 * along its rows and its columns by a kernel that reads v and writes 2 q bytes,
 * and all-gathers of tp move q bytes a value.  Weights are quantised once a
 * step, which is left out.  Norms, gates and permutations of tokens move their
 * values once.
 *
 * The host launches each pass of a layer in a given time, in eight pieces of
 * equally many operations, and runs ahead of the NPU.  No operation begins
 * before its piece is launched.
 *
 * Leaves out  dropout of hidden values, and rotary positions, which are fused
 *             into neighbours
 * Units       tokens, values, bytes
 */
#ifndef WORKLOADS_TRANSFORMER_STAGE_PASSES_H
#define WORKLOADS_TRANSFORMER_STAGE_PASSES_H

#include "workloads/segments/segment_builder.h"
#include "workloads/transformer/transformer.h"

/* The layers of a virtual stage: consecutive layers, with the embedding before
 * them and the head behind them if the stage has these.  The blocks of
 * multi-token prediction are layers of the part with the head. */
typedef struct {
    uint64_t first, end; /* layers */
    gboolean has_embedding, has_head;
    /* The first block of multi-token prediction has a copy of the embedding,
     * because that is on another stage. */
    gboolean copies_embedding;
} TransformerPart;

/* The weights of a part that are used together: the embedding, a layer, or the
 * head.  The numbers are those of a rank. */
typedef struct {
    uint64_t n_dense;   /* weights that the ranks of cp+dp share */
    uint64_t n_experts; /* weights that the ranks of edp share */
} TransformerGroup;

/* The operations of a segment that concern a group: the first one that needs
 * its weights, and those behind which its gradients are complete, and reduced
 * if gradients are divided. */
typedef struct {
    uint32_t needed, dense_ready, experts_ready;
} TransformerMark;

/* Returns the ranks that share the weights of the experts if @is_of_experts,
 * else those of all other weights. */
ShardRanks transformer_shard_ranks(const Transformer *t,
                                   gboolean is_of_experts);

/* Appends the groups of @part to @ret, an array of TransformerGroup, in the
 * order of the forward pass. */
void transformer_list_groups(const Transformer *t, const TransformerPart *part,
                             GArray *ret);

/* Add the operations of a pass of @part to @b, one after the other.  Append a
 * TransformerMark for each group to @marks, in the order of the forward
 * pass. */
void transformer_add_forward(const Transformer *t, const TransformerPart *part,
                             SegmentBuilder *b, GArray *marks);
/* Adds the gradients of inputs, of weights, or both. */
void transformer_add_backward(const Transformer *t, const TransformerPart *part,
                              gboolean inputs, gboolean weights,
                              SegmentBuilder *b, GArray *marks);

#endif
