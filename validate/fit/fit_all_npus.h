/*
 * fit_all_npus.h - `make fit`: writes configs/npus/NAME.yaml of each GPU that
 * has a data sheet, from measured kernels
 *
 * Errors   NPU_FIT_ERROR, CSV_ERROR, CONFIG_ERROR, G_FILE_ERROR
 */
#ifndef VALIDATE_FIT_FIT_ALL_NPUS_H
#define VALIDATE_FIT_FIT_ALL_NPUS_H

#include <glib.h>

/* Returns one line for each measurement that is not complete, or NULL if a file
 * cannot be read. */
G_GNUC_WARN_UNUSED_RESULT
char *fit_warnings(GError **error);

/* Fits @npu, or all NPUs if it is NULL, and writes @folder/NPU.yaml.  Appends a
 * line for each NPU to @out.  Returns FALSE and writes no file for an NPU whose
 * fit violates its bounds.  Writes no file at all if a measured GPU has no data
 * sheet. */
G_GNUC_WARN_UNUSED_RESULT
gboolean fit_npus(const char *npu, const char *folder, GString *out,
                  GError **error);

#endif
