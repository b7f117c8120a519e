/*
 * lstm.c - one layer of long short-term memory
 *
 * Per direction, with b samples, T steps, R = b T rows, I inputs and H hidden
 * values:
 *
 *     weights = 4 H (I + H)
 *     flop    = 2 R 4 H (I + H), in each pass
 *
 * A pass has two kinds of kernels, each with its own roofline:
 *
 *     input      one product of all rows, 2 R 4 H I FLOP
 *     recurrent  T products in a row, each waiting for the one before,
 *                2 b 4 H H FLOP
 *
 * forward          input (read x and W_i, write 4H), then recurrent (read 4H,
 *                  h and W_h, write h)
 * input gradient   recurrent (read dy and W_h, write the gates' gradient 4H,
 *                  read it, write dh), then input (read 4H and W_i, write dx)
 * weight gradient  two products of all rows (read 4H, x; read 4H, h)
 *
 *                       input               recurrent, each step
 *     forward           v (R (I + 4H) + 4HI)   v (b  6H + 4HH)
 *     input gradient    v (R (I + 4H) + 4HI)   v (b 10H + 4HH)
 *     weight gradient   v (R (I + 4H) + 4HI)   v (R  5H + 4HH), once
 *
 * Each step reads the recurrent weights again: 8 MiB at H = 1024 in FP16 is
 * more than the L2 cache of [ISCA21]'s NPU. With `resident: true`, one
 * persistent kernel keeps them on chip, does all steps, and reads the weights
 * once.
 *
 * An NPU may have the additional times of a library's recurrent passes and
 * steps (models/npu/matrix_products.h). These times are added to the recurrent
 * kernels.
 *
 * Elementwise kernels, assumed one per step: forward reads and writes the cell
 * and saves the gates (6H); backward reads the gates, this cell and the
 * previous cell, and reads and writes the gradient of the cell (8H).
 *
 * The two directions of a bidirectional layer run one after the other
 * (assumed), so each kernel is launched twice.
 *
 * Not modelled: bias, dropout, padding of shorter samples, and the low
 * occupancy of small steps unless the NPU has a `tile`.
 */
#include "workloads/layer_impl.h"

typedef struct {
    LayerCommon common;
    uint64_t in, hidden; /* number of input values and of hidden values */
    uint64_t steps;
    gboolean bidirectional, resident;
} LstmParams;

static const ConfigField lstm_fields[] = {
    LAYER_COMMON_FIELDS(LstmParams),
    LAYER_COUNT_FIELD(LstmParams, in, "in", NULL, "input values of a step"),
    LAYER_COUNT_FIELD(LstmParams, hidden, "hidden", NULL,
                      "values of the hidden state, per direction"),
    LAYER_COUNT_FIELD(LstmParams, steps, "steps", NULL, "sequence length"),
    LAYER_BOOL_FIELD(LstmParams, bidirectional, "bidirectional", "false",
                     "whether a second one runs from end to start"),
    { .key = "resident",
      .help = "whether recurrent weights stay on chip between steps",
      .source = "assumed: they do not fit",
      .type = CONFIG_BOOL,
      .offset = offsetof(LstmParams, resident),
      .fallback = "false" },
    CONFIG_END,
};

static gboolean lstm_width(gconstpointer params, uint64_t *in, uint64_t *out)
{
    const LstmParams *lstm_params = params;

    *in = lstm_params->in;
    *out = lstm_params->hidden << lstm_params->bidirectional;
    return TRUE;
}

static void lstm_shape(gconstpointer params, LayerShape *ret)
{
    ret->is_sequence = lstm_width(params, &ret->in, &ret->out);
}

/* Returns the product of all steps with one of the two weight matrices, of
 * @n_weights values per direction.  It moves @n_values values per row, and the
 * weights once. */
static OpWork lstm_product(const LstmParams *params,
                           const LayerContext *context, uint64_t n_values,
                           uint64_t n_weights)
{
    uint64_t n_directions = params->bidirectional ? 2 : 1;
    uint64_t n_rows = layer_multiply_saturating(context->batch, params->steps);

    return (OpWork){
        .flop = LAYER_PRODUCT(2, n_directions, n_rows, n_weights),
        .bytes = LAYER_PRODUCT(
            context->value_bytes, n_directions,
            layer_add_saturating(layer_multiply_saturating(n_rows, n_values),
                                 n_weights)),
        .n_kernels = n_directions,
    };
}

/* Returns the products with the recurrent weights, which are read in each step
 * unless they are resident. */
static OpWork lstm_time_steps(const LstmParams *params,
                              const LayerContext *context, uint64_t n_values)
{
    uint64_t n_weights = LAYER_PRODUCT(4, params->hidden, params->hidden);
    OpWork work = lstm_product(params, context, n_values, n_weights);

    if (params->resident)
        return work;
    work.bytes = layer_add_saturating(
        work.bytes, LAYER_PRODUCT(context->value_bytes, work.n_kernels,
                                  params->steps - 1, n_weights));
    work.n_kernels = layer_multiply_saturating(work.n_kernels, params->steps);
    return work;
}

/* Sets the bytes that each product writes, by the table above. */
static void set_written_bytes(const LstmParams *params,
                              const LayerContext *context, LayerCost *ret)
{
    /* Bytes of one value, for all directions. */
    uint64_t unit = context->value_bytes * (params->bidirectional ? 2 : 1);
    uint64_t n_rows = layer_multiply_saturating(context->batch, params->steps);
    uint64_t h = params->hidden;

    ret->pass[OP_FORWARD][0].written_bytes = LAYER_PRODUCT(unit, n_rows, 4, h);
    ret->pass[OP_FORWARD][1].written_bytes = LAYER_PRODUCT(unit, n_rows, h);
    ret->pass[OP_INPUT_GRADIENT][0].written_bytes =
        LAYER_PRODUCT(unit, n_rows, 5, h);
    ret->pass[OP_INPUT_GRADIENT][1].written_bytes =
        LAYER_PRODUCT(unit, n_rows, params->in);
    ret->pass[OP_WEIGHT_GRADIENT][0].written_bytes =
        LAYER_PRODUCT(unit, 4, h, params->in);
    ret->pass[OP_WEIGHT_GRADIENT][1].written_bytes =
        LAYER_PRODUCT(unit, 4, h, h);
}

static void lstm_cost(gconstpointer params, const LayerContext *context,
                      LayerCost *ret)
{
    const LstmParams *lstm_params = params;
    uint64_t h = lstm_params->hidden;
    uint64_t n_directions = lstm_params->bidirectional ? 2 : 1;
    uint64_t n_rows =
        layer_multiply_saturating(context->batch, lstm_params->steps);
    uint64_t n_input = LAYER_PRODUCT(4, h, lstm_params->in);
    uint64_t n_recurrent = LAYER_PRODUCT(4, h, h);
    uint64_t n_state =
        LAYER_PRODUCT(context->value_bytes, n_directions, n_rows, h);
    uint64_t n_step_rows = lstm_params->resident ? n_rows : context->batch;
    OpWork input =
        lstm_product(lstm_params, context, lstm_params->in + 4 * h, n_input);

    ret->n_weights = layer_multiply_saturating(
        n_directions, layer_add_saturating(n_input, n_recurrent));
    ret->pass[OP_FORWARD][0] = input;
    ret->pass[OP_FORWARD][0].product =
        (OpProduct){ .m = n_rows, .n = 4 * h, .k = lstm_params->in };
    ret->pass[OP_FORWARD][1] = lstm_time_steps(lstm_params, context, 6 * h);
    ret->pass[OP_FORWARD][1].product = (OpProduct){
        .m = n_step_rows, .n = 4 * h, .k = h, .is_recurrent = TRUE
    };
    ret->pass[OP_INPUT_GRADIENT][0] =
        lstm_time_steps(lstm_params, context, 10 * h);
    ret->pass[OP_INPUT_GRADIENT][0].product = (OpProduct){
        .m = n_step_rows, .n = h, .k = 4 * h, .is_recurrent = TRUE
    };
    ret->pass[OP_INPUT_GRADIENT][1] = input;
    ret->pass[OP_INPUT_GRADIENT][1].product =
        (OpProduct){ .m = n_rows, .n = lstm_params->in, .k = 4 * h };
    ret->pass[OP_WEIGHT_GRADIENT][0] = input;
    ret->pass[OP_WEIGHT_GRADIENT][0].product = (OpProduct){
        .m = 4 * h, .n = lstm_params->in, .k = n_rows, .cuts_sum = TRUE
    };
    ret->pass[OP_WEIGHT_GRADIENT][1] =
        lstm_product(lstm_params, context, 5 * h, n_recurrent);
    ret->pass[OP_WEIGHT_GRADIENT][1].product = (OpProduct){
        .m = 4 * h, .n = h, .k = n_rows, .cuts_sum = TRUE, .is_recurrent = TRUE
    };
    set_written_bytes(lstm_params, context, ret);
    ret->elementwise_bytes[OP_FORWARD] = layer_multiply_saturating(6, n_state);
    ret->elementwise_bytes[OP_INPUT_GRADIENT] =
        layer_multiply_saturating(8, n_state);
    ret->elementwise_written_bytes[OP_FORWARD] =
        layer_multiply_saturating(5, n_state);
    ret->elementwise_written_bytes[OP_INPUT_GRADIENT] = n_state;
    ret->n_elementwise[OP_FORWARD] =
        layer_multiply_saturating(n_directions, lstm_params->steps);
    ret->n_elementwise[OP_INPUT_GRADIENT] =
        layer_multiply_saturating(n_directions, lstm_params->steps);
}

const LayerOps layer_lstm = {
    .base = { .name = "lstm",
              .summary = "LSTM layer, 8 hidden (in + hidden) FLOP a step",
              .fields = lstm_fields,
              .size = sizeof(LstmParams) },
    .width = lstm_width,
    .shape = lstm_shape,
    .cost = lstm_cost,
};
