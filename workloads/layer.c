/*
 * layer.c - the table of layers, their checks and costs; see layer.h
 *
 * Costs are products and sums that saturate at 2^63.  A saturated cost is an
 * error at the largest count of the layer.
 */
#include "workloads/layer.h"

#include "workloads/layer_impl.h"

#include <inttypes.h>

/* Results of layer_multiply_saturating() and layer_add_saturating() saturate at
 * this value. */
#define LAYER_LIMIT (UINT64_C(1) << 63)

static const ConfigKind *const layer_kinds[] = {
    &layer_conv.base,        &layer_pool.base,        &layer_linear.base,
    &layer_lstm.base,        &layer_attention.base,   &layer_embedding.base,
    &layer_interaction.base, &layer_elementwise.base, &layer_counted.base,
    &layer_measured.base,    &layer_block.base,       NULL,
};

/* Parts of layer names in PyTorch, Keras and papers, for suggestions.  A name
 * must stand before any name that is a part of it. */
static const ConfigForeignName other_names[] = {
    { "norm", "elementwise" },
    { "attention", "attention" },
    { "attn", "attention" },
    { "mha", "attention" },
    { "sdpa", "attention" },
    { "embed", "embedding" },
    { "lookup", "embedding" },
    { "pool", "pool" },
    { "conv", "conv" },
    { "lstm", "lstm" },
    { "gru", "lstm" },
    { "rnn", "lstm" },
    { "recurrent", "lstm" },
    { "transformer", "block" },
    { "encoder", "block" },
    { "decoder", "block" },
    { "residual", "block" },
    { "bottleneck", "block" },
    { "sequential", "block" },
    { "dense", "linear" },
    { "linear", "linear" },
    { "fully", "linear" },
    { "fc", "linear" },
    { "mlp", "linear" },
    { "ffn", "linear" },
    { "feed", "linear" },
    { "gemm", "linear" },
    { "matmul", "linear" },
    { "proj", "linear" },
    { "head", "linear" },
    { "relu", "elementwise" },
    { "gelu", "elementwise" },
    { "silu", "elementwise" },
    { "sigmoid", "elementwise" },
    { "tanh", "elementwise" },
    { "softmax", "elementwise" },
    { "dropout", "elementwise" },
    { "activation", "elementwise" },
    { "add", "elementwise" },
    { "concat", "interaction" },
    { "dot", "interaction" },
    { NULL, NULL },
};

const ConfigRegistry layer_registry = { .noun = "layer",
                                        .kinds = layer_kinds,
                                        .foreign_names = other_names };

const ConfigField layer_item = {
    .key = "layer",
    .help = "one layer",
    .type = CONFIG_KIND,
    .registry = &layer_registry,
};

const LayerCommon *layer_common(const ConfigVariant *layer)
{
    return layer->params;
}

const LayerBlock *layer_find_block(const ConfigVariant *layer)
{
    const LayerOps *ops = (const LayerOps *)layer->kind;

    return ops->block ? ops->block(layer->params) : NULL;
}

gboolean layer_find_widths(const ConfigVariant *layer, uint64_t *in,
                           uint64_t *out)
{
    const LayerOps *ops = (const LayerOps *)layer->kind;

    return ops->width && ops->width(layer->params, in, out);
}

void layer_find_shape(const ConfigVariant *layer, LayerShape *ret)
{
    const LayerOps *ops = (const LayerOps *)layer->kind;

    *ret = (LayerShape){ .in_key = "in" };
    if (ops->shape)
        ops->shape(layer->params, ret);
    else if (!layer_find_widths(layer, &ret->in, &ret->out))
        ret->in = ret->out = 0;
}

static gboolean check_layer_repeat(const ConfigVariant *layer, GError **error)
{
    uint64_t in, out;

    if (layer_common(layer)->repeat == 1 ||
        !layer_find_widths(layer, &in, &out) || in == out)
        return TRUE;
    config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                     "repeat: the %s takes %" PRIu64 " values and gives "
                     "%" PRIu64 ", so it cannot follow itself",
                     layer_find_block(layer) ? "block" : "layer", in, out);
    return FALSE;
}

gboolean layer_check(const ConfigVariant *layer, GError **error)
{
    const LayerOps *ops = (const LayerOps *)layer->kind;

    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    return (!ops->check || ops->check(layer, error)) &&
           check_layer_repeat(layer, error);
}

/* Makes a pass one kernel with the measured time and the sum of the work of all
 * its kernels. */
static void set_measured_time_of_pass(OpWork *works, uint64_t measured_ps)
{
    if (measured_ps == 0)
        return;
    for (guint i = 1; i < LAYER_MAX_WORKS; i++) {
        works[0].flop = layer_add_saturating(works[0].flop, works[i].flop);
        works[0].bytes = layer_add_saturating(works[0].bytes, works[i].bytes);
        works[0].written_bytes = layer_add_saturating(works[0].written_bytes,
                                                      works[i].written_bytes);
        works[i] = (OpWork){ 0 };
    }
    works[0].measured_ps = measured_ps;
}

void layer_compute_cost(const ConfigVariant *layer, const LayerContext *context,
                        LayerCost *ret)
{
    const LayerOps *ops = (const LayerOps *)layer->kind;
    const LayerCommon *common = layer_common(layer);

    g_assert(context->batch > 0 && context->value_bytes > 0);
    g_assert(ops->cost);
    *ret = (LayerCost){ 0 };
    ops->cost(layer->params, context, ret);
    g_assert(ret->n_tensors == 0 ||
             layer_sum_saturating(ret->tensors, ret->n_tensors) ==
                 ret->n_weights);
    for (guint i = 0; i < OP_UPDATE; i++)
        for (guint j = 0; j < LAYER_MAX_WORKS; j++)
            ret->pass[i][j].precision = context->precision;
    set_measured_time_of_pass(ret->pass[OP_FORWARD], common->forward_ps);
    set_measured_time_of_pass(ret->pass[OP_INPUT_GRADIENT],
                              common->input_gradient_ps);
    set_measured_time_of_pass(ret->pass[OP_WEIGHT_GRADIENT],
                              common->weight_gradient_ps);
    if (!context->elementwise) {
        for (guint i = 0; i < G_N_ELEMENTS(ret->elementwise_bytes); i++)
            ret->elementwise_bytes[i] = ret->elementwise_written_bytes[i] = 0;
    }
}

uint64_t layer_multiply_saturating(uint64_t a, uint64_t b)
{
    uint64_t product;

    if (__builtin_mul_overflow(a, b, &product))
        return LAYER_LIMIT;
    return MIN(product, LAYER_LIMIT);
}

uint64_t layer_add_saturating(uint64_t a, uint64_t b)
{
    uint64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return LAYER_LIMIT;
    return MIN(sum, LAYER_LIMIT);
}

uint64_t layer_product_saturating(const uint64_t *values, gsize n)
{
    uint64_t product = 1;

    for (gsize i = 0; i < n; i++)
        product = layer_multiply_saturating(product, values[i]);
    return product;
}

uint64_t layer_sum_saturating(const uint64_t *values, gsize n)
{
    uint64_t sum = 0;

    for (gsize i = 0; i < n; i++)
        sum = layer_add_saturating(sum, values[i]);
    return sum;
}

/* ---- costs that saturate -------------------------------------------- */

/* Returns whether all numbers of @cost are below LAYER_LIMIT. */
static gboolean cost_is_below_limit(const LayerCost *cost)
{
    uint64_t most = cost->n_weights;

    for (int i = 0; i < OP_UPDATE; i++) {
        for (int k = 0; k < LAYER_MAX_WORKS; k++) {
            most = MAX(most, cost->pass[i][k].flop);
            most = MAX(most, cost->pass[i][k].bytes);
        }
        most = MAX(most, cost->elementwise_bytes[i]);
    }
    return most < LAYER_LIMIT;
}

/* Returns the value of @field in the parameters of @layer. */
static uint64_t layer_count_value(const ConfigVariant *layer,
                                  const ConfigField *field)
{
    const char *params = layer->params;

    return *(const uint64_t *)(gconstpointer)(params + field->offset);
}

/* Returns the largest count, which is the most likely mistake of the user. */
static const ConfigField *largest_layer_count(const ConfigVariant *layer)
{
    const ConfigField *most = NULL;

    for (const ConfigField *field = layer->kind->fields; field->key; field++)
        if (field->type == CONFIG_COUNT &&
            (!most ||
             layer_count_value(layer, field) > layer_count_value(layer, most)))
            most = field;
    return most;
}

gboolean layer_check_cost(const ConfigVariant *layer, uint64_t batch,
                          const LayerCost *cost, GError **error)
{
    const ConfigField *most = largest_layer_count(layer);
    g_autoptr(GString) others = NULL;

    if (cost_is_below_limit(cost))
        return TRUE;
    g_assert(most); /* a saturated cost needs a large count */
    others = g_string_new(NULL);
    for (const ConfigField *field = layer->kind->fields; field->key; field++)
        if (field->type == CONFIG_COUNT && field != most &&
            layer_count_value(layer, field) > 1)
            g_string_append_printf(others, ", %s %" PRIu64, field->key,
                                   layer_count_value(layer, field));
    config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                     "%s: %" PRIu64 "%s and a batch of %" PRIu64
                     " give layer '%s' 2^63 FLOP, bytes or weights or more, "
                     "too many to count",
                     most->key, layer_count_value(layer, most), others->str,
                     batch, layer_common(layer)->name);
    return FALSE;
}
