/*
 * json_rows.h - results as JSON: the names and values of the CSV output
 *
 * A key is the name of the column and ends with its unit.  A number has all
 * digits of the CSV cell, so times in microseconds are exact to the picosecond.
 * An empty cell becomes null.  The first key is the format, which changes when
 * a name or a unit does.
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_VIEW_JSON_ROWS_H
#define SIM_VIEW_JSON_ROWS_H

#include "sim/core/json_writer.h"
#include "sim/study/compare/compare.h"
#include "sim/study/csv_columns.h"
#include "sim/study/explain/explain.h"

#define JSON_ROWS_FORMAT 2

/* Adds the cells of a row to the open object.  A cell of a column that is not
 * in @columns is a number if all cells of that column are numbers or empty. */
void json_add_row(Json *json, const Column *columns, const CsvTable *table,
                  guint row);

/* Returns the output of acesim run --json, with the rows of @explanation unless
 * it is NULL. Notes are an array of texts. */
GString *json_run_text(const char *path, const SystemConfig *config,
                       const System *system, const Explanation *explanation);

/* Returns the output of acesim compare --json: pairs as in compare.csv, and the
 * means. */
GString *json_compare_text(const Comparison *comparison);

#endif
