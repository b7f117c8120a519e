/*
 * sweep_exclude.c - the points that a sweep file excludes; private to
 * sweep_plan.c; see sweep_exclude.h
 */
#include "sim/sweep/sweep_exclude.h"

#include "sim/config/config.h"
#include "sim/core/word_suggestions.h"
#include "sim/sweep/sweep_axes.h"

/* One axis of a rule, and the values of it that the rule names. */
typedef struct {
    guint axis;
    gboolean *named; /* owned: one per value of the axis */
} ExclusionRulePart;

static void clear_rule_part(gpointer part)
{
    g_free(((ExclusionRulePart *)part)->named);
}

static gboolean find_axis_by_key(const GArray *axes, const ConfigNode *key,
                                 guint *ret, GError **error)
{
    g_autofree const char **keys = g_new0(const char *, axes->len + 1);
    const char *text = config_node_text(key);
    const char *nearest;

    for (guint i = 0; i < axes->len; i++) {
        keys[i] = sweep_axis_at(axes, i)->key;
        *ret = i;
        if (g_str_equal(keys[i], text))
            return TRUE;
    }
    nearest = words_find_nearest(text, keys);
    config_set_error(error, key, CONFIG_ERROR_UNKNOWN_KEY,
                     "exclude: '%s' is no axis%s%s%s", text,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
    return FALSE;
}

/* Sets @named to the values of @axis that @text names.  Returns NULL, or what
 * is wrong.  In a zip several values may have one label, which names all of
 * them.  A name that several files have is rejected as ambiguous. */
static const char *mark_axis_values_of_text(const SweepAxis *axis,
                                            ConfigDoc *library,
                                            const char *text, gboolean *named)
{
    gboolean any = FALSE;
    guint n = 0;

    for (guint v = 0; v < axis->values->len; v++) {
        named[v] = sweep_axis_value_matches(axis, v, text);
        any |= named[v];
    }
    if (any)
        return NULL;
    for (guint v = 0; v < axis->values->len; v++) {
        named[v] = sweep_axis_value_has_name(axis, v, library, text);
        n += named[v] ? 1 : 0;
    }
    return n == 1 ? NULL : n == 0 ? "no value" : "several values named";
}

static gboolean add_rule_part(GArray *rule, const GArray *axes,
                              ConfigDoc *library, const ConfigNode *key,
                              const ConfigNode *value, GError **error)
{
    const char *text = config_node_text(value);
    const char *wrong = "no value";
    g_autofree char *known = NULL;
    const SweepAxis *axis;
    ExclusionRulePart part;

    if (!find_axis_by_key(axes, key, &part.axis, error))
        return FALSE;
    axis = sweep_axis_at(axes, part.axis);
    part.named = g_new0(gboolean, axis->values->len);
    g_array_append_val(rule, part);
    if (text)
        wrong = mark_axis_values_of_text(axis, library, text, part.named);
    if (!wrong)
        return TRUE;
    known = sweep_axis_label_list(axis);
    if (text)
        config_set_error(error, value, CONFIG_ERROR_UNKNOWN_KEY,
                         "exclude: axis '%s' has %s '%s'; there are: %s",
                         axis->key, wrong, text, known);
    else
        config_set_error(error, value, CONFIG_ERROR_TYPE,
                         "exclude: expected one value of axis '%s', got a %s; "
                         "there are: %s",
                         axis->key,
                         config_node_kind(value) == CONFIG_NODE_LIST ? "list"
                                                                     : "map",
                         known);
    return FALSE;
}

static GArray *read_exclusion_rule(const ConfigNode *map, const GArray *axes,
                                   ConfigDoc *library, GError **error)
{
    g_autoptr(GArray) rule =
        g_array_new(FALSE, FALSE, sizeof(ExclusionRulePart));

    g_array_set_clear_func(rule, clear_rule_part);
    if (config_node_kind(map) != CONFIG_NODE_MAP ||
        config_node_count(map) == 0) {
        config_set_error(error, map, CONFIG_ERROR_TYPE,
                         "exclude: expected a map such as '{key: value}'");
        return NULL;
    }
    for (guint i = 0; i < config_node_count(map); i++)
        if (!add_rule_part(rule, axes, library, config_node_key(map, i),
                           config_node_value(map, i), error))
            return NULL;
    return g_steal_pointer(&rule);
}

GPtrArray *sweep_exclude_read_rules(const ConfigNode *list, const GArray *axes,
                                    ConfigDoc *library, GError **error)
{
    g_autoptr(GPtrArray) rules =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

    if (config_node_kind(list) != CONFIG_NODE_LIST) {
        config_set_error(error, list, CONFIG_ERROR_TYPE,
                         "exclude: expected a list of maps");
        return NULL;
    }
    for (guint i = 0; i < config_node_count(list); i++) {
        GArray *rule = read_exclusion_rule(config_node_value(list, i), axes,
                                           library, error);

        if (!rule)
            return NULL;
        g_ptr_array_add(rules, rule);
    }
    return g_steal_pointer(&rules);
}

static gboolean exclusion_rule_matches(const GArray *rule, const GArray *axes,
                                       guint point)
{
    for (guint i = 0; i < rule->len; i++) {
        const ExclusionRulePart *part =
            &g_array_index(rule, ExclusionRulePart, i);

        if (!part->named[sweep_axes_value_index(axes, point, part->axis)])
            return FALSE;
    }
    return TRUE;
}

gboolean sweep_exclude_matches_point(const GPtrArray *rules, const GArray *axes,
                                     guint point)
{
    for (guint i = 0; i < rules->len; i++)
        if (exclusion_rule_matches(g_ptr_array_index(rules, i), axes, point))
            return TRUE;
    return FALSE;
}
