/*
 * point_text.h - what came of a point as one text
 *
 * The rows of all files and the reason where it failed, each ended by a NUL:
 * what a child sends and what a journal keeps.  In journals of workers a letter
 * stands behind that, see PointHow, ended by a NUL as well: rows are the same
 * whoever ran their point, and how he came by them need not be.
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

/* What a worker's journal keeps of a @text without the letter.  Owner: the
 * caller. */
GString *point_text_with_how(const char *text, gsize n_bytes, char how);
/* How long the text is without its letter, which is put into *@how; 0: it has
 * none. */
gsize point_text_without_how(const char *text, gsize n_bytes, char *how);

/* Of a point that failed with @row in runs.csv.  Owner: the caller. */
GString *point_text_of_failure(const char *row, const char *reason);

/* Whether it is that of a point that failed. */
gboolean point_text_is_failure(const char *text, gsize n_bytes);

#endif
