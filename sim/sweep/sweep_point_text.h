/*
 * sweep_point_text.h - encodes the result of a point as one text
 *
 * The text is the rows of all files and the reason of a failure, each followed
 * by a NUL. Children send it and journals store it.  In the journals of workers
 * a letter (PointMethod) and another NUL follow.  The letter is kept apart
 * because the rows do not depend on the worker, but the way they were obtained
 * may.
 *
 * Owner    parts are borrowed from the text
 */
#ifndef SIM_SWEEP_SWEEP_POINT_TEXT_H
#define SIM_SWEEP_SWEEP_POINT_TEXT_H

#include <glib.h>

#include "sim/study/rows/run_rows.h"

#define POINT_TEXT_REASON  ROWS_N_FILES
#define POINT_TEXT_N_PARTS (ROWS_N_FILES + 1)

/* Appends one part of the text of a sweep point, @part, and a NUL, which ends
 * it, to @out. */
void point_text_append_section(GString *out, const char *part);

/* Splits the text of a sweep point into its parts. Returns FALSE if @text was
 * not made of such parts. */
G_GNUC_WARN_UNUSED_RESULT
gboolean point_text_split(const char *text, gsize n_bytes, const char **parts);

/* Returns @text with the letter @how, as a worker's journal stores it.  The
 * caller owns the result. */
GString *point_text_with_method(const char *text, gsize n_bytes, char how);
/* Returns the length of @text without its letter, and sets *@how to the letter,
 * or to 0 if there is none. */
gsize point_text_without_method(const char *text, gsize n_bytes, char *how);

/* Returns the text of a failed point whose row in runs.csv is @row.  The caller
 * owns the text. */
GString *point_text_of_failure(const char *row, const char *reason);

/* Returns whether the text is that of a failed point. */
gboolean point_text_is_failure(const char *text, gsize n_bytes);

#endif
