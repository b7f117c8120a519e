/* step_rows.c - reads published training steps; see step_rows.h */
#include "validate/llm/step_rows.h"

#include <stdio.h>

#define FOLDER "validate/data/llm"

static void clear_step_row(gpointer data)
{
    StepRow *row = data;

    g_free(row->model);
    g_free(row->npu);
    g_free(row->precision);
    g_free(row->recompute);
    g_free(row->attention);
    g_free(row->left_out);
    g_free(row->source);
}

static gboolean read_text_cell(const CsvTable *table, guint i,
                               const char *column, char **ret, GError **error)
{
    *ret = g_strdup(simulator_cell_text(table, i, column, error));
    return *ret != NULL;
}

/* Reads a count; an empty cell of a row that is left out is 0. */
static gboolean read_count_cell(const CsvTable *table, guint i,
                                const char *column, gboolean may_be_empty,
                                guint *ret, GError **error)
{
    const char *text = simulator_cell_text(table, i, column, error);
    double value;

    *ret = 0;
    if (!text)
        return FALSE;
    if (*text == '\0' && may_be_empty)
        return TRUE;
    if (!simulator_cell_number(table, i, column, &value, error))
        return FALSE;
    if (value < 1 || value > 1e6) {
        g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                    "row %u: %s: %s is no count from 1 to a million", i + 1,
                    column, text);
        return FALSE;
    }
    *ret = (guint)value;
    return TRUE;
}

static gboolean read_step_row(const CsvTable *table, guint i, StepRow *row,
                              GError **error)
{
    const struct {
        const char *column;
        guint *ret;
    } counts[] = {
        { "gpus", &row->n_npus },
        { "sequence", &row->sequence },
        { "global_batch", &row->global_batch },
        { "micro_batch", &row->micro_batch },
        { "tp", &row->tp },
        { "cp", &row->cp },
        { "pp", &row->pp },
        { "chunks", &row->n_chunks },
    };
    const char *overlap;

    if (!read_text_cell(table, i, "model", &row->model, error) ||
        !read_text_cell(table, i, "npu", &row->npu, error) ||
        !read_text_cell(table, i, "precision", &row->precision, error) ||
        !read_text_cell(table, i, "recompute", &row->recompute, error) ||
        !read_text_cell(table, i, "attention", &row->attention, error) ||
        !read_text_cell(table, i, "left_out", &row->left_out, error) ||
        !read_text_cell(table, i, "source", &row->source, error))
        return FALSE;
    for (guint c = 0; c < G_N_ELEMENTS(counts); c++)
        if (!read_count_cell(table, i, counts[c].column, *row->left_out != '\0',
                             counts[c].ret, error))
            return FALSE;
    overlap = simulator_cell_text(table, i, "tp_overlap", error);
    if (!overlap ||
        !simulator_cell_number(table, i, "step_ms", &row->step_ms, error))
        return FALSE;
    row->overlaps_tp = g_str_equal(overlap, "true") && row->tp > 1;
    if (row->step_ms > 0)
        return TRUE;
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "row %u: step_ms must be above 0", i + 1);
    return FALSE;
}

GArray *step_rows_load(const char *set, GError **error)
{
    g_autofree char *path = g_strdup_printf(FOLDER "/%s.csv", set);
    g_autoptr(CsvTable) table = csv_table_load(path, error);
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(StepRow));

    g_array_set_clear_func(rows, clear_step_row);
    for (guint i = 0; table && i < csv_table_n_rows(table); i++) {
        StepRow *row;

        g_array_set_size(rows, i + 1);
        row = &g_array_index(rows, StepRow, i);
        row->set = set;
        if (!read_step_row(table, i, row, error)) {
            g_prefix_error(error, "%s: ", path);
            return NULL;
        }
    }
    return table ? g_steal_pointer(&rows) : NULL;
}

const StepRow *step_row_at(const GArray *rows, guint i)
{
    return &g_array_index(rows, StepRow, i);
}

const char *step_row_model_family(const StepRow *row)
{
    return g_str_has_prefix(row->npu, "a100") ? "a100"
           : g_str_has_prefix(row->npu, "h")  ? "hopper"
                                              : "blackwell";
}

const char *step_row_fit_unit(const StepRow *row)
{
    return g_str_equal(step_row_model_family(row), "blackwell") ? row->npu
                                                                : row->model;
}

guint step_row_n_micro_batches(const StepRow *row)
{
    guint dp = row->n_npus / (row->tp * row->cp * row->pp);

    return row->global_batch / row->micro_batch / MAX(dp, 1);
}

/* Weights of the models, in billions: as published. */
static const struct {
    const char *model;
    double weights;
} models[] = {
    { "gpt-3.6b", 3.6e9 },        { "gpt-18.4b", 18.4e9 },
    { "megatron-22b", 22e9 },     { "gpt-3-175b", 175e9 },
    { "megatron-530b", 530e9 },   { "megatron-1t", 1008e9 },
    { "llama-3.1-70b", 70.55e9 }, { "llama-3.1-405b", 405.9e9 },
};

static double number_of_model_weights(const char *model)
{
    double hidden, layers;

    for (guint i = 0; i < G_N_ELEMENTS(models); i++)
        if (g_str_equal(model, models[i].model))
            return models[i].weights;
    if (sscanf(model, "gpt-h%lf-l%lf", &hidden, &layers) != 2)
        return 0;
    return 12 * layers * hidden * hidden + 50304 * hidden;
}

double step_row_model_flop(const StepRow *row)
{
    return 6 * number_of_model_weights(row->model) * row->sequence *
           row->global_batch;
}

double step_row_peak_flop_per_s(const StepRow *row)
{
    static const struct {
        const char *npu;
        double bf16, fp8, nvfp4;
    } peaks[] = {
        { "a100-80gb", 312e12, 0, 0 },
        { "h100-sxm", 989.4e12, 1978.9e12, 0 },
        { "h200", 989.4e12, 1978.9e12, 0 },
        { "b200", 2250e12, 4500e12, 9000e12 },
        { "gb200", 2500e12, 5000e12, 10000e12 },
        { "gb300", 2500e12, 5000e12, 15000e12 },
    };

    for (guint i = 0; i < G_N_ELEMENTS(peaks); i++)
        if (g_str_equal(row->npu, peaks[i].npu))
            return g_str_equal(row->precision, "nvfp4")    ? peaks[i].nvfp4
                   : g_str_has_suffix(row->precision, "8") ? peaks[i].fp8
                                                           : peaks[i].bf16;
    return 0;
}
