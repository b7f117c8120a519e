/*
 * quantity_row.c - parses a row: many quantities of one unit in one text, "3
 * 4.5 7 us"
 *
 * A list of thousands of items would need one node per item.
 */
#include <string.h>

#include "sim/config/quantity.h"

#define MAX_TOKEN 64

/* Returns the unit at the end of @text, or "" if it ends with a number. */
static const char *unit_suffix_of_row_text(const char *text)
{
    const char *last = strrchr(text, ' ');

    last = last ? last + 1 : text;
    return g_ascii_isalpha(*last) || *last == '%' ? last : "";
}

gboolean quantity_parse_row(const char *text, ConfigType type, GArray *ret,
                            GError **error)
{
    const char *unit = unit_suffix_of_row_text(text);
    const char *end = *unit ? unit : text + strlen(text);
    char token[2 * MAX_TOKEN];

    for (const char *at = text; at < end;) {
        gsize n = strcspn(at, " ");
        uint64_t value;

        n = MIN(n, (gsize)(end - at));
        if (n > 0) {
            g_snprintf(token, sizeof token, "%.*s %.*s", MIN((int)n, MAX_TOKEN),
                       at, MAX_TOKEN / 2, unit);
            if (!quantity_parse(*unit ? token : g_strchomp(token), type, &value,
                                error))
                return FALSE;
            g_array_append_val(ret, value);
        }
        at += n + 1;
    }
    return TRUE;
}
