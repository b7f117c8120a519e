/* kernel_rows.c - reads published kernels and their times */
#include "validate/kernels/kernel_rows.h"

/* Columns that are not keys of a kernel. */
enum {
    COLUMN_NPU,
    COLUMN_FAMILY,
    COLUMN_PART,
    COLUMN_SOURCE,
    COLUMN_TIME,
    N_COLUMNS,
};

static const char *const column_names[N_COLUMNS] = { "npu", "family", "part",
                                                     "source", "time_us" };

static void clear_kernel_row(gpointer data)
{
    KernelRow *row = data;

    g_free(row->npu);
    g_free(row->family);
    g_free(row->source);
    g_free(row->yaml);
    g_free(row->key);
}

GArray *kernel_rows_new(void)
{
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(KernelRow));

    g_array_set_clear_func(rows, clear_kernel_row);
    return rows;
}

static gboolean column_is_kernel_key(const guint *columns, guint column)
{
    for (guint i = 0; i < N_COLUMNS; i++)
        if (columns[i] == column)
            return FALSE;
    return TRUE;
}

static char *kernel_yaml_of_row(const CsvTable *table, guint row,
                                const guint *columns)
{
    GString *yaml = g_string_new("{");

    for (guint i = 0; i < csv_table_n_columns(table); i++) {
        const char *cell = csv_table_text(table, row, i);

        if (column_is_kernel_key(columns, i) && *cell)
            g_string_append_printf(yaml, "%s%s: %s", yaml->len > 1 ? ", " : "",
                                   csv_table_column_name(table, i), cell);
    }
    g_string_append_c(yaml, '}');
    return g_string_free(yaml, FALSE);
}

static gboolean read_kernel_row(const char *path, const CsvTable *table,
                                guint row, const guint *columns, KernelRow *ret,
                                GError **error)
{
    const char *part = csv_table_text(table, row, columns[COLUMN_PART]);

    if (!csv_table_number(table, row, columns[COLUMN_TIME], &ret->time_us,
                          error))
        return FALSE;
    ret->line = row + 2;
    ret->is_held_out = g_str_equal(part, "held-out");
    if (ret->time_us <= 0 ||
        (!ret->is_held_out && !g_str_equal(part, "training"))) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                    "%s:%u: part is training or held-out, and time_us above 0",
                    path, ret->line);
        return FALSE;
    }
    ret->npu = g_strdup(csv_table_text(table, row, columns[COLUMN_NPU]));
    ret->family = g_strdup(csv_table_text(table, row, columns[COLUMN_FAMILY]));
    ret->source = g_strdup(csv_table_text(table, row, columns[COLUMN_SOURCE]));
    ret->yaml = kernel_yaml_of_row(table, row, columns);
    return TRUE;
}

gboolean kernel_rows_add_file(GArray *rows, const char *path, GError **error)
{
    g_autoptr(CsvTable) table = csv_table_load(path, error);
    guint columns[N_COLUMNS];

    for (guint i = 0; table && i < N_COLUMNS; i++)
        if (!csv_table_column(table, column_names[i], &columns[i], error))
            return FALSE;
    for (guint i = 0; table && i < csv_table_n_rows(table); i++) {
        KernelRow row = { 0 };

        if (!read_kernel_row(path, table, i, columns, &row, error))
            return FALSE;
        g_array_append_val(rows, row);
    }
    return table != NULL;
}

GArray *kernel_rows_load(const char *path, GError **error)
{
    g_autoptr(GArray) rows = kernel_rows_new();

    return kernel_rows_add_file(rows, path, error) ? g_steal_pointer(&rows)
                                                   : NULL;
}
