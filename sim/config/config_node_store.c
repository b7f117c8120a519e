/*
 * config_node_store.c - makes and keeps the nodes and sources of a document;
 * see config_node_impl.h
 */
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
    g_ptr_array_add(doc->owned_sources, source);
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

void config_node_shrink_children(ConfigNode *node)
{
    node->children =
        g_renew(const ConfigNode *, node->children, node->n_children);
}
