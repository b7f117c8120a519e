/*
 * measured_rows.h - a GPU of one's own: what validate/gpu measured, as rows
 *
 * A row of its CSV becomes a kernel as `acesim kernels` has it, of the NPU
 * that the file is named after: NAME-measured.csv.  Which part it belongs to
 * goes by structure (the table in measured_rows.c), so that a row that is held
 * out is no neighbour of one that is known.  What no key of an NPU is about
 * becomes no row: lookups, the copy engine, kernels beside each other, rows
 * with a caveat.
 *
 * Units    us
 * Errors   CSV_ERROR, with file and line
 */
#ifndef VALIDATE_KERNELS_MEASURED_ROWS_H
#define VALIDATE_KERNELS_MEASURED_ROWS_H

#include "validate/kernels/kernel_rows.h"

#define MEASURED_SUFFIX "-measured.csv"

/* Appends to @rows, of KernelRow, which own their strings. */
G_GNUC_WARN_UNUSED_RESULT
gboolean measured_rows_add(GArray *rows, const char *path, GError **error);

#endif
