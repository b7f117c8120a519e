/*
 * recurrent.c - one pass of a recurrent layer, with serial steps
 *
 * With g gates (LSTM 4, GRU 3, vanilla 1), H hidden values, I inputs (0: the
 * input is added without a product), batch b, T steps, and R = b T:
 *
 *     forward          R x gH results of I products in one kernel; then T
 *                      kernels of b x gH results of H products, in series
 *     input gradient   T kernels of b x H results of gH products, in series;
 *                      then R x I results of gH products
 *     weight gradient  gH x I and gH x H results of R products, one kernel each
 *
 * Each step reads the recurrent weights again and moves the gates of its rows,
 * as in layers/lstm.c.
 */
#include "workloads/kernel_impl.h"

typedef enum {
    CELL_VANILLA,
    CELL_GRU,
    CELL_LSTM,
} Cell;

static const char *const cell_names[] = { "vanilla", "gru", "lstm", NULL };
static const uint64_t cell_gates[] = { 1, 3, 4 };

typedef struct {
    KernelCommon common;
    int cell, pass;
    uint64_t in, hidden, batch, steps;
} RecurrentParams;

static const ConfigField recurrent_fields[] = {
    KERNEL_COMMON_FIELDS(RecurrentParams),
    { .key = "cell",
      .help = "what a step computes: 1, 3 or 4 gates",
      .type = CONFIG_ENUM,
      .offset = offsetof(RecurrentParams, cell),
      .names = cell_names,
      .fallback = "lstm" },
    { .key = "in",
      .help = "input values of a step; 0: added as they are",
      .type = CONFIG_COUNT,
      .offset = offsetof(RecurrentParams, in),
      .max = LAYER_MAX_COUNT,
      .fallback = "0" },
    LAYER_COUNT_FIELD(RecurrentParams, hidden, "hidden", NULL,
                      "values of the hidden state"),
    LAYER_COUNT_FIELD(RecurrentParams, batch, "batch", NULL, "samples"),
    LAYER_COUNT_FIELD(RecurrentParams, steps, "steps", NULL, "sequence length"),
    { .key = "pass",
      .help = "which of the three",
      .type = CONFIG_ENUM,
      .offset = offsetof(RecurrentParams, pass),
      .names = kernel_pass_names,
      .fallback = "forward" },
    CONFIG_END,
};

/* Returns @work repeated in @n_steps kernels. */
static OpWork repeat_work_per_time_step(OpWork work, uint64_t n_steps)
{
    work.flop = layer_multiply_saturating(work.flop, n_steps);
    work.bytes = layer_multiply_saturating(work.bytes, n_steps);
    work.written_bytes = layer_multiply_saturating(work.written_bytes, n_steps);
    work.n_kernels = n_steps;
    return work;
}

static void recurrent_list_work(gconstpointer params,
                                OpWork ret[KERNEL_MAX_WORKS])
{
    const RecurrentParams *recurrent_params = params;
    uint64_t v = precision_bytes(recurrent_params->common.precision);
    uint64_t gates = layer_multiply_saturating(
        cell_gates[recurrent_params->cell], recurrent_params->hidden);
    uint64_t n_rows = layer_multiply_saturating(recurrent_params->batch,
                                                recurrent_params->steps);
    OpWork input = { 0 }, steps;

    if (recurrent_params->pass == OP_FORWARD) {
        steps = kernel_product(recurrent_params->batch, gates,
                               recurrent_params->hidden, 1, v);
        input = kernel_product(n_rows, gates, recurrent_params->in, 1, v);
        steps = repeat_work_per_time_step(steps, recurrent_params->steps);
    } else if (recurrent_params->pass == OP_INPUT_GRADIENT) {
        steps = kernel_product(recurrent_params->batch,
                               recurrent_params->hidden, gates, 1, v);
        input = kernel_product(n_rows, recurrent_params->in, gates, 1, v);
        steps = repeat_work_per_time_step(steps, recurrent_params->steps);
    } else {
        steps = kernel_product(gates, recurrent_params->hidden, n_rows, 1, v);
        input = kernel_product(gates, recurrent_params->in, n_rows, 1, v);
        steps.product.cuts_sum = input.product.cuts_sum = TRUE;
    }
    steps.product.is_recurrent = TRUE;
    ret[0] = steps;
    if (recurrent_params->in > 0)
        ret[1] = input;
}

const KernelOps kernel_recurrent = {
    .base = { .name = "recurrent",
              .summary = "one pass of an LSTM, GRU or plain recurrent layer",
              .fields = recurrent_fields,
              .size = sizeof(RecurrentParams) },
    .works = recurrent_list_work,
};
