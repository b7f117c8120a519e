/*
 * loop_impl.h - for workload.c, loop.c and loops/ only
 *
 * What the training loops share: layers written out (repeats, names, costs as
 * the training settings want them), and the operations of one layer forward
 * and backward.
 *
 * Order    backward is weight gradient, its exchange, input gradient, unless
 *          the loop asks for the input gradient first; elementwise kernels
 *          come after the forward and before the backward ones; the
 *          optimiser's step of a layer stands before its forward pass, and
 *          uses the gradient of the iteration before.  (At the end of that
 *          iteration it would hold up the layers before it: their forward
 *          passes wait for no all-reduce but their own.)  The first iteration
 *          has a step as well, so that the work of all is the same
 * Errors   CONFIG_ERROR_CONFLICT at the layer
 */
#ifndef WORKLOADS_LOOP_IMPL_H
#define WORKLOADS_LOOP_IMPL_H

#include "workloads/exchange/exchange.h"
#include "workloads/layer.h"
#include "workloads/optimiser.h"
#include "workloads/workload.h"

#define LOOP_MAX_LAYERS   100000     /* keeps a graph below 50 MB */
#define LOOP_MAX_BATCH    1000000000 /* samples an NPU */
#define LOOP_TOP_PRIORITY UINT32_MAX /* above every layer's */
#define LOOP_MAX_ROOT     16777215   /* of the NPUs that platforms may have */

typedef enum {
    BACKWARD_WEIGHT_FIRST,
    BACKWARD_INPUT_FIRST,
} BackwardOrder;

typedef struct {
    uint32_t layer; /* in the graph */
    LayerCost cost;
    /* In the graph, once loop_add_forward() was called, where it has any: the
     * first of its operations, which is the optimiser's step where that counts,
     * and the first of its forward pass. */
    gboolean has_forward;
    uint32_t first, forward;
} LoopLayer;

typedef struct {
    OpGraph *graph;                 /* borrowed */
    const TrainingConfig *training; /* borrowed */
    LayerContext context;
    int optimiser;            /* index of optimiser_names */
    GArray *layers;           /* owned, of LoopLayer, in forward order */
    GHashTable *names;        /* owned, a set of the names in use */
    const WorkloadSite *site; /* borrowed; NULL: there is none */
    ConfigVariant exchange; /* that of training, or what overlap makes of it */
    GArray *tensors;        /* owned, of ExchangeTensor, as they get ready */
    /* The operation that waits for all gradients of the iteration before where
     * something has to; a loop sets it before it adds backward passes. */
    uint32_t first;
    /* Of the micro-batches, the one that is added: the first begins with what
     * is done with sums, the last ends with gradients. */
    uint64_t micro_batch;
    InputOps input; /* of loop_add_input() */
    /* Of the workload: what its measured times are of, and its batch. */
    MeasuredOn measured_on;
    uint64_t n_samples;
    gboolean has_times; /* some layer takes a measured time */
} Loop;

/* To be cleared even where it fails: of an exchange that cannot be. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_init(Loop *loop, OpGraph *graph, const TrainingConfig *training,
                   const WorkloadCommon *workload, uint64_t batch,
                   const WorkloadSite *site, GError **error);
void loop_clear(Loop *loop);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Loop, loop_clear)

/* Applies the compute setting: a measured time counts, or the shape alone does.
 * FALSE: the shape has to, and there is none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_settle(const TrainingConfig *training, OpWork *work);

/* The row of WorkloadCommon for a loop that trains; @Struct.common is it. */
#define LOOP_OPTIMISER_FIELD(Struct)                                           \
    {                                                                          \
        .key = "optimiser",                                                    \
        .help = "whose step counts, unless `training` says otherwise",         \
        .source = "assumed", .type = CONFIG_ENUM,                              \
        .offset = offsetof(Struct, common.optimiser),                          \
        .names = optimiser_names_of, .fallback = "momentum"                    \
    }

/* The rank that a collective of its own has for root; @Struct.root is it. */
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

/* Appends @layer, or its repeats as NAME.1 to NAME.N; of a block, its layers,
 * each behind the block's name and a dot. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_add_layer(Loop *loop, const ConfigVariant *layer, GError **error);

/* Samples of an iteration; .context has those of a micro-batch. */
static inline uint64_t loop_n_samples(const Loop *loop)
{
    return layer_mul(loop->context.batch, loop->training->n_micro_batches);
}

/* Adds the operations of one layer to the main stream; loop_add_again() its
 * forward pass alone, whose results were not kept. */
void loop_add_forward(Loop *loop, LoopLayer *layer);
void loop_add_again(Loop *loop, const LoopLayer *layer);
void loop_add_backward(Loop *loop, const LoopLayer *layer, BackwardOrder order,
                       gboolean input_gradient);

/* Before any other operation: stages of the input, if there are any; then
 * input_feed() says what waits for them. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_add_input(Loop *loop, GError **error);

/* What sums the gradients, unless it was added behind each layer; everything
 * else has been added, and totals that passes are scaled to are set. */
G_GNUC_WARN_UNUSED_RESULT
gboolean loop_add_exchange(Loop *loop, GError **error);

/* ---- for loop.c ------------------------------------------------------- */

G_GNUC_WARN_UNUSED_RESULT
gboolean loop_choose_exchange(Loop *loop, GError **error);
/* The gradient of @layer, behind its last operation, on its way to the
 * exchange; and what has to be done with the sum before anything else. */
void loop_add_gradient(Loop *loop, const LoopLayer *layer);
void loop_add_unpack(Loop *loop, const LoopLayer *layer);

#endif
