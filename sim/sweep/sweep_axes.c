/*
 * sweep_axes.c - the axes of a sweep file; private to sweep_*.c; see
 * sweep_axes.h
 */
#include "sim/sweep/sweep_axes.h"

#include <string.h>

#include "sim/config/config.h"
#include "sim/config/quantity.h"
#include "sim/study/csv_columns.h"

#define MAX_LABELS 16 /* a longer list would not help the reader */

/* ---- labels of the values of an axis ------------------------------------- */

static gboolean is_file_name(const char *text)
{
    return g_str_has_suffix(text, ".yaml") || g_str_has_suffix(text, ".yml");
}

static char *axis_file_name_stem(const char *path)
{
    char *stem = g_path_get_basename(path);

    *strrchr(stem, '.') = '\0';
    return stem;
}

/* Appends the node as YAML on one line, readable but without exact quoting. */
static void append_yaml_flow(GString *out, const ConfigNode *node)
{
    gboolean is_map = config_node_kind(node) == CONFIG_NODE_MAP;

    if (config_node_kind(node) == CONFIG_NODE_SCALAR) {
        g_string_append(out, config_node_text(node));
        return;
    }
    g_string_append_c(out, is_map ? '{' : '[');
    for (guint i = 0; i < config_node_count(node); i++) {
        g_string_append(out, i > 0 ? ", " : "");
        if (is_map)
            g_string_append_printf(
                out, "%s: ", config_node_text(config_node_key(node, i)));
        append_yaml_flow(out, config_node_value(node, i));
    }
    g_string_append_c(out, is_map ? '}' : ']');
}

static char *full_axis_value_label(const ConfigNode *node)
{
    GString *out = g_string_new(NULL);

    append_yaml_flow(out, node);
    return g_string_free(out, FALSE);
}

static char *short_axis_value_label(const ConfigNode *node)
{
    const char *text = config_node_text(node);

    if (text && is_file_name(text))
        return axis_file_name_stem(text);
    if (config_node_kind(node) != CONFIG_NODE_MAP)
        return full_axis_value_label(node);
    for (guint i = 0; i < config_node_count(node); i++) {
        const char *name = config_node_text(config_node_value(node, i));
        const char *key = config_node_text(config_node_key(node, i));

        if (name && g_str_equal(key, "name"))
            return g_strdup(name);
    }
    return full_axis_value_label(node);
}

static GPtrArray *make_value_labels(const GPtrArray *values,
                                    char *(*label)(const ConfigNode *node))
{
    GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < values->len; i++)
        g_ptr_array_add(labels, label(g_ptr_array_index(values, i)));
    return labels;
}

static guint count_distinct_labels(const GPtrArray *labels)
{
    g_autoptr(GHashTable) set = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < labels->len; i++)
        g_hash_table_add(set, g_ptr_array_index(labels, i));
    return g_hash_table_size(set);
}

static GPtrArray *make_distinct_labels(const GPtrArray *values)
{
    g_autoptr(GPtrArray) brief =
        make_value_labels(values, short_axis_value_label);
    g_autoptr(GPtrArray) whole =
        make_value_labels(values, full_axis_value_label);

    return count_distinct_labels(brief) < count_distinct_labels(whole)
               ? g_steal_pointer(&whole)
               : g_steal_pointer(&brief);
}

gboolean sweep_axis_value_matches(const SweepAxis *axis, guint i,
                                  const char *text)
{
    const ConfigNode *value = g_ptr_array_index(axis->values, i);
    const char *whole = config_node_text(value);
    g_autofree char *brief = short_axis_value_label(value);

    if (axis->is_cases)
        return g_str_equal(g_ptr_array_index(axis->labels, i), text);
    return g_str_equal(brief, text) || (whole && g_str_equal(whole, text));
}

char *sweep_axis_label_list(const SweepAxis *axis)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < axis->labels->len; i++) {
        if (i == MAX_LABELS) {
            g_string_append(out, ", ...");
            break;
        }
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "",
                               (char *)g_ptr_array_index(axis->labels, i));
    }
    return g_string_free(out, FALSE);
}

/* ---- values that are names of files -------------------------------------- */

ConfigDoc *sweep_load_named_file(ConfigDoc *library, const ConfigNode *node,
                                 GError **error)
{
    const char *text = config_node_text(node);
    g_autofree char *folder = g_path_get_dirname(config_node_file(node));
    g_autofree char *path = g_path_is_absolute(text) || g_str_equal(folder, ".")
                                ? g_strdup(text)
                                : g_build_filename(folder, text, NULL);

    return config_doc_load_from(library, path, error);
}

gboolean sweep_axis_value_has_name(const SweepAxis *axis, guint i,
                                   ConfigDoc *library, const char *text)
{
    const ConfigNode *value = g_ptr_array_index(axis->values, i);
    const char *file = config_node_text(value);
    g_autoptr(ConfigDoc) doc = file && is_file_name(file)
                                   ? sweep_load_named_file(library, value, NULL)
                                   : NULL;
    const ConfigNode *name = doc ? config_doc_find_exact(doc, "name") : NULL;

    return name && g_strcmp0(config_node_text(name), text) == 0;
}

/* ---- reading the axes of a sweep file ------------------------------------ */

static void clear_sweep_axis(gpointer data)
{
    SweepAxis *axis = data;

    g_ptr_array_unref(axis->values);
    g_ptr_array_unref(axis->labels);
    g_ptr_array_unref(axis->cells);
    g_free(axis->column);
}

/* ---- the column of an axis ----------------------------------------------- */

/* Returns whether @text leaves the choice of a value to the program. */
static gboolean is_auto_value_text(const char *text)
{
    return g_str_equal(text, "auto");
}

/* Appends the cell of each value as a quantity of @type to @cells.  Returns
 * FALSE if some value is none, or if all are `auto`. */
static gboolean add_quantity_cells(GPtrArray *cells, const GPtrArray *values,
                                   ConfigType type)
{
    const ColumnUnitScale *unit = column_unit_of_type(type);
    guint n_auto = 0;

    for (guint i = 0; i < values->len; i++) {
        const char *text = config_node_text(g_ptr_array_index(values, i));
        GString *cell = g_string_new(NULL);
        uint64_t value = 0;
        gboolean ok = text && (is_auto_value_text(text) ||
                               quantity_parse(text, type, &value, NULL));

        if (ok && is_auto_value_text(text))
            n_auto++;
        else if (ok)
            column_unit_append_exact(cell, unit, value);
        g_ptr_array_add(cells, g_string_free(cell, FALSE));
        if (!ok)
            return FALSE;
    }
    return n_auto < values->len;
}

/* Sets the column and the cells of an axis with values and labels. */
static void set_axis_column(SweepAxis *axis)
{
    for (ConfigType type = CONFIG_COUNT;
         !axis->is_cases && type <= CONFIG_FRACTION; type++) {
        g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);

        if (!add_quantity_cells(cells, axis->values, type))
            continue;
        axis->column =
            g_strconcat(axis->key, column_unit_of_type(type)->suffix, NULL);
        axis->cells = g_steal_pointer(&cells);
        return;
    }
    axis->column = g_strdup(axis->key);
    axis->cells = g_ptr_array_ref(axis->labels);
}

static guint count_key_parts(const char *key)
{
    guint n = 1;

    for (const char *p = key; *p != '\0'; p++)
        n += *p == '.';
    return n;
}

static gboolean is_new_axis_key(const GArray *axes, const ConfigNode *key,
                                GError **error)
{
    for (guint i = 0; i < axes->len; i++) {
        if (!g_str_equal(sweep_axis_at(axes, i)->key, config_node_text(key)))
            continue;
        config_set_error(error, key, CONFIG_ERROR_DUPLICATE_KEY,
                         "axis '%s' stands twice", config_node_text(key));
        return FALSE;
    }
    return TRUE;
}

static gboolean add_sweep_axis(GArray *axes, const ConfigNode *key,
                               const ConfigNode *list, guint group,
                               GError **error)
{
    SweepAxis axis = { .key = config_node_text(key), .group = group };

    axis.n_parts = count_key_parts(axis.key);
    if (!is_new_axis_key(axes, key, error))
        return FALSE;
    if (config_node_kind(list) != CONFIG_NODE_LIST ||
        config_node_count(list) == 0) {
        config_set_error(error, list, CONFIG_ERROR_TYPE,
                         "%s: expected a list of one value or more", axis.key);
        return FALSE;
    }
    axis.values = g_ptr_array_new();
    for (guint i = 0; i < config_node_count(list); i++)
        g_ptr_array_add(axis.values, (gpointer)config_node_value(list, i));
    axis.labels = make_distinct_labels(axis.values);
    set_axis_column(&axis);
    g_array_append_val(axes, axis);
    return TRUE;
}

static gboolean add_zip_axes(GArray *axes, const ConfigNode *map, guint group,
                             GError **error)
{
    guint first = axes->len;

    if (config_node_kind(map) != CONFIG_NODE_MAP ||
        config_node_count(map) == 0) {
        config_set_error(error, map, CONFIG_ERROR_TYPE,
                         "zip: expected a map of lists");
        return FALSE;
    }
    for (guint i = 0; i < config_node_count(map); i++) {
        const SweepAxis *axis, *b;

        if (!add_sweep_axis(axes, config_node_key(map, i),
                            config_node_value(map, i), group, error))
            return FALSE;
        axis = sweep_axis_at(axes, first);
        b = sweep_axis_at(axes, axes->len - 1);
        if (axis->values->len == b->values->len)
            continue;
        config_set_error(error, config_node_value(map, i),
                         CONFIG_ERROR_CONFLICT,
                         "zip: '%s' has %u values, '%s' has %u", b->key,
                         b->values->len, axis->key, axis->values->len);
        return FALSE;
    }
    return TRUE;
}

/* Checks that @map has one axis name whose value is a map of cases. */
static gboolean check_cases_map(const ConfigNode *map, GError **error)
{
    const ConfigNode *cases;

    if (config_node_kind(map) != CONFIG_NODE_MAP ||
        config_node_count(map) != 1 ||
        config_node_kind(config_node_value(map, 0)) != CONFIG_NODE_MAP ||
        config_node_count(config_node_value(map, 0)) == 0) {
        config_set_error(error, map, CONFIG_ERROR_TYPE,
                         "cases: expected one name and its cases, such as "
                         "'{size: {small: {key: 1}, large: {key: 2}}}'");
        return FALSE;
    }
    cases = config_node_value(map, 0);
    for (guint i = 0; i < config_node_count(cases); i++) {
        const ConfigNode *value = config_node_value(cases, i);

        if (config_node_kind(value) == CONFIG_NODE_MAP)
            continue;
        config_set_error(error, value, CONFIG_ERROR_TYPE,
                         "cases: '%s' is no map of keys and values",
                         config_node_text(config_node_key(cases, i)));
        return FALSE;
    }
    return TRUE;
}

/* Cases are set last, so that every key that they name exists by then. */
static gboolean add_cases_axis(GArray *axes, const ConfigNode *map, guint group,
                               GError **error)
{
    SweepAxis axis = { .group = group, .n_parts = G_MAXUINT, .is_cases = TRUE };
    const ConfigNode *cases;

    if (!check_cases_map(map, error) ||
        !is_new_axis_key(axes, config_node_key(map, 0), error))
        return FALSE;
    axis.key = config_node_text(config_node_key(map, 0));
    axis.values = g_ptr_array_new();
    axis.labels = g_ptr_array_new_with_free_func(g_free);
    cases = config_node_value(map, 0);
    for (guint i = 0; i < config_node_count(cases); i++) {
        g_ptr_array_add(axis.values, (gpointer)config_node_value(cases, i));
        g_ptr_array_add(axis.labels,
                        g_strdup(config_node_text(config_node_key(cases, i))));
    }
    set_axis_column(&axis);
    g_array_append_val(axes, axis);
    return TRUE;
}

/* Checks that no value of an axis appears twice.  In a zip, equal values are
 * allowed, because the other lists may distinguish the points. */
static gboolean check_distinct_values(const SweepAxis *axis, GError **error)
{
    g_autoptr(GPtrArray) whole =
        make_value_labels(axis->values, full_axis_value_label);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < whole->len; i++) {
        const char *text = g_ptr_array_index(whole, i);

        if (g_hash_table_add(seen, (gpointer)text))
            continue;
        config_set_error(error, g_ptr_array_index(axis->values, i),
                         CONFIG_ERROR_CONFLICT,
                         "axis '%s' has the value '%s' twice", axis->key, text);
        return FALSE;
    }
    return TRUE;
}

static gboolean add_axis_entry(GArray *axes, const ConfigNode *key,
                               const ConfigNode *value, guint group,
                               GError **error)
{
    if (g_str_equal(config_node_text(key), "zip"))
        return add_zip_axes(axes, value, group, error);
    if (g_str_equal(config_node_text(key), "cases"))
        return add_cases_axis(axes, value, group, error);
    return add_sweep_axis(axes, key, value, group, error) &&
           check_distinct_values(sweep_axis_at(axes, axes->len - 1), error);
}

static gboolean add_axis_item(GArray *axes, const ConfigNode *item,
                              guint *group, GError **error)
{
    if (config_node_kind(item) != CONFIG_NODE_MAP) {
        config_set_error(error, item, CONFIG_ERROR_TYPE,
                         "axes: expected a map such as '{key: [1, 2]}'");
        return FALSE;
    }
    for (guint i = 0; i < config_node_count(item); i++)
        if (!add_axis_entry(axes, config_node_key(item, i),
                            config_node_value(item, i), (*group)++, error))
            return FALSE;
    return TRUE;
}

GArray *sweep_axes_read(const ConfigNode *list, GError **error)
{
    g_autoptr(GArray) axes = g_array_new(FALSE, FALSE, sizeof(SweepAxis));
    guint group = 0;

    g_array_set_clear_func(axes, clear_sweep_axis);
    if (config_node_kind(list) != CONFIG_NODE_LIST) {
        config_set_error(error, list, CONFIG_ERROR_TYPE,
                         "axes: expected a list of maps");
        return NULL;
    }
    for (guint i = 0; i < config_node_count(list); i++)
        if (!add_axis_item(axes, config_node_value(list, i), &group, error))
            return NULL;
    return g_steal_pointer(&axes);
}

/* ---- the number of points and their values ------------------------------- */

gboolean sweep_axes_count_points(const GArray *axes, guint max, guint *ret)
{
    guint64 n = 1;

    for (guint i = 0; i < axes->len; i++) {
        const SweepAxis *axis = sweep_axis_at(axes, i);

        if (i > 0 && axis->group == sweep_axis_at(axes, i - 1)->group)
            continue;
        n *= axis->values->len;
        if (n > max)
            return FALSE;
    }
    *ret = (guint)n;
    return TRUE;
}

guint sweep_axes_value_index(const GArray *axes, guint point, guint axis)
{
    const SweepAxis *wanted = sweep_axis_at(axes, axis);

    for (guint i = axes->len - 1;
         sweep_axis_at(axes, i)->group != wanted->group; i--) {
        const SweepAxis *sweep_axis = sweep_axis_at(axes, i);

        if (sweep_axis->group != sweep_axis_at(axes, i - 1)->group)
            point /= sweep_axis->values->len;
    }
    return point % wanted->values->len;
}
