/* config.c - documents and their nodes */
#include "sim/config/config.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/config_impl.h"

G_DEFINE_QUARK(config_error_quark, config_error)

static void node_free(gpointer data)
{
    ConfigNode *node = data;

    g_free(node->text);
    g_clear_pointer(&node->keys, g_ptr_array_unref);
    g_clear_pointer(&node->values, g_ptr_array_unref);
    g_free(node);
}

static void source_free(gpointer data)
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

ConfigDoc *config_library_new(void)
{
    ConfigDoc *doc = g_new0(ConfigDoc, 1);

    doc->nodes = g_ptr_array_new_with_free_func(node_free);
    doc->made = g_ptr_array_new_with_free_func(source_free);
    doc->sources = g_ptr_array_new();
    doc->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    doc->named = g_hash_table_new(NULL, NULL);
    doc->order = g_hash_table_new(NULL, NULL);
    doc->owned = g_ptr_array_new_with_free_func(g_free);
    return doc;
}

static gboolean begin_with(ConfigDoc *doc, const ConfigSource *source,
                           GError **error)
{
    doc->root = source->root;
    return doc->root || config_problems_raise(doc, source->problems, error);
}

ConfigDoc *config_doc_parse(const char *name, const char *text, gsize n_bytes,
                            GError **error)
{
    g_autoptr(ConfigDoc) doc = NULL;
    ConfigSource *source;

    g_return_val_if_fail(name && (text || n_bytes == 0), NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    doc = config_library_new();
    source = config_source_new(doc, name);
    config_source_is_file(doc, source);
    config_source_parse(doc, source, text, n_bytes, FALSE);
    if (!begin_with(doc, source, error))
        return NULL;
    return g_steal_pointer(&doc);
}

ConfigDoc *config_doc_load(const char *path, GError **error)
{
    return config_doc_load_from(NULL, path, error);
}

ConfigDoc *config_doc_load_from(ConfigDoc *library, const char *path,
                                GError **error)
{
    g_autoptr(ConfigDoc) doc = NULL;
    const ConfigSource *source;

    g_return_val_if_fail(path, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    doc = config_library_new();
    doc->library = library;
    source = config_source_load(doc, path, error);
    if (!source) {
        g_prefix_error(error, "%s: ", path);
        return NULL;
    }
    if (!begin_with(doc, source, error))
        return NULL;
    return g_steal_pointer(&doc);
}

void config_doc_set_library(ConfigDoc *doc, ConfigDoc *library)
{
    doc->library = library;
}

void config_doc_free(ConfigDoc *doc)
{
    if (!doc)
        return;
    g_ptr_array_unref(doc->nodes);
    g_ptr_array_unref(doc->sources);
    g_ptr_array_unref(doc->made);
    g_hash_table_unref(doc->files);
    g_hash_table_unref(doc->named);
    g_hash_table_unref(doc->order);
    g_ptr_array_unref(doc->owned);
    g_free(doc);
}

const ConfigNode *config_doc_root(const ConfigDoc *doc)
{
    return doc->root;
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

/* What @text about @where is about. */
static const ConfigNode *subject_of(const ConfigNode *where, const char *text)
{
    const char *colon = strstr(text, ": ");
    g_autofree char *key =
        colon ? g_strndup(text, (gsize)(colon - text)) : NULL;
    guint i;

    return key && config_node_lookup(where, key, &i)
               ? config_node_value(where, i)
               : where;
}

void config_set_error(GError **error, const ConfigNode *where,
                      ConfigErrorCode code, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    where = subject_of(where, text);
    g_set_error(error, CONFIG_ERROR, (gint)code, "%s:%u:%u: %s",
                where->source->name, where->line, where->column, text);
}
