/* config.c - see config.h; loads documents */
#include "sim/config/config.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/config_file_impl.h"
#include "sim/config/config_message_impl.h"
#include "sim/config/config_parse_impl.h"

ConfigDoc *config_library_new(void)
{
    ConfigDoc *doc = g_new0(ConfigDoc, 1);

    doc->node_blocks = g_ptr_array_new_with_free_func(g_free);
    doc->texts = g_string_chunk_new(4096);
    doc->owned_sources = g_ptr_array_new_with_free_func(config_source_free);
    doc->sources = g_ptr_array_new();
    doc->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    doc->named = g_hash_table_new(NULL, NULL);
    doc->order = g_hash_table_new(NULL, NULL);
    doc->owned = g_ptr_array_new_with_free_func(g_free);
    doc->notes = g_ptr_array_new_with_free_func(g_free);
    return doc;
}

static gboolean init_document_from_source(ConfigDoc *doc,
                                          const ConfigSource *source,
                                          GError **error)
{
    doc->root = source->root;
    return doc->root || config_problems_to_error(doc, source->problems, error);
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
    config_source_mark_as_file(doc, source);
    config_source_parse_file(doc, source, g_memdup2(text, n_bytes), n_bytes);
    if (!init_document_from_source(doc, source, error))
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
    if (!init_document_from_source(doc, source, error))
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
    config_doc_keep_nodes(doc, 0);
    g_ptr_array_unref(doc->node_blocks);
    g_string_chunk_free(doc->texts);
    g_ptr_array_unref(doc->sources);
    g_ptr_array_unref(doc->owned_sources);
    g_hash_table_unref(doc->files);
    g_hash_table_unref(doc->named);
    g_hash_table_unref(doc->order);
    g_ptr_array_unref(doc->owned);
    g_ptr_array_unref(doc->notes);
    g_free(doc);
}

const GPtrArray *config_doc_notes(const ConfigDoc *doc)
{
    return doc->notes;
}

const ConfigNode *config_doc_root(const ConfigDoc *doc)
{
    return doc->root;
}

/* Returns the node that @text is about: @where, or the value of the key at the
 * beginning of @text. */
static const ConfigNode *find_message_node(const ConfigNode *where,
                                           const char *text)
{
    const char *colon = strstr(text, ": ");
    g_autofree char *key =
        colon ? g_strndup(text, (gsize)(colon - text)) : NULL;
    guint i;

    return key && config_node_find_key(where, key, &i)
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
    where = find_message_node(where, text);
    g_set_error(error, CONFIG_ERROR, (gint)code, "%s:%u:%u: %s",
                where->source->name, where->line, where->column, text);
}
