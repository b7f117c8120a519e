/* data_sheet.c - reads the data sheets of GPUs: validate/data/gpus.csv */
#include "validate/fit/data_sheet.h"

#include <math.h>
#include <string.h>

/* Tolerance for rounded data sheets: 2,039 GB/s are 5120 bits of 3.186
 * Gbit/s. */
#define ROUNDING 1.005

enum {
    SMS,
    CLOCK,
    BITS,
    PIN,
    MEMORY,
    CAPACITY,
    FP32,
    FP16,
    OPERANDS,
    N_NUMBERS,
};

static const char *const number_names[N_NUMBERS] = {
    "sms",
    "clock_mhz",
    "memory_bits",
    "memory_gbit_per_s_a_pin",
    "memory_gb_per_s",
    "memory_gib",
    "fp32_tflops",
    "fp16_tflops",
    "operand_bytes_a_cycle",
};

static const char *const text_names[] = { "gpu", "npu", "source", "memory_like",
                                          "products_like" };

typedef struct {
    guint numbers[N_NUMBERS], texts[G_N_ELEMENTS(text_names)];
    gboolean has_overlap; /* TRUE if .overlap exists */
    guint overlap;
} SheetColumns;

static void clear_data_sheet(gpointer data)
{
    Sheet *sheet = data;

    g_free(sheet->gpu);
    g_free(sheet->npu);
    g_free(sheet->source);
    g_free(sheet->like);
    g_free(sheet->products_like);
}

static gboolean find_sheet_columns(const CsvTable *table, SheetColumns *columns,
                                   GError **error)
{
    for (guint i = 0; i < N_NUMBERS; i++)
        if (!csv_table_column(table, number_names[i], &columns->numbers[i],
                              error))
            return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(text_names); i++)
        if (!csv_table_column(table, text_names[i], &columns->texts[i], error))
            return FALSE;
    columns->has_overlap =
        csv_table_column(table, "operands_overlap", &columns->overlap, NULL);
    return TRUE;
}

static uint64_t data_sheet_value_in_base_units(double value, double unit)
{
    return (uint64_t)llround(value * unit);
}

static gboolean read_data_sheet(const char *name, const CsvTable *table,
                                guint row, const SheetColumns *columns,
                                Sheet *ret, GError **error)
{
    double v[N_NUMBERS];

    for (guint i = 0; i < N_NUMBERS; i++)
        if (!csv_table_number(table, row, columns->numbers[i], &v[i], error))
            return FALSE;
    if (v[MEMORY] > v[BITS] * v[PIN] / 8 * ROUNDING) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                    "%s:%u: memory_gb_per_s is %g, beyond %g bits x %g "
                    "Gbit/s = %g GB/s",
                    name, row + 2, v[MEMORY], v[BITS], v[PIN],
                    v[BITS] * v[PIN] / 8);
        return FALSE;
    }
    *ret = (Sheet){
        .gpu = g_strdup(csv_table_text(table, row, columns->texts[0])),
        .npu = g_strdup(csv_table_text(table, row, columns->texts[1])),
        .source = g_strdup(csv_table_text(table, row, columns->texts[2])),
        .like = g_strdup(csv_table_text(table, row, columns->texts[3])),
        .products_like =
            g_strdup(csv_table_text(table, row, columns->texts[4])),
        .n_sms = data_sheet_value_in_base_units(v[SMS], 1),
        .clock_hz = data_sheet_value_in_base_units(v[CLOCK], 1e6),
        .memory_bytes_per_s = data_sheet_value_in_base_units(v[MEMORY], 1e9),
        .memory_bytes =
            data_sheet_value_in_base_units(v[CAPACITY], 1024.0 * 1024 * 1024),
        .fp32_flop_per_s = data_sheet_value_in_base_units(v[FP32], 1e12),
        .fp16_flop_per_s = data_sheet_value_in_base_units(v[FP16], 1e12),
        .operand_bytes_per_cycle =
            data_sheet_value_in_base_units(v[OPERANDS], 1),
        .operands_overlap =
            columns->has_overlap &&
            g_str_equal(csv_table_text(table, row, columns->overlap), "yes"),
    };
    return TRUE;
}

static GArray *read_all_sheets(const char *name, const CsvTable *table,
                               GError **error)
{
    g_autoptr(GArray) sheets = g_array_new(FALSE, TRUE, sizeof(Sheet));
    SheetColumns columns;

    g_array_set_clear_func(sheets, clear_data_sheet);
    if (!find_sheet_columns(table, &columns, error))
        return NULL;
    for (guint i = 0; i < csv_table_n_rows(table); i++) {
        Sheet sheet;

        if (!read_data_sheet(name, table, i, &columns, &sheet, error))
            return NULL;
        g_array_append_val(sheets, sheet);
    }
    return g_steal_pointer(&sheets);
}

GArray *data_sheets_load(const char *path, GError **error)
{
    g_autoptr(CsvTable) table = csv_table_load(path, error);

    return table ? read_all_sheets(path, table, error) : NULL;
}

GArray *data_sheets_parse(const char *name, const char *text, GError **error)
{
    g_autoptr(CsvTable) table =
        csv_table_parse(name, text, strlen(text), error);

    return table ? read_all_sheets(name, table, error) : NULL;
}

const Sheet *data_sheets_find_npu(const GArray *sheets, const char *npu)
{
    for (guint i = 0; i < sheets->len; i++)
        if (g_str_equal(g_array_index(sheets, Sheet, i).npu, npu))
            return &g_array_index(sheets, Sheet, i);
    return NULL;
}
