/*
 * data_parallel.c - data parallelism: every NPU trains the whole model
 *
 * The forward pass runs layer by layer.  Each layer first waits for the
 * all-reduce of its weight gradient in the previous iteration, and then updates
 * its weights.  The backward pass runs in reverse: weight gradient, its
 * all-reduce without waiting, input gradient [ASTRASIM]. Other exchanges send
 * other messages and make other operations wait for them: exchange/exchange.h.
 *
 * `backward: input-first` is for layers whose weight gradient needs the
 * recursion of the input gradient (LSTM). The input gradient of the first layer
 * is not used: neither frameworks nor [ASTRASIM]'s loop compute it.  Because
 * [ASTRASIM]'s ResNet-50 trace has a time for it, `first_input_gradient` can
 * add it.
 *
 * `samples_per_s` is the measured training rate of one NPU. With `compute:
 * measured`, the passes of an iteration are scaled to batch / rate in total,
 * one third each (assumed), and the shapes divide this time over the layers.
 * Totals and times of layers hold for `measured_on.batch` samples.
 *
 * With `training.micro_batches`, the passes run for one part of the samples
 * after the other, and the last micro-batch starts the exchange of gradients
 * (assumed: the kernel that computes a gradient also adds it up). With
 * `training.recompute`, each layer repeats its forward pass before its backward
 * pass; measured totals grow by that pass.
 *
 * Branches are a chain: layers run in the order of the list.
 *
 * Not modelled: the loss.  Samples are always available, unless
 * `training.input` describes the input.
 */
#include <inttypes.h>

#include "workloads/layer_shape_check.h"
#include "workloads/loop_impl.h"
#include "workloads/measured_times_check.h"

static const char *const backward_names[] = { "weight-first", "input-first",
                                              NULL };

#define PPM               UINT64_C(1000000)
#define MAX_SAMPLES_PER_S UINT64_C(1000000000)
#define PS_PER_S          UINT64_C(1000000000000)

typedef struct {
    uint64_t forward_ps, input_gradient_ps, weight_gradient_ps;
} Calibrated;

typedef struct {
    WorkloadCommon common;
    uint64_t batch;
    int backward; /* order of the gradients, a value of enum BackwardOrder */
    gboolean first_input_gradient;
    Calibrated calibrated;
    /* Measured training rate, in millionths of a sample per second; 0: not
     * known. */
    uint64_t samples_per_s_ppm;
    MeasuredOn measured_on;
    /* Layers in forward order; the elements are ConfigVariant. */
    ConfigList layers;
} DataParallelParams;

#define TOTAL_FIELD(member, Key)                                               \
    {                                                                          \
        .key = (Key),                                                          \
        .help = "total that the pass is scaled to; 0 ns: not scaled",          \
        .type = CONFIG_TIME, .offset = offsetof(Calibrated, member),           \
        .max = LAYER_MAX_PS, .fallback = "0 ns"                                \
    }

static const ConfigField calibrated_fields[] = {
    TOTAL_FIELD(forward_ps, "forward"),
    TOTAL_FIELD(input_gradient_ps, "input_gradient"),
    TOTAL_FIELD(weight_gradient_ps, "weight_gradient"),
    CONFIG_END,
};

static const ConfigField data_parallel_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(DataParallelParams, common.name) },
    LOOP_OPTIMISER_FIELD(DataParallelParams),
    { .key = "batch",
      .help = "samples of one NPU in one iteration",
      .type = CONFIG_COUNT,
      .offset = offsetof(DataParallelParams, batch),
      .min = 1,
      .max = LOOP_MAX_BATCH },
    { .key = "backward",
      .help = "which gradient of a layer comes first",
      .source = "ASTRASIM",
      .type = CONFIG_ENUM,
      .offset = offsetof(DataParallelParams, backward),
      .names = backward_names,
      .fallback = "weight-first" },
    { .key = "first_input_gradient",
      .help = "whether the first layer's input gradient is computed",
      .source = "ASTRASIM",
      .type = CONFIG_BOOL,
      .offset = offsetof(DataParallelParams, first_input_gradient),
      .fallback = "false" },
    { .key = "calibrated",
      .help = "totals of the passes for compute: measured",
      .type = CONFIG_SECTION,
      .offset = offsetof(DataParallelParams, calibrated),
      .fields = calibrated_fields,
      .fallback = "{}" },
    MEASURED_ON_FIELD(DataParallelParams),
    { .key = "samples_per_s",
      .help = "of one NPU alone, to which compute: measured scales the "
              "passes; 0: unknown",
      .source = "not measured",
      .type = CONFIG_FRACTION,
      .offset = offsetof(DataParallelParams, samples_per_s_ppm),
      .max = MAX_SAMPLES_PER_S * PPM,
      .fallback = "0" },
    { .key = "layers",
      .help = "in forward order",
      .type = CONFIG_LIST,
      .offset = offsetof(DataParallelParams, layers),
      .min = 1,
      .max = LOOP_MAX_LAYERS,
      .item = &layer_item,
      .item_size = sizeof(ConfigVariant) },
    CONFIG_END,
};

/* Returns the measured totals of the passes.  A rate gives the same total for
 * all three. */
static Calibrated measured_pass_totals(const DataParallelParams *params)
{
    const Calibrated *calibrated = &params->calibrated;
    const MeasuredOn *measured_on = &params->measured_on;
    unsigned __int128 pass_ps;

    if (params->samples_per_s_ppm == 0)
        return (Calibrated){
            measured_on_rescale_time(measured_on, calibrated->forward_ps,
                                     params->batch, params->batch),
            measured_on_rescale_time(measured_on, calibrated->input_gradient_ps,
                                     params->batch, params->batch),
            measured_on_rescale_time(measured_on,
                                     calibrated->weight_gradient_ps,
                                     params->batch, params->batch),
        };
    pass_ps = (unsigned __int128)params->batch * PS_PER_S * PPM /
              params->samples_per_s_ppm / 3;
    pass_ps = CLAMP(pass_ps, 1, LAYER_MAX_PS);
    return (Calibrated){ (uint64_t)pass_ps, (uint64_t)pass_ps,
                         (uint64_t)pass_ps };
}

/* Sets the measured totals of the graph's passes.  A recomputed forward pass
 * counts twice. */
static void set_calibrated_totals(const DataParallelParams *params,
                                  const TrainingConfig *training,
                                  OpGraph *graph)
{
    const Calibrated totals = measured_pass_totals(params);

    if (training->compute != COMPUTE_MEASURED)
        return;
    graph->calibrated_ps[OP_FORWARD] =
        totals.forward_ps * (training->recompute ? 2 : 1);
    graph->calibrated_ps[OP_INPUT_GRADIENT] = totals.input_gradient_ps;
    graph->calibrated_ps[OP_WEIGHT_GRADIENT] = totals.weight_gradient_ps;
}

static gboolean check_calibrated_totals(const ConfigVariant *workload,
                                        GError **error)
{
    const DataParallelParams *params = workload->params;
    const Calibrated *calibrated = &params->calibrated;

    if (params->samples_per_s_ppm == 0 ||
        (calibrated->forward_ps == 0 && calibrated->input_gradient_ps == 0 &&
         calibrated->weight_gradient_ps == 0))
        return TRUE;
    config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                     "samples_per_s: totals of the passes are `calibrated` "
                     "already");
    return FALSE;
}

static gboolean check_measured_times(const Loop *loop,
                                     const ConfigVariant *workload,
                                     GError **error)
{
    const DataParallelParams *params = workload->params;
    const Calibrated *calibrated = &params->calibrated;
    gboolean has_rate = params->samples_per_s_ppm > 0;

    if (loop->training->compute != COMPUTE_MEASURED) {
        measured_times_note_if_unused(workload, loop->graph);
        return TRUE;
    }
    return measured_times_check(&params->measured_on, workload, params->batch,
                                loop->training->precision,
                                has_rate || loop->has_times ||
                                    calibrated->forward_ps > 0 ||
                                    calibrated->input_gradient_ps > 0 ||
                                    calibrated->weight_gradient_ps > 0,
                                has_rate, loop->graph, error);
}

/* Makes the first layer with a forward pass wait for the samples of the
 * input. */
static gboolean add_input_dependency(const Loop *loop,
                                     const ConfigVariant *workload,
                                     GError **error)
{
    if (loop->input.n == 0)
        return TRUE;
    for (guint i = 0; i < loop->layers->len; i++) {
        if (!loop_layer(loop, i)->has_forward)
            continue;
        input_add_consumer(&loop->input, loop->graph,
                           loop_layer(loop, i)->forward, 0);
        return TRUE;
    }
    config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                     "layers: none has a forward pass that could wait for "
                     "samples; leave 'training.input' out");
    return FALSE;
}

/* Sets @ret to the samples of a micro-batch.  Returns FALSE if the batch size
 * is not a multiple of the number of micro-batches. */
static gboolean micro_batch_size(const ConfigVariant *workload,
                                 const TrainingConfig *training, uint64_t *ret,
                                 GError **error)
{
    const DataParallelParams *params = workload->params;

    *ret = params->batch / training->n_micro_batches;
    if (params->batch % training->n_micro_batches == 0)
        return TRUE;
    config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                     "batch: %" PRIu64 " samples are no %" PRIu64
                     " micro-batches of equal size",
                     params->batch, training->n_micro_batches);
    return FALSE;
}

static void add_forward_passes(Loop *loop)
{
    for (guint i = 0; i < loop->layers->len; i++)
        loop_add_forward(loop, loop_layer(loop, i));
}

static void add_backward_passes(Loop *loop, const DataParallelParams *params)
{
    for (guint i = loop->layers->len; i-- > 0;) {
        if (loop->training->recompute)
            loop_add_recompute(loop, loop_layer(loop, i));
        loop_add_backward(loop, loop_layer(loop, i),
                          (BackwardOrder)params->backward,
                          i > 0 || params->first_input_gradient);
    }
}

static gboolean data_parallel_build(const ConfigVariant *workload,
                                    const TrainingConfig *training,
                                    const WorkloadSite *site, OpGraph *graph,
                                    GError **error)
{
    const DataParallelParams *params = workload->params;
    const ConfigVariant *layers = params->layers.items;
    g_auto(Loop) loop = { 0 };
    uint64_t batch;

    if (!check_calibrated_totals(workload, error) ||
        !shapes_check(&params->layers, error) ||
        !micro_batch_size(workload, training, &batch, error) ||
        !loop_init(&loop, graph, training, &params->common, batch, site, error))
        return FALSE;
    loop.measured_on = params->measured_on;
    loop.n_samples = params->batch;
    for (guint i = 0; i < params->layers.n; i++) {
        if (!loop_add_layer(&loop, &layers[i], error))
            return FALSE;
    }
    if (!check_measured_times(&loop, workload, error) ||
        !loop_add_input(&loop, error))
        return FALSE;
    loop.first = graph->ops->len;
    add_forward_passes(&loop);
    if (!add_input_dependency(&loop, workload, error))
        return FALSE;
    add_backward_passes(&loop, params);
    while (++loop.micro_batch < training->n_micro_batches) {
        add_forward_passes(&loop);
        add_backward_passes(&loop, params);
    }
    set_calibrated_totals(params, training, graph);
    return loop_add_exchange(&loop, error);
}

const LoopOps loop_data_parallel = {
    .base = { .name = "data-parallel",
              .summary = "whole model on every NPU, gradients summed",
              .fields = data_parallel_fields,
              .size = sizeof(DataParallelParams) },
    .build = data_parallel_build,
    .has_gradients = TRUE,
    .has_micro_batches = TRUE,
};
