/*
 * aligned_table.h - formats a table as text in aligned columns
 *
 * A column is as wide as its widest cell, and columns are two blanks apart.  A
 * column that wraps has a maximum width, or takes the width that the others
 * leave (TABLE_REST), and its cells continue on further lines.  If too little
 * width is left, its cells are written on lines below the row.  Other columns
 * that do not fit, from the last one on, go there as well.
 *
 * Units    widths are characters of UTF-8
 * Owner    the caller owns the table, which copies the cells
 */
#ifndef SIM_CORE_ALIGNED_TABLE_H
#define SIM_CORE_ALIGNED_TABLE_H

#include <glib.h>

typedef struct {
    const char *title; /* NULL in the first column: no heading line */
    gboolean right;    /* cells are aligned to the right, for numbers */
    guint wrap;        /* maximum width; 0: never wraps; or TABLE_REST */
} TableColumn;

#define TABLE_REST G_MAXUINT /* at most one column: the remaining width */

typedef struct Table Table;

/* Returns an empty table.  It borrows @columns until table_free(). */
Table *table_new(const TableColumn *columns, guint n_columns);
void table_free(Table *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Table, table_free)

/* Adds the next cell, row by row. */
void table_add_cell(Table *table, const char *cell);
void table_add_cell_printf(Table *table, const char *format, ...)
    G_GNUC_PRINTF(2, 3);
/* Adds a factor as "1.25x", or "-" if it is unknown (not above 0). */
void table_add_factor_cell(Table *table, double factor);

/* Appends the table to @out, at most @width wide if possible, each line after
 * @indent blanks.  The last row must be complete. */
void table_write(const Table *table, GString *out, guint indent, guint width);

/* Returns the value of COLUMNS, else the width of the terminal at standard
 * output, else 100. */
guint table_terminal_width(void);

#endif
