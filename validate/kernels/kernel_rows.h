/*
 * kernel_rows.h - kernels and their times on real GPUs: validate/data
 *
 * In published/, a row of a CSV file is a kernel of acesim: its keys in a file
 * of `acesim kernels`, the GPU, and the measured time (see the README.md
 * there).  NAME-measured.csv contains measurements of the user's own GPU
 * (measured_rows.h).
 *
 * Units    us
 * Errors   CSV_ERROR, with file and line
 * Owner    the caller owns the array and the strings in
 * it */
#ifndef VALIDATE_KERNELS_KERNEL_ROWS_H
#define VALIDATE_KERNELS_KERNEL_ROWS_H

#include "sim/core/csv.h"

typedef struct {
    char *npu, *family, *source;
    /* The keys of the kernel as YAML, such as "{kind: product, m: 4, ...}". */
    char *yaml;
    double time_us;
    gboolean is_held_out;
    /* TRUE if validate/gpu has measured the row; FALSE if it is published. */
    gboolean is_own;
    guint line; /* The line number in the file. */
    /* The key of the case if validate/gpu has measured it, which is the same on
     * all GPUs; NULL: none. */
    char *key;
} KernelRow;

/* Returns an empty array of KernelRow, which owns the strings of its
 * elements. */
GArray *kernel_rows_new(void);

/* Appends the rows of a published file. */
G_GNUC_WARN_UNUSED_RESULT
gboolean kernel_rows_add_file(GArray *rows, const char *path, GError **error);

/* Returns an array of KernelRow, in the order of the file. */
G_GNUC_WARN_UNUSED_RESULT
GArray *kernel_rows_load(const char *path, GError **error);

static inline const KernelRow *kernel_rows_at(const GArray *rows, guint i)
{
    return &g_array_index(rows, KernelRow, i);
}

#endif
