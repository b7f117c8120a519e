/*
 * config_tree_builder.c - builds a tree of nodes from YAML events; see
 * config_tree_builder_impl.h
 */
#include "sim/config/config_tree_builder_impl.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/config_message_impl.h"
#include "sim/core/word_suggestions.h"

/* A list or map that is still open. */
typedef struct {
    ConfigNode *node; /* borrowed */
    /* The key whose value the parser will deliver next (borrowed); NULL if a
     * key comes next. */
    ConfigNode *key;
    /* owned: borrowed key text -> borrowed key node; NULL: few keys */
    GHashTable *first;
    guint n_before; /* the number of nodes when it was opened */
} OpenContainer;

static void clear_open_level(gpointer data)
{
    OpenContainer *level = data;

    g_clear_pointer(&level->first, g_hash_table_unref);
}

guint config_builder_number_from_one(size_t n)
{
    return (guint)MIN(n, G_MAXUINT - 1) + 1;
}

gboolean config_builder_add_problem(ConfigBuilder *builder, yaml_mark_t mark,
                                    const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    config_problem_add(builder->source->problems, builder->source,
                       config_builder_number_from_one(mark.line),
                       config_builder_number_from_one(mark.column),
                       CONFIG_ERROR_SYNTAX, "%s", text);
    return FALSE;
}

yaml_mark_t config_builder_byte_position(const char *text, gsize offset)
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

gboolean config_builder_check_utf8(ConfigBuilder *builder, const char *text,
                                   gsize n_bytes)
{
    const char *bad = NULL;
    yaml_mark_t mark;

    if (n_bytes == 0 || g_utf8_validate_len(text, n_bytes, &bad))
        return TRUE;
    mark = config_builder_byte_position(text, (gsize)(bad - text));
    if (*bad == '\0')
        return config_builder_add_problem(builder, mark,
                                          "a NUL byte; is this a text file?");
    return config_builder_add_problem(builder, mark,
                                      "the byte 0x%02x is not UTF-8; save "
                                      "the file as UTF-8",
                                      (guint)(guchar)*bad);
}

static ConfigNode *new_node_at_mark(ConfigBuilder *builder, ConfigNodeKind kind,
                                    yaml_mark_t mark)
{
    return config_node_new(builder->doc, kind, builder->source,
                           config_builder_number_from_one(mark.line),
                           config_builder_number_from_one(mark.column));
}

static gboolean count_yaml_nodes(ConfigBuilder *builder, guint n_nodes,
                                 yaml_mark_t mark)
{
    builder->n_nodes += n_nodes;
    if (builder->n_nodes > builder->max_nodes)
        return config_builder_add_problem(
            builder, mark,
            "more than %u nodes, aliases counted in full; the environment "
            "variable " CONFIG_NODES_VARIABLE " allows more",
            builder->max_nodes);
    return TRUE;
}

static gboolean begin_yaml_map_entry(ConfigBuilder *builder,
                                     OpenContainer *level, ConfigNode *key,
                                     yaml_mark_t mark)
{
    if (key->kind != CONFIG_NODE_SCALAR)
        return config_builder_add_problem(
            builder, mark, "a key must be a word, not a list or map");
    if (!key->quoted && g_str_equal(key->text, "<<"))
        return config_builder_add_problem(
            builder, mark,
            "the merge key '<<' is not supported; write the keys out");
    level->key = key;
    return TRUE;
}

#define MANY_KEYS 16 /* more keys than this are found through a hash table */

/* Returns the key with @text, or NULL if there is none. */
static const ConfigNode *find_yaml_map_key(const OpenContainer *level,
                                           const char *text)
{
    guint i;

    if (level->first)
        return g_hash_table_lookup(level->first, text);
    return config_node_find_key(level->node, text, &i)
               ? config_node_key(level->node, i)
               : NULL;
}

/* Makes find_yaml_map_key() find @key, which was added last. */
static void index_yaml_map_key(OpenContainer *level, ConfigNode *key)
{
    guint n = config_node_count(level->node);

    if (n < MANY_KEYS)
        return;
    if (!level->first) {
        level->first = g_hash_table_new(g_str_hash, g_str_equal);
        for (guint i = 0; i < n; i++) {
            const ConfigNode *old = config_node_key(level->node, i);

            g_hash_table_insert(level->first, (gpointer)old->text,
                                (gpointer)old);
        }
        return;
    }
    g_hash_table_insert(level->first, (gpointer)key->text, key);
}

static void end_yaml_map_entry(ConfigBuilder *builder, OpenContainer *level,
                               ConfigNode *value)
{
    ConfigNode *key = level->key;
    const ConfigNode *first = find_yaml_map_key(level, key->text);

    level->key = NULL;
    if (first) {
        g_autofree char *name = words_quote_text(key->text);

        config_problem_at(builder->source->problems, key,
                          CONFIG_ERROR_DUPLICATE_KEY,
                          "%s is given twice, first at line %u; remove one",
                          name, first->line);
        return;
    }
    config_node_add_pair(level->node, key, value);
    index_yaml_map_key(level, key);
}

/* Adds a finished node to the innermost open list or map.  @mark is the
 * position of its use. */
static gboolean add_node_to_parent(ConfigBuilder *builder, ConfigNode *node,
                                   yaml_mark_t mark)
{
    OpenContainer *level;

    if (builder->levels->len == 0) {
        builder->source->root = node;
        return TRUE;
    }
    level = &g_array_index(builder->levels, OpenContainer,
                           builder->levels->len - 1);
    level->node->height = (guint8)MAX(level->node->height, node->height + 1);
    if (level->node->kind == CONFIG_NODE_LIST)
        config_node_add(level->node, node);
    else if (!level->key)
        return begin_yaml_map_entry(builder, level, node, mark);
    else
        end_yaml_map_entry(builder, level, node);
    return TRUE;
}

static void define_yaml_anchor(ConfigBuilder *builder, const yaml_char_t *name,
                               ConfigNode *node)
{
    if (name)
        g_hash_table_insert(builder->anchors, g_strdup((const char *)name),
                            node);
}

static gboolean reject_yaml_tag(ConfigBuilder *builder, const yaml_char_t *tag,
                                yaml_mark_t mark)
{
    g_autofree char *quoted = NULL;

    if (!tag)
        return TRUE;
    quoted = words_quote_text((const char *)tag);
    return config_builder_add_problem(
        builder, mark, "the tag %s is not supported; leave it out", quoted);
}

static gboolean add_yaml_scalar(ConfigBuilder *builder,
                                const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    gsize n_bytes = event->data.scalar.length;
    ConfigNode *node;

    if (!reject_yaml_tag(builder, event->data.scalar.tag, event->start_mark) ||
        !count_yaml_nodes(builder, 1, event->start_mark))
        return FALSE;
    if (memchr(text, '\0', n_bytes))
        return config_builder_add_problem(
            builder, event->start_mark,
            "a text holds a NUL character; remove it");
    node = new_node_at_mark(builder, CONFIG_NODE_SCALAR, event->start_mark);
    config_node_set_text(builder->doc, node, text);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    define_yaml_anchor(builder, event->data.scalar.anchor, node);
    return add_node_to_parent(builder, node, event->start_mark);
}

static gboolean fail_if_too_deep(ConfigBuilder *builder, guint height,
                                 yaml_mark_t mark)
{
    if (builder->levels->len + height <= CONFIG_MAX_DEPTH)
        return FALSE;
    config_builder_add_problem(
        builder, mark, "more than %d levels deep; nest fewer lists and maps",
        CONFIG_MAX_DEPTH);
    return TRUE;
}

static gboolean open_list_or_map(ConfigBuilder *builder,
                                 const yaml_event_t *event)
{
    gboolean is_map = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag =
        is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    OpenContainer level = { .n_before = builder->n_nodes };

    if (!reject_yaml_tag(builder, tag, event->start_mark) ||
        !count_yaml_nodes(builder, 1, event->start_mark) ||
        fail_if_too_deep(builder, 1, event->start_mark))
        return FALSE;
    level.node =
        new_node_at_mark(builder, is_map ? CONFIG_NODE_MAP : CONFIG_NODE_LIST,
                         event->start_mark);
    level.node->open = TRUE;
    level.node->height = 1;
    define_yaml_anchor(builder,
                       is_map ? event->data.mapping_start.anchor
                              : event->data.sequence_start.anchor,
                       level.node);
    g_array_append_val(builder->levels, level);
    return TRUE;
}

static gboolean close_list_or_map(ConfigBuilder *builder)
{
    guint last = builder->levels->len - 1;
    const OpenContainer *level =
        &g_array_index(builder->levels, OpenContainer, last);
    ConfigNode *node = level->node;
    yaml_mark_t start = { .line = node->line - 1, .column = node->column - 1 };

    node->open = FALSE;
    config_node_shrink_children(node);
    node->n_nodes = builder->n_nodes - level->n_before;
    g_array_set_size(builder->levels, last);
    return add_node_to_parent(builder, node, start);
}

static gboolean add_yaml_alias(ConfigBuilder *builder,
                               const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    ConfigNode *node = g_hash_table_lookup(builder->anchors, name);

    if (!node || node->open) {
        g_autofree char *quoted = words_quote_text(name);

        return config_builder_add_problem(
            builder, event->start_mark,
            node ? "the alias %s stands inside its own anchor; write "
                   "the value out"
                 : "the alias %s has no anchor before it; write the "
                   "value out, or put the text in quotes",
            quoted);
    }
    if (!count_yaml_nodes(builder, node->n_nodes, event->start_mark) ||
        fail_if_too_deep(builder, node->height, event->start_mark))
        return FALSE;
    return add_node_to_parent(builder, node, event->start_mark);
}

gboolean config_builder_add_flow_run(ConfigBuilder *builder,
                                     const ConfigFlowRun *run, yaml_mark_t mark)
{
    const OpenContainer *level =
        builder->levels->len > 0
            ? &g_array_index(builder->levels, OpenContainer,
                             builder->levels->len - 1)
            : NULL;

    if (!level || level->node->kind != CONFIG_NODE_LIST ||
        !count_yaml_nodes(builder, run->n_nodes, mark) ||
        fail_if_too_deep(builder, run->height, mark))
        return FALSE;
    level->node->height = (guint8)MAX(level->node->height, run->height + 1);
    config_flow_run_add(builder->doc, level->node, run, builder->source->text,
                        config_builder_number_from_one(mark.line),
                        config_builder_number_from_one(mark.column));
    return TRUE;
}

gboolean config_builder_add(ConfigBuilder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_yaml_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return open_list_or_map(builder, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_list_or_map(builder);
    case YAML_ALIAS_EVENT:
        return add_yaml_alias(builder, event);
    case YAML_DOCUMENT_START_EVENT:
        if (++builder->n_documents > 1)
            return config_builder_add_problem(
                builder, event->start_mark,
                "a second document begins; a file holds one");
        return TRUE;
    default:
        return TRUE;
    }
}

gboolean config_builder_finish(ConfigBuilder *builder, gboolean empty_ok)
{
    const ConfigNode *root = builder->source->root;
    ConfigNode *nothing;

    if (root && (root->kind != CONFIG_NODE_SCALAR || root->quoted ||
                 *root->text != '\0'))
        return TRUE;
    if (!empty_ok)
        return config_builder_add_problem(builder, (yaml_mark_t){ 0 },
                                          "the file is empty; check that it is "
                                          "the right one");
    nothing = new_node_at_mark(builder, CONFIG_NODE_SCALAR, (yaml_mark_t){ 0 });
    config_node_set_text(builder->doc, nothing, "");
    builder->source->root = nothing;
    return TRUE;
}

void config_builder_init(ConfigBuilder *builder, ConfigDoc *doc,
                         ConfigSource *source)
{
    *builder =
        (ConfigBuilder){ .doc = doc,
                         .source = source,
                         .max_nodes = config_max_nodes(source->n_bytes) };
    builder->levels = g_array_new(FALSE, FALSE, sizeof(OpenContainer));
    g_array_set_clear_func(builder->levels, clear_open_level);
    builder->anchors =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void config_builder_clear(ConfigBuilder *builder)
{
    g_hash_table_unref(builder->anchors);
    g_array_unref(builder->levels);
}
