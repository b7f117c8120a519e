/* config_node.c - see config_node_impl.h and config_node.h */
#include "sim/config/config_node.h"

#include "sim/config/config_node_impl.h"

void config_node_free(gpointer data)
{
    ConfigNode *node = data;

    g_free(node->text);
    g_clear_pointer(&node->keys, g_ptr_array_unref);
    g_clear_pointer(&node->values, g_ptr_array_unref);
    g_free(node);
}

void config_source_free(gpointer data)
{
    ConfigSource *source = data;

    g_ptr_array_unref(source->problems);
    g_free(source->name);
    g_free(source);
}

ConfigSource *config_source_new(ConfigDoc *doc, const char *name)
{
    ConfigSource *source = g_new0(ConfigSource, 1);

    source->name = g_strdup(name);
    source->problems = config_problems_new();
    g_ptr_array_add(doc->made, source);
    config_source_use(doc, source);
    return source;
}

void config_source_use(ConfigDoc *doc, ConfigSource *source)
{
    g_ptr_array_add(doc->sources, source);
    g_hash_table_insert(doc->order, source,
                        GUINT_TO_POINTER(g_hash_table_size(doc->order)));
}

ConfigNode *config_node_new(ConfigDoc *doc, ConfigNodeKind kind,
                            const ConfigSource *source, guint line,
                            guint column)
{
    ConfigNode *node = g_new0(ConfigNode, 1);

    node->kind = kind;
    node->source = source;
    node->line = line;
    node->column = column;
    node->n_nodes = 1;
    if (kind != CONFIG_NODE_SCALAR)
        node->values = g_ptr_array_new();
    if (kind == CONFIG_NODE_MAP)
        node->keys = g_ptr_array_new();
    g_ptr_array_add(doc->nodes, node);
    return node;
}

ConfigNode *config_node_copy(ConfigDoc *doc, const ConfigNode *node)
{
    ConfigNode *copy = config_node_new(doc, node->kind, node->source,
                                       node->line, node->column);

    copy->quoted = node->quoted;
    copy->text = g_strdup(node->text);
    if (node->keys)
        g_ptr_array_extend(copy->keys, node->keys, NULL, NULL);
    if (node->values)
        g_ptr_array_extend(copy->values, node->values, NULL, NULL);
    return copy;
}

gboolean config_node_lookup(const ConfigNode *map, const char *key, guint *ret)
{
    for (guint i = 0; map->keys && i < map->keys->len; i++) {
        if (g_str_equal(config_node_text(config_node_key(map, i)), key)) {
            *ret = i;
            return TRUE;
        }
    }
    return FALSE;
}

ConfigNodeKind config_node_kind(const ConfigNode *node)
{
    return node->kind;
}

guint config_node_n(const ConfigNode *node)
{
    return node->values ? node->values->len : 0;
}

const ConfigNode *config_node_key(const ConfigNode *map, guint i)
{
    g_return_val_if_fail(map->keys && i < map->keys->len, NULL);

    return g_ptr_array_index(map->keys, i);
}

const ConfigNode *config_node_value(const ConfigNode *node, guint i)
{
    g_return_val_if_fail(i < config_node_n(node), NULL);

    return g_ptr_array_index(node->values, i);
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

char *config_node_place(const ConfigNode *node)
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
