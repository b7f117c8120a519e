/*
 * point_command.c - the arguments of `acesim run` that simulate a point of a
 * sweep; see point_command.h
 */
#include "sim/sweep/point_command.h"

#include <string.h>

#include "sim/config/config_node.h"

/* ---- values as texts ----------------------------------------------------- */

static gboolean is_file_name(const char *text)
{
    return g_str_has_suffix(text, ".yaml") || g_str_has_suffix(text, ".yml") ||
           g_str_has_suffix(text, ".json") || g_str_has_suffix(text, ".xml");
}

/* Returns the path of the file that a node names, relative to the current
 * folder if it is below it.  A name that is no file beside the node's file is
 * that of an installed one and is returned unchanged. */
static char *path_of_named_file(const ConfigNode *node)
{
    const char *text = config_node_text(node);
    g_autofree char *folder = g_path_get_dirname(config_node_file(node));
    g_autofree char *joined = g_path_is_absolute(text)
                                  ? g_strdup(text)
                                  : g_build_filename(folder, text, NULL);
    g_autofree char *whole = g_canonicalize_filename(joined, NULL);
    g_autofree char *here = g_get_current_dir();
    gsize n = strlen(here);

    if (!g_file_test(whole, G_FILE_TEST_EXISTS))
        return g_strdup(text);
    if (g_str_has_prefix(whole, here) && whole[n] == '/')
        return g_strdup(whole + n + 1);
    return g_steal_pointer(&whole);
}

static gboolean is_plain_in_flow(const char *text)
{
    return *text != '\0' && strpbrk(text, ",[]{}:#'\"&*!|>%@`\n") == NULL;
}

/* Appends the text of a scalar, which names a file or stands for itself. */
static void append_yaml_scalar(GString *out, const ConfigNode *node,
                               gboolean is_in_flow)
{
    g_autofree char *text = is_file_name(config_node_text(node))
                                ? path_of_named_file(node)
                                : g_strdup(config_node_text(node));
    g_auto(GStrv) parts = NULL;
    g_autofree char *quoted = NULL;

    if (!is_in_flow || is_plain_in_flow(text)) {
        g_string_append(out, text);
        return;
    }
    parts = g_strsplit(text, "'", -1);
    quoted = g_strjoinv("''", parts);
    g_string_append_printf(out, "'%s'", quoted);
}

/* Appends a value as YAML on one line. */
static void append_yaml_value(GString *out, const ConfigNode *node,
                              gboolean is_in_flow)
{
    gboolean is_map = config_node_kind(node) == CONFIG_NODE_MAP;

    if (config_node_kind(node) == CONFIG_NODE_SCALAR) {
        append_yaml_scalar(out, node, is_in_flow);
        return;
    }
    g_string_append_c(out, is_map ? '{' : '[');
    for (guint i = 0; i < config_node_count(node); i++) {
        g_string_append(out, i > 0 ? ", " : "");
        if (is_map)
            g_string_append_printf(
                out, "%s: ", config_node_text(config_node_key(node, i)));
        append_yaml_value(out, config_node_value(node, i), TRUE);
    }
    g_string_append_c(out, is_map ? '}' : ']');
}

static void add_set_option(GPtrArray *sets, const char *key,
                           const ConfigNode *value)
{
    GString *out = g_string_new(key);

    g_string_append_c(out, '=');
    append_yaml_value(out, value, FALSE);
    g_ptr_array_add(sets, g_string_free(out, FALSE));
}

static gint compare_key_lengths(gconstpointer a, gconstpointer b)
{
    const char *const *x = a, *const *y = b;
    gsize n = strcspn(*x, "="), m = strcspn(*y, "=");
    guint p = 0, q = 0;

    for (gsize i = 0; i < n; i++)
        p += (*x)[i] == '.';
    for (gsize i = 0; i < m; i++)
        q += (*y)[i] == '.';
    return p < q ? -1 : p > q;
}

/* Adds the settings of value @i of @axis; those of a case in the order of the
 * lengths of their paths. */
static void add_axis_settings(GPtrArray *sets, const SweepPlan *plan,
                              guint axis, guint i)
{
    gboolean is_cases;
    const ConfigNode *value = sweep_plan_axis_value(plan, axis, i, &is_cases);
    g_autoptr(GPtrArray) of_case = g_ptr_array_new();

    if (!is_cases) {
        add_set_option(sets, sweep_plan_axis_key(plan, axis), value);
        return;
    }
    for (guint k = 0; k < config_node_count(value); k++)
        add_set_option(of_case, config_node_text(config_node_key(value, k)),
                       config_node_value(value, k));
    g_ptr_array_sort(of_case, compare_key_lengths);
    g_ptr_array_extend(sets, of_case, NULL, NULL);
}

/* ---- commands ------------------------------------------------------------ */

char *point_command_base(const SweepPlan *plan)
{
    const ConfigNode *base = sweep_plan_base(plan);

    return config_node_kind(base) == CONFIG_NODE_SCALAR
               ? path_of_named_file(base)
               : NULL;
}

GPtrArray *point_command_settings(const SweepPlan *plan, guint point)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < sweep_plan_count_settings(plan); i++) {
        guint axis;
        const char *set = sweep_plan_setting(plan, i, &axis);

        if (set)
            g_ptr_array_add(sets, g_strdup(set));
        else
            add_axis_settings(sets, plan, axis,
                              sweep_plan_value_index(plan, point, axis));
    }
    g_ptr_array_add(sets, NULL);
    return sets;
}

char *point_command_quote(const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        if (!g_ascii_isalnum(*p) && !strchr("_./=:,%+@-", *p))
            return g_shell_quote(text);
    return g_strdup(text);
}

char *point_command_value_text(const SweepPlan *plan, guint axis, guint i)
{
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
    GString *out = g_string_new(NULL);

    add_axis_settings(sets, plan, axis, i);
    for (guint k = 0; k < sets->len; k++) {
        g_autofree char *quoted =
            point_command_quote(g_ptr_array_index(sets, k));

        g_string_append_printf(out, " --set %s", quoted);
    }
    return g_string_free(out, FALSE);
}
