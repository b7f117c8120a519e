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
 * Norms, gates and permutations of tokens move their values once.  Attention
 * that is not fused writes the s scores of each query and head, and reads them
 * again for the softmax, for dropout and for the product with values; backward
 * moves 1.5 to 2 times as much.  Selective recomputation then repeats scores,
 * softmax and dropout.
 *
 * With products of q bytes a value, fp8 and below, each operand is quantised
 * along its rows and its columns by a kernel that reads v and writes 2 q bytes,
 * and all-gathers of tp move q bytes a value.  q has the scales: 1 of fp8,
 * 33/32 of mxfp8, 9/16 of nvfp4.  Weights are quantised once a step, which is
 * left out.
 *
 * Collectives of a layer with t > 1: an all-gather before and a reduce-scatter
 * after each part, of T h v bytes, in both directions, and one more all-gather
 * backward, if the values between parts are divided by tokens (`sequence`);
 * else an all-reduce after each part forward, and before it backward
 * [KORTHIKANTI].  With cp > 1 keys and values are gathered before attention
 * [LLAMA3].  T / t tokens are sent to n experts each, by an all-to-all on ep,
 * and back.  With ep_local > 1 they are sent by node: an all-to-all on ep_nodes
 * and one on ep_local for each piece, and back in the opposite order
 * (expert_exchange.h).  Gradients of results go to the experts as tokens do,
 * and gradients of tokens return as results do.  If `dispatch` or `combine` is
 * a precision of 8 bits or less, a kernel quantises the values before they are
 * sent, and another one restores them after they arrive.  Tokens are not
 * restored at their experts if the products of the experts are quantised.
 *
 * With `overlap` of n pieces, n > 1, a gather goes on beside the product behind
 * it, and a sum beside the product before it, in n pieces of rows each.  The
 * second gather of a backward pass goes on beside the product for the input's
 * gradient, and the sum behind that beside the product for the weights, as a
 * whole [TE].  This is of dense parts with `sequence`.
 *
 * The host launches each pass of a layer in a given time, and runs ahead of the
 * NPU.  Nothing of a layer begins before it is launched.
 *
 * Leaves out  dropout of hidden values, rotary positions and the embedding's
 *             gradient by word, which are fused into neighbours or small
 * Units       tokens, values, bytes
 */
#ifndef WORKLOADS_TRANSFORMER_TRANSFORMER_H
#define WORKLOADS_TRANSFORMER_TRANSFORMER_H

#include "workloads/mesh/mesh.h"
#include "workloads/segments/segment_builder.h"
#include "workloads/sharding/sharding.h"
#include "workloads/transformer/documents.h"
#include "workloads/transformer/expert_exchange.h"
#include "workloads/transformer/expert_load.h"
#include "workloads/transformer/language_model.h"

typedef enum {
    RECOMPUTE_NONE,
    RECOMPUTE_SELECTIVE, /* attention scores, which fused attention does not
                            keep in any case */
    RECOMPUTE_FULL,      /* the forward pass of each layer */
} TransformerRecompute;

/* The times of the host, without CUDA graphs. */
typedef struct {
    /* Time to launch the kernels of a layer, by pass; 0: none. */
    uint64_t forward_ps, backward_ps;
    uint64_t step_ps; /* once for each step, behind all else */
    /* The host waits for the unit before and for messages. */
    gboolean synchronises;
} TransformerHost;

typedef struct {
    LanguageModel model;
    const Mesh *mesh; /* borrowed */
    uint64_t sequence, micro_batch;
    const ConfigList *documents; /* borrowed; NULL: see documents_reach() */
    const ExpertLoad *load;      /* borrowed; NULL: even */
    uint64_t value_bytes;        /* of activations and weights */
    int products; /* precision of products with weights: 0: that of training,
                     else a Precision + 1 */
    const ConfigNode *products_node; /* for messages about it */
    gboolean divides_sequence;
    gboolean is_fused; /* attention keeps scores on chip */
    uint64_t n_pieces; /* of products beside collectives of tp; 1: none */
    /* Copies of a token that a dispatch sends; CONFIG_AUTO: one to each of its
     * experts. */
    uint64_t n_copies;
    ExpertExchange exchange;
    uint64_t elementwise_ppm; /* of the bytes of fused kernels */
    int recompute;
    TransformerHost host;
    Sharding sharding;
    uint64_t gradient_bytes; /* of a value */
    const ConfigNode *node;
} Transformer;

/* The layers of a virtual stage: consecutive layers, with the embedding before
 * them and the head behind them if the stage has these. */
typedef struct {
    uint64_t first, end; /* layers */
    gboolean has_embedding, has_head;
} TransformerPart;

/* The weights of a part that are used together: the embedding, a layer, or the
 * head.  The numbers are those of a rank. */
typedef struct {
    uint64_t n_dense;   /* which the ranks of cp+dp share */
    uint64_t n_experts; /* which those of edp share */
} TransformerGroup;

/* The operations of a segment that concern a group: the first one that needs
 * its weights, and those behind which its gradients are complete, and reduced
 * if gradients are divided. */
typedef struct {
    uint32_t needed, dense_ready, experts_ready;
} TransformerMark;

/* Ranks among which weights are divided, and those that hold the same part. */
typedef struct {
    const char *axes; /* static, as below */
    uint32_t n_ranks;
    const char *copy_axes; /* NULL: no other rank holds the same part */
    uint32_t n_copies;
} ShardRanks;

/* Returns those of the experts if @is_of_experts, else those of all other
 * weights. */
ShardRanks transformer_shard_ranks(const Transformer *t,
                                   gboolean is_of_experts);

/* Appends the groups of @part to @ret, an array of TransformerGroup, in the
 * order of the forward pass. */
void transformer_list_groups(const Transformer *t, const TransformerPart *part,
                             GArray *ret);

/* Checks that the axes of the mesh divide the model. */
G_GNUC_WARN_UNUSED_RESULT
gboolean transformer_check(const Transformer *t, GError **error);

/* Checks the way of tokens to their experts; .load is complete. */
G_GNUC_WARN_UNUSED_RESULT
gboolean transformer_check_exchange(const Transformer *t, GError **error);

/* Bytes that a rank passes to the next virtual stage for a micro-batch. */
uint64_t transformer_boundary_bytes(const Transformer *t);

/* Add the operations of a pass of @part to @b, one after the other.  Append a
 * TransformerMark for each group to @marks, in the order of the forward
 * pass. */
void transformer_add_forward(const Transformer *t, const TransformerPart *part,
                             SegmentBuilder *b, GArray *marks);
/* Adds the gradients of inputs, of weights, or both. */
void transformer_add_backward(const Transformer *t, const TransformerPart *part,
                              gboolean inputs, gboolean weights,
                              SegmentBuilder *b, GArray *marks);

/* Returns the FLOP of the model for an iteration of @n_tokens: 6 for each
 * active weight in a product and 12 s a d for attention, half of it if it is
 * causal. */
double transformer_model_flop(const Transformer *t, uint64_t n_tokens);

#endif
