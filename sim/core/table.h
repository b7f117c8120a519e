/*
 * table.h - text in columns for people
 *
 * A column is as wide as its widest cell; one that wraps is no wider than it
 * is told, or than what the others leave of the table's width, and its cells go
 * on in further lines; where they leave too little, below the row, as do the
 * last of the others that do not fit.  Columns are two blanks apart.
 *
 * Units    widths are characters of UTF-8
 * Owner    the caller owns the table; it copies what it is given
 */
#ifndef SIM_CORE_TABLE_H
#define SIM_CORE_TABLE_H

#include <glib.h>

typedef struct {
    const char *title; /* NULL in the first column: no heading line */
    gboolean right;    /* numbers */
    guint wrap;        /* widest; 0: never wraps; TABLE_REST */
} TableColumn;

#define TABLE_REST G_MAXUINT /* of one column: what is left of the width */

typedef struct Table Table;

/* @columns is borrowed and ends with n_columns. */
Table *table_new(const TableColumn *columns, guint n_columns);
void table_free(Table *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Table, table_free)

/* The next cell, row by row. */
void table_add(Table *table, const char *cell);
void table_addf(Table *table, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Appends the table, @width wide at most where it can be, each line after
 * @indent blanks.  The last row must be complete. */
void table_write(const Table *table, GString *out, guint indent, guint width);

/* What COLUMNS says, else the columns of the terminal at standard output, else
 * 100. */
guint table_terminal_width(void);

#endif
