/* config_set.c - finds, sets and expands paths in a document */
#include <stdarg.h>
#include <string.h>

#include "sim/config/config.h"
#include "sim/config/config_file_impl.h"
#include "sim/config/config_message_impl.h"
#include "sim/config/config_parse_impl.h"
#include "sim/core/word_suggestions.h"

typedef struct {
    ConfigDoc *doc;
    const char *path;
    char *const *parts;      /* the parts of .path; ends with NULL */
    const ConfigNode *value; /* the new value; errors have its position */
} PathEdit;

G_GNUC_PRINTF(4, 5)
static void set_edited_path_error(const PathEdit *edit, GError **error,
                                  ConfigErrorCode code, const char *format, ...)
{
    g_autofree char *path = words_quote_text(edit->path);
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    config_set_error(error, edit->value, code, "cannot set %s: %s", path, text);
}

static gboolean parse_list_index(const char *part, guint n, guint *ret)
{
    guint64 index;

    if (!g_ascii_string_to_unsigned(part, 10, 0, G_MAXUINT, &index, NULL) ||
        index >= n)
        return FALSE;
    *ret = (guint)index;
    return TRUE;
}

/* Returns the map or list in which the path continues at @depth: @node, or the
 * contents of the file that it names. */
static const ConfigNode *open_container_node(const PathEdit *edit,
                                             const ConfigNode *node,
                                             guint depth, GError **error)
{
    g_autoptr(GError) reason = NULL;
    const char *part = edit->parts[depth];
    const char *key = depth > 0 ? edit->parts[depth - 1] : "";
    const ConfigNode *meant;
    ConfigSource *file;

    if (node->kind != CONFIG_NODE_SCALAR)
        return node;
    if (*node->text == '\0') {
        set_edited_path_error(edit, error, CONFIG_ERROR_TYPE,
                              "what should hold '%s' is empty at %s:%u:%u",
                              part, node->source->name, node->line,
                              node->column);
        return NULL;
    }
    file = config_include_file(edit->doc, node, key, &reason);
    if (!file) {
        set_edited_path_error(edit, error, CONFIG_ERROR_FILE,
                              "what should hold '%s' is no map, and %s", part,
                              reason->message);
        return NULL;
    }
    if (!file->root) {
        config_problems_to_error(edit->doc, file->problems, error);
        return NULL;
    }
    meant = config_file_section(file, key);
    if (meant->kind == CONFIG_NODE_SCALAR) {
        set_edited_path_error(edit, error, CONFIG_ERROR_TYPE, "%s holds no map",
                              file->name);
        return NULL;
    }
    return meant;
}

static const ConfigNode *copy_node_with_value_set(const PathEdit *edit,
                                                  const ConfigNode *node,
                                                  guint depth, GError **error);

static const ConfigNode *set_list_item(const PathEdit *edit,
                                       const ConfigNode *list, guint depth,
                                       GError **error)
{
    const char *part = edit->parts[depth];
    guint n = config_node_count(list);
    const ConfigNode *item;
    ConfigNode *copy;
    guint i;

    if (!parse_list_index(part, n, &i)) {
        g_autofree char *quoted = words_quote_text(part);

        set_edited_path_error(edit, error, CONFIG_ERROR_UNKNOWN_KEY,
                              "%s is no index into a list of %u", quoted, n);
        return NULL;
    }
    item = copy_node_with_value_set(edit, config_node_value(list, i), depth + 1,
                                    error);
    if (!item)
        return NULL;
    copy = config_node_copy(edit->doc, list);
    config_node_replace(copy, i, item);
    return copy;
}

/* Sets a key of a map.  An unknown key is reported when the document is read.
 * A missing section is created, because its other keys have defaults. */
static const ConfigNode *set_map_key(const PathEdit *edit,
                                     const ConfigNode *map, guint depth,
                                     GError **error)
{
    const ConfigNode *node = edit->value;
    const ConfigNode *child, *old;
    ConfigNode *copy, *key;
    guint i = 0;
    gboolean exists = config_node_find_key(map, edit->parts[depth], &i);

    old = exists ? config_node_value(map, i)
                 : config_node_new(edit->doc, CONFIG_NODE_MAP, node->source,
                                   node->line, node->column);
    child = copy_node_with_value_set(edit, old, depth + 1, error);
    if (!child)
        return NULL;
    copy = config_node_copy(edit->doc, map);
    if (exists) {
        config_node_replace(copy, i, child);
        return copy;
    }
    key = config_node_new(edit->doc, CONFIG_NODE_SCALAR, node->source,
                          node->line, node->column);
    config_node_set_text(edit->doc, key, edit->parts[depth]);
    config_node_add_pair(copy, key, child);
    return copy;
}

/* Returns a copy of @node with the value set below it: the nodes along the path
 * are new, the others are shared. */
static const ConfigNode *copy_node_with_value_set(const PathEdit *edit,
                                                  const ConfigNode *node,
                                                  guint depth, GError **error)
{
    const char *part = edit->parts[depth];

    if (!part)
        return edit->value;
    node = open_container_node(edit, node, depth, error);
    if (!node)
        return NULL;
    if (node->kind == CONFIG_NODE_LIST)
        return set_list_item(edit, node, depth, error);
    return set_map_key(edit, node, depth, error);
}

static gboolean check_path_parts(const PathEdit *edit, GError **error)
{
    guint n = g_strv_length((char **)edit->parts);

    for (guint i = 0; i < n; i++) {
        if (*edit->parts[i] == '\0') {
            set_edited_path_error(edit, error, CONFIG_ERROR_SYNTAX,
                                  "a part of the path is empty");
            return FALSE;
        }
    }
    if (n > 0 && n <= CONFIG_MAX_DEPTH)
        return TRUE;
    if (n == 0)
        set_edited_path_error(edit, error, CONFIG_ERROR_SYNTAX,
                              "the path is empty");
    else
        set_edited_path_error(edit, error, CONFIG_ERROR_SYNTAX,
                              "the path has more than %d parts",
                              CONFIG_MAX_DEPTH);
    return FALSE;
}

/* ---- expanding paths that contain * -------------------------------------- */

#define ANY "*"

/* The state of expanding a path that contains `*`. */
typedef struct {
    ConfigDoc *doc;
    /* The parts of the path of the current node (an owned array of borrowed
     * texts). */
    GPtrArray *path_parts;
    GPtrArray *matches; /* owned, of owned text */
} PathExpansion;

/* Returns the map or list of @node, the value of @key: itself, or the contents
 * of the file that it names.  Returns NULL if it is a scalar. */
static const ConfigNode *find_container_with_key(const PathExpansion *expansion,
                                                 const ConfigNode *node,
                                                 const char *key)
{
    static const char *const sections[] = { "platform", "topology", "inner",
                                            "outer",    "npu",      "endpoint",
                                            "workload", "stack",    NULL };
    const ConfigNode *meant;
    ConfigSource *file;

    if (node->kind != CONFIG_NODE_SCALAR)
        return node;
    if (*node->text == '\0' || !g_strv_contains(sections, key))
        return NULL;
    file = config_include_file(expansion->doc, node, key, NULL);
    meant = file && file->root ? config_file_section(file, key) : NULL;
    return meant && meant->kind != CONFIG_NODE_SCALAR ? meant : NULL;
}

/* Returns the child of @node that is called @part (a key or an index),
 * or NULL. */
static const ConfigNode *find_child_node(const ConfigNode *node,
                                         const char *part)
{
    guint i;

    if (node && ((node->kind == CONFIG_NODE_MAP &&
                  config_node_find_key(node, part, &i)) ||
                 (node->kind == CONFIG_NODE_LIST &&
                  parse_list_index(part, config_node_count(node), &i))))
        return config_node_value(node, i);
    return NULL;
}

/* Returns whether @node has a value at the path @parts. */
static gboolean has_value_at_path(const PathExpansion *expansion,
                                  const ConfigNode *node, char *const *parts)
{
    const ConfigNode *child;

    if (!*parts)
        return TRUE;
    if (g_str_equal(*parts, ANY))
        return node->kind == CONFIG_NODE_LIST && config_node_count(node) > 0;
    child = find_child_node(node, *parts);
    if (!child || !parts[1])
        return child != NULL;
    child = find_container_with_key(expansion, child, *parts);
    return child && has_value_at_path(expansion, child, parts + 1);
}

static void expand_stars_of_path(PathExpansion *expansion,
                                 const ConfigNode *node, char *const *parts);

/* Expands the key path @parts at all descendants of @node, a map or list, that
 * have them. */
static void expand_at_descendants(PathExpansion *expansion,
                                  const ConfigNode *node, char *const *parts)
{
    for (guint i = 0; i < config_node_count(node); i++) {
        g_autofree char *number = g_strdup_printf("%u", i);
        const char *part = node->kind == CONFIG_NODE_LIST
                               ? number
                               : config_node_text(config_node_key(node, i));
        const ConfigNode *child = find_container_with_key(
            expansion, config_node_value(node, i), part);

        if (!child)
            continue;
        g_ptr_array_add(expansion->path_parts, (gpointer)part);
        if (has_value_at_path(expansion, child, parts))
            expand_stars_of_path(expansion, child, parts);
        expand_at_descendants(expansion, child, parts);
        g_ptr_array_set_size(expansion->path_parts,
                             (gint)expansion->path_parts->len - 1);
    }
}

/* Expands @parts at the child @part of @node.  @node may be NULL, for a path
 * that does not exist. */
static void expand_at_child(PathExpansion *expansion, const ConfigNode *node,
                            const char *part, char *const *parts)
{
    const ConfigNode *child = find_child_node(node, part);

    g_ptr_array_add(expansion->path_parts, (gpointer)part);
    expand_stars_of_path(
        expansion,
        child ? find_container_with_key(expansion, child, part) : NULL, parts);
    g_ptr_array_set_size(expansion->path_parts,
                         (gint)expansion->path_parts->len - 1);
}

static void expand_stars_of_path(PathExpansion *expansion,
                                 const ConfigNode *node, char *const *parts)
{
    if (!*parts) {
        g_ptr_array_add(expansion->path_parts, NULL);
        g_ptr_array_add(expansion->matches,
                        g_strjoinv(".", (char **)expansion->path_parts->pdata));
        g_ptr_array_set_size(expansion->path_parts,
                             (gint)expansion->path_parts->len - 1);
    } else if (!g_str_equal(*parts, ANY)) {
        expand_at_child(expansion, node, *parts, parts + 1);
    } else if (node && node->kind == CONFIG_NODE_LIST) {
        for (guint i = 0; i < config_node_count(node); i++) {
            g_autofree char *number = g_strdup_printf("%u", i);

            expand_at_child(expansion, node, number, parts + 1);
        }
    } else if (node) {
        expand_at_descendants(expansion, node, parts + 1);
    }
}

char **config_doc_expand_path(ConfigDoc *doc, const char *path, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(path, ".", -1);
    g_autoptr(GPtrArray) at = g_ptr_array_new();
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    PathExpansion e = { .doc = doc, .path_parts = at, .matches = found };

    if (!g_strv_contains((const char *const *)parts, ANY)) {
        g_ptr_array_add(found, g_strdup(path));
    } else {
        expand_stars_of_path(&e, doc->root, parts);
        if (found->len == 0) {
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_UNKNOWN_KEY,
                        "there is nothing at '%s'; * matches each item of a "
                        "list, or each key of a map below which the remainder "
                        "exists",
                        path);
            return NULL;
        }
    }
    g_ptr_array_add(found, NULL);
    return (char **)g_ptr_array_steal(found, NULL);
}

static gboolean set_all_matching_paths(ConfigDoc *doc, const char *path,
                                       const ConfigNode *value, GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_auto(GStrv) paths = config_doc_expand_path(doc, path, &reason);

    if (!paths)
        config_set_error(error, value, CONFIG_ERROR_UNKNOWN_KEY, "%s",
                         reason->message);
    for (char **at = paths; at && *at; at++)
        if (!config_doc_set_node(doc, *at, value, error))
            return FALSE;
    return paths != NULL;
}

gboolean config_doc_set_node(ConfigDoc *doc, const char *path,
                             const ConfigNode *value, GError **error)
{
    g_auto(GStrv) parts = NULL;
    const ConfigNode *root;
    PathEdit edit = { .doc = doc, .path = path, .value = value };

    g_return_val_if_fail(doc && path && value, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    parts = g_strsplit(path, ".", -1);
    edit.parts = parts;
    if (!check_path_parts(&edit, error))
        return FALSE;
    if (g_strv_contains((const char *const *)parts, ANY))
        return set_all_matching_paths(doc, path, value, error);
    root = copy_node_with_value_set(&edit, doc->root, 0, error);
    if (!root)
        return FALSE;
    doc->root = root;
    return TRUE;
}

gboolean config_doc_set(ConfigDoc *doc, const char *path, const char *origin,
                        const char *text, GError **error)
{
    ConfigSource *source;

    g_return_val_if_fail(doc && path && origin && text, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    source = config_source_new(doc, origin);
    config_source_parse(doc, source, text, strlen(text), TRUE);
    if (!config_problems_to_error(doc, source->problems, error)) {
        /* The problems are reported here, so config_doc_read() must not report
         * them again. */
        g_ptr_array_set_size(source->problems, 0);
        return FALSE;
    }
    return config_doc_set_node(doc, path, source->root, error);
}

/* Returns the child @part of @node, which is the value of @key, or NULL. */
static const ConfigNode *open_child_node(ConfigDoc *doc, const ConfigNode *node,
                                         const char *key, const char *part)
{
    guint i;

    if (node->kind == CONFIG_NODE_SCALAR) {
        const ConfigSource *file = config_find_included(doc, node, key);

        if (!file || !file->root)
            return NULL;
        node = config_file_section(file, key);
    }
    if (node->kind == CONFIG_NODE_MAP && config_node_find_key(node, part, &i))
        return config_node_value(node, i);
    if (node->kind == CONFIG_NODE_LIST &&
        parse_list_index(part, config_node_count(node), &i))
        return config_node_value(node, i);
    return NULL;
}

/* Returns the node at @path or its nearest ancestor.  Sets *@exact to whether
 * it is the node. */
static const ConfigNode *
descend_to_value_of_path(ConfigDoc *doc, const char *path, gboolean *exact)
{
    const ConfigNode *node = doc->root;
    g_autofree char *copy = g_strdup(path);
    char *rest = copy;
    const char *part, *key = "";

    while ((part = strsep(&rest, "."))) {
        const ConfigNode *child = open_child_node(doc, node, key, part);

        *exact = child != NULL;
        if (!child)
            break;
        node = child;
        key = part;
    }
    return node;
}

const ConfigNode *config_doc_find_nearest(ConfigDoc *doc, const char *path)
{
    gboolean ignored;

    return descend_to_value_of_path(doc, path, &ignored);
}

const ConfigNode *config_doc_find_exact(ConfigDoc *doc, const char *path)
{
    gboolean exact = FALSE;
    const ConfigNode *node = descend_to_value_of_path(doc, path, &exact);

    return exact ? node : NULL;
}
