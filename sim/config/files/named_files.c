/*
 * named_files.c - lists the files that a configuration is read from; see
 * named_files.h
 */
#include "sim/config/files/named_files.h"

#include <stdlib.h>

#include "sim/config/config_file_impl.h"

#define KEY "file"

struct NamedFiles {
    GHashTable *names; /* owned, of owned text */
    /* The number of nodes of the library that were already examined for file
     * names. */
    guint n_of_library;
};

NamedFiles *named_files_new(void)
{
    NamedFiles *files = g_new0(NamedFiles, 1);

    files->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return files;
}

void named_files_free(NamedFiles *files)
{
    if (!files)
        return;
    g_hash_table_unref(files->names);
    g_free(files);
}

static void add_parsed_files(NamedFiles *files, const ConfigDoc *doc)
{
    GHashTableIter iter;
    gpointer source;

    g_hash_table_iter_init(&iter, doc->files);
    while (g_hash_table_iter_next(&iter, NULL, &source))
        g_hash_table_add(files->names,
                         g_strdup(((const ConfigSource *)source)->name));
}

static void add_file_of_node(NamedFiles *files, const ConfigNode *node)
{
    const ConfigNode *value;
    guint i;

    if (node->kind != CONFIG_NODE_MAP || !config_node_find_key(node, KEY, &i))
        return;
    value = config_node_value(node, i);
    if (value->kind == CONFIG_NODE_SCALAR)
        g_hash_table_add(files->names, config_file_path(value));
}

static void add_files_of_nodes(NamedFiles *files, const GPtrArray *nodes,
                               guint from)
{
    for (guint i = from; i < nodes->len; i++)
        add_file_of_node(files, g_ptr_array_index(nodes, i));
}

void named_files_add(NamedFiles *files, const ConfigDoc *doc)
{
    add_parsed_files(files, doc);
    add_files_of_nodes(files, doc->nodes, 0);
    if (!doc->library)
        return;
    add_parsed_files(files, doc->library);
    add_files_of_nodes(files, doc->library->nodes, files->n_of_library);
    files->n_of_library = doc->library->nodes->len;
}

void named_files_add_path(NamedFiles *files, const char *path)
{
    g_hash_table_add(files->names, g_strdup(path));
}

void named_files_add_values(NamedFiles *files, const ConfigDoc *doc)
{
    named_files_add(files, doc);
    for (guint i = 0; i < doc->nodes->len; i++) {
        const ConfigNode *node = g_ptr_array_index(doc->nodes, i);
        g_autofree char *path = NULL;

        if (node->kind != CONFIG_NODE_SCALAR)
            continue;
        path = config_file_path(node);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            g_hash_table_add(files->names, g_steal_pointer(&path));
    }
}

static int compare_strings(const void *a, const void *b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

const char **named_files_list(const NamedFiles *files)
{
    guint n;
    const char **list =
        (const char **)g_hash_table_get_keys_as_array(files->names, &n);

    qsort(list, n, sizeof *list, compare_strings);
    return list;
}
