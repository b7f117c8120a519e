/* model_columns.c - the columns of runs.csv for language models */
#include "sim/core/csv.h"
#include "sim/study/rows/run_rows_impl.h"

/* Appends @value with @n_digits after the point. */
static void append_model_number(GString *out, double value, guint n_digits)
{
    double scale = 1;

    for (guint i = 0; i < n_digits; i++)
        scale *= 10;
    csv_add_fixed(out, (uint64_t)(value * scale + 0.5), n_digits);
}

static void append_parameters_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->model.n_weights);
}

static void append_active_parameters_cell(GString *out,
                                          const RowsContext *context)
{
    csv_add_u64(out, context->model.n_active_weights);
}

static void append_tokens_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->model.n_tokens);
}

static void append_tokens_per_s_cell(GString *out, const RowsContext *context)
{
    append_model_number(out, context->model.tokens_per_s, 3);
}

static void append_model_tflop_cell(GString *out, const RowsContext *context)
{
    append_model_number(out, context->model.model_flop_per_s * 1e-12, 3);
}

static void append_hardware_tflop_cell(GString *out, const RowsContext *context)
{
    append_model_number(out, context->model.hardware_flop_per_s * 1e-12, 3);
}

static void append_mfu_cell(GString *out, const RowsContext *context)
{
    append_model_number(out, context->model.mfu, 6);
}

/* Defines the function that appends the cell of a kind of memory, or of a cause
 * of waits. */
#define MEMORY_CELL(name, KIND)                                                \
    static void append_##name##_memory_cell(GString *out,                      \
                                            const RowsContext *context)        \
    {                                                                          \
        csv_add_u64(out, context->model.memory->peak.bytes[KIND]);             \
    }
#define WAIT_CELL(name, CAUSE)                                                 \
    static void append_##name##_wait_cell(GString *out,                        \
                                          const RowsContext *context)          \
    {                                                                          \
        rows_append_us(out, context->model.times.wait_ps[CAUSE]);              \
    }

MEMORY_CELL(weights, MEMORY_WEIGHTS)
MEMORY_CELL(gradients, MEMORY_GRADIENTS)
MEMORY_CELL(optimiser, MEMORY_OPTIMISER)
MEMORY_CELL(activations, MEMORY_ACTIVATIONS)
MEMORY_CELL(buffers, MEMORY_BUFFERS)
WAIT_CELL(warm_up, WAIT_WARM_UP)
WAIT_CELL(cool_down, WAIT_COOL_DOWN)
WAIT_CELL(imbalance, WAIT_IMBALANCE)
WAIT_CELL(tp, WAIT_TP)
WAIT_CELL(cp, WAIT_CP)
WAIT_CELL(ep, WAIT_EP)
WAIT_CELL(pp, WAIT_PP)
WAIT_CELL(dp, WAIT_DP)
WAIT_CELL(other, WAIT_OTHER)

static void append_memory_stage_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->model.memory->stage);
}

static void append_memory_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, rank_memory_sum(&context->model.memory->peak));
}

const RowsColumn rows_model_columns[] = {
    { "parameters", UNIT_COUNT, append_parameters_cell, NULL },
    { "active_parameters", UNIT_COUNT, append_active_parameters_cell, NULL },
    { "tokens", UNIT_COUNT, append_tokens_cell, NULL },
    { "tokens_per_s_per_npu", UNIT_RATIO, append_tokens_per_s_cell, NULL },
    { "model_tflop_per_s_per_npu", UNIT_RATIO, append_model_tflop_cell, NULL },
    { "hardware_tflop_per_s_per_npu", UNIT_RATIO, append_hardware_tflop_cell,
      NULL },
    { "mfu", UNIT_RATIO, append_mfu_cell, NULL },
    /* The memory of the fullest rank, and its pipeline stage. */
    { "memory_bytes", UNIT_BYTES, append_memory_cell, NULL },
    { "memory_stage", UNIT_COUNT, append_memory_stage_cell, NULL },
    { "memory_weights_bytes", UNIT_BYTES, append_weights_memory_cell, NULL },
    { "memory_gradients_bytes", UNIT_BYTES, append_gradients_memory_cell,
      NULL },
    { "memory_optimiser_bytes", UNIT_BYTES, append_optimiser_memory_cell,
      NULL },
    { "memory_activations_bytes", UNIT_BYTES, append_activations_memory_cell,
      NULL },
    { "memory_buffers_bytes", UNIT_BYTES, append_buffers_memory_cell, NULL },
    /* The following columns and compute_time_us add up to iteration_time_us
       (stream_times.h). */
    { "bubble_warm_up_us", UNIT_US, append_warm_up_wait_cell, NULL },
    { "bubble_cool_down_us", UNIT_US, append_cool_down_wait_cell, NULL },
    { "bubble_imbalance_us", UNIT_US, append_imbalance_wait_cell, NULL },
    { "exposed_tp_us", UNIT_US, append_tp_wait_cell, NULL },
    { "exposed_cp_us", UNIT_US, append_cp_wait_cell, NULL },
    { "exposed_ep_us", UNIT_US, append_ep_wait_cell, NULL },
    { "exposed_pp_us", UNIT_US, append_pp_wait_cell, NULL },
    { "exposed_dp_us", UNIT_US, append_dp_wait_cell, NULL },
    { "other_wait_us", UNIT_US, append_other_wait_cell, NULL },
    { 0 },
};
