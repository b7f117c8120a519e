/* table.c - text in columns for people */
#include "sim/cli/table.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 100
#define GAP           2

struct Table {
    const TableColumn *columns; /* borrowed */
    guint n_columns;
    GPtrArray *cells; /* owned, of owned GStrv: the lines of a cell */
};

static guint width_of(const char *text)
{
    return g_utf8_validate(text, -1, NULL) ? (guint)g_utf8_strlen(text, -1)
                                           : (guint)strlen(text);
}

/* Breaks at blanks; a word that is too long stands alone. */
static GStrv wrapped(const char *text, guint width)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    GPtrArray *lines = g_ptr_array_new();
    g_autoptr(GString) line = g_string_new(NULL);

    for (char **word = words; *word; word++) {
        if (width > 0 && line->len > 0 &&
            width_of(line->str) + 1 + width_of(*word) > width) {
            g_ptr_array_add(lines, g_strdup(line->str));
            g_string_truncate(line, 0);
        }
        if (line->len > 0)
            g_string_append_c(line, ' ');
        g_string_append(line, *word);
    }
    g_ptr_array_add(lines, g_strdup(line->str));
    g_ptr_array_add(lines, NULL);
    return (GStrv)g_ptr_array_free(lines, FALSE);
}

static void free_lines(gpointer lines)
{
    g_strfreev(lines);
}

Table *table_new(const TableColumn *columns, guint n_columns)
{
    Table *table = g_new0(Table, 1);

    table->columns = columns;
    table->n_columns = n_columns;
    table->cells = g_ptr_array_new_with_free_func(free_lines);
    for (guint i = 0; columns[0].title && i < n_columns; i++)
        table_add(table, columns[i].title);
    return table;
}

void table_free(Table *table)
{
    if (!table)
        return;
    g_ptr_array_unref(table->cells);
    g_free(table);
}

void table_add(Table *table, const char *cell)
{
    guint column = table->cells->len % table->n_columns;

    g_ptr_array_add(table->cells, wrapped(cell, table->columns[column].wrap));
}

void table_addf(Table *table, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    table_add(table, text);
}

static char **cell_at(const Table *table, guint row, guint column)
{
    return g_ptr_array_index(table->cells, row * table->n_columns + column);
}

static guint column_width(const Table *table, guint column)
{
    guint n_rows = table->cells->len / table->n_columns;
    guint width = 0;

    for (guint row = 0; row < n_rows; row++)
        for (char **line = cell_at(table, row, column); *line; line++)
            width = MAX(width, width_of(*line));
    return width;
}

static void pad(GString *out, guint n)
{
    for (guint i = 0; i < n; i++)
        g_string_append_c(out, ' ');
}

static void trim(GString *out)
{
    while (out->len > 0 && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
}

static void write_line(const Table *table, GString *out, guint row, guint line,
                       const guint *widths)
{
    for (guint c = 0; c < table->n_columns; c++) {
        char **lines = cell_at(table, row, c);
        const char *text = line < g_strv_length(lines) ? lines[line] : "";
        guint blanks = widths[c] - width_of(text);

        pad(out, c > 0 ? GAP : 0);
        pad(out, table->columns[c].right ? blanks : 0);
        g_string_append(out, text);
        pad(out, table->columns[c].right ? 0 : blanks);
    }
    trim(out);
    g_string_append_c(out, '\n');
}

void table_write(const Table *table, GString *out, guint indent)
{
    guint n_rows = table->cells->len / table->n_columns;
    g_autofree guint *widths = g_new0(guint, table->n_columns);

    g_assert(table->cells->len % table->n_columns == 0);
    for (guint c = 0; c < table->n_columns; c++)
        widths[c] = column_width(table, c);
    for (guint row = 0; row < n_rows; row++) {
        guint n_lines = 0;

        for (guint c = 0; c < table->n_columns; c++)
            n_lines = MAX(n_lines, g_strv_length(cell_at(table, row, c)));
        for (guint line = 0; line < n_lines; line++) {
            pad(out, indent);
            write_line(table, out, row, line, widths);
        }
    }
}

guint table_terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return DEFAULT_WIDTH;
    return size.ws_col;
}
