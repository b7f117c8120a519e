/* kernel_rows_of_folder.h - reads the rows of all files of measurements */
#ifndef VALIDATE_KERNELS_KERNEL_ROWS_OF_FOLDER_H
#define VALIDATE_KERNELS_KERNEL_ROWS_OF_FOLDER_H

#include "validate/kernels/kernel_rows.h"

/* Returns the rows of every CSV file in published/ of @folder, if there is such
 * a folder, then of every NAME-measured.csv in @folder.  Files are read in the
 * order of their names. */
G_GNUC_WARN_UNUSED_RESULT
GArray *kernel_rows_load_all(const char *folder, GError **error);

/* Returns one line for each measurement in @folder that is not complete, which
 * may be no lines at all, or NULL if a file cannot be read. */
G_GNUC_WARN_UNUSED_RESULT
char *kernel_rows_warnings(const char *folder, GError **error);

#endif
