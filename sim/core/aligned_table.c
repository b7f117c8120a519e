/*
 * aligned_table.c - formats a table as text in aligned columns; see
 * aligned_table.h
 */
#include "sim/core/aligned_table.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 100
#define MAX_WIDTH     10000
#define GAP           2
/* Minimum width of a TABLE_REST column; a narrower one goes below its row. */
#define MIN_REST     28
#define BELOW_INDENT 4

struct Table {
    const TableColumn *columns; /* borrowed */
    guint n_columns;
    GPtrArray *cells; /* owned, of owned text, row by row */
};

static guint n_characters_of_text(const char *text)
{
    return g_utf8_validate(text, -1, NULL) ? (guint)g_utf8_strlen(text, -1)
                                           : (guint)strlen(text);
}

static GStrv line_array_of_one_text(const char *text)
{
    GStrv lines = g_new0(char *, 2);

    lines[0] = g_strdup(text);
    return lines;
}

/* Breaks @text at blanks.  A word that is longer than @width gets a line. */
static GStrv break_text_into_lines(const char *text, guint width)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    GPtrArray *lines = g_ptr_array_new();
    g_autoptr(GString) line = g_string_new(NULL);

    for (char **word = words; *word; word++) {
        if (line->len > 0 &&
            n_characters_of_text(line->str) + 1 + n_characters_of_text(*word) >
                width) {
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

Table *table_new(const TableColumn *columns, guint n_columns)
{
    Table *table = g_new0(Table, 1);

    table->columns = columns;
    table->n_columns = n_columns;
    table->cells = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; columns[0].title && i < n_columns; i++)
        table_add_cell(table, columns[i].title);
    return table;
}

void table_free(Table *table)
{
    if (!table)
        return;
    g_ptr_array_unref(table->cells);
    g_free(table);
}

void table_add_cell(Table *table, const char *cell)
{
    g_ptr_array_add(table->cells, g_strdup(cell));
}

void table_add_cell_printf(Table *table, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    table_add_cell(table, text);
}

void table_add_factor_cell(Table *table, double factor)
{
    if (factor > 0)
        table_add_cell_printf(table, "%.2fx", factor);
    else
        table_add_cell(table, "-");
}

/* Returns lines of at most @width, or one line if @width is 0. */
static GStrv wrap_text(const char *text, guint width)
{
    return width == 0 ? line_array_of_one_text(text + strspn(text, " "))
                      : break_text_into_lines(text, width);
}

/* ---- laying out and writing a table -------------------------------------- */

/* The widths and positions of the columns of a table for one width of the
 * terminal. */
typedef struct {
    const Table *table;
    guint n_rows;
    guint *wraps;    /* owned */
    guint *widths;   /* owned */
    gboolean *below; /* owned: TRUE if the column is written below the row */
} TableLayout;

static GStrv wrap_cell_text(const TableLayout *layout, guint row, guint column)
{
    const Table *table = layout->table;

    return wrap_text(
        g_ptr_array_index(table->cells, row * table->n_columns + column),
        layout->wraps[column]);
}

static guint max_cell_width(const TableLayout *layout, guint column)
{
    guint width = 0;

    for (guint row = 0; row < layout->n_rows; row++) {
        g_auto(GStrv) lines = wrap_cell_text(layout, row, column);

        for (char **line = lines; *line; line++)
            width = MAX(width, n_characters_of_text(*line));
    }
    return width;
}

/* Puts column @c below the row. */
static void place_column_below_row(TableLayout *layout, guint c, guint width)
{
    layout->below[c] = TRUE;
    layout->wraps[c] = MAX(width, MIN_REST) - BELOW_INDENT;
    layout->widths[c] = 0;
}

/* Lays out all columns but TABLE_REST ones.  Columns that exceed @width go
 * below the row, from the last one on.  Returns the width used. */
static guint lay_out_fixed_columns(TableLayout *layout, guint width)
{
    const Table *table = layout->table;
    guint used = 0;

    for (guint c = 0; c < table->n_columns; c++) {
        used += c > 0 ? GAP : 0;
        if (table->columns[c].wrap == TABLE_REST)
            continue;
        layout->wraps[c] = table->columns[c].wrap;
        layout->widths[c] = max_cell_width(layout, c);
        used += layout->widths[c];
    }
    for (guint c = table->n_columns - 1; c > 0 && width > 0; c--) {
        if (table->columns[c].wrap == TABLE_REST || used <= width)
            continue;
        used -= layout->widths[c] + GAP;
        place_column_below_row(layout, c, width);
    }
    return used;
}

static void lay_out_table(TableLayout *layout, guint width)
{
    const Table *table = layout->table;
    guint used = lay_out_fixed_columns(layout, width);

    for (guint c = 0; c < table->n_columns; c++) {
        if (table->columns[c].wrap != TABLE_REST)
            continue;
        if (width > 0 && used > 0 && width < used + MIN_REST) {
            place_column_below_row(layout, c, width);
            continue;
        }
        layout->wraps[c] = MAX(width, used + MIN_REST) - used;
        layout->widths[c] = max_cell_width(layout, c);
    }
}

static void append_blanks(GString *out, guint n)
{
    for (guint i = 0; i < n; i++)
        g_string_append_c(out, ' ');
}

static void end_table_line(GString *out)
{
    while (out->len > 0 && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
}

/* Writes line @i of @row.  Returns FALSE if the row has no such line. */
static gboolean write_table_row_line(const TableLayout *layout, GString *out,
                                     guint indent, guint row, guint i)
{
    const Table *table = layout->table;
    g_autoptr(GString) line = g_string_new(NULL);
    gboolean any = FALSE;

    append_blanks(line, indent);
    for (guint c = 0; c < table->n_columns; c++) {
        g_auto(GStrv) lines = wrap_cell_text(layout, row, c);
        gboolean here = i < g_strv_length(lines);
        const char *text = here ? lines[i] : "";
        guint blanks;

        if (layout->below[c])
            continue;
        blanks = layout->widths[c] - n_characters_of_text(text);
        any |= here;
        append_blanks(line, c > 0 ? GAP : 0);
        append_blanks(line, table->columns[c].right ? blanks : 0);
        g_string_append(line, text);
        append_blanks(line, table->columns[c].right ? 0 : blanks);
    }
    end_table_line(line);
    if (any)
        g_string_append_len(out, line->str, (gssize)line->len);
    return any;
}

static void write_cells_below_row(const TableLayout *layout, GString *out,
                                  guint indent, guint row)
{
    for (guint c = 0; c < layout->table->n_columns; c++) {
        g_auto(GStrv) lines = wrap_cell_text(layout, row, c);

        for (char **line = lines; *line && layout->below[c]; line++) {
            if (**line == '\0')
                continue;
            append_blanks(out, indent + BELOW_INDENT);
            g_string_append(out, *line);
            end_table_line(out);
        }
    }
}

void table_write(const Table *table, GString *out, guint indent, guint width)
{
    TableLayout layout = { .table = table,
                           .n_rows = table->cells->len / table->n_columns };

    g_assert(table->cells->len % table->n_columns == 0);
    layout.wraps = g_new0(guint, table->n_columns);
    layout.widths = g_new0(guint, table->n_columns);
    layout.below = g_new0(gboolean, table->n_columns);
    lay_out_table(&layout, width > indent ? width - indent : 0);
    for (guint row = 0; row < layout.n_rows; row++) {
        for (guint i = 0; write_table_row_line(&layout, out, indent, row, i);
             i++)
            ;
        write_cells_below_row(&layout, out, indent, row);
    }
    g_free(layout.wraps);
    g_free(layout.widths);
    g_free(layout.below);
}

guint table_terminal_width(void)
{
    const char *columns = g_getenv("COLUMNS");
    struct winsize size;
    guint64 width;

    if (columns &&
        g_ascii_string_to_unsigned(columns, 10, 1, MAX_WIDTH, &width, NULL))
        return (guint)width;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return DEFAULT_WIDTH;
    return size.ws_col;
}
