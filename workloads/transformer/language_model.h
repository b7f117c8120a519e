/*
 * language_model.h - the shape of a decoder or encoder with attention
 *
 * A model has an embedding, layers that each have an attention part and a
 * feed-forward part, and a head.  The feed-forward part is dense, or a set of
 * experts of which a router chooses some for each token.  With h hidden values,
 * a heads and k key-value heads of d values, f values inside the feed-forward
 * part, E experts and V words, the weights are
 *
 *   embedding   V h, and P h with P learned positions
 *   attention   h d (a + 2 k) + a d h
 *   latent      h q + q a (n + r) + h (c + r) + c a (n + u) + a u h, with
 *               latent vectors (MLA) of ranks q and c, and r rotary, n other
 *               and u value values of a head
 *   dense       2 h f, or 3 h f if it is gated
 *   experts     E times that of an expert, h E for the router, and the shared
 *               experts
 *   norms       h each, 2 h with a bias
 *   head        V h unless it shares the embedding
 *   prediction  2 h h, three norms and the weights of a layer for each module
 *               of multi-token prediction, which shares embedding and head
 *
 * Units    values
 * Errors   CONFIG_ERROR at the model
 * Source   configs/models/ has the published numbers of weights, which tests
 *          compare
 */
#ifndef WORKLOADS_TRANSFORMER_LANGUAGE_MODEL_H
#define WORKLOADS_TRANSFORMER_LANGUAGE_MODEL_H

#include "sim/config/config.h"

typedef struct {
    uint64_t query_rank; /* 0: queries are not compressed */
    uint64_t key_value_rank, rotary, other, value;
    gboolean is_used;
} LatentAttention;

typedef struct {
    uint64_t n_experts; /* experts of a layer; 0: all layers are dense */
    uint64_t n_chosen;  /* experts that a token uses */
    uint64_t ffn;       /* inner values of an expert */
    uint64_t n_shared;  /* number of shared experts, which every token uses */
    uint64_t n_dense_layers; /* the first layers, which have no experts */
    gboolean has_router_bias;
} ModelExperts;

/* The most modules of a layer. */
#define LANGUAGE_MODEL_MAX_MODULES 16

typedef enum {
    MODEL_BIAS_NONE,
    MODEL_BIAS_QKV,       /* only queries, keys and values have a bias */
    MODEL_BIAS_ATTENTION, /* of all products of attention, and of the router
                             and experts */
    MODEL_BIAS_ALL,
} ModelBias;

typedef struct {
    const char *name;
    uint64_t n_layers, hidden, n_heads;
    uint64_t n_key_value_heads; /* CONFIG_AUTO: .n_heads */
    uint64_t head_size;         /* CONFIG_AUTO: .hidden / .n_heads */
    uint64_t ffn, vocabulary;
    uint64_t n_positions; /* learned positions; 0: rotary or none */
    uint64_t n_token_types;
    /* Modules of multi-token prediction behind the last layer, each with a
     * block like a layer; 0: none. */
    uint64_t mtp_depth;
    uint64_t window; /* tokens that attention covers; 0: the whole sequence */
    uint64_t window_period; /* in each group of this many layers, the last has
                               no window; 1: all layers have one */
    gboolean is_gated, is_tied, is_causal;
    gboolean norms_queries;   /* queries and keys are normalised by head */
    gboolean norms_have_bias; /* LayerNorm; FALSE: RMSNorm */
    gboolean norms_embedding;
    gboolean has_head_transform; /* a product precedes the head, as in BERT */
    gboolean has_dropout;        /* dropout masks are kept as well */
    gboolean has_sinks;          /* each head has one more, learned logit */
    int bias;                    /* ModelBias */
    ConfigList modules; /* of int: index of language_model_module_names */
    LatentAttention latent;
    ModelExperts experts;
    uint64_t published; /* number of weights; 0: not known */
    const ConfigNode *node;
} LanguageModel;

extern const ConfigField language_model_fields[];

/* The kinds of modules that a layer may have, then NULL. */
extern const char *const language_model_module_names[];

/* Checks that the parts fit; sets what is CONFIG_AUTO.  @model is a copy that
 * the caller owns. */
G_GNUC_WARN_UNUSED_RESULT
gboolean language_model_complete(LanguageModel *model, GError **error);

/* Returns the layers together with the blocks of multi-token prediction, which
 * are numbered as layers behind the last one. */
static inline uint64_t language_model_n_blocks(const LanguageModel *model)
{
    return model->n_layers + model->mtp_depth;
}

static inline gboolean language_model_has_experts(const LanguageModel *model,
                                                  uint64_t layer)
{
    return model->experts.n_experts > 0 &&
           layer >= model->experts.n_dense_layers;
}

/* Returns the window of @layer in tokens; 0: it attends to all. */
static inline uint64_t language_model_window(const LanguageModel *model,
                                             uint64_t layer)
{
    uint64_t period = model->window_period;

    return period > 1 && layer % period == period - 1 ? 0 : model->window;
}

/* Returns the weights of a norm. */
uint64_t language_model_norm_weights(const LanguageModel *model);

#endif
