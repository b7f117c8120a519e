/* memory_rows.c - the memory of ranks over an iteration, as CSV */
#include "sim/study/rows/memory_rows.h"

#include "sim/core/csv.h"

/* The data of a row. */
typedef struct {
    const StageMemory *unit;
    gboolean is_peak; /* the stage needs most, for the first time */
} MemoryRow;

static const StageMemory *schedule_unit_of_row(gconstpointer row)
{
    return ((const MemoryRow *)row)->unit;
}

static void append_stage_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, schedule_unit_of_row(row)->stage);
}

/* Appends @value, or nothing without a schedule. */
static void append_schedule_cell(GString *out, gconstpointer row,
                                 uint64_t value)
{
    if (schedule_unit_of_row(row)->pass)
        csv_add_u64(out, value);
    else
        csv_add_empty(out);
}

static void append_unit_cell(GString *out, gconstpointer row)
{
    append_schedule_cell(out, row, schedule_unit_of_row(row)->unit);
}

static void append_pass_cell(GString *out, gconstpointer row)
{
    if (schedule_unit_of_row(row)->pass)
        csv_add_text(out, schedule_unit_of_row(row)->pass);
    else
        csv_add_empty(out);
}

static void append_chunk_cell(GString *out, gconstpointer row)
{
    append_schedule_cell(out, row, schedule_unit_of_row(row)->chunk);
}

static void append_micro_batch_cell(GString *out, gconstpointer row)
{
    append_schedule_cell(out, row, schedule_unit_of_row(row)->micro_batch);
}

static void append_memory_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, rank_memory_sum(&schedule_unit_of_row(row)->peak));
}

static void append_weights_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, schedule_unit_of_row(row)->peak.bytes[MEMORY_WEIGHTS]);
}

static void append_gradients_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, schedule_unit_of_row(row)->peak.bytes[MEMORY_GRADIENTS]);
}

static void append_optimiser_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, schedule_unit_of_row(row)->peak.bytes[MEMORY_OPTIMISER]);
}

static void append_activations_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, schedule_unit_of_row(row)->peak.bytes[MEMORY_ACTIVATIONS]);
}

static void append_buffers_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, schedule_unit_of_row(row)->peak.bytes[MEMORY_BUFFERS]);
}

static void append_is_peak_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, ((const MemoryRow *)row)->is_peak ? "true" : "false");
}

const Column memory_columns[] = {
    { "stage", UNIT_COUNT, append_stage_cell },
    { "unit", UNIT_COUNT, append_unit_cell },
    { "pass", UNIT_TEXT, append_pass_cell },
    { "chunk", UNIT_COUNT, append_chunk_cell },
    { "micro_batch", UNIT_COUNT, append_micro_batch_cell },
    { "memory_bytes", UNIT_BYTES, append_memory_cell },
    { "memory_weights_bytes", UNIT_BYTES, append_weights_cell },
    { "memory_gradients_bytes", UNIT_BYTES, append_gradients_cell },
    { "memory_optimiser_bytes", UNIT_BYTES, append_optimiser_cell },
    { "memory_activations_bytes", UNIT_BYTES, append_activations_cell },
    { "memory_buffers_bytes", UNIT_BYTES, append_buffers_cell },
    { "is_peak", UNIT_TEXT, append_is_peak_cell },
    { NULL, UNIT_TEXT, NULL },
};

/* Returns whether @unit is the one at which @stages say its stage
 * needs most. */
static gboolean is_peak_of_stage(const GArray *stages, const StageMemory *unit)
{
    for (guint i = 0; i < stages->len; i++) {
        const StageMemory *peak = &g_array_index(stages, StageMemory, i);

        if (peak->stage == unit->stage)
            return peak->unit == unit->unit;
    }
    return FALSE;
}

gboolean memory_append_csv(GString *out, const System *system, GError **error)
{
    const SystemConfig *config = system_config(system);
    const OpGraph *graph = system_graph(system);
    const WorkloadSite site = { .n_npus =
                                    topology_n_npus(system_topology(system)) };
    g_autoptr(GArray) units = g_array_new(FALSE, FALSE, sizeof(StageMemory));

    if (!workload_list_memory(&config->workload, &config->training, &site,
                              graph, units, error))
        return FALSE;
    columns_append_header(out, memory_columns);
    for (guint i = 0; i < units->len; i++) {
        const StageMemory *unit = &g_array_index(units, StageMemory, i);
        const MemoryRow row = { unit, is_peak_of_stage(graph->memory, unit) };

        columns_append_row(out, memory_columns, &row);
    }
    return TRUE;
}
