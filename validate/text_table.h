/*
 * text_table.h - rows of cells as aligned columns
 *
 * Owner    the caller owns the table and the text
 * Assumes  ASCII
 */
#ifndef VALIDATE_TEXT_TABLE_H
#define VALIDATE_TEXT_TABLE_H

#include <glib.h>

typedef struct TextTable TextTable;

/* @alignment has a letter for each column: l or r. */
TextTable *text_table_new(const char *alignment);
void text_table_free(TextTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TextTable, text_table_free)

/* A row; @format separates cells by tabs.  The first row is the head. */
void text_table_add(TextTable *table, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* Appends the rows, indented by two, the head underlined. */
void text_table_render(const TextTable *table, GString *out);

#endif
