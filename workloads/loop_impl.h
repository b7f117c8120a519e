/*
 * loop_impl.h - declarations that training loops share
 *
 * The header is private to workload.c, loop.c and loops/.  Its functions expand
 * layers (repeats, names, and costs under the training settings) and add the
 * forward and backward operations of a layer.
 *
 * Order    Backward: weight gradient, its exchange, input gradient, unless the
 *          loop requests the input gradient first.  Elementwise kernels come
 *          after the forward and before the backward kernels.
 *          The optimiser's step of a layer precedes its forward pass and uses
 *          the gradient of the previous iteration.  At the end of that
 *          iteration it would delay earlier layers, whose forward passes only
 *          wait for their own all-reduce.  The first iteration has a step,
 *          too, so that all iterations have the same work.  A sharding makes
 *          one step at the end of the iteration.
 * Errors   CONFIG_ERROR_CONFLICT at the layer
 */
#ifndef WORKLOADS_LOOP_IMPL_H
#define WORKLOADS_LOOP_IMPL_H

#include "workloads/exchange/exchange.h"
#include "workloads/layer.h"
#include "workloads/optimiser.h"
#include "workloads/workload.h"

/* Largest number of layers; keeps a graph below 50 MB. */
#define LOOP_MAX_LAYERS 100000
#define LOOP_MAX_BATCH  1000000000 /* largest number of samples per NPU */
/* A priority above that of every layer. */
#define LOOP_TOP_PRIORITY UINT32_MAX
/* Largest root of a collective: platforms have at most 2^24 NPUs. */
#define LOOP_MAX_ROOT 16777215

typedef enum {
    BACKWARD_WEIGHT_FIRST,
    BACKWARD_INPUT_FIRST,
} BackwardOrder;

typedef struct {
    uint32_t layer; /* index into OpGraph.layers */
    LayerCost cost;
    /* Set by loop_add_forward(). .first is the first operation of the layer,
     * which is the optimiser's step if it is modelled; .forward is the first
     * operation of the forward pass, if .has_forward. */
    gboolean has_forward;
    uint32_t first, forward;
    guint group; /* of .shards, if the layer has weights */
} LoopLayer;

typedef struct {
    OpGraph *graph;                 /* borrowed */
    const TrainingConfig *training; /* borrowed */
    LayerContext context;
    /* Index of the modelled optimiser in optimiser_names. */
    int optimiser;
    /* Owned: the layers in forward order; the elements are LoopLayer. */
    GArray *layers;
    GHashTable *names; /* owned: the set of names in use */
    /* Borrowed: the machine; NULL if it is not known. */
    const WorkloadSite *site;
    /* TrainingConfig.exchange, or its replacement if overlap is off. */
    ConfigVariant exchange;
    /* Owned: the sharding of the exchange; NULL: it has none. */
    GraphShards *shards;
    /* Owned; the elements are ExchangeTensor, in the order in which they are
     * ready. */
    GArray *tensors;
    /* Operation that waits for all gradients of the previous iteration, if the
     * exchange requires one.  A loop sets it before it adds backward passes. */
    uint32_t first;
    /* Index of the micro-batch that is being added.  The first one starts with
     * the work on reduced gradients; the last one ends with the exchange of
     * gradients. */
    uint64_t micro_batch;
    InputOps input; /* set by loop_add_input() */
    /* The host's work on the tensors of weights, set by loop_add_input(), if
     * .has_host_work. */
    uint32_t host_work;
    gboolean has_host_work;
    /* Conditions of the measured times, and batch size of the workload. */
    MeasuredOn measured_on;
    uint64_t n_samples;
    gboolean has_times; /* a layer uses a measured time */
} Loop;

/* Initialises @loop.  The caller clears it even if this returns FALSE, which
 * happens if the exchange is not possible. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_init(Loop *loop, OpGraph *graph, const TrainingConfig *training,
                   const WorkloadCommon *workload, uint64_t batch,
                   const WorkloadSite *site, GError **error);
/* Frees what the loop owns, but not the graph. */
void loop_clear(Loop *loop);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Loop, loop_clear)

/* Applies the compute setting: keeps the measured time of @work, or uses its
 * shape only.  Returns FALSE if the shape is required but missing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_choose_time_source(const TrainingConfig *training, OpWork *work);

/* The field `optimiser` of a loop that trains; the struct has a member .common
 * of type WorkloadCommon. */
#define LOOP_OPTIMISER_FIELD(Struct)                                           \
    {                                                                          \
        .key = "optimiser",                                                    \
        .help = "whose step counts, unless `training` says otherwise",         \
        .source = "assumed", .type = CONFIG_ENUM,                              \
        .offset = offsetof(Struct, common.optimiser),                          \
        .names = optimiser_names_of, .fallback = "momentum"                    \
    }

/* The field `root` of a single collective; the struct has a member .root. */
#define LOOP_ROOT_FIELD(Struct)                                                \
    {                                                                          \
        .key = "root",                                                         \
        .help = "a rank of the group: of a broadcast, reduce, gather or "      \
                "scatter",                                                     \
        .source = "the first", .type = CONFIG_COUNT,                           \
        .offset = offsetof(Struct, root), .max = LOOP_MAX_ROOT,                \
        .fallback = "0"                                                        \
    }

static inline LoopLayer *loop_layer(const Loop *loop, guint i)
{
    return &g_array_index(loop->layers, LoopLayer, i);
}

/* Appends @layer, or its repeats as NAME.1 to NAME.N. For a block, appends its
 * layers, with the name of the block and a dot before each name. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_add_layer(Loop *loop, const ConfigVariant *layer, GError **error);

/* Returns the samples per iteration; .context.batch is one micro-batch. */
static inline uint64_t loop_samples_per_iteration(const Loop *loop)
{
    return layer_multiply_saturating(loop->context.batch,
                                     loop->training->n_micro_batches);
}

/* Adds a kernel to the main stream and returns its index. */
uint32_t loop_add_kernel(Loop *loop, uint32_t layer, OpPass pass,
                         const OpWork *work);

/* Add the operations of one layer to the main stream.  loop_add_recompute()
 * adds a second forward pass for recomputation. */
void loop_add_forward(Loop *loop, LoopLayer *layer);
void loop_add_recompute(Loop *loop, const LoopLayer *layer);
void loop_add_backward(Loop *loop, const LoopLayer *layer, BackwardOrder order,
                       gboolean input_gradient);

/* Adds the stages of the input and the host's work on tensors, if there are
 * any; must follow all layers and precede all other operations.  Afterwards,
 * input_add_consumer() sets the operations that wait for the input. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_add_input(Loop *loop, GError **error);

/* Adds the exchange of gradients, unless it was added behind each layer.  All
 * other operations and the calibrated totals must already be set. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_add_exchange(Loop *loop, GError **error);

#endif
