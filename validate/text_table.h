/*
 * text_table.h - formats rows of cells as aligned columns
 *
 * Owner    the caller owns the table and the text
 * Assumes  ASCII
 */
#ifndef VALIDATE_TEXT_TABLE_H
#define VALIDATE_TEXT_TABLE_H

#include <glib.h>

typedef struct TextTable TextTable;

/* Creates a table.  @alignment has one letter per column: l or r. */
TextTable *text_table_new(const char *alignment);
void text_table_free(TextTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TextTable, text_table_free)

/* Adds a row.  Tabs in the formatted text separate the cells.  The first row is
 * the header. */
void text_table_add_row(TextTable *table, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* Appends the rows, indented by two, with the header underlined. */
void text_table_render(const TextTable *table, GString *out);

#endif
