/*
 * counted.c - a layer of which only counts are known
 *
 * For networks that are given as tables: the tensors that have a gradient, one
 * by one (weight, bias, scale), FLOP and values of a sample.  With f and a of
 * one sample, in each pass, as one kernel:
 *
 *     weights = sum of tensors
 *     flop    = f batch
 *     bytes   = v (2 a batch + weights)
 *
 * so that backward is twice forward.  What a layer hands on is written once and
 * read once; that the kernels of its convolution, normalisation and activation
 * are several is in a, which sums what each of them hands on, but their
 * launches are not.  A layer that has no tensors has no weight gradient; its
 * input gradient then takes both (attention's scores: products of two things
 * that both have a gradient).
 *
 * Leaves out shape: neither tiles nor waves are counted, so that times come
 * best from `samples_per_s` of the workload, which these counts share out.
 */
#include "workloads/layer_impl.h"

/* Of a network: no published layer has more. */
#define MAX_TENSORS 1000
#define MAX_FLOP    UINT64_C(1000000000000000)

typedef struct {
    LayerCommon common;
    ConfigList tensors; /* of uint64_t, values of each */
    uint64_t flop, activations;
} CountedParams;

static const ConfigField tensor_item = {
    .key = "tensor",
    .help = "values of one",
    .type = CONFIG_COUNT,
    .min = 1,
    .max = LAYER_MAX_COUNT * 1000,
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
    const CountedParams *p = params;
    uint64_t v = context->value_bytes;
    uint64_t moved = LAYER_PRODUCT(2, p->activations, context->batch);
    OpWork pass = { .flop = layer_mul(p->flop, context->batch) };

    ret->n_tensors = p->tensors.n;
    ret->tensors = p->tensors.items;
    ret->n_weights = layer_sum(p->tensors.items, p->tensors.n);
    pass.bytes = layer_mul(v, layer_add(moved, ret->n_weights));
    pass.written_bytes = LAYER_PRODUCT(v, p->activations, context->batch);
    ret->pass[OP_FORWARD][0] = pass;
    ret->pass[OP_INPUT_GRADIENT][0] = pass;
    if (p->tensors.n > 0) {
        ret->pass[OP_WEIGHT_GRADIENT][0] = pass;
        return;
    }
    ret->pass[OP_INPUT_GRADIENT][0] =
        (OpWork){ .flop = layer_mul(2, pass.flop),
                  .bytes = layer_mul(2, pass.bytes),
                  .written_bytes = layer_mul(2, pass.written_bytes) };
}

const LayerOps layer_counted = {
    .base = { .name = "counted",
              .summary = "tensors, FLOP and values as given in a table",
              .fields = counted_fields,
              .size = sizeof(CountedParams) },
    .cost = counted_cost,
};
