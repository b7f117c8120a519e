/* svg.c - normalises gnuplot's SVG and embeds it in a page; see svg.h */
#include "sim/view/plots/svg.h"

#include <string.h>

#define FAMILY "font-family=\"DejaVu Sans, Verdana, sans-serif\""

/* Removes all parts of the SVG text from a @begin up to and including the next
 * @end. */
static void erase_svg_text_between(GString *svg, const char *begin,
                                   const char *end)
{
    char *from = strstr(svg->str, begin);

    while (from) {
        char *to = strstr(from, end);
        gssize at = from - svg->str;

        if (!to)
            return;
        g_string_erase(svg, at, to + strlen(end) - from);
        from = strstr(svg->str + at, begin);
    }
}

/* Removes empty groups, which gnuplot writes at each change of style. */
static void erase_empty_svg_groups(GString *svg)
{
    static const char end[] = "</g>\n";
    char *from = strstr(svg->str, "<g ");

    while (from) {
        char *close = strchr(from, '>');
        gssize at = from - svg->str;

        if (close && g_str_has_prefix(close, ">\n</g>\n"))
            g_string_erase(svg, at, close + 2 + strlen(end) - from);
        else
            at++;
        from = strstr(svg->str + at, "<g ");
    }
}

/* Returns the length of the tag, or of the text between tags, at @p. */
static gsize length_of_tag_or_text(const char *p)
{
    gsize n_bytes = strcspn(p + 1, *p == '<' ? ">" : "<") + 1;

    return *p == '<' && p[n_bytes] == '>' ? n_bytes + 1 : n_bytes;
}

/* Escapes ">" in texts, which gnuplot does not; "]]>" is an error in XML. */
static void escape_svg_texts(GString *svg)
{
    g_autoptr(GString) out = g_string_new(NULL);

    for (const char *p = svg->str; *p != '\0'; p += length_of_tag_or_text(p)) {
        g_autoptr(GString) piece =
            g_string_new_len(p, (gssize)length_of_tag_or_text(p));

        if (*p != '<')
            g_string_replace(piece, ">", "&gt;", 0);
        g_string_append_len(out, piece->str, (gssize)piece->len);
    }
    g_string_assign(svg, out->str);
}

void svg_normalise(GString *svg)
{
    escape_svg_texts(svg);
    erase_svg_text_between(svg, "<title>", "</title>");
    erase_svg_text_between(svg, "<desc>", "</desc>\n");
    erase_svg_text_between(svg, "\t<filter", "</filter>\n");
    erase_empty_svg_groups(svg);
    g_string_replace(svg, "font-family=\"DejaVu Sans:Bold\"",
                     FAMILY " font-weight=\"bold\"", 0);
    g_string_replace(svg, "font-family=\"DejaVu Sans\"", FAMILY, 0);
    while (g_str_has_suffix(svg->str, "\n\n"))
        g_string_truncate(svg, svg->len - 1);
}
