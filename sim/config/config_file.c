/*
 * config_file.c - loads files, and the files that they name; see
 * config_file_impl.h
 */
#include "sim/config/config_file_impl.h"

#include <string.h>

#include "sim/config/config_parse_impl.h"
#include "sim/config/installed_files.h"
#include "sim/core/file_read.h"
#include "sim/core/word_suggestions.h"

char *config_file_path(const ConfigNode *node)
{
    g_autofree char *folder = g_path_get_dirname(node->source->name);

    if (g_path_is_absolute(node->text) || g_str_equal(folder, "."))
        return g_strdup(node->text);
    return g_build_filename(folder, node->text, NULL);
}

/* Returns the path of the file that @node under @key means.  A file relative to
 * the node's file precedes an installed one. */
static char *resolve_file_name(const ConfigNode *node, const char *key)
{
    char *name = config_file_path(node);
    char *installed = g_file_test(name, G_FILE_TEST_IS_REGULAR)
                          ? NULL
                          : installed_find_file(key, node->text);

    if (!installed)
        return name;
    g_free(name);
    return installed;
}

void config_source_mark_as_file(ConfigDoc *doc, ConfigSource *source)
{
    g_hash_table_insert(doc->files, g_canonicalize_filename(source->name, NULL),
                        source);
}

ConfigSource *config_find_included(ConfigDoc *doc, const ConfigNode *node,
                                   const char *key)
{
    ConfigSource *source = g_hash_table_lookup(doc->named, node);
    g_autofree char *name = NULL;
    g_autofree char *path = NULL;

    if (source)
        return source;
    name = resolve_file_name(node, key);
    path = g_canonicalize_filename(name, NULL);
    source = g_hash_table_lookup(doc->files, path);
    if (source)
        g_hash_table_insert(doc->named, (gpointer)node, source);
    return source;
}

static ConfigSource *read_and_parse_source(ConfigDoc *doc, const char *name,
                                           GError **error)
{
    gsize n_bytes = 0;
    g_autoptr(GError) reason = NULL;
    char *text = file_read(name, CONFIG_MAX_FILE_BYTES, &n_bytes, &reason);
    ConfigSource *source;

    if (!text) {
        g_set_error_literal(error, CONFIG_ERROR, CONFIG_ERROR_FILE,
                            reason->message);
        return NULL;
    }
    source = config_source_new(doc, name);
    config_source_parse_file(doc, source, text, n_bytes);
    return source;
}

/* Files are cached by the exact name, because messages use it. */
static ConfigSource *load_source_from_library(ConfigDoc *library,
                                              const char *name, GError **error)
{
    ConfigSource *source = g_hash_table_lookup(library->files, name);

    if (source)
        return source;
    source = read_and_parse_source(library, name, error);
    if (source)
        g_hash_table_insert(library->files, g_strdup(name), source);
    return source;
}

ConfigSource *config_source_load(ConfigDoc *doc, const char *name,
                                 GError **error)
{
    ConfigSource *source =
        doc->library ? load_source_from_library(doc->library, name, error)
                     : read_and_parse_source(doc, name, error);

    if (!source)
        return NULL;
    if (doc->library)
        config_doc_add_source(doc, source);
    config_source_mark_as_file(doc, source);
    return source;
}

/* Letters of a name that has a nearest one: shorter names are near to many. */
#define LEAST_STEM 4

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the names of the files in the folder of @path with its suffix,
 * without it, in order, ending with NULL. */
static GPtrArray *list_similar_files(const char *path, const char *suffix)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *entry;

    while (dir && (entry = g_dir_read_name(dir)))
        if (g_str_has_suffix(entry, suffix))
            g_ptr_array_add(names,
                            g_strndup(entry, strlen(entry) - strlen(suffix)));
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return names;
}

/* Returns @text, the name of a file that is not there, with the nearest name of
 * a file in the same folder instead of its own, or NULL if none is near enough.
 * @path is the path of the file. */
static char *find_nearest_file(const char *text, const char *path)
{
    g_autofree char *base = g_path_get_basename(text);
    const char *suffix = strrchr(base, '.');
    g_autofree char *stem = NULL, *found = NULL;
    g_autoptr(GPtrArray) names = NULL;
    const char *nearest;

    if (!suffix || suffix - base < LEAST_STEM ||
        g_file_test(path, G_FILE_TEST_EXISTS))
        return NULL;
    stem = g_strndup(base, (gsize)(suffix - base));
    names = list_similar_files(path, suffix);
    nearest = words_find_nearest(stem, (const char *const *)names->pdata);
    if (!nearest)
        return NULL;
    found = g_strconcat(nearest, suffix, NULL);
    return g_strdup_printf("%.*s%s", (int)(strlen(text) - strlen(base)), text,
                           found);
}

/* Adds the name of the file and a similar name, installed or in its folder, to
 * @error. */
static void explain_config_file_error(const ConfigNode *node, const char *key,
                                      const char *name, GError **error)
{
    g_autofree char *quoted = words_quote_text(name);
    g_autofree char *meant = installed_find_nearest_name(key, node->text);

    if (!meant)
        meant = find_nearest_file(node->text, name);
    g_prefix_error(error, "%s ", quoted);
    if (meant && error) {
        char *message =
            g_strdup_printf("%s; did you mean '%s'?", (*error)->message, meant);

        g_free((*error)->message);
        (*error)->message = message;
    }
}

ConfigSource *config_include_file(ConfigDoc *doc, const ConfigNode *node,
                                  const char *key, GError **error)
{
    ConfigSource *source = config_find_included(doc, node, key);
    g_autofree char *name = NULL;

    if (source)
        return source;
    name = resolve_file_name(node, key);
    source = config_source_load(doc, name, error);
    if (!source)
        explain_config_file_error(node, key, name, error);
    return source;
}

const ConfigNode *config_file_section(const ConfigSource *file, const char *key)
{
    const char *part = installed_section_key(key);
    guint i;

    if (part && file->root->kind == CONFIG_NODE_MAP &&
        config_node_find_key(file->root, part, &i))
        return config_node_value(file->root, i);
    return file->root;
}
