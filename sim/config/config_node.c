/*
 * config_node.c - the structs of nodes and documents; private to config*.c; see
 * config_node_impl.h and config_node.h
 */
#include "sim/config/config_node.h"

#include "sim/config/config_node_impl.h"

void config_node_free(gpointer data)
{
    ConfigNode *node = data;

    g_free(node->children);
    g_slice_free(ConfigNode, node);
}

void config_source_free(gpointer data)
{
    ConfigSource *source = data;

    g_ptr_array_unref(source->problems);
    g_ptr_array_unref(source->notes);
    g_free(source->name);
    g_free(source);
}

ConfigSource *config_source_new(ConfigDoc *doc, const char *name)
{
    ConfigSource *source = g_new0(ConfigSource, 1);

    source->name = g_strdup(name);
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
    ConfigNode *node = g_slice_new0(ConfigNode);

    node->kind = (guint8)kind;
    node->source = source;
    node->line = line;
    node->column = column;
    node->n_nodes = 1;
    g_ptr_array_add(doc->nodes, node);
    return node;
}

ConfigNode *config_node_copy(ConfigDoc *doc, const ConfigNode *node)
{
    ConfigNode *copy = config_node_new(doc, node->kind, node->source,
                                       node->line, node->column);

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
    return node->kind == CONFIG_NODE_MAP ? node->n_children / 2
                                         : node->n_children;
}

const ConfigNode *config_node_key(const ConfigNode *map, guint i)
{
    g_return_val_if_fail(
        map->kind == CONFIG_NODE_MAP && i < config_node_count(map), NULL);

    return map->children[2 * i];
}

const ConfigNode *config_node_value(const ConfigNode *node, guint i)
{
    g_return_val_if_fail(i < config_node_count(node), NULL);

    return node->children[node->kind == CONFIG_NODE_MAP ? 2 * i + 1 : i];
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

guint config_max_nodes(void)
{
    const char *text = g_getenv(CONFIG_NODES_VARIABLE);
    guint64 n;

    return text && g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT, &n, NULL)
               ? (guint)n
               : CONFIG_MAX_NODES;
}
