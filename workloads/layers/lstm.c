/*
 * lstm.c - one layer of long short-term memory
 *
 * Per direction, with R = batch * steps rows, I inputs and H hidden values:
 *
 *     weights = 4 H (I + H)
 *     flop    = 2 R 4 H (I + H), in each pass
 *
 * forward          the input's product for all steps at once (read x and W_i,
 *                  write 4H), then step by step the recurrent one (read 4H, h
 *                  and W_h, write h)
 * input gradient   step by step backwards (read dy and W_h, write the gates'
 *                  gradient 4H, read it, write dh), then for all steps at once
 *                  (read 4H and W_i, write dx)
 * weight gradient  two products over all rows (read 4H, x; read 4H, h)
 *
 *     bytes forward         = v (R (I + 10 H) + 4HI + t 4HH)
 *     bytes input gradient  = v (R (I + 14 H) + 4HI + t 4HH)
 *     bytes weight gradient = v (R (I +  9 H) + 4HI +   4HH)
 *
 * t is the number of steps, as the recurrent weights are read again in each:
 * 8 MiB at H = 1024 in FP16 is more than the L2 cache of [ISCA21]'s NPU.
 * `resident: true` keeps them on chip (a persistent kernel), t = 1.
 *
 * Elementwise kernels, assumed one a step: forward reads and writes the cell
 * and saves the gates (6H); backward reads gates, this and the last cell, and
 * reads and writes the cell's gradient (8H).
 *
 * Leaves out bias, dropout, padding of shorter samples, and that small steps
 * fill an NPU badly.
 */
#include "workloads/layer_impl.h"

typedef struct {
    LayerCommon common;
    uint64_t in, hidden; /* values */
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

static gboolean lstm_check(const ConfigVariant *layer, GError **error)
{
    const LstmParams *p = layer->params;

    return layer_check_repeat(layer, p->in, p->hidden << p->bidirectional,
                              error);
}

/* v (R (I + n H) + 4HI + t 4HH), for all directions. */
static uint64_t lstm_bytes(const LstmParams *p, const LayerContext *context,
                           uint64_t n_hidden, uint64_t n_reads)
{
    uint64_t n_rows = layer_mul(context->batch, p->steps);
    uint64_t row = layer_add(p->in, layer_mul(n_hidden, p->hidden));
    uint64_t n_values =
        LAYER_SUM(layer_mul(n_rows, row), LAYER_PRODUCT(4, p->hidden, p->in),
                  LAYER_PRODUCT(4, p->hidden, p->hidden, n_reads));

    return LAYER_PRODUCT(context->value_bytes, n_values,
                         p->bidirectional ? 2 : 1);
}

static void lstm_cost(gconstpointer params, const LayerContext *context,
                      LayerCost *ret)
{
    const LstmParams *p = params;
    uint64_t n_directions = p->bidirectional ? 2 : 1;
    uint64_t n_rows = layer_mul(context->batch, p->steps);
    uint64_t n_reads = p->resident ? 1 : p->steps;
    uint64_t n_state =
        LAYER_PRODUCT(context->value_bytes, n_directions, n_rows, p->hidden);
    uint64_t flop;

    ret->n_weights =
        LAYER_PRODUCT(4, n_directions, p->hidden, p->in + p->hidden);
    flop = LAYER_PRODUCT(2, n_rows, ret->n_weights);
    ret->pass[OP_FORWARD] = (OpWork){
        .flop = flop,
        .bytes = lstm_bytes(p, context, 10, n_reads),
    };
    ret->pass[OP_INPUT_GRADIENT] = (OpWork){
        .flop = flop,
        .bytes = lstm_bytes(p, context, 14, n_reads),
    };
    ret->pass[OP_WEIGHT_GRADIENT] = (OpWork){
        .flop = flop,
        .bytes = lstm_bytes(p, context, 9, 1),
    };
    ret->elementwise_bytes[OP_FORWARD] = layer_mul(6, n_state);
    ret->elementwise_bytes[OP_INPUT_GRADIENT] = layer_mul(8, n_state);
}

const LayerOps layer_lstm = {
    .base = { .name = "lstm",
              .summary = "LSTM layer, 8 hidden (in + hidden) FLOP a step",
              .fields = lstm_fields,
              .size = sizeof(LstmParams) },
    .check = lstm_check,
    .cost = lstm_cost,
};
