/*
 * json_rows.h - results as JSON: the rows of our CSV, in base units
 *
 * A key is the column's name with the unit in base units: iteration_time_us is
 * iteration_time_ps, net_bw_gb_per_s is net_bw_bytes_per_s, both whole numbers
 * and the value of the CSV to its last digit.  An empty cell is null.
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_VIEW_JSON_ROWS_H
#define SIM_VIEW_JSON_ROWS_H

#include "sim/core/json.h"
#include "sim/study/compare/compare.h"
#include "sim/study/explain/explain.h"
#include "sim/study/units.h"

/* The cells of a row, into the object that is open.  What is not in @columns
 * is a text. */
void json_add_row(Json *json, const Column *columns, const CsvTable *table,
                  guint row);

/* What acesim run --json prints; with the rows of @explanation, unless it is
 * NULL.  Its notes are an array of text. */
GString *json_run(const char *path, const SystemConfig *config,
                  const System *system, const Explanation *explanation);

/* What acesim compare --json prints: pairs as in compare.csv, and the means. */
GString *json_compare(const Comparison *comparison);

#endif
