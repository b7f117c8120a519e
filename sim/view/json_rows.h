/*
 * json_rows.h - results as JSON: the rows of the CSV output, in base units
 *
 * A key is the name of the column with the unit replaced by the base unit:
 * iteration_time_us becomes iteration_time_ps, net_bw_gb_per_s becomes
 * net_bw_bytes_per_s.  Both are whole numbers with all digits of the CSV value.
 * An empty cell becomes null.
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_VIEW_JSON_ROWS_H
#define SIM_VIEW_JSON_ROWS_H

#include "sim/core/json_writer.h"
#include "sim/study/compare/compare.h"
#include "sim/study/csv_columns.h"
#include "sim/study/explain/explain.h"

/* Adds the cells of a row to the open object.  A cell that is not in @columns
 * is written as text. */
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
