/* compare_group_columns.c - finds the group columns of a sweep's table */
#include "sim/study/compare/compare_group_columns.h"

GArray *list_ok_rows(const CsvTable *table)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint));
    guint status;
    gboolean has_status = csv_table_column(table, "status", &status, NULL);

    for (guint row = 0; row < csv_table_n_rows(table); row++)
        if (!has_status ||
            g_str_equal(csv_table_text(table, row, status), "ok"))
            g_array_append_val(rows, row);
    return rows;
}

/* Cells are joined by a unit separator, which they cannot contain. */
static char *join_cells_of_group(const CsvTable *table, guint row,
                                 const guint *columns, guint n)
{
    GString *id = g_string_new(NULL);

    for (guint i = 0; i < n; i++)
        g_string_append_printf(id, "%s\x1f",
                               csv_table_text(table, row, columns[i]));
    return g_string_free(id, FALSE);
}

/* Returns for each of @rows the first row that equals it in @columns. */
static GArray *find_first_equal_rows(const CsvTable *table, const GArray *rows,
                                     const guint *columns, guint n)
{
    g_autoptr(GHashTable) first =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GArray *equal_rows = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < rows->len; i++) {
        guint row = g_array_index(rows, guint, i);
        g_autofree char *id = join_cells_of_group(table, row, columns, n);
        gpointer other;

        if (g_hash_table_lookup_extended(first, id, NULL, &other))
            row = GPOINTER_TO_UINT(other);
        else
            g_hash_table_insert(first, g_steal_pointer(&id),
                                GUINT_TO_POINTER(row));
        g_array_append_val(equal_rows, row);
    }
    return equal_rows;
}

static gboolean is_group_column(const CsvTable *table, const GArray *rows,
                                const GArray *equal_rows, guint column)
{
    for (guint i = 0; i < rows->len; i++) {
        guint row = g_array_index(rows, guint, i);
        guint other = g_array_index(equal_rows, guint, i);

        if (!g_str_equal(csv_table_text(table, row, column),
                         csv_table_text(table, other, column)))
            return TRUE;
    }
    return FALSE;
}

GArray *find_group_columns(const CsvTable *table, guint workload, guint n_npus,
                           guint endpoint)
{
    const guint identity_columns[] = { workload, n_npus, endpoint };
    g_autoptr(GArray) rows = list_ok_rows(table);
    g_autoptr(GArray) equal_rows = find_first_equal_rows(
        table, rows, identity_columns, G_N_ELEMENTS(identity_columns));
    GArray *keys = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint column = 0; column < workload; column++)
        if (column != n_npus && column != endpoint &&
            is_group_column(table, rows, equal_rows, column))
            g_array_append_val(keys, column);
    return keys;
}
