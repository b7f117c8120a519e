/* lines.c - memory that begins at a line of the cache */
#include "sim/core/lines.h"

#include <stdlib.h>
#include <string.h>

gpointer lines_new(gsize bytes)
{
    gpointer memory = NULL;

    if (bytes == 0)
        return NULL;
    if (posix_memalign(&memory, LINE_BYTES, bytes) != 0)
        g_error("failed to allocate %" G_GSIZE_FORMAT " bytes", bytes);
    return memory;
}

gpointer lines_new0(gsize bytes)
{
    gpointer memory = lines_new(bytes);

    return memory ? memset(memory, 0, bytes) : NULL;
}

gpointer lines_grow(gpointer old, gsize used_bytes, gsize bytes)
{
    gpointer memory = lines_new(bytes);

    g_assert(used_bytes <= bytes);
    if (used_bytes > 0)
        memcpy(memory, old, used_bytes);
    free(old);
    return memory;
}

void lines_free(gpointer memory)
{
    free(memory);
}
