/* trace_format.c - selects the format of a trace file by its name */
#include "sim/view/timeline/formats/trace_format.h"

#include <string.h>

#define PACKED ".gz"

/* The first format is used for other names. */
static const TraceFormat *const formats[] = { &trace_chrome, &trace_perfetto };

/* Returns whether the first @n bytes of @path end with one of @endings. */
static gboolean path_ends_with(const char *path, gsize n,
                               const char *const *endings)
{
    for (; *endings; endings++) {
        gsize length = strlen(*endings);

        if (n > length && strncmp(path + n - length, *endings, length) == 0)
            return TRUE;
    }
    return FALSE;
}

const TraceFormat *trace_format_of_path(const char *path,
                                        gboolean *ret_is_packed)
{
    gsize n = strlen(path);

    *ret_is_packed = g_str_has_suffix(path, PACKED);
    if (*ret_is_packed)
        n -= strlen(PACKED);
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
        if (path_ends_with(path, n, formats[i]->endings))
            return formats[i];
    return formats[0];
}
