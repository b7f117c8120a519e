/*
 * sqlite_tables.h - rows of the tables of an SQLite file; private to nsys/
 *
 * The file is untrusted.  It is opened read-only; views, triggers, virtual
 * tables and functions of its schema are never used, and SQLite's work is
 * limited by the size of the file.  Rows are read one after the other.  Only
 * SQLite's page cache (2 MB) and sorted data are in memory, or in temporary
 * files of SQLite.
 *
 * A plain file is read in place.  A file that is packed, or in memory, is
 * unpacked to a temporary file whose name is removed after it is opened.
 * SQLite needs random access, and the whole file, which may have gigabytes,
 * would not fit in memory.
 *
 * Errors   CONFIG_ERROR, "FILE: table NAME: row N: what is wrong", with rows
 *          counted from 1 in the order in which they are read; G_FILE_ERROR.
 *          After the first error there are no rows, and nsys_tables_finish()
 *          reports it.
 * Owner    the caller owns tables
 */
#ifndef WORKLOADS_READERS_NSYS_SQLITE_TABLES_H
#define WORKLOADS_READERS_NSYS_SQLITE_TABLES_H

#include "sim/core/byte_source.h"

#define NSYS_NONE        INT64_MIN /* value of an absent number */
#define NSYS_MAX_COLUMNS 16

typedef struct {
    const char *name;
    /* The table must have the column, with a value in each row. */
    gboolean is_needed;
} NsysColumn;

typedef struct {
    const char *name;
    const char *order; /* column that sorts the rows; NULL: order of the file */
    /* The columns to read; an entry without a name ends the list. */
    NsysColumn columns[NSYS_MAX_COLUMNS];
} NsysTable;

typedef struct NsysTables NsysTables;

/* Returns whether @source begins like an SQLite file. */
gboolean nsys_is_sqlite(Source *source);

G_GNUC_WARN_UNUSED_RESULT
NsysTables *nsys_tables_open(Source *source, GError **error);
void nsys_tables_free(NsysTables *tables);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsysTables, nsys_tables_free)

/* Starts reading the rows of @table, if it exists.  Only one table can be read
 * at a time. */
gboolean nsys_begin_table(NsysTables *tables, const NsysTable *table);
/* Advances to the next row; returns FALSE at the end. */
gboolean nsys_next_row(NsysTables *tables);
/* Returns the value of a column, an index into NsysTable.columns. */
int64_t nsys_row_value(NsysTables *tables, guint column);
/* Returns the text of @column in the current row, or NULL if there is none.
 * Borrowed until the next row. */
const char *nsys_row_text(NsysTables *tables, guint column);
/* Returns the number of the current row, from 1. */
uint64_t nsys_row_number(const NsysTables *tables);

/* Returns the text of @id in StringIds, or NULL if there is none or @id is 0.
 * Borrowed until the next call. */
const char *nsys_string_of_id(NsysTables *tables, int64_t id);

/* Sets an error about the current row. */
void nsys_set_row_error(NsysTables *tables, const char *format, ...)
    G_GNUC_PRINTF(2, 3);
gboolean nsys_has_error(const NsysTables *tables);
/* Returns FALSE and sets @error if an error has occurred. */
G_GNUC_WARN_UNUSED_RESULT
gboolean nsys_tables_finish(const NsysTables *tables, GError **error);

#endif
