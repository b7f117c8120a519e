/*
 * lines.h - memory that begins at a line of the cache
 *
 * Records whose size is that of a line, or a multiple, then never share one:
 * where thousands are touched in turn, each costs one miss instead of two.
 *
 * Owner    the caller, who gives it back by lines_free()
 */
#ifndef SIM_CORE_LINES_H
#define SIM_CORE_LINES_H

#include <glib.h>

#define LINE_BYTES   64
#define LINE_ALIGNED __attribute__((aligned(LINE_BYTES)))

/* @bytes, undefined; NULL where that is 0. */
gpointer lines_new(gsize bytes);
/* Zeroed, and not to be grown. */
gpointer lines_new0(gsize bytes);
/* @bytes > 0 that begin with the first @used_bytes of @old, which is gone then
 * and may be NULL.  Large memory is not copied. */
gpointer lines_grow(gpointer old, gsize used_bytes, gsize bytes);
void lines_free(gpointer memory);

#endif
