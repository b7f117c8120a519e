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

/* Calls @function for each node of @doc from number @from on, including those
 * of maps that are not read yet. */
static void visit_config_nodes_from(NamedFiles *files, const ConfigDoc *doc,
                                    guint from,
                                    void (*function)(NamedFiles *files,
                                                     const ConfigNode *node))
{
    for (guint i = from, n = doc->n_nodes; i < n; i++) {
        const ConfigNode *node = config_doc_node(doc, i);
        ConfigOpenedMap opened = config_node_open(node);

        function(files, node);
        if (!opened.map)
            continue;
        for (guint inner = n; inner < doc->n_nodes; inner++)
            function(files, config_doc_node(doc, inner));
        config_node_close(&opened);
    }
}

static void add_named_file_of_map(NamedFiles *files, const ConfigNode *node)
{
    const ConfigNode *value;
    guint i;

    if (node->kind != CONFIG_NODE_MAP || !config_node_find_key(node, KEY, &i))
        return;
    value = config_node_value(node, i);
    if (value->kind == CONFIG_NODE_SCALAR)
        g_hash_table_add(files->names, config_file_path(value));
}

void named_files_add(NamedFiles *files, const ConfigDoc *doc)
{
    add_parsed_files(files, doc);
    visit_config_nodes_from(files, doc, 0, add_named_file_of_map);
    if (!doc->library)
        return;
    add_parsed_files(files, doc->library);
    visit_config_nodes_from(files, doc->library, files->n_of_library,
                            add_named_file_of_map);
    files->n_of_library = doc->library->n_nodes;
}

void named_files_add_path(NamedFiles *files, const char *path)
{
    g_hash_table_add(files->names, g_strdup(path));
}

static void add_file_named_by_value(NamedFiles *files, const ConfigNode *node)
{
    g_autofree char *path = NULL;

    if (node->kind != CONFIG_NODE_SCALAR)
        return;
    path = config_file_path(node);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        g_hash_table_add(files->names, g_steal_pointer(&path));
}

void named_files_add_values(NamedFiles *files, const ConfigDoc *doc)
{
    named_files_add(files, doc);
    visit_config_nodes_from(files, doc, 0, add_file_named_by_value);
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
