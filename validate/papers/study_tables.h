/*
 * study_tables.h - results of studies as tables that SQL can ask
 *
 * Each CSV becomes a table in a database in memory, with the CSV's column names
 * ("workload.payload" needs double quotes in SQL).  A cell that is a number is
 * stored as a number, and an empty one as NULL.
 *
 * Errors   VALIDATE_ERROR_RESULT with what SQLite said
 * Owner    the caller owns the tables
 */
#ifndef VALIDATE_PAPERS_STUDY_TABLES_H
#define VALIDATE_PAPERS_STUDY_TABLES_H

#include "validate/simulator.h"

typedef struct StudyTables StudyTables;

/* One row's answer.  Without a range .least and .most equal .value. */
typedef struct {
    double value, least, most;
} StudyFigure;

StudyTables *study_tables_new(void);
void study_tables_free(StudyTables *tables);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StudyTables, study_tables_free)

G_GNUC_WARN_UNUSED_RESULT
gboolean study_tables_add(StudyTables *tables, const char *name,
                          const CsvTable *csv, GError **error);

/* Makes @query askable as @name. */
G_GNUC_WARN_UNUSED_RESULT
gboolean study_tables_add_view(StudyTables *tables, const char *name,
                               const char *query, GError **error);

/* Asks @sql, which must yield one row of one number or of three: the value,
 * the least and the most. */
G_GNUC_WARN_UNUSED_RESULT
gboolean study_tables_ask(StudyTables *tables, const char *sql,
                          StudyFigure *ret, GError **error);

#endif
