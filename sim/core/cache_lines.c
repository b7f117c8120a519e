/*
 * cache_lines.c - allocates memory that is aligned to cache lines; see
 * cache_lines.h
 *
 * The byte before the memory holds its distance from the address that malloc()
 * returned.  So realloc() can extend the block: for large blocks this neither
 * copies nor needs twice the memory.
 */
#include "sim/core/cache_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static guint8 *reallocate_aligned(guint8 *old, gsize bytes)
{
    guint8 *memory = NULL;

    if (bytes <= G_MAXSIZE - CACHE_LINE_BYTES)
        memory = realloc(old, bytes + CACHE_LINE_BYTES);
    if (!memory)
        g_error("failed to allocate %" G_GSIZE_FORMAT " bytes", bytes);
    return memory;
}

/* Returns the distance from @memory to the next line, 1 to CACHE_LINE_BYTES. */
static gsize offset_to_next_line(const guint8 *memory)
{
    return CACHE_LINE_BYTES - (guintptr)memory % CACHE_LINE_BYTES;
}

static gpointer store_alignment_offset(guint8 *memory)
{
    gsize offset = offset_to_next_line(memory);

    memory[offset - 1] = (guint8)offset;
    return memory + offset;
}

gpointer cache_lines_alloc(gsize bytes)
{
    return bytes == 0 ? NULL
                      : store_alignment_offset(reallocate_aligned(NULL, bytes));
}

#define HUGE_PAGE_BYTES ((guintptr)2 << 20)

/* Requests huge pages.  A page fault for a small page can cost more than
 * filling the page, up to 10 us under a hypervisor: for 32x32x32 that was half
 * of the set-up time.  The advice makes a separate mapping, which realloc()
 * could extend only by copying, so it is given only for memory that does not
 * grow. */
static void prefer_huge_pages(const guint8 *memory, gsize bytes)
{
    guintptr begin = ((guintptr)memory + HUGE_PAGE_BYTES - 1) /
                     HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    guintptr end =
        ((guintptr)memory + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;

    if (begin < end)
        (void)madvise((gpointer)begin, end - begin, MADV_HUGEPAGE);
}

gpointer cache_lines_alloc_zeroed(gsize bytes)
{
    gpointer memory = cache_lines_alloc(bytes);

    if (!memory)
        return NULL;
    prefer_huge_pages(memory, bytes);
    return memset(memory, 0, bytes);
}

gpointer cache_lines_grow(gpointer old, gsize used_bytes, gsize bytes)
{
    guint8 *memory = old;
    gsize offset;

    g_assert(used_bytes <= bytes && bytes > 0);
    if (!old)
        return cache_lines_alloc(bytes);
    offset = memory[-1];
    memory = reallocate_aligned(memory - offset, bytes);
    if (offset_to_next_line(memory) != offset)
        memmove(memory + offset_to_next_line(memory), memory + offset,
                used_bytes);
    return store_alignment_offset(memory);
}

void cache_lines_free(gpointer memory)
{
    guint8 *bytes = memory;

    if (bytes)
        free(bytes - bytes[-1]);
}
