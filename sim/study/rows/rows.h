/*
 * rows.h - a run as rows of CSV
 *
 * Five files: a row a run, a row a layer and pass, a row a port of NPU 0, a row
 * a span of time (ROWS_MAX_SPANS of them at most, of equal length but for the
 * last) with what was in use on NPU 0, a row a job.  In a sweep the cells of
 * the axes stand before all others.  Nothing that differs between two runs of
 * the same input, however they were run, is in a row.
 *
 * Units    a column's name ends in its unit; values are of one NPU and, but for
 *          peaks, rates and what is in use over time, of one iteration, the
 *          mean of all
 * Rounding counts of bytes and times divided by iterations are rounded down,
 *          rates to the nearest
 */
#ifndef SIM_STUDY_ROWS_ROWS_H
#define SIM_STUDY_ROWS_ROWS_H

#include "models/observe/utilisation.h"
#include "sim/study/units.h"

#define ROWS_MAX_SPANS 256

typedef enum {
    ROWS_RUNS,
    ROWS_LAYERS,
    ROWS_PORTS,
    ROWS_UTILISATION,
    ROWS_JOBS,
    ROWS_N_FILES,
} RowsFile;

/* What the files are called: "runs", "layers", "links" ... */
extern const char *const rows_file_names[ROWS_N_FILES];

/* The header's cells after those of the axes, and the end of the row. */
void rows_add_header(GString *out, RowsFile file);

/* The columns after those of the axes.  Those of runs.csv hang on the kinds of
 * endpoints that there are: each may declare some, resource.h.  Owner: the
 * caller of the table. */
Column *rows_columns(RowsFile file);

/* TRUE when runs.csv has a column of this name. */
gboolean rows_is_column(const char *name);

/* Of that column of runs.csv; NULL: there is none, or it holds no quantity. */
const Unit *rows_unit(const char *name);

/* What tables call the endpoint: its name, or its kind when it has none. */
const char *rows_endpoint_name(const SystemConfig *config);

/* The whole of @file for a run alone, or with @axes, the cells of its axes as
 * CSV ("a,b,"), before every row and no header.  @utilisation is that of NPU 0,
 * finished, and may be NULL for other files. */
void rows_add(GString *out, RowsFile file, const char *axes,
              const SystemConfig *config, const System *system,
              const Utilisation *utilisation);

/* The row of runs.csv for a run that came to nothing.  @config may be NULL.
 * Line breaks in @reason become blanks. */
void rows_add_failure(GString *out, const char *axes,
                      const SystemConfig *config, const char *reason);

#endif
