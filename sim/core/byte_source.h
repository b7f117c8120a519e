/*
 * byte_source.h - sequential access to the bytes of a file
 *
 * A source is a regular file.  Files packed by gzip are recognised by their
 * first two bytes and unpacked.  Only the bytes that the caller peeks at, and
 * the input buffer of the decompressor, are in memory.
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be read: REASON", also for truncated or
 *          damaged files.  After an error the source is empty, and
 *          source_finish() reports it.
 * Owner    the caller owns the source
 */
#ifndef SIM_CORE_BYTE_SOURCE_H
#define SIM_CORE_BYTE_SOURCE_H

#include <glib.h>
#include <stdint.h>

typedef struct Source Source;

G_GNUC_WARN_UNUSED_RESULT
Source *source_open(const char *path, GError **error);
/* Returns a source for @n_bytes in memory, which are borrowed.  @name is used
 * in messages. */
Source *source_from_memory(const char *name, const void *bytes, gsize n_bytes);
void source_free(Source *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Source, source_free)

const char *source_name(const Source *source);
/* Returns the path of an unpacked file, for readers that need random access.
 * Returns NULL if the file is packed or in memory. */
const char *source_path(const Source *source);
/* Returns the offset of the next byte in the unpacked file. */
uint64_t source_offset(const Source *source);

/* Returns the next *@ret_n bytes: at least @least, or all bytes up to the end.
 * They are borrowed until the next call. */
const uint8_t *source_peek(Source *source, gsize least, gsize *ret_n);
/* Skips @n bytes, at most the number returned by source_peek(). */
void source_skip(Source *source, gsize n);
/* Goes back to the first byte.  Returns FALSE if that is not possible. */
gboolean source_rewind(Source *source);

/* Returns FALSE and sets @error if a read has failed. */
G_GNUC_WARN_UNUSED_RESULT
gboolean source_finish(const Source *source, GError **error);

#endif
