/* sweep_plan.c - a sweep file as a list of points; see sweep_plan.h */
#include "sim/sweep/sweep_plan.h"

#include <string.h>

#include "sim/config/config_node.h"
#include "sim/core/word_suggestions.h"
#include "sim/study/load_run_file.h"
#include "sim/sweep/sweep_axes.h"
#include "sim/sweep/sweep_exclude.h"

/* One value that is set in the run file. */
typedef struct {
    guint n_parts;
    guint axis;      /* index of the axis, if .set is NULL */
    const char *set; /* borrowed: a text of --set */
} PlanSetting;

struct SweepPlan {
    ConfigDoc *doc;     /* owned */
    ConfigDoc *library; /* owned: caches the files of all points */
    SweepConfig config; /* owned by .doc */
    GArray *axes;       /* owned, of SweepAxis */
    GArray *settings;   /* owned, of PlanSetting, in the order of setting */
    GArray *points;     /* owned, of guint: numbers before exclusions */
    /* Owned arrays of borrowed names; end with NULL. */
    GPtrArray *baselines, *best, *offload, *fastest_over;
};

/* ---- listing the points of a sweep --------------------------------------- */

static gboolean list_included_points(SweepPlan *plan, GError **error)
{
    const ConfigNode *list = plan->config.exclude;
    g_autoptr(GPtrArray) rules =
        sweep_exclude_read_rules(list, plan->axes, plan->library, error);
    guint n;

    if (!rules)
        return FALSE;
    if (!sweep_axes_count_points(plan->axes, SWEEP_MAX_POINTS, &n)) {
        config_set_error(error, plan->config.axes, CONFIG_ERROR_RANGE,
                         "axes: more than %d points", SWEEP_MAX_POINTS);
        return FALSE;
    }
    for (guint i = 0; i < n; i++)
        if (!sweep_exclude_matches_point(rules, plan->axes, i))
            g_array_append_val(plan->points, i);
    if (plan->points->len == 0)
        config_set_error(error, list, CONFIG_ERROR_CONFLICT,
                         "exclude: no point is left");
    return plan->points->len > 0;
}

/* ---- the settings of a point and their order ----------------------------- */

static gint compare_sweep_settings(gconstpointer a, gconstpointer b)
{
    const PlanSetting *setting = a, *y = b;

    if (setting->n_parts != y->n_parts)
        return setting->n_parts < y->n_parts ? -1 : 1;
    if ((setting->set == NULL) != (y->set == NULL))
        return setting->set ? 1 : -1;
    return setting->axis < y->axis ? -1 : setting->axis > y->axis;
}

static gboolean list_ordered_settings(SweepPlan *plan, char *const *sets,
                                      GError **error)
{
    for (guint i = 0; i < plan->axes->len; i++) {
        PlanSetting setting = { sweep_axis_at(plan->axes, i)->n_parts, i,
                                NULL };

        g_array_append_val(plan->settings, setting);
    }
    for (guint i = 0; sets && sets[i]; i++) {
        PlanSetting setting = { 1, i, sets[i] };
        gsize length = strcspn(sets[i], "=");

        for (gsize c = 0; c < length; c++)
            setting.n_parts += sets[i][c] == '.';
        for (guint a = 0; a < plan->axes->len; a++) {
            const char *key = sweep_axis_at(plan->axes, a)->key;

            if (strlen(key) == length && strncmp(key, sets[i], length) == 0) {
                g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                            "--set: '%s' is an axis of the sweep", key);
                return FALSE;
            }
        }
        g_array_append_val(plan->settings, setting);
    }
    g_array_sort(plan->settings, compare_sweep_settings);
    return TRUE;
}

/* ---- the run file of a point ------------------------------------------ */

static ConfigDoc *load_base_file(ConfigDoc *library, const ConfigNode *base,
                                 GError **error)
{
    g_autoptr(GError) reason = NULL;
    ConfigDoc *doc = sweep_load_named_file(library, base, &reason);

    if (doc && config_describes_sweep(doc) && !config_describes_run(doc)) {
        config_set_error(error, base, CONFIG_ERROR_TYPE,
                         "base: '%s' is a sweep itself; expected a run file",
                         config_node_text(base));
        config_doc_free(doc);
        return NULL;
    }
    if (doc)
        return doc;
    if (g_error_matches(reason, CONFIG_ERROR, CONFIG_ERROR_FILE))
        config_set_error(error, base, CONFIG_ERROR_FILE, "base: %s",
                         reason->message);
    else
        g_propagate_error(error, g_steal_pointer(&reason));
    return NULL;
}

static ConfigDoc *load_base_document(ConfigDoc *library, const ConfigNode *base,
                                     GError **error)
{
    g_autoptr(ConfigDoc) doc = NULL;

    if (config_node_kind(base) == CONFIG_NODE_SCALAR &&
        *config_node_text(base) != '\0')
        return load_base_file(library, base, error);
    if (config_node_kind(base) != CONFIG_NODE_MAP) {
        config_set_error(error, base, CONFIG_ERROR_TYPE,
                         "base: expected a map or the name of a file%s",
                         config_node_kind(base) == CONFIG_NODE_SCALAR
                             ? ", got nothing"
                             : "");
        return NULL;
    }
    doc = config_doc_parse(config_node_file(base), "{}", 2, error);
    if (doc)
        config_doc_set_library(doc, library);
    for (guint i = 0; doc && i < config_node_count(base); i++)
        if (!config_doc_set_node(doc,
                                 config_node_text(config_node_key(base, i)),
                                 config_node_value(base, i), error))
            return NULL;
    return g_steal_pointer(&doc);
}

static gboolean apply_axis_value(ConfigDoc *doc, const SweepAxis *axis, guint i,
                                 GError **error)
{
    const ConfigNode *value = g_ptr_array_index(axis->values, i);

    if (!axis->is_cases)
        return config_doc_set_node(doc, axis->key, value, error);
    for (guint k = 0; k < config_node_count(value); k++)
        if (!config_doc_set_node(doc,
                                 config_node_text(config_node_key(value, k)),
                                 config_node_value(value, k), error))
            return FALSE;
    return TRUE;
}

ConfigDoc *sweep_plan_point_document(const SweepPlan *plan, guint point,
                                     GError **error)
{
    g_autoptr(ConfigDoc) doc =
        load_base_document(plan->library, plan->config.base, error);
    guint number = g_array_index(plan->points, guint, point);

    for (guint i = 0; doc && i < plan->settings->len; i++) {
        const PlanSetting *setting =
            &g_array_index(plan->settings, PlanSetting, i);

        if (setting->set) {
            if (!load_apply_setting(doc, setting->set, error))
                return NULL;
            continue;
        }
        if (!apply_axis_value(
                doc, sweep_axis_at(plan->axes, setting->axis),
                sweep_axes_value_index(plan->axes, number, setting->axis),
                error))
            return NULL;
    }
    return g_steal_pointer(&doc);
}

/* ---- making and querying the plan of a sweep ----------------------------- */

static GPtrArray *names_to_string_array(const ConfigList *list)
{
    GPtrArray *names = g_ptr_array_new();

    for (guint i = 0; i < list->n; i++)
        g_ptr_array_add(names, ((char **)list->items)[i]);
    g_ptr_array_add(names, NULL);
    return names;
}

/* Rejects `zip` and `cases` at the top level, because users may expect them
 * there. */
static gboolean reject_misplaced_axis_keys(ConfigDoc *doc, GError **error)
{
    static const char *const words[] = { "zip", "cases" };

    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        const ConfigNode *node = config_doc_find_exact(doc, words[i]);

        if (!node)
            continue;
        config_set_error(error, node, CONFIG_ERROR_UNKNOWN_KEY,
                         "'%s' stands in the list of axes, as '- %s: {...}'",
                         words[i], words[i]);
        return FALSE;
    }
    return TRUE;
}

/* Checks that `compare: {fastest_over: ...}` names axes. */
static gboolean check_chosen_axes(const SweepPlan *plan, GError **error)
{
    const ConfigList *list = &plan->config.compare.fastest_over;

    for (guint i = 0; i < list->n; i++) {
        const char *name = g_ptr_array_index(plan->fastest_over, i);
        g_autoptr(GString) all = g_string_new(NULL);
        gboolean is_axis = FALSE;

        for (guint a = 0; a < plan->axes->len; a++) {
            const char *key = sweep_axis_at(plan->axes, a)->key;

            is_axis |= g_str_equal(key, name);
            g_string_append_printf(all, "%s%s", a > 0 ? ", " : "", key);
        }
        if (is_axis)
            continue;
        config_set_error(
            error, config_node_value(list->node, i), CONFIG_ERROR_UNKNOWN_KEY,
            "compare: no axis is named '%s'; there are: %s", name, all->str);
        return FALSE;
    }
    return TRUE;
}

SweepPlan *sweep_plan_new(ConfigDoc *doc, char *const *sets, GError **error)
{
    g_autoptr(SweepPlan) plan = g_new0(SweepPlan, 1);

    plan->doc = doc;
    plan->library = config_library_new();
    plan->settings = g_array_new(FALSE, FALSE, sizeof(PlanSetting));
    plan->points = g_array_new(FALSE, FALSE, sizeof(guint));
    if (!reject_misplaced_axis_keys(doc, error) ||
        !config_doc_read(doc, sweep_fields, &plan->config, error))
        return NULL;
    plan->baselines = names_to_string_array(&plan->config.compare.baselines);
    plan->best = names_to_string_array(&plan->config.compare.best);
    plan->offload = names_to_string_array(&plan->config.compare.offload);
    plan->fastest_over =
        names_to_string_array(&plan->config.compare.fastest_over);
    plan->axes = sweep_axes_read(plan->config.axes, error);
    if (!plan->axes || !check_chosen_axes(plan, error) ||
        !list_ordered_settings(plan, sets, error) ||
        !list_included_points(plan, error))
        return NULL;
    return g_steal_pointer(&plan);
}

SweepPlan *sweep_plan_load(const char *path, char *const *sets, GError **error)
{
    ConfigDoc *doc = load_run_or_sweep_file(path, error);

    if (!doc || config_describes_sweep(doc) || !config_describes_run(doc))
        return doc ? sweep_plan_new(doc, sets, error) : NULL;
    config_set_error(error, config_doc_root(doc), CONFIG_ERROR_TYPE,
                     "this is a run, not a sweep; try: acesim run %s", path);
    config_doc_free(doc);
    return NULL;
}

void sweep_plan_free(SweepPlan *plan)
{
    if (!plan)
        return;
    g_clear_pointer(&plan->baselines, g_ptr_array_unref);
    g_clear_pointer(&plan->best, g_ptr_array_unref);
    g_clear_pointer(&plan->offload, g_ptr_array_unref);
    g_clear_pointer(&plan->fastest_over, g_ptr_array_unref);
    g_clear_pointer(&plan->axes, g_array_unref);
    g_array_unref(plan->settings);
    g_array_unref(plan->points);
    config_doc_free(plan->library);
    config_doc_free(plan->doc);
    g_free(plan);
}

guint sweep_plan_count_points(const SweepPlan *plan)
{
    return plan->points->len;
}

guint sweep_plan_count_axes(const SweepPlan *plan)
{
    return plan->axes->len;
}

const char *sweep_plan_axis_key(const SweepPlan *plan, guint axis)
{
    return sweep_axis_at(plan->axes, axis)->key;
}

guint sweep_plan_value_index(const SweepPlan *plan, guint point, guint axis)
{
    guint number = g_array_index(plan->points, guint, point);

    return sweep_axes_value_index(plan->axes, number, axis);
}

const ConfigNode *sweep_plan_value_node(const SweepPlan *plan, guint point,
                                        guint axis)
{
    const SweepAxis *sweep_axis = sweep_axis_at(plan->axes, axis);

    return sweep_axis->is_cases
               ? NULL
               : g_ptr_array_index(sweep_axis->values,
                                   sweep_plan_value_index(plan, point, axis));
}

const char *sweep_plan_value_label(const SweepPlan *plan, guint point,
                                   guint axis)
{
    return g_ptr_array_index(sweep_axis_at(plan->axes, axis)->labels,
                             sweep_plan_value_index(plan, point, axis));
}

const char *sweep_plan_axis_column(const SweepPlan *plan, guint axis)
{
    return sweep_axis_at(plan->axes, axis)->column;
}

const char *sweep_plan_axis_cell(const SweepPlan *plan, guint point, guint axis)
{
    return g_ptr_array_index(sweep_axis_at(plan->axes, axis)->cells,
                             sweep_plan_value_index(plan, point, axis));
}

const ConfigNode *sweep_plan_base(const SweepPlan *plan)
{
    return plan->config.base;
}

guint sweep_plan_count_settings(const SweepPlan *plan)
{
    return plan->settings->len;
}

const char *sweep_plan_setting(const SweepPlan *plan, guint i, guint *axis)
{
    const PlanSetting *setting = &g_array_index(plan->settings, PlanSetting, i);

    *axis = setting->axis;
    return setting->set;
}

guint sweep_plan_axis_n_values(const SweepPlan *plan, guint axis)
{
    return sweep_axis_at(plan->axes, axis)->values->len;
}

const ConfigNode *sweep_plan_axis_value(const SweepPlan *plan, guint axis,
                                        guint i, gboolean *is_cases)
{
    const SweepAxis *sweep_axis = sweep_axis_at(plan->axes, axis);

    *is_cases = sweep_axis->is_cases;
    return g_ptr_array_index(sweep_axis->values, i);
}

char *sweep_plan_describe_point(const SweepPlan *plan, guint point)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < sweep_plan_count_axes(plan); i++)
        g_string_append_printf(out, "%s%s=%s", i > 0 ? ", " : "",
                               sweep_plan_axis_key(plan, i),
                               sweep_plan_value_label(plan, point, i));
    return g_string_free(out, FALSE);
}

/* Appends a line for each name that is not in @endpoints. */
static void append_unknown_endpoints(const ConfigList *list,
                                     const char *const *endpoints,
                                     GString *lines)
{
    for (guint i = 0; i < list->n; i++) {
        const char *name = ((char **)list->items)[i];
        const char *nearest = words_find_nearest(name, endpoints);
        g_autofree char *place =
            config_node_position_text(config_node_value(list->node, i));
        g_autofree char *all = g_strjoinv(", ", (char **)endpoints);

        if (!g_strv_contains(endpoints, name))
            g_string_append_printf(
                lines, "%s%s: compare: no point has endpoint '%s'; %s%s%s",
                lines->len > 0 ? "\n" : "", place, name,
                nearest ? "did you mean '" : "there are: ",
                nearest ? nearest : all, nearest ? "'?" : "");
    }
}

gboolean sweep_plan_check_names(const SweepPlan *plan,
                                const char *const *endpoints, GError **error)
{
    g_autoptr(GString) lines = g_string_new(NULL);

    append_unknown_endpoints(&plan->config.compare.baselines, endpoints, lines);
    append_unknown_endpoints(&plan->config.compare.best, endpoints, lines);
    append_unknown_endpoints(&plan->config.compare.offload, endpoints, lines);
    if (lines->len > 0)
        g_set_error_literal(error, CONFIG_ERROR, CONFIG_ERROR_UNKNOWN_KEY,
                            lines->str);
    return lines->len == 0;
}

static gboolean is_endpoint_key(const char *key)
{
    return g_str_equal(key, "endpoint") || g_str_has_prefix(key, "endpoint.");
}

/* Cases may set any key, so they count as endpoint keys. */
char *sweep_plan_endpoint_text(const SweepPlan *plan, guint point)
{
    guint number = g_array_index(plan->points, guint, point);
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < plan->axes->len; i++) {
        const SweepAxis *axis = sweep_axis_at(plan->axes, i);

        if (axis->is_cases || is_endpoint_key(axis->key))
            g_string_append_printf(
                out, "%u,", sweep_axes_value_index(plan->axes, number, i));
    }
    return g_string_free(out, FALSE);
}

char *const *sweep_plan_baseline_names(const SweepPlan *plan)
{
    return (char *const *)plan->baselines->pdata;
}

char *const *sweep_plan_best_names(const SweepPlan *plan)
{
    return (char *const *)plan->best->pdata;
}

char *const *sweep_plan_offload_names(const SweepPlan *plan)
{
    return (char *const *)plan->offload->pdata;
}

char *const *sweep_plan_axes_reduced_to_fastest(const SweepPlan *plan)
{
    return (char *const *)plan->fastest_over->pdata;
}
