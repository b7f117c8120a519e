/* exchange_kinds.c - the table of exchanges, and functions that the
 * kinds share */
#include "workloads/exchange/exchange_impl.h"

#include "workloads/layer.h"

/* To add an exchange, add a file, and a line with its ExchangeOps here.  The
 * first one is the default. */
/* clang-format off */
#define EXCHANGES(Add)      \
    Add(exchange_layer) \
    Add(exchange_tensor) \
    Add(exchange_single) \
    Add(exchange_groups) \
    Add(exchange_merged) \
    Add(exchange_fusion) \
    Add(exchange_partition) \
    Add(exchange_sharded) \
    Add(exchange_parameter_server)
/* clang-format on */

#define DECLARE(Exchange) extern const ExchangeOps Exchange;
#define KIND(Exchange)    &Exchange.base,

EXCHANGES(DECLARE)

static const ConfigKind *const exchange_kinds[] = { EXCHANGES(KIND) NULL };

const ConfigRegistry exchange_registry = { .noun = "exchange",
                                           .kinds = exchange_kinds };

/* Returns the compression, which changes nothing if the kind has none. */
static ConfigVariant compression_of_exchange(const ConfigVariant *exchange)
{
    const ExchangeCommon *common = exchange->params;

    return common->compression.kind
               ? common->compression
               : (ConfigVariant){ .kind = compression_registry.kinds[0] };
}

gboolean exchange_is_default(const ConfigVariant *exchange)
{
    const ExchangeCommon *common = exchange->params;
    const ConfigVariant compression = compression_of_exchange(exchange);

    return exchange->kind == exchange_kinds[0] &&
           !compression_ops(&compression)->changes &&
           common->sparse == EXCHANGE_DENSE;
}

gboolean exchange_without_overlap(const ConfigVariant *exchange,
                                  ConfigVariant *ret, GError **error)
{
    *ret = *exchange;
    if (exchange->kind == &exchange_single.base)
        return TRUE;
    ret->kind = &exchange_single.base;
    if (exchange->kind == &exchange_layer.base)
        return TRUE;
    if (exchange_ops(exchange)->shard) {
        config_set_error(error, exchange->node, CONFIG_ERROR_CONFLICT,
                         "kind: '%s' has its own 'shard.overlap'; leave "
                         "'training.overlap' out",
                         exchange->kind->name);
        return FALSE;
    }
    config_set_error(error, exchange->node, CONFIG_ERROR_CONFLICT,
                     "kind: '%s' runs in parallel with back-propagation, but "
                     "'training.overlap' is false; leave one of them out",
                     exchange->kind->name);
    return FALSE;
}

/* Sets @ret to one kernel per tensor.  Returns FALSE if the compression has
 * none. */
static gboolean exchange_has_kernel_per_tensor(
    OpWork (*work)(gconstpointer params, const CompressionInput *input),
    const ConfigVariant *exchange, const CompressionInput *input,
    uint64_t n_tensors, OpWork *ret)
{
    if (!work)
        return FALSE;
    *ret = work(compression_of_exchange(exchange).params, input);
    ret->n_kernels = n_tensors;
    ret->is_elementwise = TRUE;
    return TRUE;
}

gboolean exchange_compression_work(const ConfigVariant *exchange,
                                   const CompressionInput *input,
                                   uint64_t n_tensors, OpWork *ret)
{
    const ConfigVariant compression = compression_of_exchange(exchange);

    return exchange_has_kernel_per_tensor(compression_ops(&compression)->pack,
                                          exchange, input, n_tensors, ret);
}

gboolean exchange_decompression_work(const ConfigVariant *exchange,
                                     const CompressionInput *input,
                                     uint64_t n_tensors, OpWork *ret)
{
    const ConfigVariant compression = compression_of_exchange(exchange);

    return exchange_has_kernel_per_tensor(compression_ops(&compression)->unpack,
                                          exchange, input, n_tensors, ret);
}

uint64_t exchange_message_bytes(const ExchangeRequest *request,
                                uint64_t n_values)
{
    return layer_multiply_saturating(n_values, request->value_bytes);
}

uint32_t exchange_add_lane(const ExchangeRequest *request, const OpLane *lane)
{
    OpLane added = *lane;

    added.name = "gradients";
    return op_graph_add_lane(request->graph, &added);
}

void exchange_mark_op_as_packed(const ExchangeRequest *request, uint32_t op)
{
    g_array_index(request->graph->ops, Op, op).is_packed = TRUE;
}

static const char *name_of_merged_layer(const ExchangeRequest *request,
                                        guint tensor)
{
    return g_ptr_array_index(request->graph->layers,
                             request->tensors[tensor].layer);
}

/* Adds a layer named after the last and the first tensor.  The first tensor
 * belongs to the last layer, since gradients get ready backwards. */
static uint32_t add_layer_of_tensors(const ExchangeRequest *request,
                                     guint first, guint n)
{
    g_autofree char *name =
        g_strdup_printf("%s..%s", name_of_merged_layer(request, first + n - 1),
                        name_of_merged_layer(request, first));

    return op_graph_add_layer(request->graph, name);
}

ExchangeTensor exchange_merge_tensors(const ExchangeRequest *request,
                                      guint first, guint n)
{
    const ExchangeTensor *tensors = request->tensors;
    ExchangeTensor merged = tensors[first];
    gboolean has_one_layer = TRUE;

    g_assert(n > 0 && first + n <= request->n_tensors);
    for (guint i = first + 1; i < first + n; i++) {
        g_assert(tensors[i].ready >= merged.ready);
        merged.n_values =
            layer_add_saturating(merged.n_values, tensors[i].n_values);
        merged.ready = tensors[i].ready;
        merged.needed = MIN(merged.needed, tensors[i].needed);
        merged.priority = MAX(merged.priority, tensors[i].priority);
        has_one_layer = has_one_layer && tensors[i].layer == merged.layer;
    }
    if (!has_one_layer)
        merged.layer = add_layer_of_tensors(request, first, n);
    return merged;
}

uint32_t exchange_add_tensor(const ConfigVariant *exchange,
                             const ExchangeRequest *request,
                             const ExchangeTensor *tensor)
{
    const ConfigVariant compression = compression_of_exchange(exchange);
    const CompressionInput input = { .n_values = tensor->n_values,
                                     .value_bytes = request->value_bytes,
                                     .n_npus = machine_n_npus(request->site) };
    CompressionMessage message =
        compression_ops(&compression)->message(compression.params, &input);
    uint32_t op = op_graph_add_collective(
        request->graph, tensor->layer, OP_WEIGHT_GRADIENT, message.kind,
        message.payload_bytes, tensor->priority);

    op_graph_add_dep(request->graph, op, tensor->ready, 0);
    op_graph_add_dep(request->graph, tensor->needed, op, 1);
    return op;
}

gboolean exchange_check(const ConfigVariant *exchange, uint64_t value_bytes,
                        GError **error)
{
    const ExchangeCommon *common = exchange->params;
    const ConfigVariant compression = compression_of_exchange(exchange);
    const CompressionOps *ops = compression_ops(&compression);

    if (ops->changes && common->sparse != EXCHANGE_DENSE) {
        config_set_error(error, exchange->node, CONFIG_ERROR_CONFLICT,
                         "sparse: rows that are gathered go as they are, but "
                         "'compression' is '%s'; leave one of them out",
                         compression.kind->name);
        return FALSE;
    }
    return !ops->check || ops->check(&compression, value_bytes, error);
}

gboolean exchange_add_to_graph(const ConfigVariant *exchange,
                               const ExchangeRequest *request, GError **error)
{
    g_assert(request->n_tensors > 0);
    for (guint i = 0; i < request->n_tensors; i++)
        if (exchange_sends_tensor_as_rows(exchange, &request->tensors[i]))
            return exchange_add_with_rows(exchange, request, error);
    return exchange_ops(exchange)->add(exchange, request, error);
}
