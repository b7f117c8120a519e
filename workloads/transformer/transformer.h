/*
 * transformer.h - a language model on the ranks of a mesh
 *
 * The model, how it is divided among the axes of the mesh, and the tokens and
 * values of a rank that follow.  modules/ has what a rank calculates and
 * communicates, stage_passes.h puts modules together.
 *
 * Values of products are quantised with a precision of 8 bits or less: 33/32
 * bytes of mxfp8 and 9/16 of nvfp4 with their scales.
 *
 * Units    tokens, values, bytes
 */
#ifndef WORKLOADS_TRANSFORMER_TRANSFORMER_H
#define WORKLOADS_TRANSFORMER_TRANSFORMER_H

#include "workloads/mesh/mesh.h"
#include "workloads/sharding/sharding.h"
#include "workloads/transformer/documents.h"
#include "workloads/transformer/expert_exchange.h"
#include "workloads/transformer/expert_load.h"
#include "workloads/transformer/language_model.h"
#include "workloads/transformer/recompute.h"

/* The times of the host, without CUDA graphs. */
typedef struct {
    /* Time to launch the kernels of a layer, by pass; 0: none. */
    uint64_t forward_ps, backward_ps;
    uint64_t step_ps; /* time after all other operations of a step */
    /* The host waits for the previous unit and for messages. */
    gboolean synchronises;
} TransformerHost;

typedef struct {
    LanguageModel model;
    const Mesh *mesh; /* borrowed */
    uint64_t sequence, micro_batch;
    const ConfigList
        *documents; /* borrowed; NULL: see documents_mean_attended_tokens() */
    const ExpertLoad *load; /* borrowed; NULL: even */
    uint64_t value_bytes;   /* bytes of an activation or a weight */
    int products; /* precision of products with weights: 0: that of training,
                     else a Precision + 1 */
    const ConfigNode
        *products_node; /* the key of .products, for error messages */
    gboolean divides_sequence;
    gboolean cp_is_ring; /* blocks of keys and values go round the ranks of cp
                            beside attention, in place of an all-gather */
    gboolean is_fused;   /* attention keeps scores on chip */
    uint64_t n_pieces; /* pieces of a product that overlaps with a collective of
                          tp; 1: no overlap */
    /* Copies of a token that a dispatch sends; CONFIG_AUTO: one to each of its
     * experts. */
    uint64_t n_copies;
    ExpertExchange exchange;
    uint64_t elementwise_ppm; /* share of the bytes that fused kernels move */
    RecomputeSet recompute;
    const ConfigNode *recompute_node;
    TransformerHost host;
    Sharding sharding;
    uint64_t gradient_bytes; /* of a value */
    const ConfigNode *node;
} Transformer;

/* Returns the number of ranks on @axis. */
static inline uint32_t transformer_axis_ranks(const Transformer *t,
                                              MeshAxis axis)
{
    return t->mesh->sizes[axis];
}

static inline uint64_t transformer_tp_ranks(const Transformer *t)
{
    return transformer_axis_ranks(t, MESH_TP);
}

/* Returns the tokens of a rank in a micro-batch. */
static inline uint64_t transformer_rank_tokens(const Transformer *t)
{
    return t->micro_batch * t->sequence / transformer_axis_ranks(t, MESH_CP);
}

/* Returns whether keys and values go round a ring of ranks. */
static inline gboolean transformer_uses_ring_attention(const Transformer *t)
{
    return t->cp_is_ring && transformer_axis_ranks(t, MESH_CP) > 1;
}

/* Returns the tokens of a rank between the modules of a layer. */
static inline uint64_t
transformer_rank_tokens_between_modules(const Transformer *t)
{
    return t->divides_sequence
               ? transformer_rank_tokens(t) / transformer_tp_ranks(t)
               : transformer_rank_tokens(t);
}

/* Returns the values of all tokens of the tensor-parallel group. */
static inline uint64_t transformer_tp_group_values(const Transformer *t)
{
    return transformer_rank_tokens(t) * t->model.hidden;
}

/* Returns the bytes that a rank passes to the next virtual stage for a
 * micro-batch. */
static inline uint64_t transformer_boundary_bytes(const Transformer *t)
{
    return transformer_rank_tokens_between_modules(t) * t->model.hidden *
           t->value_bytes;
}

/* Returns whether collectives of tp run in parallel with products. */
static inline gboolean transformer_overlaps_tp_collectives(const Transformer *t)
{
    return t->divides_sequence && t->n_pieces > 1;
}

/* Returns whether @precision, 0 or a Precision + 1, is one of 8 bits
 * or less. */
static inline gboolean precision_has_at_most_8_bits(int precision)
{
    return precision > PRECISION_FP8;
}

/* Returns whether the operands of products with weights are quantised. */
static inline gboolean transformer_quantises_products(const Transformer *t)
{
    return precision_has_at_most_8_bits(t->products);
}

/* Returns the bytes of @n values of @precision, 0 or a Precision + 1, with
 * their scales. */
uint64_t transformer_values_bytes(const Transformer *t, int precision,
                                  uint64_t n);

#endif
