/*
 * output_stream.h - writes a result that is too long to be held in memory as a
 * whole
 *
 * Same guarantee as output.h: a regular file appears complete or not at all.
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be written: REASON"
 * Owner    the caller owns the stream; it borrows @path
 */
#ifndef SIM_HOST_OUTPUT_STREAM_H
#define SIM_HOST_OUTPUT_STREAM_H

#include <glib.h>

typedef struct Stream Stream;

/* Opens @path for writing; "-" is standard output.  Returns NULL and sets
 * @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
Stream *output_stream_open(const char *path, GError **error);
/* Same as output_stream_open(), compressed by gzip.  The same input gives the
 * same bytes, because no time or file name is stored. */
G_GNUC_WARN_UNUSED_RESULT
Stream *output_stream_open_gzip(const char *path, GError **error);

/* These functions append text or bytes to the stream.  Errors are reported by
 * output_stream_finish(). */
void output_stream_printf(Stream *stream, const char *format, ...)
    G_GNUC_PRINTF(2, 3);
void stream_write_bytes(Stream *stream, const void *bytes, gsize n);

/* Completes the file and gives it its name. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_stream_finish(Stream *stream, GError **error);

/* Removes the file if it was not finished. */
void stream_free(Stream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stream, stream_free)

#endif
