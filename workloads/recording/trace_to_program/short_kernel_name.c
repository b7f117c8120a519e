/*
 * short_kernel_name.c - shortens the names of kernels
 *
 * The short name is the last component of a "::" name without its arguments.
 * Letters, digits, '_' and '-' stay, and all characters between them become one
 * underscore.
 */
#include "workloads/recording/trace_to_program/imported_program.h"

#include <string.h>

#define MAX_LENGTH 48

/* Returns the end of "(anonymous namespace)" and similar at @p, which is no
 * list of arguments, or NULL. */
static const char *skip_anonymous_namespace(const char *p)
{
    const char *end = *p == '(' ? strchr(p, ')') : NULL;

    return end && end[1] == ':' ? end + 1 : NULL;
}

/* Sets @begin and @end to the last component of a "::" name, before template or
 * function arguments. */
static void find_last_component(const char *name, const char **begin,
                                const char **end)
{
    const char *p = name;

    if (g_str_has_prefix(name, "void "))
        p = name + strlen("void ");
    *begin = p;
    for (; *p != '\0'; p++) {
        const char *past = skip_anonymous_namespace(p);

        if (past)
            p = past;
        else if (*p == '<' || *p == '(')
            break;
        if (*p == ':' && p[1] != '\0' && p[1] != '<' && p[1] != '(')
            *begin = p + 1;
    }
    *end = p;
}

static gboolean is_plain_character(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '-';
}

char *imported_short_name(const char *name)
{
    const char *begin, *end;
    GString *text = g_string_new(NULL);

    find_last_component(name, &begin, &end);
    for (const char *p = begin; p < end && text->len < MAX_LENGTH; p++)
        if (is_plain_character(*p))
            g_string_append_c(text, *p);
        else if (text->len > 0 && text->str[text->len - 1] != '_')
            g_string_append_c(text, '_');
    while (text->len > 0 && text->str[text->len - 1] == '_')
        g_string_truncate(text, text->len - 1);
    if (text->len == 0)
        g_string_append(text, "op");
    return g_string_free(text, FALSE);
}
