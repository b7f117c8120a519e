/*
 * fit.h - what `make fit` does: configs/npus/NAME.yaml of each GPU that has a
 * data sheet, from kernels that others or validate/gpu measured
 *
 * Errors   NPU_FIT_ERROR, CSV_ERROR, CONFIG_ERROR, G_FILE_ERROR
 */
#ifndef VALIDATE_FIT_FIT_H
#define VALIDATE_FIT_FIT_H

#include <glib.h>

/* Fits @npu, or all where it is NULL, and writes @folder/NPU.yaml.  A fit that
 * leaves its bounds is refused and not written; without a data sheet of what
 * was measured nothing is.  Appends a line for each to @out. */
G_GNUC_WARN_UNUSED_RESULT
gboolean fit_npus(const char *npu, const char *folder, GString *out,
                  GError **error);

#endif
