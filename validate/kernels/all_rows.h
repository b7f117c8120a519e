/* all_rows.h - the rows of every file of measurements there is */
#ifndef VALIDATE_KERNELS_ALL_ROWS_H
#define VALIDATE_KERNELS_ALL_ROWS_H

#include "validate/kernels/kernel_rows.h"

/* The rows of every CSV in published/ of @folder, then of every
 * NAME-measured.csv in @folder itself, files by name. */
G_GNUC_WARN_UNUSED_RESULT
GArray *kernel_rows_load_all(const char *folder, GError **error);

#endif
