/* names.c - long names of kernels, made short */
#include "workloads/recording/take/script.h"

#include <string.h>

#define MOST 48

/* "(anonymous namespace)" and the like are no arguments. */
static const char *skip_unnamed(const char *p)
{
    const char *end = *p == '(' ? strchr(p, ')') : NULL;

    return end && end[1] == ':' ? end + 1 : NULL;
}

/* The last word of those joined by "::" that stands before arguments. */
static void find_word(const char *name, const char **begin, const char **end)
{
    const char *p = name;

    if (g_str_has_prefix(name, "void "))
        p = name + strlen("void ");
    *begin = p;
    for (; *p != '\0'; p++) {
        const char *past = skip_unnamed(p);

        if (past)
            p = past;
        else if (*p == '<' || *p == '(')
            break;
        if (*p == ':' && p[1] != '\0' && p[1] != '<' && p[1] != '(')
            *begin = p + 1;
    }
    *end = p;
}

static gboolean is_plain(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '-';
}

char *script_short_name(const char *name)
{
    const char *begin, *end;
    GString *text = g_string_new(NULL);

    find_word(name, &begin, &end);
    for (const char *p = begin; p < end && text->len < MOST; p++)
        if (is_plain(*p))
            g_string_append_c(text, *p);
        else if (text->len > 0 && text->str[text->len - 1] != '_')
            g_string_append_c(text, '_');
    while (text->len > 0 && text->str[text->len - 1] == '_')
        g_string_truncate(text, text->len - 1);
    if (text->len == 0)
        g_string_append(text, "op");
    return g_string_free(text, FALSE);
}
