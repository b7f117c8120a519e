/*
 * layer.h - FLOP, bytes and gradients of a layer, from its shape
 *
 * Each kind of layer is one file in layers/ and one line in the table of
 * layer.c.  A kind is a pure function of its parameters and the batch size.
 *
 * Kernels  A pass is one or several kernels.  Each has its own roofline and
 *          launch.  The head of each file in layers/ lists its kernels.
 * Counting A multiply-add is two FLOP.  HBM bytes are the compulsory traffic:
 *          every operand and result once, with nothing cached between kernels.
 *          Elementwise traffic (normalisation, activation) is counted
 *          separately, so that a user can leave it out.
 * Units    FLOP, bytes, values (elements)
 * Range    results saturate at 2^63 instead of wrapping
 */
#ifndef WORKLOADS_LAYER_H
#define WORKLOADS_LAYER_H

#include "sim/config/config.h"
#include "workloads/graph.h"

typedef struct {
    uint64_t batch;       /* samples per NPU */
    Precision precision;  /* precision of activations and weights */
    uint64_t value_bytes; /* size of one activation or weight */
    gboolean elementwise; /* elementwise traffic is counted */
    /* Consecutive elementwise kernels are fused into one. */
    gboolean fused;
    gboolean searches; /* convolutions use the fastest algorithm */
    /* Convolutions transpose images, because the layout differs. */
    gboolean transposes;
} LayerContext;

/* A tensor, such as an embedding table, in which each sample touches only some
 * rows of the gradient.  Frameworks may store such a gradient as rows and row
 * numbers. */
typedef struct {
    uint64_t tensor; /* index of the tensor within the layer */
    uint64_t n_rows; /* rows that a sample touches, counted with repetitions */
    uint64_t n_values; /* values per row */
} LayerSparse;

#define LAYER_MAX_WORKS 4 /* largest number of different kernels in a pass */

typedef struct {
    uint64_t n_weights; /* number of values whose gradients are reduced */
    /* Sizes of the weight tensors in forward order; backward passes finish the
     * last one first.  They add up to .n_weights.  n_tensors = 0: there is one
     * tensor.  Borrowed from the parameters. */
    guint n_tensors;
    const uint64_t *tensors; /* number of values of each tensor, at least one */
    guint n_sparse;
    const LayerSparse *sparse; /* borrowed: the sparse tensors, each once */
    /* Kernels of the forward, input-gradient and weight-gradient passes, in
     * order.  The first entry without work ends the list. */
    OpWork pass[OP_UPDATE][LAYER_MAX_WORKS];
    /* HBM traffic and number of launches (0 counts as 1) of the elementwise
     * kernels of each pass.  They are separate kernels, after the forward
     * kernels and before the backward kernels. */
    uint64_t elementwise_bytes[OP_UPDATE];
    /* Written part of .elementwise_bytes. */
    uint64_t elementwise_written_bytes[OP_UPDATE];
    uint64_t n_elementwise[OP_UPDATE];
} LayerCost;

/* A block: a list of layers that a file gives as one item. */
typedef struct {
    /* Layers in forward order; the elements are ConfigVariant. */
    ConfigList layers;
    uint64_t first; /* number of the first repeat, used in names */
} LayerBlock;

/* Input and output of one sample, for layer_shape_check.h; 0 if not known. */
typedef struct {
    /* Static: key of the parameter that .in comes from. */
    const char *in_key;
    /* Number of values, or of channels of an image. */
    uint64_t in, out;
    /* Height of an image in pixels; 0: not an image. */
    uint64_t in_size, out_size;
    /* .out is the size of each step of a sequence */
    gboolean is_sequence;
    gboolean may_split; /* the next layer may use a part of .out */
} LayerShape;

typedef struct {
    ConfigKind base;
    /* Checks the combination of parameters, after their ranges; NULL: no
     * check. */
    gboolean (*check)(const ConfigVariant *layer, GError **error);
    /* Sets the number of values that go in and come out, or returns FALSE if
     * they are not known.  NULL: never known. */
    gboolean (*width)(gconstpointer params, uint64_t *in, uint64_t *out);
    /* Sets the shape of a layer in @ret, which is zeroed.  NULL: use
     * width(). */
    void (*shape)(gconstpointer params, LayerShape *ret);
    /* Computes the cost of a layer.  A kind has exactly one of these two
     * functions. */
    void (*cost)(gconstpointer params, const LayerContext *context,
                 LayerCost *ret);
    const LayerBlock *(*block)(gconstpointer params);
} LayerOps;

/* Parameters of every kind; the first member of each params struct. */
typedef struct {
    const char *name;
    uint64_t repeat; /* number of identical layers in a row */
    /* Measured times of the passes; 0: not measured. */
    uint64_t forward_ps, input_gradient_ps, weight_gradient_ps;
} LayerCommon;

#define LAYER_MAX_REPEAT 10000

/* Fields of LayerCommon for the field table of a kind; the struct has a member
 * .common. */
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

/* Largest measured time of a pass: 1000 s. */
#define LAYER_MAX_PS UINT64_C(1000000000000000)

extern const ConfigRegistry layer_registry;
/* An item of a list of layers in the configuration. */
extern const ConfigField layer_item;

/* Returns the content of a block, or NULL if @layer is a single layer. */
const LayerBlock *layer_find_block(const ConfigVariant *layer);

void layer_find_shape(const ConfigVariant *layer, LayerShape *ret);

/* Returns FALSE and CONFIG_ERROR_CONFLICT if the parameters contradict each
 * other, or if the output of a repeated layer does not fit its own input.
 * Checks all layers of a block. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_check(const ConfigVariant *layer, GError **error);

/* Returns the cost of one layer without its repeats, including measured times.
 * @layer must not be a block. */
void layer_compute_cost(const ConfigVariant *layer, const LayerContext *context,
                        LayerCost *ret);
/* Returns FALSE and CONFIG_ERROR_CONFLICT if a part of @cost, the cost of
 * @layer, has saturated at 2^63. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_check_cost(const ConfigVariant *layer, uint64_t batch,
                          const LayerCost *cost, GError **error);
const LayerCommon *layer_common(const ConfigVariant *layer);

/* Return a * b and a + b, saturated at 2^63. */
uint64_t layer_multiply_saturating(uint64_t a, uint64_t b);
uint64_t layer_add_saturating(uint64_t a, uint64_t b);

#endif
