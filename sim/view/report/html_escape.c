/* html_escape.c - text as HTML */
#include "sim/view/report/html_escape.h"

#include <stdarg.h>
#include <string.h>

static void append_escaped_char(GString *out, gunichar c)
{
    switch (c) {
    case '<':
        g_string_append(out, "&lt;");
        break;
    case '>':
        g_string_append(out, "&gt;");
        break;
    case '&':
        g_string_append(out, "&amp;");
        break;
    case '"':
        g_string_append(out, "&quot;");
        break;
    case '\'':
        g_string_append(out, "&#39;");
        break;
    default:
        /* Unicode format characters are removed, because they could reverse the
         * following text. */
        if (g_unichar_iscntrl(c) || g_unichar_type(c) == G_UNICODE_FORMAT)
            c = ' ';
        /* Some undefined characters are removed, because XML forbids them. */
        else if (!g_unichar_isdefined(c))
            c = 0xfffd;
        g_string_append_unichar(out, c);
    }
}

void html_append_text(GString *out, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    for (const char *p = valid; *p != '\0'; p = g_utf8_next_char(p))
        append_escaped_char(out, g_utf8_get_char(p));
}

void html_append_key(GString *out, const char *key)
{
    for (const char *p = key; *p != '\0';) {
        gsize n_bytes = strcspn(p, "._");
        g_autofree char *part = NULL;

        n_bytes += p[n_bytes] != '\0' ? 1 : 0;
        part = g_strndup(p, n_bytes);
        p += n_bytes;
        html_append_text(out, part);
        g_string_append(out, *p != '\0' ? "<wbr />" : "");
    }
}

void html_append_format(GString *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    for (const char *p = format; *p != '\0'; p++) {
        if (p[0] == '%' && p[1] == 's') {
            html_append_text(out, va_arg(args, const char *));
            p++;
        } else {
            g_string_append_c(out, *p);
        }
    }
    va_end(args);
}
