/* cases.c - assumptions that take several keys, or further baselines */
#include "sim/sensitivity/cases.h"

#include "sim/sensitivity/key.h"

/* ---- what else it could be -------------------------------------------- */

static gboolean has_key(const Contender *c, const char *key)
{
    for (guint row = 0; row < csv_table_n_rows(c->values); row++)
        if (key_matches(key, contender_key(c, row)) ||
            key_is_below(contender_key(c, row), key))
            return TRUE;
    return FALSE;
}

static gboolean concerns_somebody(const Change *change,
                                  const Contenders *contenders)
{
    for (guint i = 0; i < contenders->all->len; i++) {
        const Contender *c = contender_at(contenders->all, i);

        if (change_concerns(change, c) && has_key(c, change->key))
            return TRUE;
    }
    return FALSE;
}

/* NULL: none of its keys is anybody's. */
static Try *try_of(const char *label, const ConfigNode *map, Scope scope,
                   const Contenders *contenders)
{
    Try *attempt = try_new(label);
    gboolean any = FALSE;

    for (guint i = 0; i < config_node_n(map); i++) {
        Change change = { g_strdup(config_node_text(config_node_key(map, i))),
                          config_node_value(map, i), scope, NULL };

        any |= concerns_somebody(&change, contenders);
        g_array_append_val(attempt->changes, change);
    }
    if (any)
        return attempt;
    try_free(attempt);
    return NULL;
}

/* ---- further baselines ------------------------------------------------ */

/* How many combinations the lists of the map have. */
static guint n_combinations(const ConfigNode *map)
{
    guint n = 1;

    for (guint i = 0; i < config_node_n(map); i++)
        n *= MAX(config_node_n(config_node_value(map, i)), 1);
    return n;
}

static gboolean is_list(const ConfigNode *node)
{
    return config_node_kind(node) == CONFIG_NODE_LIST;
}

/* The @i-th combination of @map into @doc; its choices are added to @name. */
static gboolean set_combination(ConfigDoc *doc, const ConfigNode *map, guint i,
                                GString *name, GError **error)
{
    for (guint k = 0; k < config_node_n(map); k++) {
        const ConfigNode *value = config_node_value(map, k);
        const char *key = config_node_text(config_node_key(map, k));

        if (is_list(value)) {
            const ConfigNode *list = value;

            value = config_node_value(list, i % config_node_n(list));
            i /= config_node_n(list);
            if (config_node_text(value))
                g_string_append_printf(name, ", %s", config_node_text(value));
        }
        if (!config_doc_set_node(doc, key, value, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean add_baseline(Try *attempt, const Contenders *contenders,
                             const Contender *offload, const ConfigNode *map,
                             guint i, GError **error)
{
    g_autoptr(ConfigDoc) doc = contender_copy(contenders, offload, error);
    g_autoptr(GString) choices = g_string_new(NULL);
    Contender *c;

    if (!doc || !set_combination(doc, map, i, choices, error))
        return FALSE;
    c = contender_new(g_steal_pointer(&doc), NULL, offload->group, FALSE,
                      error);
    if (!c)
        return FALSE;
    g_ptr_array_add(attempt->added, c);
    if (choices->len > 0) {
        g_autofree char *plain = g_steal_pointer(&c->name);

        c->name = g_strconcat(plain, choices->str, NULL);
    }
    return TRUE;
}

static gboolean add_baselines(Try *attempt, const Contenders *contenders,
                              const ConfigNode *map, GError **error)
{
    for (guint g = 0; g < contenders->offloads->len; g++)
        for (guint i = 0; i < n_combinations(map); i++)
            if (!add_baseline(attempt, contenders,
                              contender_at(contenders->offloads, g), map, i,
                              error))
                return FALSE;
    return TRUE;
}

/* ---- fewer baselines -------------------------------------------------- */

/* NULL: none of them is here. */
static Try *try_without(const char *label, const ConfigNode *list,
                        const Contenders *contenders)
{
    Try *attempt = try_new(label);

    for (guint i = 0; i < config_node_n(list); i++)
        g_ptr_array_add(attempt->without,
                        (gpointer)config_node_text(config_node_value(list, i)));
    for (guint i = 0; i < contenders->all->len; i++)
        if (try_leaves_out(attempt, contender_at(contenders->all, i)))
            return attempt;
    try_free(attempt);
    return NULL;
}

/* ---- all -------------------------------------------------------------- */

static void take(Assumption *assumption, Try *attempt)
{
    if (attempt)
        g_ptr_array_add(assumption->tries, attempt);
}

static gboolean fill_additions(Assumption *assumption, const ConfigNode *map,
                               const Contenders *contenders, GError **error)
{
    for (guint i = 0; i < config_node_n(map); i++) {
        Try *attempt = try_new(config_node_text(config_node_key(map, i)));

        take(assumption, attempt);
        if (!add_baselines(attempt, contenders, config_node_value(map, i),
                           error))
            return FALSE;
    }
    return TRUE;
}

static gboolean fill(Assumption *assumption, const AssumedCase *assumed,
                     const Contenders *contenders, GError **error)
{
    gboolean compares = contenders->all->len > contenders->offloads->len;

    for (guint i = 0; i < config_node_n(assumed->tries); i++)
        take(assumption,
             try_of(config_node_text(config_node_key(assumed->tries, i)),
                    config_node_value(assumed->tries, i), (Scope)assumed->of,
                    contenders));
    for (guint i = 0; i < config_node_n(assumed->without); i++)
        take(assumption,
             try_without(config_node_text(config_node_key(assumed->without, i)),
                         config_node_value(assumed->without, i), contenders));
    return !compares ||
           fill_additions(assumption, assumed->additions, contenders, error);
}

gboolean cases_add(GPtrArray *all, const Contenders *contenders,
                   const AssumptionsConfig *config, GError **error)
{
    const AssumedCase *cases = config->cases.items;

    for (guint i = 0; i < config->cases.n; i++) {
        Assumption *assumption =
            assumption_new(cases[i].name, cases[i].now, "", cases[i].why);

        if (!fill(assumption, &cases[i], contenders, error)) {
            assumption_free(assumption);
            return FALSE;
        }
        if (assumption->tries->len > 0)
            g_ptr_array_add(all, assumption);
        else
            assumption_free(assumption);
    }
    return TRUE;
}
