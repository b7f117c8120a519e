/*
 * file_read.h - reads a whole file as one text
 *
 * Errors   G_FILE_ERROR, "cannot be read: REASON"; the caller adds the name of
 *          the file
 */
#ifndef SIM_CORE_FILE_READ_H
#define SIM_CORE_FILE_READ_H

#include <glib.h>

/* Returns the contents of a regular file of at most @max_bytes (whole MiB),
 * with a NUL after it, and sets *@n_bytes.  The caller owns the text.  A pipe,
 * device or directory is rejected without waiting for it or changing it. */
G_GNUC_WARN_UNUSED_RESULT
char *file_read(const char *path, gsize max_bytes, gsize *n_bytes,
                GError **error);

/* Returns the reason why @path cannot be opened or created, given the errno
 * @code.  Mentions a dangling link in the path.  The caller owns the text. */
char *file_error_reason(const char *path, int code);

#endif
