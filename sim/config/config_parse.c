/*
 * config_parse.c - YAML events to a tree of nodes
 *
 * An alias is the node of its anchor, so the tree is a graph without cycles.
 * The limits count what a walk would meet, each alias in full: a walker needs
 * no limits of its own.
 *
 * Cost     linear in the text
 */
#include <stdarg.h>
#include <string.h>

#include <yaml.h>

#include "sim/config/config_impl.h"

/* libyaml compares each %TAG directive with all others.  As tags are not
 * supported, any number that is quick to compare is enough. */
#define MAX_TAG_DIRECTIVES 16

/* A list or map whose end has not come yet. */
typedef struct {
    ConfigNode *node;  /* borrowed */
    ConfigNode *key;   /* borrowed: its value comes next; NULL: a key does */
    GHashTable *first; /* owned: borrowed key text -> borrowed key node */
    guint n_before;    /* nodes counted when it began */
} Level;

typedef struct {
    ConfigDoc *doc;
    ConfigSource *source;
    GArray *levels;      /* owned: Level, outermost first */
    GHashTable *anchors; /* owned: owned name -> borrowed node */
    guint n_nodes;       /* aliases counted in full */
    guint n_documents;
} Builder;

static void level_clear(gpointer data)
{
    Level *level = data;

    g_clear_pointer(&level->first, g_hash_table_unref);
}

/* libyaml counts lines and columns from 0; people and editors from 1. */
static guint from_1(size_t n)
{
    return (guint)MIN(n, G_MAXUINT - 1) + 1;
}

G_GNUC_PRINTF(3, 4)
static gboolean fail(Builder *b, yaml_mark_t mark, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    config_problem_add(b->source->problems, b->source, from_1(mark.line),
                       from_1(mark.column), CONFIG_ERROR_SYNTAX, "%s", text);
    return FALSE;
}

static ConfigNode *node_at(Builder *b, ConfigNodeKind kind, yaml_mark_t mark)
{
    return config_node_new(b->doc, kind, b->source, from_1(mark.line),
                           from_1(mark.column));
}

static gboolean count(Builder *b, guint n_nodes, yaml_mark_t mark)
{
    b->n_nodes += n_nodes;
    if (b->n_nodes > CONFIG_MAX_NODES)
        return fail(b, mark, "more than %d nodes, aliases counted in full",
                    CONFIG_MAX_NODES);
    return TRUE;
}

static gboolean begin_pair(Builder *b, Level *level, ConfigNode *key,
                           yaml_mark_t mark)
{
    if (key->kind != CONFIG_NODE_SCALAR)
        return fail(b, mark, "a key must be a word, not a list or map");
    if (!key->quoted && g_str_equal(key->text, "<<"))
        return fail(b, mark,
                    "the merge key '<<' is not supported; write the keys out");
    level->key = key;
    return TRUE;
}

static void end_pair(Builder *b, Level *level, ConfigNode *value)
{
    ConfigNode *key = level->key;
    ConfigNode *first = g_hash_table_lookup(level->first, key->text);

    level->key = NULL;
    if (first) {
        g_autofree char *name = config_quote(key->text);

        config_problem_at(b->source->problems, key, CONFIG_ERROR_DUPLICATE_KEY,
                          "%s is given twice, first at line %u", name,
                          first->line);
        return;
    }
    g_hash_table_insert(level->first, key->text, key);
    g_ptr_array_add(level->node->keys, key);
    g_ptr_array_add(level->node->values, value);
}

/* Puts a finished node where it belongs; @mark is where it is used. */
static gboolean attach(Builder *b, ConfigNode *node, yaml_mark_t mark)
{
    Level *level;

    if (b->levels->len == 0) {
        b->source->root = node;
        return TRUE;
    }
    level = &g_array_index(b->levels, Level, b->levels->len - 1);
    level->node->height = MAX(level->node->height, node->height + 1);
    if (level->node->kind == CONFIG_NODE_LIST)
        g_ptr_array_add(level->node->values, node);
    else if (!level->key)
        return begin_pair(b, level, node, mark);
    else
        end_pair(b, level, node);
    return TRUE;
}

static void set_anchor(Builder *b, const yaml_char_t *name, ConfigNode *node)
{
    if (name)
        g_hash_table_insert(b->anchors, g_strdup((const char *)name), node);
}

static gboolean no_tag(Builder *b, const yaml_char_t *tag, yaml_mark_t mark)
{
    g_autofree char *quoted = NULL;

    if (!tag)
        return TRUE;
    quoted = config_quote((const char *)tag);
    return fail(b, mark, "the tag %s is not supported", quoted);
}

static gboolean on_scalar(Builder *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    gsize n_bytes = event->data.scalar.length;
    ConfigNode *node;

    if (!no_tag(b, event->data.scalar.tag, event->start_mark) ||
        !count(b, 1, event->start_mark))
        return FALSE;
    if (memchr(text, '\0', n_bytes))
        return fail(b, event->start_mark, "a text holds a NUL character");
    node = node_at(b, CONFIG_NODE_SCALAR, event->start_mark);
    node->text = g_strndup(text, n_bytes);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    set_anchor(b, event->data.scalar.anchor, node);
    return attach(b, node, event->start_mark);
}

static gboolean too_deep(Builder *b, guint height, yaml_mark_t mark)
{
    if (b->levels->len + height <= CONFIG_MAX_DEPTH)
        return FALSE;
    fail(b, mark, "more than %d levels deep", CONFIG_MAX_DEPTH);
    return TRUE;
}

static gboolean on_start(Builder *b, const yaml_event_t *event)
{
    gboolean is_map = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag =
        is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    Level level = { .n_before = b->n_nodes };

    if (!no_tag(b, tag, event->start_mark) || !count(b, 1, event->start_mark) ||
        too_deep(b, 1, event->start_mark))
        return FALSE;
    level.node = node_at(b, is_map ? CONFIG_NODE_MAP : CONFIG_NODE_LIST,
                         event->start_mark);
    level.node->open = TRUE;
    level.node->height = 1;
    if (is_map)
        level.first = g_hash_table_new(g_str_hash, g_str_equal);
    set_anchor(b,
               is_map ? event->data.mapping_start.anchor
                      : event->data.sequence_start.anchor,
               level.node);
    g_array_append_val(b->levels, level);
    return TRUE;
}

static gboolean on_end(Builder *b)
{
    guint last = b->levels->len - 1;
    const Level *level = &g_array_index(b->levels, Level, last);
    ConfigNode *node = level->node;
    yaml_mark_t start = { .line = node->line - 1, .column = node->column - 1 };

    node->open = FALSE;
    node->n_nodes = b->n_nodes - level->n_before;
    g_array_set_size(b->levels, last);
    return attach(b, node, start);
}

static gboolean on_alias(Builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    ConfigNode *node = g_hash_table_lookup(b->anchors, name);

    if (!node || node->open) {
        g_autofree char *quoted = config_quote(name);

        return fail(b, event->start_mark,
                    node ? "the alias %s stands inside its own anchor"
                         : "the alias %s has no anchor before it",
                    quoted);
    }
    if (!count(b, node->n_nodes, event->start_mark) ||
        too_deep(b, node->height, event->start_mark))
        return FALSE;
    return attach(b, node, event->start_mark);
}

static gboolean on_event(Builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return on_start(b, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_end(b);
    case YAML_ALIAS_EVENT:
        return on_alias(b, event);
    case YAML_DOCUMENT_START_EVENT:
        if (++b->n_documents > 1)
            return fail(b, event->start_mark,
                        "a second document begins; a file holds one");
        return TRUE;
    default:
        return TRUE;
    }
}

/* Where the byte at @offset stands; the text before it is UTF-8. */
static yaml_mark_t mark_of_offset(const char *text, gsize offset)
{
    yaml_mark_t mark = { 0 };
    const char *p = text;

    if (offset >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3; /* a byte order mark takes no column */
    for (; p < text + offset; p = g_utf8_next_char(p)) {
        gboolean breaks = *p == '\n' || (*p == '\r' && p[1] != '\n');

        mark.line += breaks ? 1 : 0;
        mark.column = breaks ? 0 : mark.column + 1;
    }
    return mark;
}

static gboolean check_utf8(Builder *b, const char *text, gsize n_bytes)
{
    const char *bad = NULL;
    yaml_mark_t mark;

    if (n_bytes == 0 || g_utf8_validate_len(text, n_bytes, &bad))
        return TRUE;
    mark = mark_of_offset(text, (gsize)(bad - text));
    if (*bad == '\0')
        return fail(b, mark, "a NUL byte; is this a text file?");
    return fail(b, mark, "the byte 0x%02x is not UTF-8", (guint)(guchar)*bad);
}

static gboolean check_directives(Builder *b, const char *text, gsize n_bytes)
{
    const char *p = text;
    guint n = 0;

    for (; n <= MAX_TAG_DIRECTIVES; n++) {
        p = p ? memmem(p, n_bytes - (gsize)(p - text), "%TAG", 4) : NULL;
        if (!p)
            return TRUE;
        p += 4;
    }
    return fail(b, mark_of_offset(text, (gsize)(p - 4 - text)),
                "more than %d %%TAG directives", MAX_TAG_DIRECTIVES);
}

/* The mark counts characters, a byte order mark not among them. */
static const char *hint_at(const char *text, gsize n_bytes, yaml_mark_t mark)
{
    const char *p = text;

    if (n_bytes >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    for (gsize i = 0; i < mark.index && p < text + n_bytes; i++)
        p = g_utf8_next_char(p);
    return p < text + n_bytes && *p == '\t' ? "; indent with blanks, not tabs"
                                            : "";
}

/* What libyaml says of a line that begins further left or right than those
 * above it; it has no word for that itself. */
static const char *hint_of(const char *problem, yaml_mark_t mark)
{
    static const char *const problems[] = {
        "did not find expected key",
        "did not find expected '-' indicator",
        "did not find expected <document start>",
        "mapping values are not allowed in this context",
        "block sequence entries are not allowed in this context",
        NULL,
    };

    return mark.line > 0 && g_strv_contains(problems, problem)
               ? "; is the indentation right?"
               : "";
}

static gboolean fail_as_libyaml(Builder *b, const yaml_parser_t *parser,
                                const char *text, gsize n_bytes)
{
    const char *hint;

    if (parser->error == YAML_MEMORY_ERROR)
        g_error("out of memory");
    if (parser->error == YAML_READER_ERROR)
        return fail(b, mark_of_offset(text, parser->problem_offset), "%s",
                    parser->problem);
    hint = hint_at(text, n_bytes, parser->problem_mark);
    if (*hint == '\0')
        hint = hint_of(parser->problem, parser->problem_mark);
    if (!parser->context)
        return fail(b, parser->problem_mark, "%s%s", parser->problem, hint);
    return fail(b, parser->problem_mark, "%s %s that began at line %u%s",
                parser->problem, parser->context,
                from_1(parser->context_mark.line), hint);
}

static gboolean build(Builder *b, yaml_parser_t *parser, const char *text,
                      gsize n_bytes)
{
    gboolean more = TRUE;

    while (more) {
        yaml_event_t event;
        gboolean ok;

        if (!yaml_parser_parse(parser, &event))
            return fail_as_libyaml(b, parser, text, n_bytes);
        ok = on_event(b, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (!ok)
            return FALSE;
    }
    return TRUE;
}

static gboolean check_empty(Builder *b, gboolean empty_ok)
{
    const ConfigNode *root = b->source->root;
    ConfigNode *nothing;

    if (root && (root->kind != CONFIG_NODE_SCALAR || root->quoted ||
                 *root->text != '\0'))
        return TRUE;
    if (!empty_ok)
        return fail(b, (yaml_mark_t){ 0 }, "the file is empty");
    nothing = node_at(b, CONFIG_NODE_SCALAR, (yaml_mark_t){ 0 });
    nothing->text = g_strdup("");
    b->source->root = nothing;
    return TRUE;
}

void config_source_parse(ConfigDoc *doc, ConfigSource *source, const char *text,
                         gsize n_bytes, gboolean empty_ok)
{
    Builder b = { .doc = doc, .source = source };
    yaml_parser_t parser;

    if (!check_utf8(&b, text, n_bytes) || !check_directives(&b, text, n_bytes))
        return;
    if (!yaml_parser_initialize(&parser))
        g_error("out of memory");
    yaml_parser_set_input_string(
        &parser, (const unsigned char *)(text ? text : ""), n_bytes);
    b.levels = g_array_new(FALSE, FALSE, sizeof(Level));
    g_array_set_clear_func(b.levels, level_clear);
    b.anchors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    if (!build(&b, &parser, text, n_bytes) || !check_empty(&b, empty_ok))
        source->root = NULL;

    g_hash_table_unref(b.anchors);
    g_array_unref(b.levels);
    yaml_parser_delete(&parser);
}
