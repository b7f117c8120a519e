/*
 * layer_given_by_counts.c - a layer that is described by counts only
 *
 * The kind is for networks that are given as tables: the tensors with a
 * gradient one by one (weight, bias, scale), and the FLOP f and activation
 * values a per sample.  Each pass is one kernel:
 *
 *     weights = sum of tensors
 *     flop    = f batch
 *     bytes   = v (2 a batch + weights)
 *
 * The backward passes together have twice the work of the forward pass.  Each
 * output is written once and read once.  If a layer stands for a convolution, a
 * normalisation and an activation, a is the sum of their outputs, but their
 * launches are not counted.  In a `sparse` tensor, such as an embedding, each
 * sample touches `rows` rows.  The exchange decides whether that changes the
 * messages (exchange/sparse_rows.c); computation ignores it.  A layer without
 * tensors has no weight gradient; its input gradient then has the work of both
 * passes, as for attention scores, which are products of two values that both
 * have a gradient.
 *
 * Not modelled: shapes.  Neither tiles nor waves are counted, so times are best
 * given by `samples_per_s` of the workload, which is divided over the layers by
 * these counts.
 */
#include <inttypes.h>

#include "workloads/layer_impl.h"

/* Largest number of tensors; no published layer has more. */
#define MAX_TENSORS 1000
#define MAX_FLOP    UINT64_C(1000000000000000)

typedef struct {
    LayerCommon common;
    /* Number of values of each tensor; the elements are uint64_t. */
    ConfigList tensors;
    /* Tensors of which a sample touches some rows; the elements are
     * LayerSparse. */
    ConfigList sparse;
    uint64_t flop, activations;
} CountedParams;

static const ConfigField tensor_item = {
    .key = "tensor",
    .help = "values of one",
    .type = CONFIG_COUNT,
    .min = 1,
    .max = LAYER_MAX_COUNT * 1000,
};

static const ConfigField sparse_fields[] = {
    { .key = "tensor",
      .help = "which, from 0",
      .source = "assumed: the first",
      .type = CONFIG_COUNT,
      .offset = offsetof(LayerSparse, tensor),
      .max = MAX_TENSORS - 1,
      .fallback = "0" },
    { .key = "rows",
      .help = "that one sample touches, each as often as it does",
      .type = CONFIG_COUNT,
      .offset = offsetof(LayerSparse, n_rows),
      .min = 1,
      .max = LAYER_MAX_COUNT },
    { .key = "values",
      .help = "of a row",
      .type = CONFIG_COUNT,
      .offset = offsetof(LayerSparse, n_values),
      .min = 1,
      .max = LAYER_MAX_COUNT },
    CONFIG_END,
};

static const ConfigField sparse_item = {
    .key = "sparse tensor",
    .help = "of whose gradient a sample touches some rows",
    .type = CONFIG_SECTION,
    .fields = sparse_fields,
};

static const ConfigField counted_fields[] = {
    LAYER_COMMON_FIELDS(CountedParams),
    { .key = "tensors",
      .help = "values of each that has a gradient, in forward order: weight, "
              "bias, scale",
      .source = "none: a layer without weights",
      .type = CONFIG_LIST,
      .offset = offsetof(CountedParams, tensors),
      .max = MAX_TENSORS,
      .item = &tensor_item,
      .item_size = sizeof(uint64_t),
      .fallback = "[]" },
    { .key = "sparse",
      .help = "tensors whose gradient may go as rows: training.exchange.sparse",
      .source = "none is",
      .type = CONFIG_LIST,
      .offset = offsetof(CountedParams, sparse),
      .max = MAX_TENSORS,
      .item = &sparse_item,
      .item_size = sizeof(LayerSparse),
      .fallback = "[]" },
    { .key = "forward_flop",
      .help = "of one sample; a multiply-add is two",
      .source = "none: bound by memory",
      .type = CONFIG_COUNT,
      .offset = offsetof(CountedParams, flop),
      .max = MAX_FLOP,
      .fallback = "0" },
    { .key = "activations",
      .help = "values that its kernels hand on for one sample",
      .source = "none: bound by FLOP",
      .type = CONFIG_COUNT,
      .offset = offsetof(CountedParams, activations),
      .max = LAYER_MAX_COUNT * 1000,
      .fallback = "0" },
    CONFIG_END,
};

static void counted_cost(gconstpointer params, const LayerContext *context,
                         LayerCost *ret)
{
    const CountedParams *counted_params = params;
    uint64_t v = context->value_bytes;
    uint64_t moved =
        LAYER_PRODUCT(2, counted_params->activations, context->batch);
    OpWork pass = { .flop = layer_multiply_saturating(counted_params->flop,
                                                      context->batch) };

    ret->n_tensors = counted_params->tensors.n;
    ret->tensors = counted_params->tensors.items;
    ret->n_sparse = counted_params->sparse.n;
    ret->sparse = counted_params->sparse.items;
    ret->n_weights = layer_sum_saturating(counted_params->tensors.items,
                                          counted_params->tensors.n);
    pass.bytes = layer_multiply_saturating(
        v, layer_add_saturating(moved, ret->n_weights));
    pass.written_bytes =
        LAYER_PRODUCT(v, counted_params->activations, context->batch);
    ret->pass[OP_FORWARD][0] = pass;
    ret->pass[OP_INPUT_GRADIENT][0] = pass;
    if (counted_params->tensors.n > 0) {
        ret->pass[OP_WEIGHT_GRADIENT][0] = pass;
        return;
    }
    ret->pass[OP_INPUT_GRADIENT][0] =
        (OpWork){ .flop = layer_multiply_saturating(2, pass.flop),
                  .bytes = layer_multiply_saturating(2, pass.bytes),
                  .written_bytes =
                      layer_multiply_saturating(2, pass.written_bytes) };
}

static gboolean set_sparse_error(const ConfigVariant *layer, GError **error,
                                 char *why)
{
    config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT, "sparse: %s",
                     why);
    g_free(why);
    return FALSE;
}

/* Checks that each entry names an existing tensor, at most once, that consists
 * of whole rows. */
static gboolean counted_check(const ConfigVariant *layer, GError **error)
{
    const CountedParams *params = layer->params;
    const LayerSparse *sparse = params->sparse.items;
    const uint64_t *tensors = params->tensors.items;

    for (guint i = 0; i < params->sparse.n; i++) {
        uint64_t tensor = sparse[i].tensor;

        if (tensor >= params->tensors.n)
            return set_sparse_error(
                layer, error,
                g_strdup_printf("there is no tensor %" PRIu64 " of %u", tensor,
                                params->tensors.n));
        if (tensors[tensor] % sparse[i].n_values != 0)
            return set_sparse_error(
                layer, error,
                g_strdup_printf("tensor %" PRIu64 " has %" PRIu64
                                " values, which are no rows of %" PRIu64,
                                tensor, tensors[tensor], sparse[i].n_values));
        for (guint k = 0; k < i; k++)
            if (sparse[k].tensor == tensor)
                return set_sparse_error(layer, error,
                                        g_strdup_printf("tensor %" PRIu64
                                                        " is there twice",
                                                        tensor));
    }
    return TRUE;
}

const LayerOps layer_counted = {
    .base = { .name = "counted",
              .summary = "tensors, FLOP and values as given in a table",
              .fields = counted_fields,
              .size = sizeof(CountedParams) },
    .check = counted_check,
    .cost = counted_cost,
};
