/*
 * layer.h - from a layer's shape to FLOPs, bytes and gradients
 *
 * One kind of layer is one file in layers/ and one line in the table of
 * layer.c.  A kind is a pure function of its parameters and the batch.
 *
 * Kernels  a pass is one kernel or several, each with a roofline and a launch
 * of its own; what a kind launches its head comment says.
 *
 * Counting one multiply-add is two FLOP.  HBM bytes are the compulsory
 * traffic: every operand and result once, with nothing kept in a cache between
 * kernels.  Elementwise traffic (normalisation, activation) is counted apart,
 * so that a user can leave it out.
 *
 * Units    FLOP, bytes, values (elements)
 * Range    results saturate at 2^63 instead of wrapping
 */
#ifndef WORKLOADS_LAYER_H
#define WORKLOADS_LAYER_H

#include "sim/config/config.h"
#include "workloads/graph.h"

typedef struct {
    uint64_t batch;       /* samples an NPU */
    Precision precision;  /* of activations and weights */
    uint64_t value_bytes; /* of one of them */
    gboolean elementwise; /* count elementwise traffic */
    gboolean fused;       /* elementwise kernels in a row are one */
    gboolean searches;    /* convolutions take the fastest form of a kernel */
    gboolean transposes;  /* images are not kept as convolutions read them */
} LayerContext;

/* A tensor of whose gradient a sample touches some rows only, an embedding's.
 * Frameworks may keep such a gradient as the rows and their numbers. */
typedef struct {
    uint64_t tensor; /* its place among the layer's */
    uint64_t n_rows; /* that a sample touches, each counted as often as it is */
    uint64_t n_values; /* of a row */
} LayerSparse;

#define LAYER_MAX_WORKS 4 /* different kernels in a pass */

typedef struct {
    uint64_t n_weights; /* values with a gradient to reduce */
    /* The tensors that these are, in forward order, which has the one that is
     * ready first at its end; they add up to .n_weights.  0: they are one.
     * Borrowed from the parameters. */
    guint n_tensors;
    const uint64_t *tensors; /* values of each, at least one */
    guint n_sparse;
    const LayerSparse *sparse; /* which of them are, each once; borrowed too */
    /* Forward, input and weight gradient: the kernels of each, one after the
     * other, up to the first that has nothing to do. */
    OpWork pass[OP_UPDATE][LAYER_MAX_WORKS];
    /* HBM traffic of the elementwise kernels that belong to a pass, and how
     * many are launched for it (0 counts as 1); they run by themselves, after
     * the forward kernels and before the backward ones. */
    uint64_t elementwise_bytes[OP_UPDATE];
    uint64_t elementwise_written_bytes[OP_UPDATE]; /* of these */
    uint64_t n_elementwise[OP_UPDATE];
} LayerCost;

/* What stands for several layers. */
typedef struct {
    ConfigList layers; /* of ConfigVariant, in forward order */
    uint64_t first;    /* number of the first repeat, in names */
} LayerBlock;

/* What goes in and comes out of one sample, for shapes.h; 0: not known. */
typedef struct {
    const char *in_key;         /* static: the parameter that .in is */
    uint64_t in, out;           /* values; channels of an image */
    uint64_t in_size, out_size; /* pixels of an image's height; 0: none */
    gboolean is_sequence;       /* .out is of each of several steps */
    gboolean may_split;         /* what follows may take a part of .out */
} LayerShape;

typedef struct {
    ConfigKind base;
    /* What ranges cannot say of the parameters together; NULL: nothing. */
    gboolean (*check)(const ConfigVariant *layer, GError **error);
    /* Values that go in and come out; FALSE: not known.  NULL: never known. */
    gboolean (*width)(gconstpointer params, uint64_t *in, uint64_t *out);
    /* Fills @ret, which is zeroed; NULL: what width() says. */
    void (*shape)(gconstpointer params, LayerShape *ret);
    /* A kind has one of these two. */
    void (*cost)(gconstpointer params, const LayerContext *context,
                 LayerCost *ret);
    const LayerBlock *(*block)(gconstpointer params);
} LayerOps;

/* What every kind of layer has; the first member of each params struct. */
typedef struct {
    const char *name;
    uint64_t repeat; /* the same layer so many times in a row */
    uint64_t forward_ps, input_gradient_ps, weight_gradient_ps; /* 0: none */
} LayerCommon;

#define LAYER_MAX_REPEAT 10000

/* The rows of LayerCommon for a kind's field table; @Struct.common is it. */
#define LAYER_COMMON_FIELDS(Struct)                                            \
    { .key = "name",                                                           \
      .help = "what reports call the layer",                                   \
      .type = CONFIG_NAME,                                                     \
      .offset = offsetof(Struct, common.name) },                               \
        { .key = "repeat",                                                     \
          .help = "how many such layers follow each other",                    \
          .type = CONFIG_COUNT,                                                \
          .offset = offsetof(Struct, common.repeat),                           \
          .min = 1,                                                            \
          .max = LAYER_MAX_REPEAT,                                             \
          .fallback = "1" },                                                   \
        { .key = "forward_time",                                               \
          .help = "measured on the whole NPU; 0 ns: from the roofline",        \
          .type = CONFIG_TIME,                                                 \
          .offset = offsetof(Struct, common.forward_ps),                       \
          .max = LAYER_MAX_PS,                                                 \
          .fallback = "0 ns" },                                                \
        { .key = "input_gradient_time",                                        \
          .help = "measured on the whole NPU; 0 ns: from the roofline",        \
          .type = CONFIG_TIME,                                                 \
          .offset = offsetof(Struct, common.input_gradient_ps),                \
          .max = LAYER_MAX_PS,                                                 \
          .fallback = "0 ns" },                                                \
    {                                                                          \
        .key = "weight_gradient_time",                                         \
        .help = "measured on the whole NPU; 0 ns: from the roofline",          \
        .type = CONFIG_TIME,                                                   \
        .offset = offsetof(Struct, common.weight_gradient_ps),                 \
        .max = LAYER_MAX_PS, .fallback = "0 ns"                                \
    }

#define LAYER_MAX_PS UINT64_C(1000000000000000) /* 1000 s */

extern const ConfigRegistry layer_registry;
extern const ConfigField layer_item; /* of a list of layers */

/* What @layer is made of; NULL: it is one layer. */
const LayerBlock *layer_block_of(const ConfigVariant *layer);

void layer_shape(const ConfigVariant *layer, LayerShape *ret);

/* FALSE and CONFIG_ERROR_CONFLICT when the parameters do not fit together, or
 * when what is to be repeated is known not to fit behind itself.  Of a block,
 * all that stands in it. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_check(const ConfigVariant *layer, GError **error);

/* The cost of one layer (not of its repeats), measured times included; a block
 * has none. */
void layer_cost(const ConfigVariant *layer, const LayerContext *context,
                LayerCost *ret);
/* FALSE: @cost, the layer's, stopped at 2^63 somewhere. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_check_cost(const ConfigVariant *layer, uint64_t batch,
                          const LayerCost *cost, GError **error);
const LayerCommon *layer_common(const ConfigVariant *layer);

/* a * b and a + b that stop at 2^63. */
uint64_t layer_mul(uint64_t a, uint64_t b);
uint64_t layer_add(uint64_t a, uint64_t b);

#endif
