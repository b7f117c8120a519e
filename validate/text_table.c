/* text_table.c - formats rows of cells as aligned columns */
#include "validate/text_table.h"

#include <stdarg.h>
#include <string.h>

struct TextTable {
    char *alignment; /* The struct owns this memory. */
    guint n_columns;
    /* The struct owns this array of GStrv, each with n_columns cells. */
    GPtrArray *rows;
};

TextTable *text_table_new(const char *alignment)
{
    TextTable *table = g_new0(TextTable, 1);

    table->alignment = g_strdup(alignment);
    table->n_columns = (guint)strlen(alignment);
    table->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    return table;
}

void text_table_free(TextTable *table)
{
    if (!table)
        return;
    g_ptr_array_unref(table->rows);
    g_free(table->alignment);
    g_free(table);
}

void text_table_add_row(TextTable *table, const char *format, ...)
{
    g_autofree char *text = NULL;
    char **cells;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    cells = g_strsplit(text, "\t", -1);
    g_assert(g_strv_length(cells) == table->n_columns);
    g_ptr_array_add(table->rows, cells);
}

static const char *text_table_cell(const TextTable *table, guint row,
                                   guint column)
{
    return ((char **)g_ptr_array_index(table->rows, row))[column];
}

static int text_table_column_width(const TextTable *table, guint column)
{
    gsize most = 0;

    for (guint i = 0; i < table->rows->len; i++)
        most = MAX(most, strlen(text_table_cell(table, i, column)));
    return (int)most;
}

static void append_table_line(const TextTable *table, guint row,
                              gboolean underline, GString *out)
{
    g_autoptr(GString) line = g_string_new(NULL);

    for (guint c = 0; c < table->n_columns; c++) {
        int w = text_table_column_width(table, c);
        g_autofree char *dashes = g_strnfill((gsize)w, '-');

        g_string_append_printf(
            line, "  %*s", table->alignment[c] == 'l' ? -w : w,
            underline ? dashes : text_table_cell(table, row, c));
    }
    g_string_append_printf(out, "%s\n", g_strchomp(line->str));
}

void text_table_render(const TextTable *table, GString *out)
{
    for (guint i = 0; i < table->rows->len; i++) {
        append_table_line(table, i, FALSE, out);
        if (i == 0)
            append_table_line(table, i, TRUE, out);
    }
}
