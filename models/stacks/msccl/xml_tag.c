/* xml_tag.c - parses XML with GMarkup, which gets the text of one tag at
 * a time */
#include "models/stacks/msccl/xml_tag_impl.h"

#include <string.h>

#include "sim/config/config_error.h"
#include "sim/core/word_suggestions.h"

/* ---- attributes -------------------------------------------------------- */

static gboolean is_xml_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns the offset of @attribute in the tag, or 0 if it is not found. */
static gsize find_attribute_in_tag(const MscclTag *tag, const char *attribute)
{
    gsize n = strlen(attribute);

    for (gsize i = 1; i + n < tag->n_bytes; i++) {
        gsize end = i + n;

        if (!is_xml_space(tag->text[i - 1]) ||
            strncmp(tag->text + i, attribute, n) != 0)
            continue;
        while (end < tag->n_bytes && is_xml_space(tag->text[end]))
            end++;
        if (end < tag->n_bytes && tag->text[end] == '=')
            return i;
    }
    return 0;
}

void xml_tag_set_error(const MscclTag *tag, const char *attribute,
                       GError **error, const char *format, ...)
{
    gsize at = attribute ? find_attribute_in_tag(tag, attribute) : 0;
    guint line = tag->line, column = tag->column;
    g_autofree char *text = NULL;
    va_list args;

    for (gsize i = 0; i < at; i++) {
        line += tag->text[i] == '\n';
        column = tag->text[i] == '\n' ? 1 : column + 1;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE, "%s:%u:%u: %s",
                tag->file, line, column, text);
}

static const char *copy_attribute_value(const MscclTag *tag,
                                        const char *attribute)
{
    for (guint i = 0; tag->names[i]; i++)
        if (strcmp(tag->names[i], attribute) == 0)
            return tag->values[i];
    return NULL;
}

const char *xml_tag_read_text(const MscclTag *tag, const char *attribute,
                              GError **error)
{
    const char *value = copy_attribute_value(tag, attribute);

    if (!value)
        xml_tag_set_error(tag, NULL, error, "<%s> has no '%s'", tag->name,
                          attribute);
    return value;
}

gboolean xml_tag_read_keyword(const MscclTag *tag, const char *attribute,
                              const char *const *words, int *ret,
                              GError **error)
{
    const char *value = xml_tag_read_text(tag, attribute, error);
    g_autofree char *quoted = NULL, *hint = NULL;

    if (!value)
        return FALSE;
    for (*ret = 0; words[*ret]; (*ret)++)
        if (strcmp(words[*ret], value) == 0)
            return TRUE;
    quoted = words_quote_text(value);
    hint = words_suggestion_hint(value, words, "known");
    xml_tag_set_error(tag, attribute, error, "'%s' knows no %s%s", attribute,
                      quoted, hint);
    return FALSE;
}

gboolean xml_tag_read_number(const MscclTag *tag, const char *attribute,
                             int64_t min, int64_t max, int64_t *ret,
                             GError **error)
{
    const char *value = xml_tag_read_text(tag, attribute, error);
    g_autofree char *quoted = NULL;

    if (!value)
        return FALSE;
    if (g_ascii_string_to_signed(value, 10, min, max, ret, NULL))
        return TRUE;
    quoted = words_quote_text(value);
    xml_tag_set_error(tag, attribute, error,
                      "'%s' is %s, no whole number from %" G_GINT64_FORMAT
                      " to %" G_GINT64_FORMAT,
                      attribute, quoted, min, max);
    return FALSE;
}

gboolean xml_tag_read_optional_number(const MscclTag *tag,
                                      const char *attribute, int64_t min,
                                      int64_t max, int64_t fallback,
                                      int64_t *ret, GError **error)
{
    *ret = fallback;
    return !copy_attribute_value(tag, attribute) ||
           xml_tag_read_number(tag, attribute, min, max, ret, error);
}

/* ---- text ---------------------------------------------------------------- */

typedef struct {
    const MscclTagOps *ops;
    gpointer self;
    MscclTag tag; /* the tag that is parsed now */
} Feed;

static void on_xml_element_start(GMarkupParseContext *context, const char *name,
                                 const char **names, const char **values,
                                 gpointer self, GError **error)
{
    Feed *feed = self;
    MscclTag tag = feed->tag;

    (void)context;
    tag.name = name;
    tag.names = names;
    tag.values = values;
    (void)feed->ops->begins(feed->self, &tag, error);
}

static void on_xml_element_end(GMarkupParseContext *context, const char *name,
                               gpointer self, GError **error)
{
    Feed *feed = self;

    (void)context;
    (void)name;
    (void)feed->ops->ends(feed->self, error);
}

/* Replaces an error of GMarkup by one with the position as file:line:column. */
static void set_error_position(GMarkupParseContext *context, const char *file,
                               GError **error)
{
    int line, column;
    const char *colon = strstr((*error)->message, ": ");
    g_autofree char *text = NULL, *quoted = NULL;

    if ((*error)->domain != G_MARKUP_ERROR)
        return;
    g_markup_parse_context_get_position(context, &line, &column);
    quoted = words_quote_text(colon ? colon + 2 : (*error)->message);
    text = g_strdup_printf("%s:%d:%d: not XML: %s", file, line, column, quoted);
    g_clear_error(error);
    g_set_error_literal(error, CONFIG_ERROR, CONFIG_ERROR_SYNTAX, text);
}

static void skip_attribute_value(MscclTag *tag)
{
    for (gsize i = 0; i < tag->n_bytes; i++) {
        tag->line += tag->text[i] == '\n';
        tag->column = tag->text[i] == '\n' ? 1 : tag->column + 1;
    }
    tag->text += tag->n_bytes;
}

gboolean msccl_parse_xml_tags(const char *file, const char *text, gsize n_bytes,
                              const MscclTagOps *ops, gpointer self,
                              GError **error)
{
    static const GMarkupParser parser = { .start_element = on_xml_element_start,
                                          .end_element = on_xml_element_end };
    Feed feed = { ops,
                  self,
                  { .file = file, .text = text, .line = 1, .column = 1 } };
    g_autoptr(GMarkupParseContext) context =
        g_markup_parse_context_new(&parser, (GMarkupParseFlags)0, &feed, NULL);
    const char *end = text + n_bytes;
    GError *inner = NULL;

    while (feed.tag.text < end && !inner) {
        gsize left = (gsize)(end - feed.tag.text);
        const char *next = memchr(feed.tag.text + 1, '<', left - 1);

        feed.tag.n_bytes = next ? (gsize)(next - feed.tag.text) : left;
        (void)g_markup_parse_context_parse(context, feed.tag.text,
                                           (gssize)feed.tag.n_bytes, &inner);
        skip_attribute_value(&feed.tag);
    }
    if (!inner && g_markup_parse_context_end_parse(context, &inner))
        return TRUE;
    set_error_position(context, file, &inner);
    g_propagate_error(error, inner);
    return FALSE;
}
