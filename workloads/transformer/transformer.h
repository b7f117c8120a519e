/*
 * transformer.h - the passes of a language model on one rank of a mesh
 *
 * A rank works on T = micro-batch * sequence / cp tokens.  With t = tp, h
 * hidden values of v bytes, the products of a layer are, forward,
 *
 *   attention   T x (a + 2 k) d / t x h      queries, keys and values
 *               T x h x a d / t              output
 *   dense       T x 2 f / t x h (gated), T x h x f / t
 *   experts     E / ep products of m x 2 f x h and m x h x f, where m tokens
 *               reach an expert, of the fullest rank if the load is uneven
 *
 * and each has two more backward.  Attention itself does 4 s a d / t FLOP for a
 * token of a sequence of s, half of it if it is causal, and 2.5 times as much
 * backward: it reads queries, keys and values and keeps no scores [FLASH2].
 * Packed documents take the place of the sequence (documents.h).
 * Norms, gates and permutations of tokens move their values once.
 *
 * Collectives of a layer with t > 1: an all-gather before and a reduce-scatter
 * after each part, of T h v bytes, in both directions, and one more all-gather
 * backward, if the values between parts are divided by tokens (`sequence`);
 * else an all-reduce after each part forward, and before it backward
 * [KORTHIKANTI].  With cp > 1 keys and values are gathered before attention
 * [LLAMA3].  Experts send T / t tokens to n experts each, by an all-to-all on
 * ep, and back.
 *
 * Leaves out  dropout, rotary positions and the embedding's gradient by word,
 *             which are fused into neighbours or small
 * Units       tokens, values, bytes
 */
#ifndef WORKLOADS_TRANSFORMER_TRANSFORMER_H
#define WORKLOADS_TRANSFORMER_TRANSFORMER_H

#include "workloads/mesh/mesh.h"
#include "workloads/segments/segment_builder.h"
#include "workloads/transformer/documents.h"
#include "workloads/transformer/expert_load.h"
#include "workloads/transformer/language_model.h"

typedef enum {
    RECOMPUTE_NONE,
    RECOMPUTE_SELECTIVE, /* attention scores, which are not kept in any case */
    RECOMPUTE_FULL,      /* the forward pass of each layer */
} TransformerRecompute;

typedef struct {
    LanguageModel model;
    const Mesh *mesh; /* borrowed */
    uint64_t sequence, micro_batch;
    const ConfigList *documents; /* borrowed; NULL: see documents_reach() */
    const ExpertLoad *load;      /* borrowed; NULL: even */
    uint64_t value_bytes;        /* of activations and weights */
    gboolean divides_sequence;
    int recompute;
    const ConfigNode *node;
} Transformer;

/* Consecutive layers with what is before and behind them. */
typedef struct {
    uint64_t first, end; /* layers */
    gboolean has_embedding, has_head;
} TransformerPart;

/* Checks that the axes of the mesh divide the model. */
G_GNUC_WARN_UNUSED_RESULT
gboolean transformer_check(const Transformer *t, GError **error);

/* Bytes that a rank passes to the next virtual stage for a micro-batch. */
uint64_t transformer_boundary_bytes(const Transformer *t);

/* Add the operations of a pass of @part to @b, one after the other. */
void transformer_add_forward(const Transformer *t, const TransformerPart *part,
                             SegmentBuilder *b);
/* Adds the gradients of inputs, of weights, or both. */
void transformer_add_backward(const Transformer *t, const TransformerPart *part,
                              gboolean inputs, gboolean weights,
                              SegmentBuilder *b);

/* Numbers of weights of @part on a rank: those that dp+cp shares, and those of
 * experts, which edp shares. */
uint64_t transformer_dense_weights(const Transformer *t,
                                   const TransformerPart *part);
uint64_t transformer_expert_weights(const Transformer *t,
                                    const TransformerPart *part);

/* Returns the FLOP of the model for an iteration of @n_tokens: 6 for each
 * active weight in a product and 12 s a d for attention, half of it if it is
 * causal. */
double transformer_model_flop(const Transformer *t, uint64_t n_tokens);

#endif
