/* csv_write.c - writes CSV; see csv.h */
#include <inttypes.h>
#include <string.h>

#include "sim/core/csv_impl.h"

typedef unsigned __int128 u128;

/* 10^19 is the largest power of ten below 2^64. */
#define MAX_RATIO_DIGITS 19

/* Ends a cell by a comma. csv_end_row() replaces the last comma of the row.  So
 * an empty cell is a cell at any position. */
static void end_csv_cell(GString *out)
{
    g_string_append_c(out, ',');
}

/* Returns whether @text is a decimal number and nothing else. */
static gboolean is_decimal_number(const char *text)
{
    static const char digits[] = "0123456789";
    gsize n;

    text += *text == '-' || *text == '+' ? 1 : 0;
    n = strspn(text, digits);
    text += n;
    if (*text == '.') {
        gsize n_behind = strspn(text + 1, digits);

        n += n_behind;
        text += 1 + n_behind;
    }
    if (n > 0 && (*text == 'e' || *text == 'E')) {
        text++;
        text += *text == '-' || *text == '+' ? 1 : 0;
        n = strspn(text, digits);
        text += n;
    }
    return n > 0 && *text == '\0';
}

gboolean csv_looks_like_formula(const char *text)
{
    text += strspn(text, "'");
    return *text != '\0' && strchr("=+-@\t\r", *text);
}

static gboolean needs_formula_apostrophe(const char *text)
{
    return csv_looks_like_formula(text) && strcmp(text, "-") != 0 &&
           !is_decimal_number(text);
}

void csv_add_text(GString *out, const char *text)
{
    const char *before = needs_formula_apostrophe(text) ? "'" : "";

    if (!strpbrk(text, ",\"\r\n") && !g_str_has_prefix(text, BYTE_ORDER_MARK)) {
        g_string_append(out, before);
        g_string_append(out, text);
        end_csv_cell(out);
        return;
    }
    g_string_append_c(out, '"');
    g_string_append(out, before);
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '"')
            g_string_append_c(out, '"');
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
    end_csv_cell(out);
}

void csv_add_u64(GString *out, uint64_t value)
{
    g_string_append_printf(out, "%" PRIu64, value);
    end_csv_cell(out);
}

static void append_fixed_decimal(GString *out, u128 value, guint digits)
{
    char text[40]; /* 2^128 has 39 digits */
    guint n = 0;   /* the number of digits, which are at the end of .text */
    guint n_shown;

    for (; value > 0; value /= 10)
        text[sizeof text - ++n] = (char)('0' + (int)(value % 10));
    n_shown = MAX(n, digits + 1);
    for (guint i = n_shown; i > 0; i--) {
        if (i == digits)
            g_string_append_c(out, '.');
        g_string_append_c(out, i > n ? '0' : text[sizeof text - i]);
    }
    end_csv_cell(out);
}

void csv_add_fixed(GString *out, uint64_t value, guint digits)
{
    append_fixed_decimal(out, value, digits);
}

void csv_add_ratio(GString *out, uint64_t num, uint64_t den, guint digits)
{
    u128 scaled = num;

    g_return_if_fail(digits <= MAX_RATIO_DIGITS);

    for (guint i = 0; i < digits; i++)
        scaled *= 10;
    append_fixed_decimal(out, den > 0 ? (scaled + den / 2) / den : 0, digits);
}

void csv_add_empty(GString *out)
{
    end_csv_cell(out);
}

void csv_end_row(GString *out)
{
    if (out->len > 0 && out->str[out->len - 1] == ',')
        out->str[out->len - 1] = '\n';
    else
        g_string_append_c(out, '\n');
}
