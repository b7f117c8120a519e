/*
 * file.h - a file as one text
 *
 * Errors   G_FILE_ERROR, "cannot be read: REASON"; whoever asks says the name
 */
#ifndef SIM_CORE_FILE_H
#define SIM_CORE_FILE_H

#include <glib.h>

/* The whole of a regular file of at most @max_bytes, which are whole MiB, with
 * a NUL behind it; nothing else is opened for long enough to hang or to have
 * an effect.  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
char *file_read(const char *path, gsize max_bytes, gsize *n_bytes,
                GError **error);

/* Why @path cannot be opened or made, of the errno @code: a link in it that
 * leads nowhere is told of.  Owner: the caller. */
char *file_reason(const char *path, int code);

#endif
