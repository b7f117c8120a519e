/* measured_table.c - reads columns of the CSV files of validate/gpu */
#include "validate/kernels/measured_table.h"

#include <string.h>

/* A column of a table: its definition and its index. */
typedef struct {
    const MeasuredColumn *column;
    guint index;
} ColumnPlace;

static gboolean read_measured_cell(const CsvTable *table, const char *path,
                                   guint row, const ColumnPlace *place,
                                   gpointer ret, GError **error)
{
    const char *text = csv_table_text(table, row, place->index);
    MeasuredType type = place->column->type;
    double number = 0;

    if (type == MEASURED_TEXT) {
        memcpy(ret, &text, sizeof text);
        return TRUE;
    }
    if (*text != '\0' &&
        !csv_table_number(table, row, place->index, &number, error))
        return FALSE;
    if (number < 0 || number > 1e18 || (type == MEASURED_TIME && number <= 0)) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                    "%s:%u: %s: '%s' is out of range", path, row + 2,
                    place->column->name, text);
        return FALSE;
    }
    if (type == MEASURED_COUNT)
        *(uint64_t *)ret = (uint64_t)number;
    else
        memcpy(ret, &number, sizeof number);
    return TRUE;
}

GArray *measured_table_rows(const CsvTable *table, const char *path,
                            const MeasuredColumn *columns, guint n_columns,
                            gsize row_size, GError **error)
{
    g_autofree ColumnPlace *places = g_new(ColumnPlace, n_columns);
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, (guint)row_size);

    for (guint c = 0; c < n_columns; c++) {
        places[c].column = &columns[c];
        if (!csv_table_column(table, columns[c].name, &places[c].index, error))
            return NULL;
    }
    g_array_set_size(rows, csv_table_n_rows(table));
    for (guint i = 0; i < rows->len; i++)
        for (guint c = 0; c < n_columns; c++)
            if (!read_measured_cell(
                    table, path, i, &places[c],
                    rows->data + i * row_size + columns[c].offset, error))
                return NULL;
    return g_steal_pointer(&rows);
}
