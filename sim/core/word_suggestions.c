/*
 * word_suggestions.c - quotes and hints for messages, and the nearest of a list
 * of names; see word_suggestions.h
 */
#include "sim/core/word_suggestions.h"

#include <string.h>

/* The maximum length of a quoted text.  It is enough for any key and file name;
 * a text of a configuration may have 16 MiB. */
#define MAX_QUOTED_CHARS 80

/* A longer list would not help the reader. */
#define MAX_KNOWN 16

/* Longer words are not typos of a key. */
#define MAX_WORD_BYTES 64

char *words_quote_text(const char *text)
{
    GString *out = g_string_new("'");
    guint n_chars = 0;

    for (const char *p = text; *p != '\0'; n_chars++) {
        gunichar c = g_utf8_get_char_validated(p, -1);
        gboolean valid = (gint32)c >= 0;

        if (n_chars == MAX_QUOTED_CHARS) {
            g_string_append(out, "...");
            break;
        }
        if (valid && g_unichar_isprint(c))
            g_string_append_unichar(out, c);
        else if (c == '\n')
            g_string_append(out, "\\n");
        else if (valid && c > 0xff)
            g_string_append_printf(out, "\\u%04x", c);
        else
            g_string_append_printf(out, "\\x%02x",
                                   valid ? c : (guint)(guchar)*p);
        p = valid ? g_utf8_next_char(p) : p + 1;
    }
    g_string_append_c(out, '\'');
    return g_string_free(out, FALSE);
}

/* Returns the minimum number of insertions, deletions, substitutions and swaps
 * of neighbours that turn @a into @b, if each position is changed once (optimal
 * string alignment). */
static gsize levenshtein_distance(const char *a, const char *b)
{
    gsize n_a = strlen(a), n_b = strlen(b);
    gsize rows[3][MAX_WORD_BYTES + 1];
    gsize *before = rows[0], *last = rows[1], *row = rows[2];

    for (gsize j = 0; j <= n_b; j++)
        last[j] = j;
    for (gsize i = 1; i <= n_a; i++) {
        gsize *oldest = before;

        row[0] = i;
        for (gsize j = 1; j <= n_b; j++) {
            gsize substituted = last[j - 1] + (a[i - 1] != b[j - 1]);

            row[j] = MIN(substituted, MIN(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
        row = oldest;
    }
    return last[n_b];
}

const char *words_find_nearest(const char *word, const char *const *names)
{
    gsize n_word = strlen(word);
    gsize best = MIN(n_word / 3 + 1, 3) + 1;
    const char *nearest = NULL;

    /* A name that shares nothing with the word is not a correction. */
    best = MIN(best, n_word);
    for (; *names; names++) {
        gsize n_name = strlen(*names);
        gsize d;

        if (MAX(n_name, n_word) > MAX_WORD_BYTES)
            continue;
        d = levenshtein_distance(word, *names);
        if (d < best) {
            best = d;
            nearest = *names;
        }
    }
    return nearest;
}

char *words_suggestion_hint(const char *word, const char *const *names,
                            const char *known)
{
    const char *nearest = words_find_nearest(word, names);
    GString *out;

    if (nearest)
        return g_strdup_printf("; did you mean '%s'?", nearest);
    if (!*names)
        return g_strdup_printf("; %s: none", known);
    out = g_string_new(NULL);
    g_string_append_printf(out, "; %s: %s", known, names[0]);
    for (guint i = 1; names[i]; i++) {
        if (i == MAX_KNOWN) {
            g_string_append(out, ", ...");
            break;
        }
        g_string_append_printf(out, ", %s", names[i]);
    }
    return g_string_free(out, FALSE);
}
