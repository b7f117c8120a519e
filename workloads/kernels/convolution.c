/*
 * convolution.c - one pass of a two-dimensional convolution
 *
 * With images of h x w pixels, filters of r x s, g groups, and output images of
 * h' x w' pixels, h' = (h + 2 pad - r) / stride + 1:
 *
 *     weights = r s in/g out
 *     flop    = 2 batch h' w' weights                           in each pass
 *     bytes   = v (batch (in h w + out h' w') + weights)        in each pass
 *
 * As matrix products, for each group:
 *
 *     pass              m             n          k
 *     forward           batch h' w'   out/g      r s in/g
 *     input gradient    batch h w     in/g       r s out/g
 *     weight gradient   r s in/g      out/g      batch h' w'
 *
 * The k of the input gradient holds for a stride of 1. With a larger stride, a
 * pixel meets only one in stride^2 of the filter's positions, and the FLOP do
 * not change.
 */
#include "workloads/kernel_impl.h"

#include <inttypes.h>

typedef struct {
    KernelCommon common;
    ConvolutionShape shape;
    int pass; /* the pass, a value of enum OpPass below OP_UPDATE */
} ConvolutionParams;

#define SHAPE(member) shape.member

static const ConfigField convolution_fields[] = {
    KERNEL_COMMON_FIELDS(ConvolutionParams),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(batch), "batch", NULL, "images"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(in), "in", NULL,
                      "input channels"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(out), "out", NULL,
                      "output channels"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(groups), "groups", "1",
                      "groups of channels that do not see each other"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(height), "height", NULL,
                      "of an input image"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(width), "width", NULL,
                      "of an input image"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(filter_height), "filter_height",
                      "1", "of the filter"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(filter_width), "filter_width",
                      "1", "of the filter"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(stride_height), "stride_height",
                      "1", "pixels between two places of the filter"),
    LAYER_COUNT_FIELD(ConvolutionParams, SHAPE(stride_width), "stride_width",
                      "1", "pixels between two places of the filter"),
    { .key = "pad_height",
      .help = "zeros above and below the image",
      .type = CONFIG_COUNT,
      .offset = offsetof(ConvolutionParams, shape.pad_height),
      .max = LAYER_MAX_COUNT,
      .fallback = "0" },
    { .key = "pad_width",
      .help = "zeros on each side of the image",
      .type = CONFIG_COUNT,
      .offset = offsetof(ConvolutionParams, shape.pad_width),
      .max = LAYER_MAX_COUNT,
      .fallback = "0" },
    { .key = "pass",
      .help = "which of the three",
      .type = CONFIG_ENUM,
      .offset = offsetof(ConvolutionParams, pass),
      .names = kernel_pass_names,
      .fallback = "forward" },
    CONFIG_END,
};

static uint64_t n_output_positions(uint64_t size, uint64_t pad, uint64_t filter,
                                   uint64_t stride)
{
    g_assert(filter <= size + 2 * pad && stride > 0);
    return (size + 2 * pad - filter) / stride + 1;
}

uint64_t convolution_out_height(const ConvolutionShape *shape)
{
    return n_output_positions(shape->height, shape->pad_height,
                              shape->filter_height, shape->stride_height);
}

uint64_t convolution_out_width(const ConvolutionShape *shape)
{
    return n_output_positions(shape->width, shape->pad_width,
                              shape->filter_width, shape->stride_width);
}

static gboolean convolution_check(const ConfigVariant *kernel, GError **error)
{
    const ConvolutionParams *params = kernel->params;
    const ConvolutionShape *shape = &params->shape;

    if (shape->in % shape->groups != 0 || shape->out % shape->groups != 0) {
        config_set_error(error, kernel->node, CONFIG_ERROR_CONFLICT,
                         "groups: %" PRIu64 " does not divide both in "
                         "(%" PRIu64 ") and out (%" PRIu64 ")",
                         shape->groups, shape->in, shape->out);
        return FALSE;
    }
    if (shape->filter_height > shape->height + 2 * shape->pad_height ||
        shape->filter_width > shape->width + 2 * shape->pad_width) {
        config_set_error(error, kernel->node, CONFIG_ERROR_CONFLICT,
                         "the filter is larger than the padded image");
        return FALSE;
    }
    return TRUE;
}

/* Returns the matrix product of a pass, for one group. */
static OpProduct matrix_product_of_pass(const ConvolutionShape *shape,
                                        OpPass pass, uint64_t n_pixels)
{
    uint64_t filter =
        layer_multiply_saturating(shape->filter_height, shape->filter_width);
    uint64_t in = shape->in / shape->groups, out = shape->out / shape->groups;
    OpProduct p = { .n_products = shape->groups,
                    .window_height = shape->filter_height,
                    .window_width = shape->filter_width,
                    .stride_height = shape->stride_height,
                    .stride_width = shape->stride_width,
                    .image_height = convolution_out_height(shape),
                    .image_width = convolution_out_width(shape) };

    if (pass == OP_FORWARD) {
        p.m = layer_multiply_saturating(shape->batch, n_pixels);
        p.n = out;
        p.k = layer_multiply_saturating(filter, in);
    } else if (pass == OP_INPUT_GRADIENT) {
        p.m = LAYER_PRODUCT(shape->batch, shape->height, shape->width);
        p.n = in;
        p.k = layer_multiply_saturating(filter, out);
        p.image_height = shape->height;
        p.image_width = shape->width;
    } else {
        p.m = layer_multiply_saturating(filter, in);
        p.n = out;
        p.k = layer_multiply_saturating(shape->batch, n_pixels);
        p.cuts_sum = TRUE;
    }
    return p;
}

OpWork kernel_convolution(const ConvolutionShape *shape, OpPass pass,
                          uint64_t value_bytes)
{
    uint64_t n_pixels = layer_multiply_saturating(convolution_out_height(shape),
                                                  convolution_out_width(shape));
    uint64_t n_in =
        LAYER_PRODUCT(shape->batch, shape->in, shape->height, shape->width);
    uint64_t n_out = LAYER_PRODUCT(shape->batch, shape->out, n_pixels);
    uint64_t n_weights =
        LAYER_PRODUCT(shape->filter_height, shape->filter_width,
                      shape->in / shape->groups, shape->out);
    uint64_t n_written = pass == OP_FORWARD          ? n_out
                         : pass == OP_INPUT_GRADIENT ? n_in
                                                     : n_weights;

    g_assert(pass < OP_UPDATE);
    return (OpWork){
        .flop = LAYER_PRODUCT(2, shape->batch, n_pixels, n_weights),
        .bytes = layer_multiply_saturating(value_bytes,
                                           LAYER_SUM(n_in, n_out, n_weights)),
        .written_bytes = layer_multiply_saturating(value_bytes, n_written),
        .product = matrix_product_of_pass(shape, pass, n_pixels),
    };
}

static void convolution_list_work(gconstpointer params,
                                  OpWork ret[KERNEL_MAX_WORKS])
{
    const ConvolutionParams *convolution_params = params;

    ret[0] = kernel_convolution(
        &convolution_params->shape, (OpPass)convolution_params->pass,
        precision_bytes(convolution_params->common.precision));
}

const KernelOps kernel_conv = {
    .base = { .name = "convolution",
              .summary = "one pass of a convolution in two dimensions",
              .fields = convolution_fields,
              .size = sizeof(ConvolutionParams) },
    .check = convolution_check,
    .works = convolution_list_work,
};
