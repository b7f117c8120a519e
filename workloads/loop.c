/*
 * loop.c - expands layers and adds the operations of each layer
 *
 * A layer is expanded to its repeats.  Its costs are adapted to the training
 * settings: measured times or shapes, and elementwise kernels or none.  The
 * kernels of each pass become operations of the main stream, and its gradients
 * become tensors of the exchange.
 */
#include "workloads/fixed_time_queues.h"
#include "workloads/layer_impl.h"
#include "workloads/loop_impl.h"

/* FLOP rate of a measured layer without a shape (assumed): half of the peak of
 * [ISCA21]'s NPU.  The value has no effect on results, because the time is
 * measured.  It only makes the layer bound by FLOP and not by bytes. */
#define NOMINAL_FLOP_PER_PS 60

/* Returns the optimiser to model.  Measured totals do not include the
 * optimiser's step, so with measured times the default is none. */
static int optimiser_from_config(const TrainingConfig *training,
                                 const WorkloadCommon *workload)
{
    if (training->optimiser != OPTIMISER_AUTO)
        return training->optimiser;
    return training->compute == COMPUTE_MEASURED
               ? OPTIMISER_NONE
               : OPTIMISER_NONE + workload->optimiser;
}

/* Returns whether convolutions must transpose images: 16-bit kernels read
 * channels last, FP32 kernels read channels first. */
static gboolean training_transposes_images(const TrainingConfig *training)
{
    LayoutSetting read =
        training->precision == PRECISION_FP32 ? LAYOUT_NCHW : LAYOUT_NHWC;

    return training->layout != LAYOUT_OF_KERNELS &&
           training->layout != (int)read;
}

uint32_t loop_add_kernel(Loop *loop, uint32_t layer, OpPass pass,
                         const OpWork *work)
{
    uint32_t op =
        op_graph_add_compute(loop->graph, layer, pass, OP_STREAM_MAIN, work);

    if (loop->shards)
        graph_shards_begin_kernel(loop->shards, op);
    return op;
}

/* ---- gradients ------------------------------------------------------ */

static CompressionInput compression_input_of_layer(const Loop *loop,
                                                   const LoopLayer *layer)
{
    return (CompressionInput){
        .n_values = layer->cost.n_weights,
        .value_bytes = precision_bytes(loop->training->gradient),
        .n_npus = machine_n_npus(loop->site),
    };
}

static uint64_t n_tensors_of_layer(const LoopLayer *layer)
{
    return MAX(layer->cost.n_tensors, 1);
}

/* Adds the kernels that sum gathered rows of sparse tensors, if rows are
 * sent. */
static void add_gathered_row_sums(Loop *loop, const LoopLayer *layer)
{
    const LayerCost *cost = &layer->cost;
    OpWork work;

    for (guint i = 0; i < cost->n_sparse; i++) {
        const LayerSparse *sparse = &cost->sparse[i];

        if (exchange_row_sum_work(
                &loop->exchange, precision_bytes(loop->training->gradient),
                layer_multiply_saturating(sparse->n_rows,
                                          loop_samples_per_iteration(loop)),
                sparse->n_values, machine_n_npus(loop->site), &work))
            loop_add_kernel(loop, layer->layer, OP_UPDATE, &work);
    }
}

/* Adds the work on the reduced gradient, which precedes all other operations of
 * @layer. */
static void add_gradient_decompression(Loop *loop, const LoopLayer *layer)
{
    CompressionInput input = compression_input_of_layer(loop, layer);
    OpWork work;

    if (layer->cost.n_weights > 0 &&
        exchange_decompression_work(&loop->exchange, &input,
                                    n_tensors_of_layer(layer), &work))
        loop_add_kernel(loop, layer->layer, OP_UPDATE, &work);
    add_gathered_row_sums(loop, layer);
}

/* Adds the compression of the gradient before it is sent, if there is one. */
static void add_gradient_compression(Loop *loop, const LoopLayer *layer)
{
    CompressionInput input = compression_input_of_layer(loop, layer);
    OpWork work;

    if (exchange_compression_work(&loop->exchange, &input,
                                  n_tensors_of_layer(layer), &work))
        loop_add_kernel(loop, layer->layer, OP_UPDATE, &work);
}

/* Sets the rows of @tensor if tensor @number of the layer is sparse. */
static void set_sparse_rows(const Loop *loop, const LayerCost *cost,
                            guint number, ExchangeTensor *tensor)
{
    for (guint i = 0; i < cost->n_sparse; i++) {
        const LayerSparse *sparse = &cost->sparse[i];

        if (sparse->tensor != number)
            continue;
        tensor->n_rows = layer_multiply_saturating(
            sparse->n_rows, loop_samples_per_iteration(loop));
        tensor->row_values = sparse->n_values;
    }
}

/* Earlier layers have a higher priority, because the next iteration needs them
 * first. */
static uint32_t priority_of_layer(const Loop *loop, const LoopLayer *layer)
{
    return loop->layers->len - layer->layer;
}

/* Adds a tensor of @layer to the exchange. */
static void add_gradient_tensor(Loop *loop, const LoopLayer *layer,
                                guint number, uint64_t n_values)
{
    ExchangeTensor tensor = { .n_values = n_values,
                              .layer = layer->layer,
                              .ready = loop->graph->ops->len - 1,
                              .needed = layer->first,
                              .priority = priority_of_layer(loop, layer) };

    if (loop->training->synchronise == SYNCHRONISE_STEP)
        tensor.needed = loop->first;
    set_sparse_rows(loop, &layer->cost, number, &tensor);
    g_array_append_val(loop->tensors, tensor);
}

static ExchangeRequest exchange_request_of_layer(const Loop *loop,
                                                 guint first_tensor)
{
    guint n = loop->tensors->len - first_tensor;

    return (ExchangeRequest){
        .graph = loop->graph,
        .tensors = n == 0 ? NULL
                          : &g_array_index(loop->tensors, ExchangeTensor,
                                           first_tensor),
        .n_tensors = n,
        .first = loop->first,
        .last = loop->graph->ops->len - 1,
        .value_bytes = precision_bytes(loop->training->gradient),
        .site = loop->site,
        .shards = loop->shards,
    };
}

static OptimiserStep optimiser_step_of_weights(const Loop *loop,
                                               uint64_t n_weights)
{
    return (OptimiserStep){
        .n_weights = n_weights,
        .weight_bytes = loop->context.value_bytes,
        .gradient_bytes = precision_bytes(loop->training->gradient),
        .master_copies = loop->training->master_copies,
    };
}

/* Adds the gradient of @layer to the exchange; must follow the last operation
 * of the layer.  Backward passes finish the tensors of a layer in reverse
 * order, so the last tensor is added first. */
static void add_layer_gradient(Loop *loop, const LoopLayer *layer)
{
    const LayerCost *cost = &layer->cost;
    guint first_tensor = loop->tensors->len;
    ExchangeRequest request;

    if (cost->n_weights == 0)
        return;
    add_gradient_compression(loop, layer);
    for (guint i = cost->n_tensors; i-- > 0;)
        add_gradient_tensor(loop, layer, i, cost->tensors[i]);
    if (cost->n_tensors == 0)
        add_gradient_tensor(loop, layer, 0, cost->n_weights);
    if (!exchange_ops(&loop->exchange)->by_layer)
        return;
    request = exchange_request_of_layer(loop, first_tensor);
    if (!exchange_add_to_graph(&loop->exchange, &request, NULL))
        g_assert_not_reached();
}

/* Sets .exchange and .shards of @loop.  Returns FALSE and sets @error if the
 * exchange is not possible without overlap, with this precision of gradients,
 * or on these NPUs. */
static gboolean choose_exchange(Loop *loop, GError **error)
{
    const TrainingConfig *training = loop->training;
    const OptimiserStep step = optimiser_step_of_weights(loop, 0);

    loop->exchange = training->exchange;
    if (!training->overlap &&
        !exchange_without_overlap(&training->exchange, &loop->exchange, error))
        return FALSE;
    if (!exchange_check(&loop->exchange, precision_bytes(training->gradient),
                        error))
        return FALSE;
    if (!exchange_ops(&loop->exchange)->shard)
        return TRUE;
    loop->shards = graph_shards_new(
        exchange_ops(&loop->exchange)->shard(&loop->exchange), loop->graph,
        loop->site, &step, loop->optimiser, error);
    return loop->shards != NULL;
}

static gboolean add_layer_exchange(Loop *loop, GError **error)
{
    ExchangeRequest request = exchange_request_of_layer(loop, 0);

    if (exchange_ops(&loop->exchange)->by_layer)
        return TRUE;
    if (request.n_tensors > 0)
        return exchange_add_to_graph(&loop->exchange, &request, error);
    if (!loop->training->overlap)
        return TRUE;
    config_set_error(error, loop->exchange.node, CONFIG_ERROR_CONFLICT,
                     "kind: '%s' has nothing to do, as no layer of the "
                     "workload has weights; leave it out",
                     loop->exchange.kind->name);
    return FALSE;
}

gboolean loop_add_exchange(Loop *loop, GError **error)
{
    if (!add_layer_exchange(loop, error))
        return FALSE;
    if (loop->has_host_work) {
        op_graph_add_dep(loop->graph, loop->first, loop->host_work, 0);
        op_graph_add_dep_on_iteration(loop->graph, loop->host_work, 1, TRUE);
    }
    input_add_prefetch_limits(&loop->training->input, &loop->input,
                              loop->graph);
    return TRUE;
}

/* ---- the loop ------------------------------------------------------- */

gboolean loop_init(Loop *loop, OpGraph *graph, const TrainingConfig *training,
                   const WorkloadCommon *workload, uint64_t batch,
                   const WorkloadSite *site, GError **error)
{
    *loop = (Loop){
        .graph = graph,
        .training = training,
        .optimiser = optimiser_from_config(training, workload),
        .context = { .batch = batch,
                     .precision = (Precision)training->precision,
                     .value_bytes = precision_bytes(training->precision),
                     .elementwise = training->elementwise,
                     .fused = training->fused,
                     .searches = training->kernel_search,
                     .transposes = training_transposes_images(training) },
        .layers = g_array_new(FALSE, FALSE, sizeof(LoopLayer)),
        .names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .site = site,
        .tensors = g_array_new(FALSE, FALSE, sizeof(ExchangeTensor)),
    };
    return choose_exchange(loop, error);
}

/* Adds the host's work on the tensors of weights.  It follows the gradients of
 * the previous iteration.  The first iteration has it, too, so that all
 * iterations have the same work. */
static void add_host_work(Loop *loop)
{
    uint64_t n_tensors = 0;

    for (guint i = 0; i < loop->layers->len; i++)
        if (loop_layer(loop, i)->cost.n_weights > 0)
            n_tensors += n_tensors_of_layer(loop_layer(loop, i));
    if (loop->training->host_per_tensor_ps == 0 || n_tensors == 0)
        return;
    loop->has_host_work = TRUE;
    loop->host_work = op_graph_add_work(
        loop->graph, op_graph_add_layer(loop->graph, "host"), OP_UPDATE,
        op_graph_add_queue(loop->graph, OP_STAGE_HOST, "host"),
        layer_multiply_saturating(n_tensors,
                                  loop->training->host_per_tensor_ps));
}

gboolean loop_add_input(Loop *loop, GError **error)
{
    if (!input_add_to_graph(&loop->training->input, loop->graph,
                            loop_samples_per_iteration(loop), &loop->input,
                            error))
        return FALSE;
    add_host_work(loop);
    return TRUE;
}

void loop_clear(Loop *loop)
{
    g_clear_pointer(&loop->layers, g_array_unref);
    g_clear_pointer(&loop->names, g_hash_table_unref);
    g_clear_pointer(&loop->tensors, g_array_unref);
    g_clear_pointer(&loop->shards, graph_shards_free);
}

gboolean loop_choose_time_source(const TrainingConfig *training, OpWork *work)
{
    gboolean has_shape = work->flop > 0 || work->bytes > 0;

    if (work->measured_ps == 0)
        return TRUE;
    if (training->compute == COMPUTE_MEASURED) {
        if (!has_shape)
            work->flop = layer_multiply_saturating(work->measured_ps,
                                                   NOMINAL_FLOP_PER_PS);
        return TRUE;
    }
    work->measured_ps = 0;
    return has_shape;
}

static uint64_t scale_time_to_batch(const Loop *loop, uint64_t value)
{
    return measured_on_rescale_time(&loop->measured_on, value,
                                    loop->context.batch, loop->n_samples);
}

/* Rescales the measured time in proportion to the samples, for micro-batches
 * and for batch sizes other than the measured one. */
static void rescale_measured_time(Loop *loop, const ConfigVariant *layer,
                                  OpWork *work)
{
    loop->has_times = TRUE;
    work->measured_ps = scale_time_to_batch(loop, work->measured_ps);
    if (layer->kind != &layer_measured.base)
        return;
    work->flop = scale_time_to_batch(loop, work->flop);
    work->bytes = scale_time_to_batch(loop, work->bytes);
}

/* Applies the compute setting to all passes of a layer, and rescales measured
 * times.  Returns FALSE if a pass has neither a usable time nor a shape. */
static gboolean choose_pass_times(Loop *loop, const ConfigVariant *layer,
                                  LayerCost *cost, GError **error)
{
    for (int i = 0; i < OP_UPDATE; i++) {
        OpWork *work = &cost->pass[i][0];

        if (work->measured_ps > 0 &&
            loop->training->compute == COMPUTE_MEASURED) {
            rescale_measured_time(loop, layer, work);
            /* The elementwise kernels are included in the measured time. */
            cost->elementwise_bytes[i] = 0;
            cost->elementwise_written_bytes[i] = 0;
        }
        if (!loop_choose_time_source(loop->training, work)) {
            config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                             "layer '%s' has a measured time but no shape: "
                             "give 'flop' or 'bytes', or set "
                             "'training.compute' to measured",
                             layer_common(layer)->name);
            return FALSE;
        }
    }
    return TRUE;
}

/* Appends a layer; takes ownership of @name, which must be new. */
static gboolean add_named_layer(Loop *loop, const ConfigVariant *layer,
                                const LayerCost *cost, char *name,
                                GError **error)
{
    LoopLayer added = { .cost = *cost };

    if (loop->layers->len >= LOOP_MAX_LAYERS) {
        g_free(name);
        config_set_error(error, layer->node, CONFIG_ERROR_RANGE,
                         "more than %d layers, with their repeats",
                         LOOP_MAX_LAYERS);
        return FALSE;
    }
    added.layer = op_graph_add_layer(loop->graph, name);
    if (!g_hash_table_add(loop->names, name)) {
        config_set_error(
            error, layer->node, CONFIG_ERROR_CONFLICT,
            "name: there are two layers '%s'",
            (char *)g_ptr_array_index(loop->graph->layers, added.layer));
        return FALSE;
    }
    g_array_append_val(loop->layers, added);
    return TRUE;
}

/* Returns the name of repeat @i (from 0) if the first one has number @first.  A
 * single layer needs no number.  The caller owns the name. */
static char *name_of_layer_repeat(const LayerCommon *common, const char *prefix,
                                  uint64_t first, uint64_t i)
{
    if (common->repeat == 1 && first == 1)
        return g_strconcat(prefix, common->name, NULL);
    return g_strdup_printf("%s%s.%u", prefix, common->name, (guint)(first + i));
}

static gboolean add_layer_repeats(Loop *loop, const ConfigVariant *layer,
                                  const char *prefix, GError **error)
{
    const LayerCommon *common = layer_common(layer);
    LayerCost cost;

    layer_compute_cost(layer, &loop->context, &cost);
    if (!layer_check_cost(layer, loop->context.batch, &cost, error) ||
        !choose_pass_times(loop, layer, &cost, error))
        return FALSE;
    for (uint64_t i = 0; i < common->repeat; i++)
        if (!add_named_layer(loop, layer, &cost,
                             name_of_layer_repeat(common, prefix, 1, i), error))
            return FALSE;
    return TRUE;
}

static gboolean add_layer_or_block(Loop *loop, const ConfigVariant *layer,
                                   const char *prefix, GError **error);

static gboolean add_layer_list(Loop *loop, const ConfigList *list,
                               const char *prefix, GError **error)
{
    const ConfigVariant *layers = list->items;

    for (guint i = 0; i < list->n; i++)
        if (!add_layer_or_block(loop, &layers[i], prefix, error))
            return FALSE;
    return TRUE;
}

/* Adds @layer, or the layers of a block.  Recursion is bounded, because files
 * nest at most CONFIG_MAX_DEPTH deep. */
static gboolean add_layer_or_block(Loop *loop, const ConfigVariant *layer,
                                   const char *prefix, GError **error)
{
    const LayerBlock *block = layer_find_block(layer);
    const LayerCommon *common = layer_common(layer);

    if (!block)
        return add_layer_repeats(loop, layer, prefix, error);
    for (uint64_t i = 0; i < common->repeat; i++) {
        g_autofree char *name =
            name_of_layer_repeat(common, prefix, block->first, i);
        g_autofree char *inner = g_strconcat(name, ".", NULL);

        if (!add_layer_list(loop, &block->layers, inner, error))
            return FALSE;
    }
    return TRUE;
}

gboolean loop_add_layer(Loop *loop, const ConfigVariant *layer, GError **error)
{
    return layer_check(layer, error) &&
           add_layer_or_block(loop, layer, "", error);
}

static gboolean kernel_is_empty(const OpWork *work)
{
    return work->flop == 0 && work->bytes == 0 && work->measured_ps == 0;
}

/* Adds the kernels of @pass, at least one; returns the first operation. */
static uint32_t add_pass_kernels(Loop *loop, const LoopLayer *layer,
                                 OpPass pass)
{
    const OpWork *works = layer->cost.pass[pass];
    uint32_t first = loop_add_kernel(loop, layer->layer, pass, &works[0]);

    for (guint i = 1; i < LAYER_MAX_WORKS && !kernel_is_empty(&works[i]); i++)
        loop_add_kernel(loop, layer->layer, pass, &works[i]);
    return first;
}

static void add_elementwise_kernel(Loop *loop, const LoopLayer *layer,
                                   OpPass pass)
{
    OpWork work = { .bytes = layer->cost.elementwise_bytes[pass],
                    .written_bytes =
                        layer->cost.elementwise_written_bytes[pass],
                    .n_kernels = layer->cost.n_elementwise[pass],
                    .is_elementwise = TRUE };

    if (!kernel_is_empty(&work))
        loop_add_kernel(loop, layer->layer, pass, &work);
}

/* Adds the optimiser's step of a layer, and its traffic to the graph's
 * total. */
static void add_optimiser_step(Loop *loop, const LoopLayer *layer)
{
    const OptimiserStep step =
        optimiser_step_of_weights(loop, layer->cost.n_weights);
    OpGraph *graph = loop->graph;
    OpWork works[OPTIMISER_MAX_WORKS];

    graph->n_weights = layer_add_saturating(graph->n_weights, step.n_weights);
    if (loop->optimiser == OPTIMISER_NONE || step.n_weights == 0 ||
        loop->shards)
        return;
    graph->optimiser = optimiser_names[loop->optimiser];
    optimiser_list_kernels(loop->optimiser, &step, works);
    for (guint i = 0; i < OPTIMISER_MAX_WORKS && !kernel_is_empty(&works[i]);
         i++) {
        loop_add_kernel(loop, layer->layer, OP_UPDATE, &works[i]);
        graph->optimiser_bytes =
            layer_add_saturating(graph->optimiser_bytes, works[i].bytes);
    }
}

/* ---- passes --------------------------------------------------------- */

/* Begins @pass of @layer; @reads_weights: its kernels need the weights. */
static void begin_layer_pass(Loop *loop, const LoopLayer *layer, OpPass pass,
                             gboolean reads_weights)
{
    if (loop->shards && layer->cost.n_weights > 0)
        graph_shards_begin_group(loop->shards, layer->group, pass,
                                 reads_weights);
}

static void end_layer_pass(Loop *loop, const LoopLayer *layer)
{
    if (loop->shards && layer->cost.n_weights > 0)
        graph_shards_end_group(loop->shards);
}

static void add_forward_kernels_again(Loop *loop, const LoopLayer *layer)
{
    if (!kernel_is_empty(layer->cost.pass[OP_FORWARD]))
        add_pass_kernels(loop, layer, OP_FORWARD);
    add_elementwise_kernel(loop, layer, OP_FORWARD);
}

/* The backward pass of the layer follows, and ends the pass. */
void loop_add_recompute(Loop *loop, const LoopLayer *layer)
{
    begin_layer_pass(loop, layer, OP_INPUT_GRADIENT, TRUE);
    add_forward_kernels_again(loop, layer);
}

static void add_first_forward_kernels(Loop *loop, LoopLayer *layer)
{
    layer->first = loop->graph->ops->len;
    add_gradient_decompression(loop, layer);
    add_optimiser_step(loop, layer);
    /* A layer with weights has a forward operation even if it is empty, because
     * the operation waits for the reduced gradients. */
    layer->has_forward = layer->cost.n_weights > 0 ||
                         !kernel_is_empty(layer->cost.pass[OP_FORWARD]);
    if (layer->has_forward)
        layer->forward = add_pass_kernels(loop, layer, OP_FORWARD);
    add_elementwise_kernel(loop, layer, OP_FORWARD);
}

void loop_add_forward(Loop *loop, LoopLayer *layer)
{
    gboolean is_first = loop->micro_batch == 0;

    if (loop->shards && is_first && layer->cost.n_weights > 0)
        layer->group = graph_shards_add_group(loop->shards, layer->layer,
                                              layer->cost.n_weights,
                                              priority_of_layer(loop, layer));
    begin_layer_pass(loop, layer, OP_FORWARD, TRUE);
    if (is_first)
        add_first_forward_kernels(loop, layer);
    else
        add_forward_kernels_again(loop, layer);
    end_layer_pass(loop, layer);
}

static void add_weight_gradient_kernels(Loop *loop, const LoopLayer *layer)
{
    if (layer->cost.n_weights == 0 &&
        kernel_is_empty(layer->cost.pass[OP_WEIGHT_GRADIENT]))
        return;
    add_pass_kernels(loop, layer, OP_WEIGHT_GRADIENT);
    if (loop->shards && layer->cost.n_weights > 0)
        graph_shards_reduce_gradients(loop->shards, layer->group);
    if (loop->micro_batch + 1 == loop->training->n_micro_batches)
        add_layer_gradient(loop, layer);
}

static void add_input_gradient_kernels(Loop *loop, const LoopLayer *layer)
{
    if (!kernel_is_empty(layer->cost.pass[OP_INPUT_GRADIENT]))
        add_pass_kernels(loop, layer, OP_INPUT_GRADIENT);
}

void loop_add_backward(Loop *loop, const LoopLayer *layer, BackwardOrder order,
                       gboolean input_gradient)
{
    begin_layer_pass(loop, layer, OP_INPUT_GRADIENT, input_gradient);
    add_elementwise_kernel(loop, layer, OP_INPUT_GRADIENT);
    if (input_gradient && order == BACKWARD_INPUT_FIRST)
        add_input_gradient_kernels(loop, layer);
    add_weight_gradient_kernels(loop, layer);
    if (input_gradient && order == BACKWARD_WEIGHT_FIRST)
        add_input_gradient_kernels(loop, layer);
    end_layer_pass(loop, layer);
}
