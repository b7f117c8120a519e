/* tag.c - parses XML with GMarkup, which gets the text of one tag at a time */
#include "models/stacks/msccl/tag_impl.h"

#include <string.h>

#include "sim/config/config_error.h"
#include "sim/core/words.h"

/* ---- attributes -------------------------------------------------------- */

static gboolean is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns the offset of @attribute in the tag, or 0 if it is not found. */
static gsize find(const MscclTag *tag, const char *attribute)
{
    gsize n = strlen(attribute);

    for (gsize i = 1; i + n < tag->n_bytes; i++) {
        gsize end = i + n;

        if (!is_space(tag->text[i - 1]) ||
            strncmp(tag->text + i, attribute, n) != 0)
            continue;
        while (end < tag->n_bytes && is_space(tag->text[end]))
            end++;
        if (end < tag->n_bytes && tag->text[end] == '=')
            return i;
    }
    return 0;
}

void tag_fail(const MscclTag *tag, const char *attribute, GError **error,
              const char *format, ...)
{
    gsize at = attribute ? find(tag, attribute) : 0;
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

static const char *look_up(const MscclTag *tag, const char *attribute)
{
    for (guint i = 0; tag->names[i]; i++)
        if (strcmp(tag->names[i], attribute) == 0)
            return tag->values[i];
    return NULL;
}

const char *tag_text(const MscclTag *tag, const char *attribute, GError **error)
{
    const char *value = look_up(tag, attribute);

    if (!value)
        tag_fail(tag, NULL, error, "<%s> has no '%s'", tag->name, attribute);
    return value;
}

gboolean tag_word(const MscclTag *tag, const char *attribute,
                  const char *const *words, int *ret, GError **error)
{
    const char *value = tag_text(tag, attribute, error);
    g_autofree char *quoted = NULL, *hint = NULL;

    if (!value)
        return FALSE;
    for (*ret = 0; words[*ret]; (*ret)++)
        if (strcmp(words[*ret], value) == 0)
            return TRUE;
    quoted = words_quote(value);
    hint = words_hint(value, words, "known");
    tag_fail(tag, attribute, error, "'%s' knows no %s%s", attribute, quoted,
             hint);
    return FALSE;
}

gboolean tag_number(const MscclTag *tag, const char *attribute, int64_t min,
                    int64_t max, int64_t *ret, GError **error)
{
    const char *value = tag_text(tag, attribute, error);
    g_autofree char *quoted = NULL;

    if (!value)
        return FALSE;
    if (g_ascii_string_to_signed(value, 10, min, max, ret, NULL))
        return TRUE;
    quoted = words_quote(value);
    tag_fail(tag, attribute, error,
             "'%s' is %s, no whole number from %" G_GINT64_FORMAT
             " to %" G_GINT64_FORMAT,
             attribute, quoted, min, max);
    return FALSE;
}

gboolean tag_number_or(const MscclTag *tag, const char *attribute, int64_t min,
                       int64_t max, int64_t fallback, int64_t *ret,
                       GError **error)
{
    *ret = fallback;
    return !look_up(tag, attribute) ||
           tag_number(tag, attribute, min, max, ret, error);
}

/* ---- text ---------------------------------------------------------------- */

typedef struct {
    const MscclTagOps *ops;
    gpointer self;
    MscclTag tag; /* the tag that is parsed now */
} Feed;

static void on_begins(GMarkupParseContext *context, const char *name,
                      const char **names, const char **values, gpointer self,
                      GError **error)
{
    Feed *feed = self;
    MscclTag tag = feed->tag;

    (void)context;
    tag.name = name;
    tag.names = names;
    tag.values = values;
    (void)feed->ops->begins(feed->self, &tag, error);
}

static void on_ends(GMarkupParseContext *context, const char *name,
                    gpointer self, GError **error)
{
    Feed *feed = self;

    (void)context;
    (void)name;
    (void)feed->ops->ends(feed->self, error);
}

/* Replaces an error of GMarkup by one with the position as file:line:column. */
static void set_position(GMarkupParseContext *context, const char *file,
                         GError **error)
{
    int line, column;
    const char *colon = strstr((*error)->message, ": ");
    g_autofree char *text = NULL, *quoted = NULL;

    if ((*error)->domain != G_MARKUP_ERROR)
        return;
    g_markup_parse_context_get_position(context, &line, &column);
    quoted = words_quote(colon ? colon + 2 : (*error)->message);
    text = g_strdup_printf("%s:%d:%d: not XML: %s", file, line, column, quoted);
    g_clear_error(error);
    g_set_error_literal(error, CONFIG_ERROR, CONFIG_ERROR_SYNTAX, text);
}

static void step_over(MscclTag *tag)
{
    for (gsize i = 0; i < tag->n_bytes; i++) {
        tag->line += tag->text[i] == '\n';
        tag->column = tag->text[i] == '\n' ? 1 : tag->column + 1;
    }
    tag->text += tag->n_bytes;
}

gboolean msccl_tags(const char *file, const char *text, gsize n_bytes,
                    const MscclTagOps *ops, gpointer self, GError **error)
{
    static const GMarkupParser parser = { .start_element = on_begins,
                                          .end_element = on_ends };
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
        step_over(&feed.tag);
    }
    if (!inner && g_markup_parse_context_end_parse(context, &inner))
        return TRUE;
    set_position(context, file, &inner);
    g_propagate_error(error, inner);
    return FALSE;
}
