/*
 * modules.h - what the layers, the embedding and the head of a model consist of
 *
 * A module reports, for a model on the axes of a mesh, its weights by the axis
 * that divides them, the activations that a rank keeps for the backward pass,
 * and the kernels and collectives of its passes.  A model lists the modules of
 * its layers by name (`modules`); the embedding and the head are at its ends.
 *
 * A module of a layer takes the tokens of a rank, adds its results to them, and
 * begins with a norm.
 *
 * Units    values, bytes
 */
#ifndef WORKLOADS_TRANSFORMER_MODULES_MODULES_H
#define WORKLOADS_TRANSFORMER_MODULES_MODULES_H

#include "workloads/transformer/pass.h"

/* The numbers of weights of a module. */
typedef struct {
    uint64_t divided; /* divided among the ranks of tp */
    uint64_t whole;   /* the same on each rank of tp */
    uint64_t experts; /* weights of all experts, which the ranks of ep divide */
    uint64_t active;  /* weights of the experts that a token uses */
} ModuleWeights;

/* The bytes that a module keeps for a micro-batch. */
typedef struct {
    uint64_t by_token; /* bytes of all tokens; divided among tp by `sequence` */
    uint64_t divided; /* bytes of all ranks of tp together, which divide them */
} ModuleKept;

/* Functions that may be NULL are marked. */
typedef struct {
    const char *name; /* in reports and in a model */
    /* Returns whether @layer has the module if the model lists it; NULL: all
     * layers have it. */
    gboolean (*is_in_layer)(const LanguageModel *model, uint64_t layer);
    /* Returns whether its operations in @layer differ from those in other
     * layers, of which there may be two kinds; NULL: they do not. */
    gboolean (*is_variant)(const LanguageModel *model, uint64_t layer);
    /* Checks that the axes of the mesh divide the module; NULL: they always
     * do. */
    gboolean (*check)(const Transformer *t, GError **error);
    ModuleWeights (*weights)(const LanguageModel *model);
    /* NULL: the module keeps nothing. */
    ModuleKept (*kept)(const Transformer *t);
    /* Returns the bytes of a rank's communication buffers, of which one module
     * works at a time; NULL: none beyond those of memory.c. */
    uint64_t (*buffer_bytes)(const Transformer *t);
    /* Returns how many multiplications of a token, forward, have no weight as
     * an operand; NULL: none. */
    double (*multiplications_without_weights)(const Transformer *t,
                                              uint64_t layer);
    void (*add_forward)(Pass *pass);
    /* Adds the gradients of inputs, of weights, or both. */
    void (*add_backward)(Pass *pass, gboolean inputs, gboolean weights);
} ModuleOps;

extern const ModuleOps module_embedding, module_head;
/* Precedes the modules of a block of multi-token prediction. */
extern const ModuleOps module_prediction;

/* The most modules of a layer. */
#define MODULES_MAX (LANGUAGE_MODEL_MAX_MODULES + 1)

/* Writes the modules of @layer, below language_model_n_blocks(), to @ret, in
 * the order of the forward pass, and returns their number. */
guint modules_of_layer(const LanguageModel *model, uint64_t layer,
                       const ModuleOps *ret[MODULES_MAX]);

/* Returns whether a backward pass repeats the whole forward pass of @module, by
 * its name or with the layer. */
gboolean module_is_recomputed(const Transformer *t, const ModuleOps *module);

/* Returns a number that is equal for layers with the same operations. */
uint64_t modules_layer_kind(const LanguageModel *model, uint64_t layer);

/* Checks that the axes of the mesh divide all modules that the model lists. */
G_GNUC_WARN_UNUSED_RESULT
gboolean modules_check(const Transformer *t, GError **error);

/* Returns FALSE with an error if @n of @what is no multiple of the @degree of
 * @axis; for ModuleOps.check. */
G_GNUC_WARN_UNUSED_RESULT
gboolean module_check_divides(const Transformer *t, uint64_t degree,
                              const char *axis, uint64_t n, const char *what,
                              GError **error);

/* Returns the bytes of what each module of a layer keeps beside its own values:
 * its input, the output of its norm, and the mask of a dropout behind it. */
uint64_t module_kept_tokens(const Transformer *t);

#endif
