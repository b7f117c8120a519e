/*
 * config_open_map.c - finds the map of a value: in place, or in a file that the
 * value names
 */
#include "sim/config/config_value_impl.h"

#include "sim/config/config_file_impl.h"
#include "sim/config/config_message_impl.h"

static gboolean check_include_cycle(const ConfigEntry *entry,
                                    const ConfigNode *node,
                                    const ConfigSource *file, const char *label)
{
    g_autoptr(GString) chain = NULL;
    guint i;

    if (!g_ptr_array_find(entry->files, file, &i))
        return TRUE;
    chain = g_string_new(NULL);
    for (; i < entry->files->len; i++) {
        const ConfigSource *part = g_ptr_array_index(entry->files, i);

        g_string_append_printf(chain, "%s -> ", part->name);
    }
    config_problem_at(entry->problems, node, CONFIG_ERROR_FILE,
                      "%s: '%s' includes itself: %s%s", label, file->name,
                      chain->str, file->name);
    return FALSE;
}

/* Returns the map in the file that @node names, and adds the file to .files. */
static const ConfigNode *open_map_of_file(const ConfigEntry *entry,
                                          const ConfigNode *node,
                                          const char *label, const char *hint)
{
    g_autoptr(GError) error = NULL;
    const ConfigNode *meant;
    ConfigSource *file = config_include_file(entry->doc, node, label, &error);

    if (!file) {
        config_problem_at(entry->problems, node, CONFIG_ERROR_FILE, "%s: %s%s",
                          label, error->message, hint);
        return NULL;
    }
    if (!file->root || !check_include_cycle(entry, node, file, label))
        return NULL; /* syntax errors are in the problems of the file */
    g_ptr_array_add(entry->files, file);
    meant = config_file_section(file, label);
    if (meant != file->root)
        return config_enter_map_of_value(entry, meant, label, hint);
    if (meant->kind != CONFIG_NODE_MAP) {
        g_autofree char *got = config_describe_node(meant);

        config_problem_at(entry->problems, meant, CONFIG_ERROR_TYPE,
                          "%s: expected a map, got %s", label, got);
        return NULL;
    }
    return meant;
}

const ConfigNode *config_enter_map_of_value(const ConfigEntry *entry,
                                            const ConfigNode *node,
                                            const char *label, const char *hint)
{
    g_autofree char *got = NULL;

    if (node->kind == CONFIG_NODE_MAP)
        return node;
    if (node->kind == CONFIG_NODE_SCALAR && *node->text != '\0')
        return open_map_of_file(entry, node, label, hint);
    got = config_describe_node(node);
    config_problem_at(entry->problems, node, CONFIG_ERROR_TYPE,
                      "%s: expected a map or the name of a file, got %s", label,
                      got);
    return NULL;
}
