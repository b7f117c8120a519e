/*
 * config_node.c - reads, copies and opens nodes; private to config*.c; see
 * config_node_impl.h and config_node.h
 */
#include "sim/config/config_node.h"

#include "sim/config/config_node_impl.h"

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

void config_node_replace(ConfigNode *node, guint i, const ConfigNode *value)
{
    config_node_parse_if_unread(node);
    g_assert(i < config_node_count(node));
    node->children[node->kind == CONFIG_NODE_MAP ? 2 * i + 1 : i] = value;
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
