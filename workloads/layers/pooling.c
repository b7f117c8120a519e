/*
 * pooling.c - maxima or means of windows of square images
 *
 * With image size n and output size m = (n + 2p - k) / s + 1, and c channels,
 * there is one kernel in each direction and no weights.  Values moved per
 * sample:
 *
 *     max   forward   c (n^2 + m^2)      read x, write y
 *           backward  2 c (n^2 + m^2)    read x, y, dy, write dx
 *     mean  forward   c (n^2 + m^2)      read x, write y
 *           backward  c (n^2 + m^2)      read dy, write dx
 *
 * The backward pass of max computes the place of each maximum again (assumed,
 * as in a library that gets x and y).
 *
 * A pool over the whole image has a kernel of its size and no padding.
 *
 * Not modelled: FLOP, which memory traffic hides.  Overlapping windows are read
 * once from memory and then from a cache.
 */
#include "workloads/layer_impl.h"

#include <inttypes.h>

typedef enum {
    POOL_MAX,
    POOL_MEAN,
    POOL_N_FORMS,
} PoolForm;

static const char *const form_names[POOL_N_FORMS + 1] = { "max", "mean", NULL };

static const uint64_t backward_passes[POOL_N_FORMS] = { 2, 1 };

static const char *const padding_names[] = { "none", "same", NULL };

typedef struct {
    LayerCommon common;
    uint64_t channels, size, kernel, stride;
    int form;    /* maxima or means, a value of enum PoolForm */
    int is_same; /* index of the padding in padding_names */
} PoolParams;

static const ConfigField pool_fields[] = {
    LAYER_COMMON_FIELDS(PoolParams),
    LAYER_COUNT_FIELD(PoolParams, channels, "channels", NULL,
                      "channels, in and out"),
    LAYER_COUNT_FIELD(PoolParams, size, "size", NULL,
                      "height and width of the input image"),
    LAYER_COUNT_FIELD(PoolParams, kernel, "kernel", NULL,
                      "height and width of a window"),
    LAYER_COUNT_FIELD(PoolParams, stride, "stride", "1",
                      "pixels between two windows"),
    { .key = "form",
      .help = "what is made of a window",
      .type = CONFIG_ENUM,
      .offset = offsetof(PoolParams, form),
      .names = form_names,
      .fallback = "max" },
    { .key = "padding",
      .help = "pixels around the image: same is kernel / 2",
      .type = CONFIG_ENUM,
      .offset = offsetof(PoolParams, is_same),
      .names = padding_names,
      .fallback = "none" },
    CONFIG_END,
};

static uint64_t padded_image_size(const PoolParams *params)
{
    return params->size + (params->is_same ? 2 * (params->kernel / 2) : 0);
}

static gboolean pool_check(const ConfigVariant *layer, GError **error)
{
    const PoolParams *params = layer->params;

    if (params->kernel <= padded_image_size(params))
        return TRUE;
    config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                     "kernel: %" PRIu64 " is larger than the padded image "
                     "(%" PRIu64 ")",
                     params->kernel, padded_image_size(params));
    return FALSE;
}

static gboolean pool_width(gconstpointer params, uint64_t *in, uint64_t *out)
{
    const PoolParams *pool_params = params;

    *in = pool_params->channels;
    *out = pool_params->channels;
    return TRUE;
}

static void pool_shape(gconstpointer params, LayerShape *ret)
{
    const PoolParams *pool_params = params;

    ret->in_key = "channels";
    ret->in = ret->out = pool_params->channels;
    ret->in_size = pool_params->size;
    ret->out_size = (padded_image_size(pool_params) - pool_params->kernel) /
                        pool_params->stride +
                    1;
}

static void pool_cost(gconstpointer params, const LayerContext *context,
                      LayerCost *ret)
{
    const PoolParams *pool_params = params;
    uint64_t out = (padded_image_size(pool_params) - pool_params->kernel) /
                       pool_params->stride +
                   1;
    uint64_t in_bytes = LAYER_PRODUCT(context->value_bytes, context->batch,
                                      pool_params->channels, pool_params->size,
                                      pool_params->size);
    uint64_t out_bytes = LAYER_PRODUCT(context->value_bytes, context->batch,
                                       pool_params->channels, out, out);
    uint64_t pass_bytes = layer_add_saturating(in_bytes, out_bytes);

    ret->pass[OP_FORWARD][0] =
        (OpWork){ .bytes = pass_bytes, .written_bytes = out_bytes };
    ret->pass[OP_INPUT_GRADIENT][0] = (OpWork){
        .bytes = layer_multiply_saturating(backward_passes[pool_params->form],
                                           pass_bytes),
        .written_bytes = in_bytes,
    };
}

const LayerOps layer_pool = {
    .base = { .name = "pool",
              .summary = "maxima or means of windows, bound by memory",
              .fields = pool_fields,
              .size = sizeof(PoolParams) },
    .check = pool_check,
    .width = pool_width,
    .shape = pool_shape,
    .cost = pool_cost,
};
