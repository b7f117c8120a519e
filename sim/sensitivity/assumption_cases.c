/* assumption_cases.c - assumptions of several keys or of baselines, from
 * `cases` of a file */
#include "sim/sensitivity/assumption_cases.h"

#include "sim/sensitivity/config_key_pattern.h"

/* ---- alternatives that change several keys ------------------------------- */

static gboolean compared_endpoint_has_key(const ComparedEndpoint *endpoint,
                                          const char *key)
{
    for (guint row = 0; row < csv_table_n_rows(endpoint->values); row++)
        if (config_key_matches(key, compared_endpoint_key(endpoint, row)) ||
            config_key_is_below(compared_endpoint_key(endpoint, row), key))
            return TRUE;
    return FALSE;
}

static gboolean
change_applies_to_any_endpoint(const ValueChange *change,
                               const ComparedEndpoints *endpoints)
{
    for (guint i = 0; i < endpoints->endpoints->len; i++) {
        const ComparedEndpoint *endpoint =
            compared_endpoint_at(endpoints->endpoints, i);

        if (value_change_applies_to_node(change, endpoint) &&
            compared_endpoint_has_key(endpoint, change->key))
            return TRUE;
    }
    return FALSE;
}

/* Returns the alternative, or NULL if no endpoint has any of its keys. */
static Alternative *
make_settings_alternative(const char *label, const ConfigNode *map,
                          AssumptionScope scope,
                          const ComparedEndpoints *endpoints)
{
    Alternative *alternative = assumption_alternative_new(label);
    gboolean any = FALSE;

    for (guint i = 0; i < config_node_count(map); i++) {
        ValueChange change = { g_strdup(
                                   config_node_text(config_node_key(map, i))),
                               config_node_value(map, i), scope, NULL };

        any |= change_applies_to_any_endpoint(&change, endpoints);
        g_array_append_val(alternative->changes, change);
    }
    if (any)
        return alternative;
    assumption_alternative_free(alternative);
    return NULL;
}

/* ---- alternatives that add baselines ------------------------------------- */

/* Returns the number of combinations of the lists in @map. */
static guint count_combinations(const ConfigNode *map)
{
    guint n = 1;

    for (guint i = 0; i < config_node_count(map); i++)
        n *= MAX(config_node_count(config_node_value(map, i)), 1);
    return n;
}

static gboolean is_list_node(const ConfigNode *node)
{
    return config_node_kind(node) == CONFIG_NODE_LIST;
}

/* Sets combination @i of @map in @doc, and appends its choices to @name. */
static gboolean apply_combination(ConfigDoc *doc, const ConfigNode *map,
                                  guint i, GString *name, GError **error)
{
    for (guint k = 0; k < config_node_count(map); k++) {
        const ConfigNode *value = config_node_value(map, k);
        const char *key = config_node_text(config_node_key(map, k));

        if (is_list_node(value)) {
            const ConfigNode *list = value;

            value = config_node_value(list, i % config_node_count(list));
            i /= config_node_count(list);
            if (config_node_text(value))
                g_string_append_printf(name, ", %s", config_node_text(value));
        }
        if (!config_doc_set_node(doc, key, value, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean add_combination_baseline(Alternative *alternative,
                                         const ComparedEndpoints *endpoints,
                                         const ComparedEndpoint *offload,
                                         const ConfigNode *map, guint i,
                                         GError **error)
{
    g_autoptr(ConfigDoc) doc =
        compared_endpoint_copy(endpoints, offload, error);
    g_autoptr(GString) choices = g_string_new(NULL);
    ComparedEndpoint *endpoint;

    if (!doc || !apply_combination(doc, map, i, choices, error))
        return FALSE;
    endpoint = compared_endpoint_new(g_steal_pointer(&doc), NULL,
                                     offload->group, FALSE, error);
    if (!endpoint)
        return FALSE;
    g_ptr_array_add(alternative->added, endpoint);
    if (choices->len > 0) {
        g_autofree char *plain = g_steal_pointer(&endpoint->name);

        endpoint->name = g_strconcat(plain, choices->str, NULL);
    }
    return TRUE;
}

static gboolean add_combination_baselines(Alternative *alternative,
                                          const ComparedEndpoints *endpoints,
                                          const ConfigNode *map, GError **error)
{
    for (guint g = 0; g < endpoints->offloads->len; g++)
        for (guint i = 0; i < count_combinations(map); i++)
            if (!add_combination_baseline(
                    alternative, endpoints,
                    compared_endpoint_at(endpoints->offloads, g), map, i,
                    error))
                return FALSE;
    return TRUE;
}

/* ---- alternatives that leave out baselines ------------------------------- */

/* Returns the alternative, or NULL if none of the baselines exists. */
static Alternative *
make_exclusion_alternative(const char *label, const ConfigNode *list,
                           const ComparedEndpoints *endpoints)
{
    Alternative *alternative = assumption_alternative_new(label);

    for (guint i = 0; i < config_node_count(list); i++)
        g_ptr_array_add(alternative->without,
                        (gpointer)config_node_text(config_node_value(list, i)));
    for (guint i = 0; i < endpoints->endpoints->len; i++)
        if (assumption_alternative_excludes_endpoint(
                alternative, compared_endpoint_at(endpoints->endpoints, i)))
            return alternative;
    assumption_alternative_free(alternative);
    return NULL;
}

/* ---- adding all cases of a file ------------------------------------------ */

static void add_non_null_alternative(Assumption *assumption,
                                     Alternative *alternative)
{
    if (alternative)
        g_ptr_array_add(assumption->alternatives, alternative);
}

static gboolean fill_added_baselines(Assumption *assumption,
                                     const ConfigNode *map,
                                     const ComparedEndpoints *endpoints,
                                     GError **error)
{
    for (guint i = 0; i < config_node_count(map); i++) {
        Alternative *alternative = assumption_alternative_new(
            config_node_text(config_node_key(map, i)));

        add_non_null_alternative(assumption, alternative);
        if (!add_combination_baselines(alternative, endpoints,
                                       config_node_value(map, i), error))
            return FALSE;
    }
    return TRUE;
}

static gboolean fill_case_assumption(Assumption *assumption,
                                     const AssumedCase *assumed,
                                     const ComparedEndpoints *endpoints,
                                     GError **error)
{
    gboolean compares = endpoints->endpoints->len > endpoints->offloads->len;

    for (guint i = 0; i < config_node_count(assumed->alternatives); i++)
        add_non_null_alternative(
            assumption,
            make_settings_alternative(
                config_node_text(config_node_key(assumed->alternatives, i)),
                config_node_value(assumed->alternatives, i),
                (AssumptionScope)assumed->scope, endpoints));
    for (guint i = 0; i < config_node_count(assumed->without); i++)
        add_non_null_alternative(
            assumption,
            make_exclusion_alternative(
                config_node_text(config_node_key(assumed->without, i)),
                config_node_value(assumed->without, i), endpoints));
    return !compares || fill_added_baselines(assumption, assumed->additions,
                                             endpoints, error);
}

gboolean add_case_assumptions(GPtrArray *all,
                              const ComparedEndpoints *endpoints,
                              const AssumptionsConfig *config, GError **error)
{
    const AssumedCase *cases = config->cases.items;

    for (guint i = 0; i < config->cases.n; i++) {
        Assumption *assumption = assumption_new(
            cases[i].name, cases[i].current_setting, "", cases[i].why);

        if (!fill_case_assumption(assumption, &cases[i], endpoints, error)) {
            assumption_free(assumption);
            return FALSE;
        }
        if (assumption->alternatives->len > 0)
            g_ptr_array_add(all, assumption);
        else
            assumption_free(assumption);
    }
    return TRUE;
}
