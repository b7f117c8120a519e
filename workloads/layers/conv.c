/*
 * conv.c - two-dimensional convolution on square images
 *
 * With n the size of the image, k that of the kernel, s the stride, p the
 * padding on each side, g groups and m = (n + 2p - k) / s + 1:
 *
 *     weights = k^2 in/g out
 *     flop    = 2 batch m^2 weights, in each pass
 *     bytes   = v (batch (in n^2 + out m^2) + weights), in each pass
 *
 * as each pass reads two of input, output and weights (or their gradients)
 * and writes the third: one kernel a pass.  A stride above k still moves the
 * whole input: memory is read in sectors, not in values.
 *
 * Elementwise kernels, in passes over the output (assumed: normalisation,
 * addition and ReLU fused into one kernel each way, which is what vendors'
 * training libraries offer; unfused they would be about 5 and 8 in place of 3
 * and 5):
 *
 *     norm      forward  3   read for the statistics; read and write
 *               backward 5   read x, dy for the sums; read x, dy, write dx
 *     residual  forward  1   read the other branch
 *               backward 3   read the mask; write the branch's gradient, which
 *                            is read where the branches join
 *
 * Leaves out bias, pooling, and the FLOP of elementwise kernels.  Weights of
 * the normalisation (2 out) are not counted among the gradients, as in
 * [ASTRASIM].
 */
#include "workloads/kernel.h"
#include "workloads/layer_impl.h"

#include <inttypes.h>

#define NORM_FORWARD_PASSES      UINT64_C(3)
#define NORM_BACKWARD_PASSES     UINT64_C(5)
#define RESIDUAL_FORWARD_PASSES  UINT64_C(1)
#define RESIDUAL_BACKWARD_PASSES UINT64_C(3)

typedef enum {
    PADDING_SAME,
    PADDING_NONE,
} Padding;

static const char *const padding_names[] = { "same", "none", NULL };

typedef struct {
    LayerCommon common;
    uint64_t in, out; /* channels */
    uint64_t kernel, stride, size, groups;
    int padding; /* Padding */
    gboolean norm, residual;
} ConvParams;

static const ConfigField conv_fields[] = {
    LAYER_COMMON_FIELDS(ConvParams),
    LAYER_COUNT_FIELD(ConvParams, in, "in", NULL, "input channels"),
    LAYER_COUNT_FIELD(ConvParams, out, "out", NULL, "output channels"),
    LAYER_COUNT_FIELD(ConvParams, size, "size", NULL,
                      "height and width of the input image"),
    LAYER_COUNT_FIELD(ConvParams, kernel, "kernel", "1",
                      "height and width of the kernel"),
    LAYER_COUNT_FIELD(ConvParams, stride, "stride", "1",
                      "pixels between two places of the kernel"),
    LAYER_COUNT_FIELD(ConvParams, groups, "groups", "1",
                      "groups of channels that do not see each other"),
    { .key = "padding",
      .help = "zeros around the image: same is kernel / 2",
      .type = CONFIG_ENUM,
      .offset = offsetof(ConvParams, padding),
      .names = padding_names,
      .fallback = "same" },
    LAYER_BOOL_FIELD(ConvParams, norm, "norm", "true",
                     "whether batch normalisation and ReLU follow"),
    LAYER_BOOL_FIELD(ConvParams, residual, "residual", "false",
                     "whether another branch is added to the output"),
    CONFIG_END,
};

static uint64_t padded_size(const ConvParams *p)
{
    return p->padding == PADDING_SAME ? p->size + 2 * (p->kernel / 2) : p->size;
}

static gboolean conv_check(const ConfigVariant *layer, GError **error)
{
    const ConvParams *p = layer->params;

    if (p->in % p->groups != 0 || p->out % p->groups != 0) {
        config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                         "groups: %" PRIu64 " does not divide both in "
                         "(%" PRIu64 ") and out (%" PRIu64 ")",
                         p->groups, p->in, p->out);
        return FALSE;
    }
    if (p->kernel > padded_size(p)) {
        config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                         "kernel: %" PRIu64 " is larger than the padded image "
                         "(%" PRIu64 ")",
                         p->kernel, padded_size(p));
        return FALSE;
    }
    return TRUE;
}

static gboolean conv_width(gconstpointer params, uint64_t *in, uint64_t *out)
{
    const ConvParams *p = params;

    *in = p->in;
    *out = p->out;
    return TRUE;
}

static void conv_cost(gconstpointer params, const LayerContext *context,
                      LayerCost *ret)
{
    const ConvParams *p = params;
    uint64_t v = context->value_bytes;
    uint64_t pad = (padded_size(p) - p->size) / 2;
    const ConvolutionShape shape = {
        .batch = context->batch,
        .in = p->in,
        .out = p->out,
        .groups = p->groups,
        .height = p->size,
        .width = p->size,
        .filter_height = p->kernel,
        .filter_width = p->kernel,
        .stride_height = p->stride,
        .stride_width = p->stride,
        .pad_height = pad,
        .pad_width = pad,
    };
    uint64_t n_out =
        LAYER_PRODUCT(context->batch, p->out, convolution_out_height(&shape),
                      convolution_out_width(&shape));
    uint64_t forward = (p->norm ? NORM_FORWARD_PASSES : 0) +
                       (p->residual ? RESIDUAL_FORWARD_PASSES : 0);
    uint64_t backward = (p->norm ? NORM_BACKWARD_PASSES : 0) +
                        (p->residual ? RESIDUAL_BACKWARD_PASSES : 0);

    ret->n_weights =
        LAYER_PRODUCT(p->kernel, p->kernel, p->in / p->groups, p->out);
    for (int i = 0; i < OP_UPDATE; i++)
        ret->pass[i][0] = kernel_convolution(&shape, (OpPass)i, v);
    ret->elementwise_bytes[OP_FORWARD] = LAYER_PRODUCT(v, n_out, forward);
    ret->elementwise_bytes[OP_INPUT_GRADIENT] =
        LAYER_PRODUCT(v, n_out, backward);
}

const LayerOps layer_conv = {
    .base = { .name = "conv",
              .summary = "convolution, 2 kernel^2 in/groups out FLOP a pixel",
              .fields = conv_fields,
              .size = sizeof(ConvParams) },
    .check = conv_check,
    .width = conv_width,
    .cost = conv_cost,
};
