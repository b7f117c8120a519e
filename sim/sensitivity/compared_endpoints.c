/* compared_endpoints.c - the endpoints that a study compares: an offload and
 * its baselines */
#include "sim/sensitivity/compared_endpoints.h"

#include "sim/sensitivity/config_key_pattern.h"
#include "sim/study/load_run_file.h"
#include "sim/study/rows/run_rows.h"
#include "sim/sweep/resolved_values.h"
#include "sim/sweep/sweep_plan.h"

#define DEFAULT_OFFLOAD "ace"

/* The columns of config.csv that are used here. */
enum { KEY, VALUE, N_POINTS, PLACE, SOURCE };

/* ---- making one compared endpoint ---------------------------------------- */

static CsvTable *list_config_values(ConfigDoc *doc, const SystemConfig *config)
{
    g_autoptr(ResolvedValues) resolved = resolved_values_new();
    g_autoptr(GString) text = NULL;
    CsvTable *table;

    resolved_values_record_point(resolved, doc, config);
    text = resolved_values_to_csv(resolved);
    table = csv_table_parse("config.csv", text->str, text->len, NULL);
    g_assert(table); /* this function wrote the text, so it is valid CSV */
    return table;
}

ComparedEndpoint *compared_endpoint_new(ConfigDoc *doc, const char *name,
                                        guint group, gboolean is_offload,
                                        GError **error)
{
    g_autoptr(ComparedEndpoint) c = g_new0(ComparedEndpoint, 1);

    c->doc = doc;
    if (!config_doc_read(doc, system_fields, &c->config, error))
        return NULL;
    c->name = g_strdup(name ? name : rows_endpoint_name(&c->config));
    c->group = group;
    c->is_offload = is_offload;
    c->values = list_config_values(doc, &c->config);
    return g_steal_pointer(&c);
}

void compared_endpoint_free(ComparedEndpoint *endpoint)
{
    if (!endpoint)
        return;
    g_clear_pointer(&endpoint->values, csv_table_free);
    g_clear_pointer(&endpoint->doc, config_doc_free);
    g_free(endpoint->name);
    g_free(endpoint);
}

const char *compared_endpoint_key(const ComparedEndpoint *endpoint, guint row)
{
    return csv_table_text(endpoint->values, row, KEY);
}

const char *compared_endpoint_value(const ComparedEndpoint *endpoint, guint row)
{
    return csv_table_text(endpoint->values, row, VALUE);
}

const char *compared_endpoint_source(const ComparedEndpoint *endpoint,
                                     guint row)
{
    return csv_table_text(endpoint->values, row, SOURCE);
}

guint compared_endpoint_find_row(const ComparedEndpoint *endpoint,
                                 const char *key)
{
    for (guint row = 0; row < csv_table_n_rows(endpoint->values); row++)
        if (g_str_equal(compared_endpoint_key(endpoint, row), key))
            return row;
    return G_MAXUINT;
}

/* Applies the settings of the map @settings to @doc. */
G_GNUC_WARN_UNUSED_RESULT
static gboolean compared_endpoint_apply_settings(ConfigDoc *doc,
                                                 const ConfigNode *settings,
                                                 GError **error)
{
    for (guint i = 0; i < config_node_count(settings); i++)
        if (!config_doc_set_node(doc,
                                 config_node_text(config_node_key(settings, i)),
                                 config_node_value(settings, i), error))
            return FALSE;
    return TRUE;
}

ConfigDoc *compared_endpoint_copy(const ComparedEndpoints *endpoints,
                                  const ComparedEndpoint *from, GError **error)
{
    const ConfigNode *root = config_doc_root(from->doc);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(config_node_file(root), "{}", 2, error);

    if (!doc)
        return NULL;
    config_doc_set_library(doc, endpoints->library);
    return compared_endpoint_apply_settings(doc, root, error)
               ? g_steal_pointer(&doc)
               : NULL;
}

static void add_compared_endpoint(ComparedEndpoints *endpoints,
                                  ComparedEndpoint *endpoint)
{
    g_ptr_array_add(endpoints->endpoints, endpoint);
    if (endpoint->is_offload)
        g_ptr_array_add(endpoints->offloads, endpoint);
}

/* ---- endpoints of a run ------------------------------------------------ */

static gboolean has_endpoint_named(const ComparedEndpoints *endpoints,
                                   const char *name)
{
    for (guint i = 0; i < endpoints->endpoints->len; i++)
        if (g_str_equal(compared_endpoint_at(endpoints->endpoints, i)->name,
                        name))
            return TRUE;
    return FALSE;
}

/* Adds a baseline unless its name exists.  @doc is the run with another
 * endpoint; the function takes it over. */
static gboolean add_unique_baseline(ComparedEndpoints *endpoints,
                                    ConfigDoc *doc, const char *name,
                                    GError **error)
{
    ComparedEndpoint *endpoint =
        compared_endpoint_new(doc, name, 0, FALSE, error);

    if (!endpoint)
        return FALSE;
    /* The baseline is the same endpoint as the offload. */
    if (has_endpoint_named(endpoints, endpoint->name))
        compared_endpoint_free(endpoint);
    else
        add_compared_endpoint(endpoints, endpoint);
    return TRUE;
}

static gboolean add_assumed_baseline(ComparedEndpoints *endpoints,
                                     const AssumedBaseline *baseline,
                                     GError **error)
{
    g_autoptr(ConfigDoc) doc = compared_endpoint_copy(
        endpoints, compared_endpoint_at(endpoints->endpoints, 0), error);

    return doc && compared_endpoint_apply_settings(doc, baseline->set, error) &&
           add_unique_baseline(endpoints, g_steal_pointer(&doc), baseline->name,
                               error);
}

/* Adds the endpoint of a file, whose name is relative to the working
 * directory. */
static gboolean add_endpoint_file(ComparedEndpoints *endpoints,
                                  const char *file, GError **error)
{
    g_autoptr(ConfigDoc) doc = compared_endpoint_copy(
        endpoints, compared_endpoint_at(endpoints->endpoints, 0), error);
    g_autoptr(ConfigDoc) endpoint = load_run_or_sweep_file(file, error);
    g_autofree char *quoted = NULL;

    if (!doc || !endpoint)
        return FALSE;
    quoted = g_strdup_printf("'%s'", file);
    return config_doc_set(doc, "endpoint", "--baselines", quoted, error) &&
           add_unique_baseline(endpoints, g_steal_pointer(&doc), NULL, error);
}

static const AssumedBaseline *
find_assumed_baseline(const AssumptionsConfig *assumptions, const char *name)
{
    const ConfigList none = { 0 };
    const ConfigList *list = assumptions ? &assumptions->baselines : &none;
    const AssumedBaseline *known = list->items;

    for (guint i = 0; i < list->n; i++)
        if (g_str_equal(known[i].name, name))
            return &known[i];
    return NULL;
}

static gboolean add_baseline_by_name(ComparedEndpoints *endpoints,
                                     const AssumptionsConfig *assumptions,
                                     char *const *names, GError **error)
{
    for (guint i = 0; names[i]; i++) {
        const AssumedBaseline *known =
            find_assumed_baseline(assumptions, names[i]);

        if (!(known ? add_assumed_baseline(endpoints, known, error)
                    : add_endpoint_file(endpoints, names[i], error)))
            return FALSE;
    }
    return TRUE;
}

static gboolean add_all_assumed_baselines(ComparedEndpoints *endpoints,
                                          const AssumptionsConfig *assumptions,
                                          GError **error)
{
    const AssumedBaseline *known = assumptions->baselines.items;

    for (guint i = 0; i < assumptions->baselines.n; i++)
        if (!add_assumed_baseline(endpoints, &known[i], error))
            return FALSE;
    return TRUE;
}

/* Loads the endpoints that a run file is compared with.  Takes ownership of
 * @doc. */
static gboolean load_run_endpoints(ComparedEndpoints *endpoints, ConfigDoc *doc,
                                   char *const *sets,
                                   const AssumptionsConfig *assumptions,
                                   char *const *baselines, GError **error)
{
    g_autoptr(ConfigDoc) run = doc;
    ComparedEndpoint *offload;

    config_doc_set_library(run, endpoints->library);
    for (guint i = 0; sets && sets[i]; i++)
        if (!load_apply_setting(run, sets[i], error))
            return FALSE;
    offload =
        compared_endpoint_new(g_steal_pointer(&run), NULL, 0, TRUE, error);
    if (!offload)
        return FALSE;
    add_compared_endpoint(endpoints, offload);
    if (baselines)
        return add_baseline_by_name(endpoints, assumptions, baselines, error);
    return !assumptions ||
           add_all_assumed_baselines(endpoints, assumptions, error);
}

/* ---- endpoints of a sweep ---------------------------------------------- */

/* Returns the text that all points of a group share, which the caller owns: all
 * values except those of the endpoint and its overlap. */
static char *shared_group_text(const ComparedEndpoint *endpoint)
{
    GString *out = g_string_new(NULL);

    for (guint row = 0; row < csv_table_n_rows(endpoint->values); row++) {
        const char *key = compared_endpoint_key(endpoint, row);

        if (!config_key_is_below(key, "endpoint") &&
            !g_str_equal(key, "training.overlap"))
            g_string_append_printf(out, "%s=%s\n", key,
                                   compared_endpoint_value(endpoint, row));
    }
    return g_string_free(out, FALSE);
}

static guint find_or_add_group(GPtrArray *groups,
                               const ComparedEndpoint *endpoint)
{
    char *text = shared_group_text(endpoint);
    guint i;

    if (g_ptr_array_find_with_equal_func(groups, text, g_str_equal, &i)) {
        g_free(text);
        return i;
    }
    g_ptr_array_add(groups, text);
    return groups->len - 1;
}

static gboolean is_requested_endpoint(const ComparedEndpoint *endpoint,
                                      char *const *baselines,
                                      const char *offload)
{
    if (g_str_equal(endpoint->name, offload))
        return TRUE;
    return baselines[0]
               ? g_strv_contains((const char *const *)baselines, endpoint->name)
               : !g_str_equal(endpoint->name, "ideal");
}

/* Removes groups without an offload or a baseline, and renumbers the others. */
static gboolean remove_incomplete_groups(ComparedEndpoints *endpoints, guint n,
                                         const char *path, GError **error)
{
    g_autofree guint *n_offloads = g_new0(guint, n);
    g_autofree guint *n_baselines = g_new0(guint, n);
    g_autofree guint *numbers = g_new0(guint, n);
    guint n_kept = 0;

    for (guint i = 0; i < endpoints->endpoints->len; i++) {
        const ComparedEndpoint *endpoint =
            compared_endpoint_at(endpoints->endpoints, i);

        (endpoint->is_offload ? n_offloads : n_baselines)[endpoint->group]++;
        if (n_offloads[endpoint->group] < 2)
            continue;
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                    "%s: two points that differ in nothing else are '%s'", path,
                    endpoint->name);
        return FALSE;
    }
    for (guint g = 0; g < n; g++)
        numbers[g] =
            n_offloads[g] > 0 && n_baselines[g] > 0 ? n_kept++ : G_MAXUINT;
    for (guint i = endpoints->endpoints->len; i-- > 0;) {
        ComparedEndpoint *endpoint = g_ptr_array_index(endpoints->endpoints, i);

        endpoint->group = numbers[endpoint->group];
        if (endpoint->group == G_MAXUINT)
            g_ptr_array_remove_index(endpoints->endpoints, i);
    }
    g_ptr_array_set_size(endpoints->offloads, (gint)n_kept);
    for (guint i = 0; i < endpoints->endpoints->len; i++) {
        ComparedEndpoint *endpoint = g_ptr_array_index(endpoints->endpoints, i);

        if (endpoint->is_offload)
            endpoints->offloads->pdata[endpoint->group] = endpoint;
    }
    return TRUE;
}

static gboolean load_sweep_points(ComparedEndpoints *endpoints,
                                  const SweepPlan *plan, const char *path,
                                  char *const *baselines, GError **error)
{
    char *const *named = sweep_plan_offload_names(plan);
    const char *offload = named[0] ? named[0] : DEFAULT_OFFLOAD;
    g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func(g_free);

    if (!baselines)
        baselines = sweep_plan_baseline_names(plan);
    for (guint i = 0; i < sweep_plan_count_points(plan); i++) {
        ConfigDoc *doc = sweep_plan_point_document(plan, i, error);
        ComparedEndpoint *endpoint =
            doc ? compared_endpoint_new(doc, NULL, 0, FALSE, error) : NULL;

        if (!endpoint)
            return FALSE;
        if (!is_requested_endpoint(endpoint, baselines, offload)) {
            compared_endpoint_free(endpoint);
            continue;
        }
        endpoint->is_offload = g_str_equal(endpoint->name, offload);
        endpoint->group = find_or_add_group(groups, endpoint);
        g_ptr_array_add(endpoints->endpoints, endpoint);
    }
    return remove_incomplete_groups(endpoints, groups->len, path, error);
}

/* Loads the endpoints that the points of a sweep have.  Takes ownership of
 * @doc. */
static gboolean load_sweep_endpoints(ComparedEndpoints *endpoints,
                                     ConfigDoc *doc, const char *path,
                                     char *const *sets, char *const *baselines,
                                     GError **error)
{
    endpoints->plan = sweep_plan_new(doc, sets, error);
    return endpoints->plan && load_sweep_points(endpoints, endpoints->plan,
                                                path, baselines, error);
}

/* ---- loading all compared endpoints -------------------------------------- */

static gboolean check_enough_endpoints(const ComparedEndpoints *endpoints,
                                       const char *path,
                                       gboolean needs_baselines, GError **error)
{
    if (endpoints->offloads->len > 0 &&
        (!needs_baselines ||
         endpoints->endpoints->len > endpoints->offloads->len))
        return TRUE;
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_MISSING_KEY,
                endpoints->plan
                    ? "%s: no two points are an offload and a baseline; "
                      "name them under compare:"
                    : "%s: there is no baseline to compare with; "
                      "--baselines FILE,FILE names endpoints, as does a "
                      "sensitivity.yaml beside the file or above it",
                path);
    return FALSE;
}

ComparedEndpoints *compared_endpoints_load(const char *path, char *const *sets,
                                           const AssumptionsConfig *assumptions,
                                           char *const *baselines,
                                           gboolean needs_baselines,
                                           GError **error)
{
    g_autoptr(ComparedEndpoints) all = g_new0(ComparedEndpoints, 1);
    ConfigDoc *doc = load_run_or_sweep_file(path, error);
    gboolean ok;

    all->library = config_library_new();
    all->endpoints =
        g_ptr_array_new_with_free_func((GDestroyNotify)compared_endpoint_free);
    all->offloads = g_ptr_array_new();
    if (!doc)
        return NULL;
    if (config_describes_sweep(doc) && !config_describes_run(doc))
        ok = load_sweep_endpoints(all, doc, path, sets, baselines, error);
    else
        ok = load_run_endpoints(all, doc, sets, assumptions, baselines, error);
    if (!ok || !check_enough_endpoints(all, path, needs_baselines, error))
        return NULL;
    return g_steal_pointer(&all);
}

void compared_endpoints_free(ComparedEndpoints *endpoints)
{
    if (!endpoints)
        return;
    g_ptr_array_unref(endpoints->offloads);
    g_ptr_array_unref(endpoints->endpoints);
    sweep_plan_free(endpoints->plan);
    config_doc_free(endpoints->library);
    g_free(endpoints);
}
