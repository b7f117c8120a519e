/*
 * run_rows.h - writes a run as rows of CSV
 *
 * There are five files: one row per run, per layer and pass, per port of NPU 0,
 * per span of time with the utilisation of NPU 0, and per job.  There are at
 * most ROWS_MAX_SPANS spans; all but the last have the same length.  In a
 * sweep, the cells of the axes come first.  Rows contain nothing that differs
 * between two runs of the same input.
 *
 * Units    the name of a column ends with its unit.  Values are those of one
 *          NPU; except for peaks, rates and utilisation over time, they are
 *          means per iteration.
 * Rounding byte counts and times divided by iterations are rounded down, rates
 * to the nearest
 */
#ifndef SIM_STUDY_ROWS_RUN_ROWS_H
#define SIM_STUDY_ROWS_RUN_ROWS_H

#include "models/observe/utilisation.h"
#include "sim/study/csv_columns.h"

#define ROWS_MAX_SPANS 256

typedef enum {
    ROWS_RUNS,
    ROWS_LAYERS,
    ROWS_PORTS,
    ROWS_UTILISATION,
    ROWS_JOBS,
    ROWS_N_FILES,
} RowsFile;

/* Names of the files: "runs", "layers", "links" ... */
extern const char *const rows_file_names[ROWS_N_FILES];

/* Appends the cells of the header after those of the axes, and ends the row.
 * The columns of language models are left out unless @has_model. */
void rows_append_header(GString *out, RowsFile file, gboolean has_model);

/* Returns the columns after those of the axes, with those of language models;
 * the caller owns the table.  The
 * columns of runs.csv depend on the registered kinds of endpoints, each of
 * which may declare some (resource_list.h). */
Column *rows_list_columns(RowsFile file);

/* Returns whether runs.csv has a column @name. */
gboolean rows_has_column(const char *name);

/* Returns the unit of column @name of runs.csv, or NULL if there is no such
 * column or it holds no quantity. */
const ColumnUnitScale *rows_unit_of_column(const char *name);

/* Returns the name of the endpoint in tables: its name or, if it has none, its
 * kind. */
const char *rows_endpoint_name(const SystemConfig *config);

/* Appends all rows of @file.  If @axes is NULL, a header comes first, and the
 * columns of language models are there only if the workload is one.  Otherwise
 * each row begins with @axes, the CSV cells of the axes ("a,b,"), and has all
 * columns: rows_append_without_model() takes these away.  @utilisation
 * is that of NPU 0, finished; only ROWS_UTILISATION needs it. */
void rows_append(GString *out, RowsFile file, const char *axes,
                 const SystemConfig *config, const System *system,
                 const Utilisation *utilisation);

/* Returns whether @row, a row of runs.csv with all columns, is that of a
 * language model. */
gboolean rows_row_has_model_cells(const char *row);

/* Appends @row without the columns of language models, which are empty. */
void rows_append_without_model(GString *out, const char *row);

/* Appends the row of runs.csv for a run without a result.  @config may be NULL.
 * Line breaks in @reason become blanks.  The row has all columns. */
void rows_append_failure(GString *out, const char *axes,
                         const SystemConfig *config, const char *reason);

#endif
