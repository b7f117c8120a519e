/*
 * source.h - the bytes of a file, from its begin to its end
 *
 * A regular file, or one packed by gzip, which is known by its first two bytes.
 * Only what is looked at is in memory, and what a packed file is read in.
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be read: REASON"; a file that is cut
 *          short or damaged is one.  They stay: what is looked at after one is
 *          empty, and source_finish() tells of it.
 * Owner    the caller owns the source
 */
#ifndef WORKLOADS_READERS_SOURCE_H
#define WORKLOADS_READERS_SOURCE_H

#include <glib.h>
#include <stdint.h>

typedef struct Source Source;

G_GNUC_WARN_UNUSED_RESULT
Source *source_open(const char *path, GError **error);
/* Of @n_bytes in memory, which are borrowed; @name is what messages say. */
Source *source_of(const char *name, const void *bytes, gsize n_bytes);
void source_free(Source *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Source, source_free)

const char *source_name(const Source *source);
/* Of a file that is not packed, for who has to read it in any order; NULL: it
 * is packed, or in memory. */
const char *source_path(const Source *source);
/* How much was skipped: the offset of what is looked at, unpacked. */
uint64_t source_at(const Source *source);

/* What comes next, *@ret_n bytes in a row: at least @least, unless the source
 * ends before.  Borrowed until the next call. */
const uint8_t *source_look(Source *source, gsize least, gsize *ret_n);
/* @n bytes, no more than were looked at, are done with. */
void source_skip(Source *source, gsize n);
/* Back to the begin; FALSE: it cannot be. */
gboolean source_rewind(Source *source);

/* FALSE with @error set: it could not be read to where it was looked at. */
G_GNUC_WARN_UNUSED_RESULT
gboolean source_finish(const Source *source, GError **error);

#endif
