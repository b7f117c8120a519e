/*
 * measured_rows.h - reads the measurements of validate/gpu as rows of kernels
 *
 * A row of NAME-measured.csv becomes a kernel in the form of `acesim kernels`
 * on the NPU called NAME.  Rows are divided into training and held-out ones by
 * structure (the table in measured_rows.c), so that a held-out row is not a
 * neighbour of a training row.  Rows that depend on no key of an NPU are
 * skipped: lookups, the copy engine, concurrent kernels, rows with a caveat.
 *
 * Units    us
 * Errors   CSV_ERROR, with file and line; CONFIG_ERROR if the JSON file beside
 *          a CSV file is invalid
 */
#ifndef VALIDATE_KERNELS_MEASURED_ROWS_H
#define VALIDATE_KERNELS_MEASURED_ROWS_H

#include "validate/kernels/kernel_rows.h"

#define MEASURED_SUFFIX "-measured.csv"

/* Reads the JSON file that `acesim-measure` wrote beside @path, if there is
 * one. Sets *@ret_warning to a text that the caller owns if the measurement was
 * interrupted or left out cases, and otherwise to NULL. */
G_GNUC_WARN_UNUSED_RESULT
gboolean measured_file_warning(const char *path, char **ret_warning,
                               GError **error);

/* Appends the rows of @path to @rows, an array of KernelRow that owns its
 * strings. */
G_GNUC_WARN_UNUSED_RESULT
gboolean measured_rows_add_file(GArray *rows, const char *path, GError **error);

#endif
