/* find_assumptions.c - finds what a configuration assumes */
#include "sim/sensitivity/find_assumptions.h"

#include <string.h>

#include "sim/sensitivity/assumption_cases.h"
#include "sim/sensitivity/assumption_filter.h"
#include "sim/sensitivity/config_key_pattern.h"
#include "sim/study/load_run_file.h"

/* Words in the source of a value that mark it as uncertain. */
static const char *const uncertain_words[] = { "assumed", "fitted",
                                               "recalled" };

typedef struct {
    const ComparedEndpoints *endpoints;
    const AssumptionsConfig *config;
    ConfigDoc *holder;
    GPtrArray *ranges; /* borrowed, of owned Range: ranges of the command
                        * line */
    GHashTable
        *found_names; /* borrowed: names of the assumptions found so far */
    GPtrArray *assumptions; /* borrowed, of owned Assumption */
    guint n_held;           /* number of nodes in .holder */
} AssumptionFinder;

/* A range of values that the command line gives for a key. */
typedef struct {
    char *key;         /* owned */
    GPtrArray *values; /* owned, of borrowed const ConfigNode */
    gboolean is_used;
} OptionRange;

static void free_assumption_range(gpointer data)
{
    OptionRange *range = data;

    g_free(range->key);
    g_ptr_array_unref(range->values);
    g_free(range);
}

/* ---- nodes of alternative values ----------------------------------------- */

/* Returns a new node with @text, or NULL and sets @error.  Messages name
 * @origin as its place. */
static const ConfigNode *add_value_node(AssumptionFinder *finder,
                                        const char *origin, const char *text,
                                        GError **error)
{
    g_autofree char *key = g_strdup_printf("v%u", finder->n_held++);

    return config_doc_set(finder->holder, key, origin, text, error)
               ? config_doc_find_exact(finder->holder, key)
               : NULL;
}

static const ConfigNode *add_constant_node(AssumptionFinder *finder,
                                           const char *text)
{
    const ConfigNode *node = add_value_node(finder, "general rule", text, NULL);

    g_assert(node); /* the text is a constant of this file and always valid */
    return node;
}

/* Returns the values of the general rule for a field; the caller owns the array
 * only. */
static GPtrArray *default_alternative_values(AssumptionFinder *finder,
                                             const ConfigField *field)
{
    GPtrArray *values = g_ptr_array_new();

    if (field->type == CONFIG_BOOL) {
        g_ptr_array_add(values, (gpointer)add_constant_node(finder, "false"));
        g_ptr_array_add(values, (gpointer)add_constant_node(finder, "true"));
    } else if (field->type == CONFIG_ENUM) {
        for (guint i = 0; field->names[i]; i++)
            g_ptr_array_add(
                values, (gpointer)add_constant_node(finder, field->names[i]));
    } else {
        g_ptr_array_add(values, (gpointer)add_constant_node(finder, "x0.5"));
        g_ptr_array_add(values, (gpointer)add_constant_node(finder, "x2"));
    }
    return values;
}

/* ---- ranges of the command line ---------------------------------------- */

static OptionRange *parse_range_option(AssumptionFinder *finder,
                                       const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    g_auto(GStrv) values = g_strsplit(parts[1], "..", -1);
    g_autofree char *origin = g_strdup_printf("--range %s", parts[0]);
    OptionRange *range = g_new0(OptionRange, 1);

    range->key = g_strdup(parts[0]);
    range->values = g_ptr_array_new();
    for (guint i = 0; values[i]; i++) {
        const ConfigNode *node =
            add_value_node(finder, origin, g_strstrip(values[i]), error);

        if (!node || !config_key_check(range->key, node, error)) {
            free_assumption_range(range);
            return NULL;
        }
        g_ptr_array_add(range->values, (gpointer)node);
    }
    return range;
}

static gboolean parse_range_options(AssumptionFinder *finder,
                                    char *const *texts, GError **error)
{
    for (guint i = 0; texts && texts[i]; i++) {
        OptionRange *range = parse_range_option(finder, texts[i], error);

        if (!range)
            return FALSE;
        g_ptr_array_add(finder->ranges, range);
    }
    return TRUE;
}

static gboolean check_ranges_are_used(const AssumptionFinder *finder,
                                      GError **error)
{
    for (guint i = 0; i < finder->ranges->len; i++) {
        const OptionRange *range = g_ptr_array_index(finder->ranges, i);

        if (range->is_used)
            continue;
        config_set_error(error, g_ptr_array_index(range->values, 0),
                         CONFIG_ERROR_UNKNOWN_KEY,
                         "this configuration has no '%s'", range->key);
        return FALSE;
    }
    return TRUE;
}

/* ---- making one assumption and its alternatives -------------------------- */

/* A value of an endpoint, and its alternatives. */
typedef struct {
    const ComparedEndpoint *c;
    guint row;
    const char *key;
    const ConfigField *field;
    const char *pattern;     /* matches all keys that change together */
    const GPtrArray *values; /* NULL: by the general rule */
    const char *why;
} AssumedValue;

static ValueChange make_value_change(const AssumedValue *assumed_value,
                                     const ConfigNode *value)
{
    gboolean own = config_key_is_below(assumed_value->pattern, "endpoint");

    return (ValueChange){ g_strdup(assumed_value->pattern), value,
                          own ? SCOPE_ONE : SCOPE_ALL,
                          own ? g_strdup(assumed_value->c->name) : NULL };
}

/* Returns the label of a change: the new value or, if endpoints get different
 * ones, the factor.  Returns NULL if there is no number to multiply. */
static char *label_of_assumption_change(const AssumptionFinder *finder,
                                        const ValueChange *change)
{
    const char *plain = config_node_text(change->value);
    g_autofree char *first = NULL;
    double ignored;

    if (!value_change_parse_factor(plain, &ignored))
        return g_strdup(plain);
    for (guint i = 0; i < finder->endpoints->endpoints->len; i++) {
        const ComparedEndpoint *endpoint =
            compared_endpoint_at(finder->endpoints->endpoints, i);
        g_autofree char *text = value_change_applies_to_node(change, endpoint)
                                    ? old_and_new_values_text(change, endpoint)
                                    : NULL;

        if (!text)
            continue;
        if (strchr(text, ',') || (first && !g_str_equal(first, text)))
            return g_strdup(plain);
        if (!first)
            first = g_steal_pointer(&text);
    }
    return g_steal_pointer(&first);
}

/* Returns the present values of the keys that change together, each once. */
static char *present_values_text(const AssumedValue *assumed_value)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint row = 0; row < csv_table_n_rows(assumed_value->c->values);
         row++) {
        const char *value = compared_endpoint_value(assumed_value->c, row);

        if (config_key_matches(assumed_value->pattern,
                               compared_endpoint_key(assumed_value->c, row)) &&
            g_hash_table_add(seen, (gpointer)value))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   value);
    }
    return g_string_free(out, FALSE);
}

static gboolean has_uncertainty_word(const char *text)
{
    for (guint i = 0; text && i < G_N_ELEMENTS(uncertain_words); i++)
        if (strstr(text, uncertain_words[i]))
            return TRUE;
    return FALSE;
}

/* Returns the source of a value.  If a file repeats the default, the source of
 * the default counts. */
static const char *source_of_config_value(const AssumedValue *assumed_value)
{
    const char *said =
        compared_endpoint_source(assumed_value->c, assumed_value->row);

    if (!has_uncertainty_word(said) &&
        has_uncertainty_word(assumed_value->field->source) &&
        g_strcmp0(
            assumed_value->field->fallback,
            compared_endpoint_value(assumed_value->c, assumed_value->row)) == 0)
        return assumed_value->field->source;
    return said;
}

static void add_value_alternative(AssumptionFinder *finder,
                                  Assumption *assumption,
                                  const AssumedValue *assumed_value,
                                  const ConfigNode *value)
{
    ValueChange change = make_value_change(assumed_value, value);
    g_autofree char *label = label_of_assumption_change(finder, &change);
    Alternative *alternative;

    if (!label || g_str_equal(label, assumption->current_value)) {
        value_change_clear(&change);
        return;
    }
    alternative = assumption_alternative_new(label);
    g_array_append_val(alternative->changes, change);
    g_ptr_array_add(assumption->alternatives, alternative);
}

static void add_value_assumption(AssumptionFinder *finder,
                                 const AssumedValue *assumed_value,
                                 const char *name)
{
    g_autofree char *now = present_values_text(assumed_value);
    g_autoptr(GPtrArray) general =
        assumed_value->values
            ? NULL
            : default_alternative_values(finder, assumed_value->field);
    const GPtrArray *values =
        assumed_value->values ? assumed_value->values : general;
    Assumption *assumption = assumption_new(
        name, now, source_of_config_value(assumed_value), assumed_value->why);

    for (guint i = 0; i < values->len; i++)
        add_value_alternative(finder, assumption, assumed_value,
                              g_ptr_array_index(values, i));
    if (assumed_value->values && assumption->alternatives->len == 0)
        assumption_free(assumption); /* the range contains only the present
                                      * value */
    else
        g_ptr_array_add(finder->assumptions, assumption);
}

/* ---- which values are assumptions -------------------------------------- */

static gboolean is_value_skipped(const AssumptionFinder *finder,
                                 const AssumedValue *assumed_value)
{
    const AssumedSkip *skips =
        finder->config ? finder->config->skips.items : NULL;

    for (guint i = 0; skips && i < finder->config->skips.n; i++)
        if (config_key_matches(skips[i].key, assumed_value->key) &&
            (g_str_equal(skips[i].endpoint, "any") ||
             g_str_equal(skips[i].endpoint, assumed_value->c->name)))
            return TRUE;
    return FALSE;
}

/* Uses a range of the command line.  Returns FALSE if there is none for the
 * key. */
static gboolean apply_option_range(const AssumptionFinder *finder,
                                   AssumedValue *assumed_value)
{
    for (guint i = 0; i < finder->ranges->len; i++) {
        OptionRange *range = g_ptr_array_index(finder->ranges, i);

        if (!config_key_matches(range->key, assumed_value->key))
            continue;
        range->is_used = TRUE;
        assumed_value->pattern = range->key;
        assumed_value->values = range->values;
        return TRUE;
    }
    return FALSE;
}

/* Applies the range that the file of assumptions has for the key. Returns its
 * values, which the caller owns, or NULL if there is none. */
static GPtrArray *apply_file_range(const AssumptionFinder *finder,
                                   AssumedValue *assumed_value)
{
    const AssumedRange *ranges =
        finder->config ? finder->config->ranges.items : NULL;

    for (guint i = 0; ranges && i < finder->config->ranges.n; i++) {
        const ConfigNode *const *nodes = ranges[i].values.items;
        GPtrArray *values;

        if (!config_key_matches(ranges[i].key, assumed_value->key))
            continue;
        values = g_ptr_array_new();
        for (guint k = 0; k < ranges[i].values.n; k++)
            g_ptr_array_add(values, (gpointer)nodes[k]);
        assumed_value->pattern = ranges[i].key;
        assumed_value->values = values;
        assumed_value->why = ranges[i].why;
        return values;
    }
    return NULL;
}

/* Adds an assumption for the value unless it exists.  @general is the key with
 * `*` for each number. */
static void examine_config_value(AssumptionFinder *finder,
                                 AssumedValue *assumed_value,
                                 const char *general)
{
    g_autoptr(GPtrArray) values = NULL;
    gboolean wanted = apply_option_range(finder, assumed_value);
    g_autofree char *name = NULL;

    if (!wanted)
        values = apply_file_range(finder, assumed_value);
    if (!wanted && (is_value_skipped(finder, assumed_value) ||
                    (!values && !has_uncertainty_word(
                                    source_of_config_value(assumed_value)))))
        return;
    if (!assumed_value->values)
        assumed_value->pattern = general;
    name = config_key_is_below(assumed_value->pattern, "endpoint")
               ? g_strdup_printf("%s of %s", assumed_value->pattern,
                                 assumed_value->c->name)
               : g_strdup(assumed_value->pattern);
    if (g_hash_table_add(finder->found_names, g_strdup(name)))
        add_value_assumption(finder, assumed_value, name);
}

static void examine_endpoint_values(AssumptionFinder *finder,
                                    const ComparedEndpoint *endpoint)
{
    for (guint row = 0; row < csv_table_n_rows(endpoint->values); row++) {
        const char *key = compared_endpoint_key(endpoint, row);
        g_autofree char *general = config_key_pattern(key);
        const ConfigField *field =
            config_doc_field(endpoint->doc, system_fields, key);
        AssumedValue place = { endpoint, row, key, field, key, NULL, "" };

        if (field && field->type < CONFIG_SECTION && field->type != CONFIG_NAME)
            examine_config_value(finder, &place, general);
    }
}

/* ---- finding all assumptions of the endpoints ---------------------------- */

static gboolean find_all_assumptions(AssumptionFinder *finder,
                                     const AssumptionFilter *filter,
                                     GError **error)
{
    if (!parse_range_options(finder, filter->ranges, error))
        return FALSE;
    for (guint i = 0; i < finder->endpoints->endpoints->len; i++)
        examine_endpoint_values(
            finder, compared_endpoint_at(finder->endpoints->endpoints, i));
    return check_ranges_are_used(finder, error) &&
           (!finder->config ||
            add_case_assumptions(finder->assumptions, finder->endpoints,
                                 finder->config, error)) &&
           filter_assumptions(finder->assumptions, filter, error);
}

GPtrArray *find_assumptions(const ComparedEndpoints *endpoints,
                            const AssumptionsConfig *config,
                            const AssumptionFilter *filter, ConfigDoc *holder,
                            GError **error)
{
    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)assumption_free);
    g_autoptr(GPtrArray) ranges =
        g_ptr_array_new_with_free_func(free_assumption_range);
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    AssumptionFinder f = { endpoints, config, holder, ranges, seen, all, 0 };

    return find_all_assumptions(&f, filter, error) ? g_steal_pointer(&all)
                                                   : NULL;
}
