/*
 * tables.h - for nsys/ only: the tables of an SQLite file, row after row
 *
 * The file may be anybody's.  It is opened to be read and nothing else: no
 * view, trigger, virtual table or function of its schema is ever used, and what
 * SQLite may do for it is bounded by its size.  Rows are stepped through; only
 * SQLite's cache of pages (2 MB) and what is sorted are in memory, or in
 * temporary files of SQLite's.
 *
 * A plain file is read where it is.  One that is packed, or in memory, is
 * unpacked into a temporary file that has no name any more once it is open:
 * SQLite reads pages in any order, and to keep them all in memory would take as
 * much as the file is large, which may be gigabytes.
 *
 * Errors   CONFIG_ERROR, "FILE: table NAME: row N: what is wrong", rows counted
 *          from 1 in the order in which they are read; G_FILE_ERROR.  The first
 *          stays: after it there are no rows, and nsys_tables_finish() tells
 *          of it.
 * Owner    the caller owns tables
 */
#ifndef WORKLOADS_READERS_NSYS_TABLES_H
#define WORKLOADS_READERS_NSYS_TABLES_H

#include "workloads/readers/source.h"

#define NSYS_NONE        INT64_MIN /* a number that is not there */
#define NSYS_MAX_COLUMNS 16

typedef struct {
    const char *name;
    gboolean is_needed; /* by the table, in each row */
} NsysColumn;

typedef struct {
    const char *name;
    const char *order; /* column by which rows come; NULL: as they stand */
    NsysColumn columns[NSYS_MAX_COLUMNS]; /* to one without a name */
} NsysTable;

typedef struct NsysTables NsysTables;

/* Does @source begin as SQLite's files do? */
gboolean nsys_is_sqlite(Source *source);

G_GNUC_WARN_UNUSED_RESULT
NsysTables *nsys_tables_open(Source *source, GError **error);
void nsys_tables_free(NsysTables *tables);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsysTables, nsys_tables_free)

/* To the rows of @table, if there is one; the rows of one at a time. */
gboolean nsys_begin(NsysTables *tables, const NsysTable *table);
/* The next row; FALSE: there are no more. */
gboolean nsys_row(NsysTables *tables);
/* Of the row, by place in NsysTable.columns. */
int64_t nsys_number(NsysTables *tables, guint column);
/* NULL: none.  Borrowed until the next row. */
const char *nsys_text(NsysTables *tables, guint column);
/* Counted from 1. */
uint64_t nsys_row_number(const NsysTables *tables);

/* The value of @id in StringIds; NULL: none, or 0.  Borrowed until the next. */
const char *nsys_string(NsysTables *tables, int64_t id);

/* Something is wrong with the row. */
void nsys_fail(NsysTables *tables, const char *format, ...) G_GNUC_PRINTF(2, 3);
gboolean nsys_failed(const NsysTables *tables);
/* FALSE with @error set, if anything was wrong. */
G_GNUC_WARN_UNUSED_RESULT
gboolean nsys_tables_finish(const NsysTables *tables, GError **error);

#endif
