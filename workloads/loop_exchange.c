/* loop_exchange.c - hands the gradients of a loop to the exchange */
#include "workloads/loop_impl.h"

static CompressionInput input_of(const Loop *loop, const LoopLayer *layer)
{
    return (CompressionInput){
        .n_values = layer->cost.n_weights,
        .value_bytes = precision_bytes(loop->training->gradient),
        .n_npus = site_n_npus(loop->site),
    };
}

static uint64_t n_tensors_of(const LoopLayer *layer)
{
    return MAX(layer->cost.n_tensors, 1);
}

/* Adds the kernels that sum gathered rows of sparse tensors, if rows are
 * sent. */
static void add_rows(Loop *loop, const LoopLayer *layer)
{
    const LayerCost *cost = &layer->cost;
    OpWork work;

    for (guint i = 0; i < cost->n_sparse; i++) {
        const LayerSparse *sparse = &cost->sparse[i];

        if (exchange_sum_rows(&loop->exchange,
                              precision_bytes(loop->training->gradient),
                              layer_mul(sparse->n_rows, loop_n_samples(loop)),
                              sparse->n_values, site_n_npus(loop->site), &work))
            op_graph_add_compute(loop->graph, layer->layer, OP_UPDATE,
                                 OP_STREAM_MAIN, &work);
    }
}

void loop_add_unpack(Loop *loop, const LoopLayer *layer)
{
    CompressionInput input = input_of(loop, layer);
    OpWork work;

    if (layer->cost.n_weights > 0 &&
        exchange_unpack(&loop->exchange, &input, n_tensors_of(layer), &work))
        op_graph_add_compute(loop->graph, layer->layer, OP_UPDATE,
                             OP_STREAM_MAIN, &work);
    add_rows(loop, layer);
}

/* Adds the compression of the gradient before it is sent, if there is one. */
static void add_pack(Loop *loop, const LoopLayer *layer)
{
    CompressionInput input = input_of(loop, layer);
    OpWork work;

    if (exchange_pack(&loop->exchange, &input, n_tensors_of(layer), &work))
        op_graph_add_compute(loop->graph, layer->layer, OP_UPDATE,
                             OP_STREAM_MAIN, &work);
}

/* Sets the rows of @tensor if tensor @number of the layer is sparse. */
static void set_rows(const Loop *loop, const LayerCost *cost, guint number,
                     ExchangeTensor *tensor)
{
    for (guint i = 0; i < cost->n_sparse; i++) {
        const LayerSparse *sparse = &cost->sparse[i];

        if (sparse->tensor != number)
            continue;
        tensor->n_rows = layer_mul(sparse->n_rows, loop_n_samples(loop));
        tensor->row_values = sparse->n_values;
    }
}

/* Earlier layers get higher priority: the next iteration needs them first. */
static void add_tensor(Loop *loop, const LoopLayer *layer, guint number,
                       uint64_t n_values)
{
    ExchangeTensor tensor = { .n_values = n_values,
                              .layer = layer->layer,
                              .ready = loop->graph->ops->len - 1,
                              .needed = layer->first,
                              .priority = loop->layers->len - layer->layer };

    if (loop->training->synchronise == SYNCHRONISE_STEP)
        tensor.needed = loop->first;
    set_rows(loop, &layer->cost, number, &tensor);
    g_array_append_val(loop->tensors, tensor);
}

static ExchangeRequest request_of(const Loop *loop, guint first_tensor)
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
    };
}

/* Backward passes finish the tensors of a layer in reverse order, so the last
 * tensor is added first. */
void loop_add_gradient(Loop *loop, const LoopLayer *layer)
{
    const LayerCost *cost = &layer->cost;
    guint first_tensor = loop->tensors->len;
    ExchangeRequest request;

    if (cost->n_weights == 0)
        return;
    add_pack(loop, layer);
    for (guint i = cost->n_tensors; i-- > 0;)
        add_tensor(loop, layer, i, cost->tensors[i]);
    if (cost->n_tensors == 0)
        add_tensor(loop, layer, 0, cost->n_weights);
    if (!exchange_ops(&loop->exchange)->by_layer)
        return;
    request = request_of(loop, first_tensor);
    if (!exchange_add(&loop->exchange, &request, NULL))
        g_assert_not_reached();
}

gboolean loop_choose_exchange(Loop *loop, GError **error)
{
    const TrainingConfig *training = loop->training;

    loop->exchange = training->exchange;
    if (!training->overlap &&
        !exchange_without_overlap(&training->exchange, &loop->exchange, error))
        return FALSE;
    return exchange_check(&loop->exchange, precision_bytes(training->gradient),
                          error);
}

static gboolean add_exchange(Loop *loop, GError **error)
{
    ExchangeRequest request = request_of(loop, 0);

    if (exchange_ops(&loop->exchange)->by_layer)
        return TRUE;
    if (request.n_tensors > 0)
        return exchange_add(&loop->exchange, &request, error);
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
    if (!add_exchange(loop, error))
        return FALSE;
    input_bound(&loop->training->input, &loop->input, loop->graph);
    return TRUE;
}
