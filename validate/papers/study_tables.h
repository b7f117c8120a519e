/*
 * study_tables.h - stores results of studies as tables for SQL queries
 *
 * Each CSV file becomes a table of an in-memory database, with the column names
 * of the file ("workload.payload" needs double quotes in SQL).  A cell that is
 * a number is stored as a number, and an empty one as NULL.
 *
 * Errors   VALIDATE_ERROR_RESULT with the message of SQLite
 * Owner    the caller owns the tables
 */
#ifndef VALIDATE_PAPERS_STUDY_TABLES_H
#define VALIDATE_PAPERS_STUDY_TABLES_H

#include "validate/acesim_process.h"

typedef struct StudyTables StudyTables;

/* The result of a query.  Without a range, .least and .most equal .value. */
typedef struct {
    double value, least, most;
} StudyFigure;

/* Creates a database without tables. */
StudyTables *study_tables_new(void);
void study_tables_free(StudyTables *tables);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StudyTables, study_tables_free)

G_GNUC_WARN_UNUSED_RESULT
gboolean study_tables_add(StudyTables *tables, const char *name,
                          const CsvTable *csv, GError **error);

/* Adds a view: later queries may use @query under the name @name. */
G_GNUC_WARN_UNUSED_RESULT
gboolean study_tables_add_view(StudyTables *tables, const char *name,
                               const char *query, GError **error);

/* Runs @sql, which must return one row of one number or of three numbers: the
 * value, the least and the most. */
G_GNUC_WARN_UNUSED_RESULT
gboolean study_tables_query(StudyTables *tables, const char *sql,
                            StudyFigure *ret, GError **error);

/* Returns all rows that @sql yields.  The caller frees them. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *study_tables_select(StudyTables *tables, const char *sql,
                              GError **error);

#endif
