/*
 * stream.h - a result that is too long to be made whole and then written
 *
 * Like output.h: a regular file appears whole or not at all.
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be written: REASON"
 * Owner    the caller owns the stream; it borrows @path
 */
#ifndef SIM_HOST_STREAM_H
#define SIM_HOST_STREAM_H

#include <glib.h>

typedef struct Stream Stream;

/* "-" is standard output. */
G_GNUC_WARN_UNUSED_RESULT
Stream *stream_open(const char *path, GError **error);
/* Packed by gzip, the same bytes each time: nothing of the hour or the name. */
G_GNUC_WARN_UNUSED_RESULT
Stream *stream_open_packed(const char *path, GError **error);

/* What fails is told by stream_finish(). */
void stream_add(Stream *stream, const char *format, ...) G_GNUC_PRINTF(2, 3);
void stream_add_bytes(Stream *stream, const void *bytes, gsize n);

/* Puts the file in its place. */
G_GNUC_WARN_UNUSED_RESULT
gboolean stream_finish(Stream *stream, GError **error);

/* What was not finished leaves nothing behind. */
void stream_free(Stream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stream, stream_free)

#endif
