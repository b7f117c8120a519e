/*
 * linear.c - fully connected layer, a matrix product
 *
 * With M = batch * positions rows, each of the three passes is one product and
 * one kernel:
 *
 *     flop  = 2 M in out
 *     bytes = v (M in + M out + weights),  weights = in out (+ out for a bias)
 *
 * The forward pass reads input and weights and writes the output.  The input
 * gradient reads output gradient and weights and writes the gradient of the
 * input.  The weight gradient reads input and output gradient and writes the
 * gradient of the weights.  So all passes have the same three operands.
 *
 * An activation such as ReLU is part of the kernel and costs nothing.  A
 * softmax with cross-entropy is a separate kernel in each direction (assumed
 * fused): forward, it reads the output once for the loss (a running maximum and
 * sum); backward, it reads the output and writes its gradient.
 */
#include "workloads/kernel.h"
#include "workloads/layer_impl.h"

const ConfigField linear_fields[] = {
    LAYER_COMMON_FIELDS(LinearParams),
    LAYER_COUNT_FIELD(LinearParams, in, "in", NULL, "input values of a row"),
    LAYER_COUNT_FIELD(LinearParams, out, "out", NULL, "output values of a row"),
    LAYER_COUNT_FIELD(LinearParams, positions, "positions", "1",
                      "rows of one sample, such as its sequence length"),
    LAYER_BOOL_FIELD(LinearParams, bias, "bias", "false",
                     "whether a bias is added, and its gradient reduced"),
    LAYER_BOOL_FIELD(LinearParams, softmax, "softmax", "false",
                     "whether a softmax with cross-entropy follows"),
    CONFIG_END,
};

static gboolean linear_width(gconstpointer params, uint64_t *in, uint64_t *out)
{
    const LinearParams *linear_params = params;

    *in = linear_params->in;
    *out = linear_params->out;
    return TRUE;
}

static void linear_cost(gconstpointer params, const LayerContext *context,
                        LayerCost *ret)
{
    const LinearParams *linear_params = params;
    uint64_t v = context->value_bytes;
    uint64_t n_rows =
        layer_multiply_saturating(context->batch, linear_params->positions);
    uint64_t n_out = layer_multiply_saturating(n_rows, linear_params->out);

    ret->n_weights = LAYER_SUM(
        layer_multiply_saturating(linear_params->in, linear_params->out),
        linear_params->bias ? linear_params->out : 0);
    ret->pass[OP_FORWARD][0] =
        kernel_product(n_rows, linear_params->out, linear_params->in, 1, v);
    ret->pass[OP_INPUT_GRADIENT][0] =
        kernel_product(n_rows, linear_params->in, linear_params->out, 1, v);
    ret->pass[OP_WEIGHT_GRADIENT][0] =
        kernel_product(linear_params->in, linear_params->out, n_rows, 1, v);
    ret->pass[OP_WEIGHT_GRADIENT][0].product.cuts_sum = TRUE;
    for (int i = 0; i < OP_UPDATE && linear_params->bias; i++)
        ret->pass[i][0].bytes = layer_add_saturating(
            ret->pass[i][0].bytes,
            layer_multiply_saturating(v, linear_params->out));
    if (linear_params->softmax) {
        ret->elementwise_bytes[OP_FORWARD] =
            layer_multiply_saturating(v, n_out);
        ret->elementwise_bytes[OP_INPUT_GRADIENT] = LAYER_PRODUCT(2, v, n_out);
        ret->elementwise_written_bytes[OP_INPUT_GRADIENT] =
            layer_multiply_saturating(v, n_out);
    }
}

const LayerOps layer_linear = {
    .base = { .name = "linear",
              .summary = "fully-connected layer, 2 in out FLOP a row and pass",
              .fields = linear_fields,
              .size = sizeof(LinearParams) },
    .width = linear_width,
    .cost = linear_cost,
};
