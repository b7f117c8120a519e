/*
 * conv.c - two-dimensional convolution on square images
 *
 * n is the size of the image, kh x kw the size of the kernel, s the stride, p
 * the padding on each side, g the number of groups, and m = (n + 2p - k) / s +
 * 1 the size of the output, for height (mh) and width (mw):
 *
 *     weights = kh kw in/g out (+ out for a bias)
 *     flop    = 2 batch mh mw kh kw in/g out, in each pass
 *     bytes   = v (batch (in n^2 + out mh mw) + kh kw in/g out), in each pass
 *
 * Each pass is one kernel that reads two of input, output and weights (or their
 * gradients) and writes the third.  A stride above k still moves the whole
 * input, because memory is read in sectors and not in single values.
 *
 * The following tables have the elementwise kernels, in passes over the output.
 * Fused, they are one kernel per direction (assumed: vendors' training
 * libraries offer this):
 *
 *     norm      forward  3   read for the statistics; read and write
 *               backward 5   read x, dy for the sums; read x, dy, write dx
 *     bias      forward  2   read and write     (no cost together with a norm)
 *               backward 3   read y, dy, write dx, with its sum
 *     residual  forward  1   read the other branch
 *               backward 3   read the mask; write the branch's gradient, which
 *                            is read where the branches join
 *
 * With `training.fused: false`, each is a separate kernel, as in frameworks of
 * 2017, and ReLU is another one:
 *
 *     norm      forward  3   as above           backward 5   as above
 *     bias      forward  2   read, write        backward 1   read for the sum
 *     relu      forward  2   read, write        backward 3   read y, dy, write
 *     residual  forward  3   read both, write   backward 3   the same where the
 *                                                            branches join
 *
 * If the layout of images differs from the one that the kernels read
 * (`training.layout`), the forward pass transposes its input and output, and
 * the input gradient transposes their gradients.  Each transpose is one kernel
 * that reads and writes the bytes.  The weight gradient uses the transposed
 * copies (assumed: a framework keeps them).
 *
 * Not modelled: FLOP of elementwise kernels.  The weights of the normalisation
 * (2 out) are not counted among the gradients, as in [ASTRASIM].
 */
#include "workloads/kernel.h"
#include "workloads/layer_impl.h"

#include <inttypes.h>

typedef enum {
    PADDING_SAME,
    PADDING_NONE,
} Padding;

static const char *const padding_names[] = { "same", "none", NULL };

typedef struct {
    LayerCommon common;
    uint64_t in, out; /* number of input and output channels */
    uint64_t kernel, stride, size, groups;
    /* Height and width of the kernel; 0: same as .kernel. */
    uint64_t kernel_height, kernel_width;
    /* How the image is padded, a value of enum Padding. */
    int padding;
    gboolean norm, bias, relu, residual;
} ConvParams;

/* Elementwise work after a convolution: passes over the output, how many of
 * them write, and the number of kernels. */
typedef struct {
    uint64_t n_passes, n_written, n_kernels;
} Traffic;

/* Direction of a pass: row of the tables below, which are those of the file
 * head. */
typedef enum {
    DIRECTION_FORWARD,
    DIRECTION_BACKWARD,
    N_DIRECTIONS,
} PassDirection;

static const struct {
    Traffic norm, lone_bias, residual;
} fused[N_DIRECTIONS] = {
    { .norm = { 3, 1, 1 }, .lone_bias = { 2, 1, 1 }, .residual = { 1, 0, 0 } },
    { .norm = { 5, 1, 1 }, .lone_bias = { 3, 1, 1 }, .residual = { 3, 1, 0 } },
};

static const struct {
    Traffic norm, bias, relu, residual;
} unfused[N_DIRECTIONS] = {
    { { 3, 1, 1 }, { 2, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 } },
    { { 5, 1, 1 }, { 1, 0, 1 }, { 3, 1, 1 }, { 3, 1, 1 } },
};

static const ConfigField conv_fields[] = {
    LAYER_COMMON_FIELDS(ConvParams),
    LAYER_COUNT_FIELD(ConvParams, in, "in", NULL, "input channels"),
    LAYER_COUNT_FIELD(ConvParams, out, "out", NULL, "output channels"),
    LAYER_COUNT_FIELD(ConvParams, size, "size", NULL,
                      "height and width of the input image"),
    LAYER_COUNT_FIELD(ConvParams, kernel, "kernel", "1",
                      "height and width of the kernel"),
    LAYER_COUNT_FIELD_FROM(ConvParams, kernel_height, "kernel_height", 0, "0",
                           "height of the kernel; 0: as `kernel`"),
    LAYER_COUNT_FIELD_FROM(ConvParams, kernel_width, "kernel_width", 0, "0",
                           "width of the kernel; 0: as `kernel`"),
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
                     "whether batch normalisation follows"),
    LAYER_BOOL_FIELD(ConvParams, bias, "bias", "false",
                     "whether a bias is added, and its gradient reduced"),
    LAYER_BOOL_FIELD(ConvParams, relu, "relu", "true",
                     "whether ReLU follows a normalisation or bias"),
    LAYER_BOOL_FIELD(ConvParams, residual, "residual", "false",
                     "whether another branch is added to the output"),
    CONFIG_END,
};

static uint64_t kernel_height(const ConvParams *params)
{
    return params->kernel_height ? params->kernel_height : params->kernel;
}

static uint64_t kernel_width(const ConvParams *params)
{
    return params->kernel_width ? params->kernel_width : params->kernel;
}

static uint64_t padded_image_size(const ConvParams *params, uint64_t kernel)
{
    return params->padding == PADDING_SAME ? params->size + 2 * (kernel / 2)
                                           : params->size;
}

/* Checks the kernel size along one side.  @own is the value of @key, or 0 if
 * `kernel` is used. */
static gboolean check_kernel_size(const ConfigVariant *layer, const char *key,
                                  uint64_t own, GError **error)
{
    const ConvParams *params = layer->params;
    uint64_t kernel = own ? own : params->kernel;

    if (kernel <= padded_image_size(params, kernel))
        return TRUE;
    config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                     "%s: %" PRIu64 " is larger than the padded image "
                     "(%" PRIu64 ")",
                     own ? key : "kernel", kernel,
                     padded_image_size(params, kernel));
    return FALSE;
}

static gboolean conv_check(const ConfigVariant *layer, GError **error)
{
    const ConvParams *params = layer->params;

    if (params->in % params->groups != 0 || params->out % params->groups != 0) {
        config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                         "groups: %" PRIu64 " does not divide both in "
                         "(%" PRIu64 ") and out (%" PRIu64 ")",
                         params->groups, params->in, params->out);
        return FALSE;
    }
    return check_kernel_size(layer, "kernel_height", params->kernel_height,
                             error) &&
           check_kernel_size(layer, "kernel_width", params->kernel_width,
                             error);
}

static gboolean conv_width(gconstpointer params, uint64_t *in, uint64_t *out)
{
    const ConvParams *conv_params = params;

    *in = conv_params->in;
    *out = conv_params->out;
    return TRUE;
}

static uint64_t convolution_output_size(const ConvParams *params,
                                        uint64_t kernel)
{
    return (padded_image_size(params, kernel) - kernel) / params->stride + 1;
}

/* Sets the shape of a convolution.  A rectangular output has no size. */
static void conv_shape(gconstpointer params, LayerShape *ret)
{
    const ConvParams *conv_params = params;
    uint64_t height =
        convolution_output_size(conv_params, kernel_height(conv_params));

    ret->in = conv_params->in;
    ret->out = conv_params->out;
    ret->in_size = conv_params->size;
    ret->out_size = height == convolution_output_size(conv_params,
                                                      kernel_width(conv_params))
                        ? height
                        : 0;
}

static void add_elementwise_traffic(Traffic *sum, gboolean is_there,
                                    Traffic traffic)
{
    if (!is_there)
        return;
    sum->n_passes += traffic.n_passes;
    sum->n_written += traffic.n_written;
    sum->n_kernels += traffic.n_kernels;
}

static Traffic elementwise_traffic_of_convolution(const ConvParams *params,
                                                  gboolean is_fused,
                                                  PassDirection direction)
{
    Traffic sum = { 0, 0, 0 };

    if (is_fused) {
        add_elementwise_traffic(&sum, params->norm, fused[direction].norm);
        add_elementwise_traffic(&sum, params->bias && !params->norm,
                                fused[direction].lone_bias);
        add_elementwise_traffic(&sum, params->residual,
                                fused[direction].residual);
        return sum;
    }
    add_elementwise_traffic(&sum, params->norm, unfused[direction].norm);
    add_elementwise_traffic(&sum, params->bias, unfused[direction].bias);
    add_elementwise_traffic(&sum,
                            params->relu && (params->norm || params->bias),
                            unfused[direction].relu);
    add_elementwise_traffic(&sum, params->residual,
                            unfused[direction].residual);
    return sum;
}

static ConvolutionShape convolution_shape(const ConvParams *params,
                                          uint64_t batch)
{
    uint64_t height = kernel_height(params), width = kernel_width(params);

    return (ConvolutionShape){
        .batch = batch,
        .in = params->in,
        .out = params->out,
        .groups = params->groups,
        .height = params->size,
        .width = params->size,
        .filter_height = height,
        .filter_width = width,
        .stride_height = params->stride,
        .stride_width = params->stride,
        .pad_height = (padded_image_size(params, height) - params->size) / 2,
        .pad_width = (padded_image_size(params, width) - params->size) / 2,
    };
}

/* Adds the transposes of the input and output of a pass, @n_bytes together, as
 * one kernel each. */
static void add_image_transposes(LayerCost *cost, OpPass pass, uint64_t n_bytes)
{
    cost->elementwise_bytes[pass] = layer_add_saturating(
        cost->elementwise_bytes[pass], layer_add_saturating(n_bytes, n_bytes));
    cost->elementwise_written_bytes[pass] =
        layer_add_saturating(cost->elementwise_written_bytes[pass], n_bytes);
    cost->n_elementwise[pass] += 2;
}

static void conv_cost(gconstpointer params, const LayerContext *context,
                      LayerCost *ret)
{
    static const OpPass passes[N_DIRECTIONS] = { OP_FORWARD,
                                                 OP_INPUT_GRADIENT };
    const ConvParams *conv_params = params;
    const ConvolutionShape shape =
        convolution_shape(conv_params, context->batch);
    uint64_t v = context->value_bytes;
    uint64_t n_in = LAYER_PRODUCT(context->batch, conv_params->in,
                                  conv_params->size, conv_params->size);
    uint64_t n_out = LAYER_PRODUCT(context->batch, conv_params->out,
                                   convolution_out_height(&shape),
                                   convolution_out_width(&shape));

    ret->n_weights = layer_add_saturating(
        LAYER_PRODUCT(kernel_height(conv_params), kernel_width(conv_params),
                      conv_params->in / conv_params->groups, conv_params->out),
        conv_params->bias ? conv_params->out : 0);
    for (int i = 0; i < OP_UPDATE; i++) {
        ret->pass[i][0] = kernel_convolution(&shape, (OpPass)i, v);
        ret->pass[i][0].product.is_unsearched = !context->searches;
    }
    for (PassDirection direction = 0; direction < N_DIRECTIONS; direction++) {
        Traffic traffic = elementwise_traffic_of_convolution(
            conv_params, context->fused, direction);

        ret->elementwise_bytes[passes[direction]] =
            LAYER_PRODUCT(v, n_out, traffic.n_passes);
        ret->elementwise_written_bytes[passes[direction]] =
            LAYER_PRODUCT(v, n_out, traffic.n_written);
        ret->n_elementwise[passes[direction]] = traffic.n_kernels;
        if (context->transposes)
            add_image_transposes(
                ret, passes[direction],
                LAYER_PRODUCT(v, layer_add_saturating(n_in, n_out), 1));
    }
}

const LayerOps layer_conv = {
    .base = { .name = "conv",
              .summary = "convolution, 2 kernel^2 in/groups out FLOP a pixel",
              .fields = conv_fields,
              .size = sizeof(ConvParams) },
    .check = conv_check,
    .width = conv_width,
    .shape = conv_shape,
    .cost = conv_cost,
};
