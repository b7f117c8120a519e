/*
 * sweep_point_text.c - encodes the result of a point as one text; see
 * sweep_point_text.h
 */
#include "sim/sweep/sweep_point_text.h"

#include <string.h>

void point_text_append_section(GString *out, const char *part)
{
    g_string_append_len(out, part, (gssize)strlen(part) + 1);
}

gboolean point_text_split(const char *text, gsize n_bytes, const char **parts)
{
    const char *p = text, *end = text + n_bytes;

    for (guint i = 0; i < POINT_TEXT_N_PARTS; i++) {
        const char *nul = p < end ? memchr(p, '\0', (gsize)(end - p)) : NULL;

        if (!nul)
            return FALSE;
        parts[i] = p;
        p = nul + 1;
    }
    return p == end;
}

GString *point_text_with_method(const char *text, gsize n_bytes, char how)
{
    GString *out = g_string_new_len(text, (gssize)n_bytes);

    g_string_append_c(out, how);
    g_string_append_c(out, '\0');
    return out;
}

gsize point_text_without_method(const char *text, gsize n_bytes, char *how)
{
    const char *parts[POINT_TEXT_N_PARTS];

    *how = '\0';
    if (n_bytes < 2 || point_text_split(text, n_bytes, parts) ||
        text[n_bytes - 2] == '\0' ||
        !point_text_split(text, n_bytes - 2, parts))
        return n_bytes;
    *how = text[n_bytes - 2];
    return n_bytes - 2;
}

gboolean point_text_is_failure(const char *text, gsize n_bytes)
{
    const char *parts[POINT_TEXT_N_PARTS];

    return point_text_split(text, n_bytes, parts) &&
           *parts[POINT_TEXT_REASON] != '\0';
}

GString *point_text_of_failure(const char *row, const char *reason)
{
    GString *out = g_string_new(NULL);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        point_text_append_section(out, file == ROWS_RUNS ? row : "");
    point_text_append_section(out, reason);
    return out;
}
