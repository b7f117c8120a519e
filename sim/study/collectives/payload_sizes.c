/* payload_sizes.c - parses the sizes of a collective */
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/study/collectives/collectives.h"

#define MAX_SIZES 4096
/* The largest payload in bytes; workloads have the same limit. */
#define MAX_BYTES (UINT64_C(1) << 40)

static gboolean parse_payload_size(const char *text, uint64_t *ret,
                                   GError **error)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(text));

    if (!quantity_parse(trimmed, CONFIG_BYTES, ret, error))
        return FALSE;
    if (*ret > 0 && *ret <= MAX_BYTES)
        return TRUE;
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                "'%s': expected 1 B to 1 TiB", trimmed);
    return FALSE;
}

static gboolean add_size_range(const char *from, const char *to, GArray *sizes,
                               GError **error)
{
    uint64_t bytes, last;

    if (!parse_payload_size(from, &bytes, error) ||
        !parse_payload_size(to, &last, error))
        return FALSE;
    if (bytes > last) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                    "'%s..%s' ends before it begins", from, to);
        return FALSE;
    }
    for (; bytes <= last; bytes *= 2)
        g_array_append_val(sizes, bytes);
    return TRUE;
}

static gboolean add_size_text(const char *text, GArray *sizes, GError **error)
{
    g_auto(GStrv) ends = g_strsplit(text, "..", 2);
    uint64_t bytes;

    if (ends[0] && ends[1])
        return add_size_range(ends[0], ends[1], sizes, error);
    if (!parse_payload_size(text, &bytes, error))
        return FALSE;
    g_array_append_val(sizes, bytes);
    return TRUE;
}

GArray *collectives_parse_sizes(const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (guint i = 0; parts[i]; i++)
        if (!add_size_text(parts[i], sizes, error))
            return NULL;
    if (sizes->len > 0 && sizes->len <= MAX_SIZES)
        return g_steal_pointer(&sizes);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                "'%s': expected 1 to %u sizes", text, MAX_SIZES);
    return NULL;
}
