/*
 * layer_impl.h - declarations shared by layer.c, layers/ and loops
 *
 * The file has field macros, saturating arithmetic, and the params structs that
 * a loop fills or reads itself.
 *
 * Units    as layer.h
 */
#ifndef WORKLOADS_LAYER_IMPL_H
#define WORKLOADS_LAYER_IMPL_H

#include "workloads/layer.h"

extern const LayerOps layer_attention;
extern const LayerOps layer_block;
extern const LayerOps layer_conv;
extern const LayerOps layer_counted;
extern const LayerOps layer_elementwise;
extern const LayerOps layer_embedding;
extern const LayerOps layer_interaction;
extern const LayerOps layer_linear;
extern const LayerOps layer_lstm;
extern const LayerOps layer_measured;
extern const LayerOps layer_pool;

/* Largest count in a layer's parameters, far above those of known networks.
 * Products of several counts may still saturate. */
#define LAYER_MAX_COUNT UINT64_C(1000000000)

/* A field with a whole number >= 1; @Default NULL makes it required. */
#define LAYER_COUNT_FIELD(Struct, member, Key, Default, Help)                  \
    LAYER_COUNT_FIELD_FROM(Struct, member, Key, 1, Default, Help)

/* A field with a whole number >= @Least. */
#define LAYER_COUNT_FIELD_FROM(Struct, member, Key, Least, Default, Help)      \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_COUNT,                    \
        .offset = offsetof(Struct, member), .min = (Least),                    \
        .max = LAYER_MAX_COUNT, .fallback = (Default)                          \
    }

#define LAYER_BOOL_FIELD(Struct, member, Key, Default, Help)                   \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_BOOL,                     \
        .offset = offsetof(Struct, member), .fallback = (Default)              \
    }

/* Product and sum of any number of values, saturated at 2^63. */
#define LAYER_PRODUCT(...)                                                     \
    layer_product_saturating(                                                  \
        (const uint64_t[]){ __VA_ARGS__ },                                     \
        G_N_ELEMENTS(((const uint64_t[]){ __VA_ARGS__ })))
#define LAYER_SUM(...)                                                         \
    layer_sum_saturating((const uint64_t[]){ __VA_ARGS__ },                    \
                         G_N_ELEMENTS(((const uint64_t[]){ __VA_ARGS__ })))
uint64_t layer_product_saturating(const uint64_t *values, gsize n);
uint64_t layer_sum_saturating(const uint64_t *values, gsize n);

/* Sets the number of values that go into the layer or block and come out.
 * Returns FALSE if they are not known. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_find_widths(const ConfigVariant *layer, uint64_t *in,
                           uint64_t *out);

/* ---- params that loops/dlrm.c reads or fills -------------------------- */

typedef struct {
    LayerCommon common;
    uint64_t in, out;   /* number of input and output values */
    uint64_t positions; /* number of rows per sample */
    gboolean bias;
    gboolean softmax;
} LinearParams;

extern const ConfigField linear_fields[];

typedef enum {
    EMBEDDING_NONE,
    EMBEDDING_DENSE,
} EmbeddingGradient;

typedef struct {
    LayerCommon common;
    uint64_t rows, dimension, n_tables;
    uint64_t positions; /* number of sums per sample and table */
    uint64_t lookups;   /* number of rows in each sum */
    /* Kind of gradient, a value of enum EmbeddingGradient. */
    int gradient;
} EmbeddingParams;

typedef enum {
    INTERACTION_IN_PLACE,
    INTERACTION_CONCATENATION,
    INTERACTION_DOT,
    INTERACTION_N_FORMS,
} InteractionForm;

typedef struct {
    LayerCommon common;
    int form; /* form of the interaction, a value of enum InteractionForm */
    uint64_t n_vectors, dimension;
} InteractionParams;

extern const char *const interaction_forms[INTERACTION_N_FORMS + 1];

/* Returns the number of output values of the interaction per sample. */
uint64_t interaction_width(const InteractionParams *params);

#endif
