/*
 * config_node.c - the structs of nodes and documents; private to config*.c; see
 * config_node_impl.h and config_node.h
 */
#include "sim/config/config_node.h"

#include "sim/config/config_node_impl.h"

static void clear_node(ConfigNode *node)
{
    if (!node->is_unread)
        g_free(node->children);
}

ConfigNode *config_doc_node(const ConfigDoc *doc, guint i)
{
    ConfigNode *block =
        g_ptr_array_index(doc->node_blocks, i / CONFIG_NODES_PER_BLOCK);

    g_assert(i < doc->n_nodes);
    return &block[i % CONFIG_NODES_PER_BLOCK];
}

void config_doc_keep_nodes(ConfigDoc *doc, guint n)
{
    guint n_blocks = (n + CONFIG_NODES_PER_BLOCK - 1) / CONFIG_NODES_PER_BLOCK;

    for (guint i = n; i < doc->n_nodes; i++)
        clear_node(config_doc_node(doc, i));
    doc->n_nodes = n;
    g_ptr_array_set_size(doc->node_blocks, (gint)n_blocks);
}

ConfigOpenedMap config_node_open(const ConfigNode *map)
{
    ConfigOpenedMap opened = { 0 };

    if (!map->is_unread)
        return opened;
    opened.map = (ConfigNode *)map;
    opened.flow_text = map->flow_text;
    opened.n_nodes_before = map->source->doc->n_nodes;
    config_node_parse_flow_map(opened.map);
    opened.n_nodes_after = map->source->doc->n_nodes;
    return opened;
}

void config_node_close(const ConfigOpenedMap *opened)
{
    ConfigNode *map = opened->map;

    if (!map || map->source->doc->n_nodes > opened->n_nodes_after)
        return;
    g_free(map->children);
    map->n_children = 0;
    map->flow_text = opened->flow_text;
    map->is_unread = TRUE;
    config_doc_keep_nodes(map->source->doc, opened->n_nodes_before);
}

void config_source_free(gpointer data)
{
    ConfigSource *source = data;

    g_ptr_array_unref(source->problems);
    g_ptr_array_unref(source->notes);
    g_free(source->name);
    g_free(source->text);
    g_free(source);
}

ConfigSource *config_source_new(ConfigDoc *doc, const char *name)
{
    ConfigSource *source = g_new0(ConfigSource, 1);

    source->name = g_strdup(name);
    source->doc = doc;
    source->problems = config_problems_new();
    source->notes = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(doc->made, source);
    config_doc_add_source(doc, source);
    return source;
}

void config_doc_add_source(ConfigDoc *doc, ConfigSource *source)
{
    g_ptr_array_add(doc->sources, source);
    g_hash_table_insert(doc->order, source,
                        GUINT_TO_POINTER(g_hash_table_size(doc->order)));
}

ConfigNode *config_node_new(ConfigDoc *doc, ConfigNodeKind kind,
                            const ConfigSource *source, guint line,
                            guint column)
{
    ConfigNode *node;

    if (doc->n_nodes == doc->node_blocks->len * CONFIG_NODES_PER_BLOCK)
        g_ptr_array_add(doc->node_blocks,
                        g_new(ConfigNode, CONFIG_NODES_PER_BLOCK));
    node = config_doc_node(doc, doc->n_nodes++);
    *node = (ConfigNode){ .kind = (guint8)kind,
                          .line = line,
                          .column = column,
                          .n_nodes = 1,
                          .source = source };
    return node;
}

ConfigNode *config_node_copy(ConfigDoc *doc, const ConfigNode *node)
{
    ConfigNode *copy = config_node_new(doc, node->kind, node->source,
                                       node->line, node->column);

    config_node_parse_if_unread(node);
    copy->quoted = node->quoted;
    if (node->text)
        config_node_set_text(doc, copy, node->text);
    for (guint i = 0; i < node->n_children; i++)
        config_node_add(copy, node->children[i]);
    return copy;
}

void config_node_set_text(ConfigDoc *doc, ConfigNode *node, const char *text)
{
    node->text = g_string_chunk_insert_const(doc->texts, text);
}

void config_node_add(ConfigNode *list, const ConfigNode *value)
{
    guint n = list->n_children;

    if ((n & (n - 1)) == 0) /* 0 or a power of two: full */
        list->children =
            g_renew(const ConfigNode *, list->children, MAX(2 * n, 1));
    list->children[list->n_children++] = value;
}

void config_node_add_pair(ConfigNode *map, const ConfigNode *key,
                          const ConfigNode *value)
{
    config_node_add(map, key);
    config_node_add(map, value);
}

void config_node_replace(ConfigNode *node, guint i, const ConfigNode *value)
{
    config_node_parse_if_unread(node);
    g_assert(i < config_node_count(node));
    node->children[node->kind == CONFIG_NODE_MAP ? 2 * i + 1 : i] = value;
}

void config_node_shrink_children(ConfigNode *node)
{
    node->children =
        g_renew(const ConfigNode *, node->children, node->n_children);
}

gboolean config_node_find_key(const ConfigNode *map, const char *key,
                              guint *ret)
{
    config_node_parse_if_unread(map);
    for (guint i = 0;
         map->kind == CONFIG_NODE_MAP && i < config_node_count(map); i++) {
        if (g_str_equal(config_node_text(config_node_key(map, i)), key)) {
            *ret = i;
            return TRUE;
        }
    }
    return FALSE;
}

ConfigNodeKind config_node_kind(const ConfigNode *node)
{
    return (ConfigNodeKind)node->kind;
}

guint config_node_count(const ConfigNode *node)
{
    config_node_parse_if_unread(node);
    return node->kind == CONFIG_NODE_MAP ? node->n_children / 2
                                         : node->n_children;
}

const ConfigNode *config_node_key(const ConfigNode *map, guint i)
{
    config_node_parse_if_unread(map);
    g_return_val_if_fail(
        map->kind == CONFIG_NODE_MAP && i < config_node_count(map), NULL);

    return map->children[2 * i];
}

const ConfigNode *config_node_value(const ConfigNode *node, guint i)
{
    config_node_parse_if_unread(node);
    g_return_val_if_fail(i < config_node_count(node), NULL);

    return node->children[node->kind == CONFIG_NODE_MAP ? 2 * i + 1 : i];
}

const ConfigNode *config_map_value(const ConfigNode *map, const char *key)
{
    guint i;

    return map && config_node_find_key(map, key, &i) ? config_node_value(map, i)
                                                     : NULL;
}

const char *config_map_text(const ConfigNode *map, const char *key)
{
    const ConfigNode *value = config_map_value(map, key);

    return value ? config_node_text(value) : NULL;
}

const char *config_node_text(const ConfigNode *node)
{
    return node->text;
}

const char *config_node_file(const ConfigNode *node)
{
    return node->source->name;
}

guint config_node_line(const ConfigNode *node)
{
    return node->line;
}

gboolean config_node_is_nested(const ConfigNode *node)
{
    return node->source->root != node;
}

char *config_node_position_text(const ConfigNode *node)
{
    return g_strdup_printf("%s:%u:%u", node->source->name, node->line,
                           node->column);
}

guint config_max_nodes(gsize n_bytes)
{
    const char *text = g_getenv(CONFIG_NODES_VARIABLE);
    guint64 n;

    return text && g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT, &n, NULL)
               ? (guint)n
               : (guint)CLAMP(n_bytes / CONFIG_BYTES_PER_NODE, CONFIG_MAX_NODES,
                              G_MAXINT);
}
