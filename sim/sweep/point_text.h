/*
 * point_text.h - what came of a point as one text
 *
 * The rows of all files and the reason where it failed, each ended by a NUL:
 * what a child sends and what a journal keeps.
 *
 * Owner    parts are borrowed from the text
 */
#ifndef SIM_SWEEP_POINT_TEXT_H
#define SIM_SWEEP_POINT_TEXT_H

#include <glib.h>

#include "sim/study/rows/rows.h"

#define POINT_TEXT_REASON  ROWS_N_FILES
#define POINT_TEXT_N_PARTS (ROWS_N_FILES + 1)

/* Adds a part with its NUL. */
void point_text_add(GString *out, const char *part);

/* FALSE: it is no such text. */
G_GNUC_WARN_UNUSED_RESULT
gboolean point_text_split(const char *text, gsize n_bytes, const char **parts);

/* Of a point that failed with @row in runs.csv.  Owner: the caller. */
GString *point_text_of_failure(const char *row, const char *reason);

/* Whether it is that of a point that failed. */
gboolean point_text_is_failure(const char *text, gsize n_bytes);

#endif
