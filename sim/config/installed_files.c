/*
 * installed_files.c - files that are installed with the program, and their
 * short names; see installed_files.h
 */
#include "sim/config/installed_files.h"

#include <string.h>

#include "sim/config/config_error.h"
#include "sim/core/word_suggestions.h"

#define SUFFIX ".yaml"

/* The folder below configs/ of the files for a key, and the part of the file
 * that is meant. */
static const struct {
    const char *key, *folder, *part;
} folders[] = {
    { "collectives", "collectives", NULL },
    { "endpoint", "endpoints", NULL },
    { "endpoints", "endpoints", NULL },
    /* Keys of selections of endpoints: axes, kinds of collectives. */
    { "tp", "endpoints", NULL },
    { "cp", "endpoints", NULL },
    { "dp", "endpoints", NULL },
    { "pp", "endpoints", NULL },
    { "etp", "endpoints", NULL },
    { "ep", "endpoints", NULL },
    { "edp", "endpoints", NULL },
    { "dp_within", "endpoints", NULL },
    { "dp_across", "endpoints", NULL },
    { "edp_within", "endpoints", NULL },
    { "edp_across", "endpoints", NULL },
    { "ep_local", "endpoints", NULL },
    { "ep_nodes", "endpoints", NULL },
    { "default", "endpoints", NULL },
    { "reductions", "endpoints", NULL },
    { "all-gather", "endpoints", NULL },
    { "all-reduce", "endpoints", NULL },
    { "all-to-all", "endpoints", NULL },
    { "all-to-allv", "endpoints", NULL },
    { "barrier", "endpoints", NULL },
    { "broadcast", "endpoints", NULL },
    { "gather", "endpoints", NULL },
    { "message", "endpoints", NULL },
    { "reduce", "endpoints", NULL },
    { "reduce-scatter", "endpoints", NULL },
    { "scatter", "endpoints", NULL },
    { "inner", "platforms", "topology" },
    { "npu", "npus", NULL },
    { "model", "models", NULL },
    { "platform", "platforms", NULL },
    { "stack", "stacks", NULL },
    { "topology", "platforms", "topology" },
    { "workload", "workloads", NULL },
};

const char *installed_folder(void)
{
    return ACESIM_SHARE;
}

void installed_add_hint_to_error(const char *folder, const char *path,
                                 GError **error)
{
    g_autofree char *other = NULL;
    char *message;

    if (!error || !g_error_matches(*error, CONFIG_ERROR, CONFIG_ERROR_FILE) ||
        g_path_is_absolute(path) || g_file_test(path, G_FILE_TEST_EXISTS))
        return;
    other = g_build_filename(folder, path, NULL);
    if (!g_file_test(other, G_FILE_TEST_IS_REGULAR))
        return;
    message =
        g_strdup_printf("%s; there is one at %s", (*error)->message, other);
    g_free((*error)->message);
    (*error)->message = message;
}

/* ---- finding installed files by name ------------------------------------- */

/* Returns whether @text may be a short name: it is neither a path nor the name
 * of a YAML file. */
static gboolean installed_text_is_short_name(const char *text)
{
    return *text != '\0' && !strchr(text, '/') &&
           !g_str_has_suffix(text, SUFFIX) && !g_str_has_suffix(text, ".yml");
}

static guint find_installable_key(const char *key)
{
    guint i = 0;

    while (i < G_N_ELEMENTS(folders) && !g_str_equal(folders[i].key, key))
        i++;
    return i;
}

const char *installed_section_key(const char *key)
{
    guint i = find_installable_key(key);

    return i < G_N_ELEMENTS(folders) ? folders[i].part : NULL;
}

/* In a source tree, the program is in build/MODE/, and tests are in
 * build/MODE/tests/. An installed program is in bin/. */
#define MOST_ABOVE 4

/* Returns the path of @folder below configs/, or NULL. */
static char *find_config_folder(const char *folder)
{
    g_autofree char *at = g_file_read_link("/proc/self/exe", NULL);
    char *found = g_build_filename(ACESIM_SHARE, "configs", folder, NULL);

    for (guint i = 0; at && i < MOST_ABOVE; i++) {
        char *above = g_path_get_dirname(at);
        g_autofree char *tree =
            g_build_filename(above, "configs", folder, NULL);
        g_autofree char *installed =
            g_build_filename(above, "share", "acesim", "configs", folder, NULL);
        const char *here = g_file_test(tree, G_FILE_TEST_IS_DIR) ? tree
                           : g_file_test(installed, G_FILE_TEST_IS_DIR)
                               ? installed
                               : NULL;

        g_free(at);
        at = above;
        if (!here)
            continue;
        g_free(found);
        return g_strdup(here);
    }
    if (g_file_test(found, G_FILE_TEST_IS_DIR))
        return found;
    g_free(found);
    return NULL;
}

/* Returns @path relative to the current folder if it is below it, as messages
 * show it.  Takes ownership of @path. */
static char *path_relative_to_current_folder(char *path)
{
    g_autofree char *here = g_get_current_dir();
    gsize n = strlen(here);
    char *shorter;

    if (strncmp(path, here, n) != 0 || path[n] != '/')
        return path;
    shorter = g_strdup(path + n + 1);
    g_free(path);
    return shorter;
}

char *installed_find_file(const char *key, const char *name)
{
    guint i = find_installable_key(key);
    g_autofree char *folder = NULL;
    g_autofree char *file = NULL;
    char *path;

    if (i == G_N_ELEMENTS(folders) || !installed_text_is_short_name(name))
        return NULL;
    folder = find_config_folder(folders[i].folder);
    if (!folder)
        return NULL;
    file = g_strconcat(name, SUFFIX, NULL);
    path = g_build_filename(folder, file, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return path_relative_to_current_folder(path);
    g_free(path);
    return NULL;
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **installed_list_names(const char *key, char **ret_folder)
{
    guint k = find_installable_key(key);
    char *path = k < G_N_ELEMENTS(folders)
                     ? find_config_folder(folders[k].folder)
                     : NULL;
    g_autoptr(GDir) folder = path ? g_dir_open(path, 0, NULL) : NULL;
    GPtrArray *names;
    const char *file;

    *ret_folder = folder ? path_relative_to_current_folder(path) : NULL;
    if (!folder) {
        g_free(path);
        return NULL;
    }
    names = g_ptr_array_new();
    while ((file = g_dir_read_name(folder)))
        if (g_str_has_suffix(file, SUFFIX))
            g_ptr_array_add(names,
                            g_strndup(file, strlen(file) - strlen(SUFFIX)));
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

/* Returns those of @names that continue @name with a hyphen, such as h100-sxm
 * for h100, for a text in quotes; or NULL if there are none. */
static char *installed_names_with_prefix(const char *name, char **names)
{
    g_autofree char *prefix = g_strconcat(name, "-", NULL);
    GString *found = g_string_new(NULL);

    for (guint i = 0; names[i]; i++)
        if (g_str_has_prefix(names[i], prefix))
            g_string_append_printf(found, "%s%s",
                                   found->len > 0 ? "' or '" : "", names[i]);
    return g_string_free(found, found->len == 0);
}

char *installed_find_nearest_name(const char *key, const char *name)
{
    g_autofree char *folder = NULL;
    g_auto(GStrv) names = installed_text_is_short_name(name)
                              ? installed_list_names(key, &folder)
                              : NULL;

    char *longer = names ? installed_names_with_prefix(name, names) : NULL;

    if (longer || !names)
        return longer;
    return g_strdup(words_find_nearest(name, (const char *const *)names));
}
