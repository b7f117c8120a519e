/* svg.c - normalises gnuplot's SVG and embeds it in a page; see svg.h */
#include "sim/view/plots/svg.h"

#include <string.h>

#define FAMILY "font-family=\"DejaVu Sans, Verdana, sans-serif\""

/* Removes all parts of the SVG text from a @begin up to and including the next
 * @end. */
static void erase_svg_text_parts(GString *svg, const char *begin,
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
    erase_svg_text_parts(svg, "<title>", "</title>");
    erase_svg_text_parts(svg, "<desc>", "</desc>\n");
    erase_svg_text_parts(svg, "\t<filter", "</filter>\n");
    erase_empty_svg_groups(svg);
    g_string_replace(svg, "font-family=\"DejaVu Sans:Bold\"",
                     FAMILY " font-weight=\"bold\"", 0);
    g_string_replace(svg, "font-family=\"DejaVu Sans\"", FAMILY, 0);
    while (g_str_has_suffix(svg->str, "\n\n"))
        g_string_truncate(svg, svg->len - 1);
}

/* ---- embedding an SVG in a page ------------------------------------------ */

/* Changes tags only; texts, in which "<" is escaped, are copied. */
static void append_svg_tag(GString *out, const char *tag, gsize n_bytes,
                           const char *prefix)
{
    static const char *const ids[] = { "id='", "id=\"", "href='#", "href=\"#",
                                       "url(#" };
    /* The colours of common.gp for ink, softer ink and rules, in both notations
     * of gnuplot. */
    static const char *const colours[][2] = {
        { "rgb( 51,  51,  51)", "var(--ink)" },
        { "rgb(51,51,51)", "var(--ink)" },
        { "rgb(102, 102, 102)", "var(--soft)" },
        { "rgb(102,102,102)", "var(--soft)" },
        { "rgb(221, 221, 221)", "var(--rule)" },
        { "rgb(221,221,221)", "var(--rule)" },
    };
    g_autoptr(GString) text = g_string_new_len(tag, (gssize)n_bytes);

    for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
        g_autofree char *with = g_strconcat(ids[i], prefix, "-", NULL);

        g_string_replace(text, ids[i], with, 0);
    }
    for (guint i = 0; i < G_N_ELEMENTS(colours); i++)
        g_string_replace(text, colours[i][0], colours[i][1], 0);
    g_string_append_len(out, text->str, (gssize)text->len);
}

/* Leaves out the text before the element, and the background, a white rectangle
 * of the whole size. */
GString *svg_make_inline(const GString *svg, const char *prefix,
                         const char *title)
{
    static const char background[] = "<rect x=\"0\" y=\"0\"";
    g_autofree char *name = g_markup_escape_text(title, -1);
    g_autofree char *label =
        g_strdup_printf("<svg role=\"img\" aria-label=\"%s\"", name);
    GString *out = g_string_new(NULL);
    const char *p = strstr(svg->str, "<svg");

    while (p && *p != '\0') {
        gsize n_bytes = length_of_tag_or_text(p);

        if (*p != '<')
            g_string_append_len(out, p, (gssize)n_bytes);
        else if (!g_str_has_prefix(p, background))
            append_svg_tag(out, p, n_bytes, prefix);
        p += n_bytes;
    }
    g_string_replace(out, "<svg", label, 1);
    return out;
}
