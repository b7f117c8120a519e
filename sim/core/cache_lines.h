/*
 * cache_lines.h - allocates memory that is aligned to cache lines
 *
 * Records whose size is a multiple of a cache line then never share a line.  So
 * each access to one of thousands of records costs one cache miss instead of
 * two.
 *
 * Owner    the caller owns the memory and frees it with cache_lines_free()
 */
#ifndef SIM_CORE_CACHE_LINES_H
#define SIM_CORE_CACHE_LINES_H

#include <glib.h>

#define CACHE_LINE_BYTES   64
#define CACHE_LINE_ALIGNED __attribute__((aligned(CACHE_LINE_BYTES)))

/* Returns @bytes of uninitialised memory, or NULL if @bytes is 0. */
gpointer cache_lines_alloc(gsize bytes);
/* Returns @bytes of zeroed memory, or NULL if @bytes is 0. cache_lines_grow()
 * must not be used on it. */
gpointer cache_lines_alloc_zeroed(gsize bytes);
/* Returns @bytes > 0 of memory that begin with the first @used_bytes of @old.
 * Frees @old, which may be NULL. Does not copy large blocks. */
gpointer cache_lines_grow(gpointer old, gsize used_bytes, gsize bytes);
void cache_lines_free(gpointer memory);

#endif
