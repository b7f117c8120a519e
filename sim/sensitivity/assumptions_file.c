/* assumptions_file.c - the file that says what a sensitivity study varies, and
 * how far */
#include "sim/sensitivity/assumptions_file.h"

#include <string.h>

#include "sim/core/word_suggestions.h"
#include "sim/sensitivity/config_key_pattern.h"
#include "sim/study/load_run_file.h"

#define FILE_NAME "sensitivity.yaml"

static const char *const scope_names[] = { "all", "baselines", "offload",
                                           NULL };

static const ConfigField baseline_fields[] = {
    { .key = "name",
      .help = "what tables call it",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedBaseline, name) },
    { .key = "set",
      .help = "keys of the run and what they are for it: {KEY: VALUE}",
      .type = CONFIG_RAW,
      .offset = offsetof(AssumedBaseline, set) },
    CONFIG_END,
};

static const ConfigField value_item = { .key = "value",
                                        .help = "a value, or a factor: x0.5",
                                        .type = CONFIG_RAW };

static const ConfigField range_fields[] = {
    { .key = "key",
      .help = "a key of a run; * is every item of a list",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedRange, key) },
    { .key = "values",
      .help = "what it is given, one after the other",
      .type = CONFIG_LIST,
      .offset = offsetof(AssumedRange, values),
      .min = 1,
      .max = 64,
      .item = &value_item,
      .item_size = sizeof(ConfigNode *) },
    { .key = "why",
      .help = "these and no others",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedRange, why) },
    CONFIG_END,
};

static const ConfigField case_fields[] = {
    { .key = "name",
      .help = "what tables call it",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedCase, name) },
    { .key = "of",
      .help = "whose configuration it changes",
      .type = CONFIG_ENUM,
      .offset = offsetof(AssumedCase, scope),
      .names = scope_names,
      .fallback = "all" },
    { .key = "now",
      .help = "what the configuration has, in a few words",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedCase, current_setting) },
    { .key = "try",
      .help = "what else it could be: {LABEL: {KEY: VALUE}}",
      .type = CONFIG_RAW,
      .offset = offsetof(AssumedCase, alternatives),
      .fallback = "{}" },
    { .key = "add",
      .help = "further baselines: {LABEL: {KEY: VALUE or a list of them}}",
      .type = CONFIG_RAW,
      .offset = offsetof(AssumedCase, additions),
      .fallback = "{}" },
    { .key = "without",
      .help = "baselines that do not count: {LABEL: [NAME]}",
      .type = CONFIG_RAW,
      .offset = offsetof(AssumedCase, without),
      .fallback = "{}" },
    { .key = "why",
      .help = "it may be so",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedCase, why) },
    CONFIG_END,
};

static const ConfigField skip_fields[] = {
    { .key = "key",
      .help = "a key of a run; * is every item of a list",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedSkip, key) },
    { .key = "of",
      .help = "the endpoint that is left alone",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedSkip, endpoint),
      .fallback = "any" },
    { .key = "why",
      .help = "it is no assumption",
      .type = CONFIG_NAME,
      .offset = offsetof(AssumedSkip, why) },
    CONFIG_END,
};

#define ITEM(Name, Fields)                                                     \
    &(const ConfigField)                                                       \
    {                                                                          \
        .key = (Name), .type = CONFIG_SECTION, .fields = (Fields)              \
    }

const ConfigField assumptions_fields[] = {
    { .key = "baselines",
      .help = "what a run's endpoint is compared with",
      .type = CONFIG_LIST,
      .offset = offsetof(AssumptionsConfig, baselines),
      .item = ITEM("baseline", baseline_fields),
      .item_size = sizeof(AssumedBaseline),
      .fallback = "[]" },
    { .key = "ranges",
      .help = "values to try for a key, regardless of its source",
      .type = CONFIG_LIST,
      .offset = offsetof(AssumptionsConfig, ranges),
      .item = ITEM("range", range_fields),
      .item_size = sizeof(AssumedRange),
      .fallback = "[]" },
    { .key = "cases",
      .help = "what takes several keys, or further baselines",
      .type = CONFIG_LIST,
      .offset = offsetof(AssumptionsConfig, cases),
      .item = ITEM("case", case_fields),
      .item_size = sizeof(AssumedCase),
      .fallback = "[]" },
    { .key = "skip",
      .help = "keys that are not varied, regardless of their source",
      .type = CONFIG_LIST,
      .offset = offsetof(AssumptionsConfig, skips),
      .item = ITEM("skip", skip_fields),
      .item_size = sizeof(AssumedSkip),
      .fallback = "[]" },
    CONFIG_END,
};

/* ---- checks that tables of fields cannot express ----------------------- */

static gboolean set_type_error(const ConfigNode *where, const char *text,
                               GError **error)
{
    config_set_error(error, where, CONFIG_ERROR_TYPE, "%s", text);
    return FALSE;
}

static gboolean check_setting_value(const ConfigNode *value,
                                    gboolean may_be_list, GError **error)
{
    if (config_node_kind(value) != CONFIG_NODE_LIST)
        return TRUE;
    if (!may_be_list)
        return set_type_error(value, "expected a value, got a list", error);
    return config_node_count(value) > 0 ||
           set_type_error(value, "expected a list of one value or more", error);
}

/* Checks that @map is {KEY: VALUE} with possible keys. */
static gboolean check_settings_map(const ConfigNode *map, gboolean may_be_list,
                                   GError **error)
{
    if (config_node_kind(map) != CONFIG_NODE_MAP)
        return set_type_error(map, "expected a map of keys and values", error);
    for (guint i = 0; i < config_node_count(map); i++) {
        const ConfigNode *key = config_node_key(map, i);

        if (!config_key_check(config_node_text(key), key, error) ||
            !check_setting_value(config_node_value(map, i), may_be_list, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean check_labelled_settings(const ConfigNode *map,
                                        gboolean may_be_list, GError **error)
{
    if (config_node_kind(map) != CONFIG_NODE_MAP)
        return set_type_error(map, "expected labels, each with a map of keys",
                              error);
    for (guint i = 0; i < config_node_count(map); i++)
        if (!check_settings_map(config_node_value(map, i), may_be_list, error))
            return FALSE;
    return TRUE;
}

static gboolean check_assumed_baselines(const ConfigList *list, GError **error)
{
    const AssumedBaseline *all = list->items;

    for (guint i = 0; i < list->n; i++)
        if (!check_settings_map(all[i].set, FALSE, error))
            return FALSE;
    return TRUE;
}

static gboolean check_assumed_ranges(const ConfigList *list, GError **error)
{
    const AssumedRange *all = list->items;

    for (guint i = 0; i < list->n; i++) {
        const ConfigNode *const *values = all[i].values.items;

        if (!config_key_check(all[i].key, config_node_value(list->node, i),
                              error))
            return FALSE;
        for (guint k = 0; k < all[i].values.n; k++)
            if (!config_node_text(values[k]))
                return set_type_error(
                    values[k], "expected one value, such as 5 us", error);
    }
    return TRUE;
}

/* Returns the names, which end with NULL; the caller owns the array only. */
static const char **list_baseline_names(const ConfigList *list)
{
    const AssumedBaseline *all = list->items;
    const char **names = g_new0(const char *, list->n + 1);

    for (guint i = 0; i < list->n; i++)
        names[i] = all[i].name;
    return names;
}

/* Checks that @list is a list of names of baselines. */
static gboolean check_baseline_name_list(const ConfigNode *list,
                                         const char *const *known,
                                         GError **error)
{
    if (config_node_kind(list) != CONFIG_NODE_LIST ||
        config_node_count(list) == 0)
        return set_type_error(
            list, "expected a list of baselines, such as [a, b]", error);
    for (guint i = 0; i < config_node_count(list); i++) {
        const ConfigNode *name = config_node_value(list, i);
        const char *text = config_node_text(name);
        const char *nearest = text ? words_find_nearest(text, known) : NULL;

        if (text && g_strv_contains(known, text))
            continue;
        config_set_error(error, name, CONFIG_ERROR_UNKNOWN_KEY,
                         "no baseline here is called '%s'%s%s%s",
                         text ? text : "(a map or list)",
                         nearest ? "; did you mean '" : "",
                         nearest ? nearest : "", nearest ? "'?" : "");
        return FALSE;
    }
    return TRUE;
}

static gboolean check_excluded_baselines(const ConfigNode *map,
                                         const ConfigList *baselines,
                                         GError **error)
{
    g_autofree const char **known = list_baseline_names(baselines);

    if (config_node_kind(map) != CONFIG_NODE_MAP)
        return set_type_error(
            map, "expected labels, each with a list of baselines", error);
    for (guint i = 0; i < config_node_count(map); i++)
        if (!check_baseline_name_list(config_node_value(map, i), known, error))
            return FALSE;
    return TRUE;
}

static gboolean check_assumption_cases(const AssumptionsConfig *config,
                                       GError **error)
{
    const ConfigList *list = &config->cases;
    const AssumedCase *all = list->items;

    for (guint i = 0; i < list->n; i++) {
        const AssumedCase *assumed_case = &all[i];

        if (!check_labelled_settings(assumed_case->alternatives, FALSE,
                                     error) ||
            !check_labelled_settings(assumed_case->additions, TRUE, error) ||
            !check_excluded_baselines(assumed_case->without, &config->baselines,
                                      error))
            return FALSE;
        if (config_node_count(assumed_case->alternatives) +
                config_node_count(assumed_case->additions) +
                config_node_count(assumed_case->without) ==
            0)
            return set_type_error(
                config_node_value(list->node, i),
                "a case has to have something under try:, add: or without:",
                error);
    }
    return TRUE;
}

static gboolean check_skipped_keys(const ConfigList *list, GError **error)
{
    const AssumedSkip *all = list->items;

    for (guint i = 0; i < list->n; i++)
        if (!config_key_check(all[i].key, config_node_value(list->node, i),
                              error))
            return FALSE;
    return TRUE;
}

static gboolean read_and_check_assumptions(ConfigDoc *doc,
                                           AssumptionsConfig *config,
                                           GError **error)
{
    return config_doc_read(doc, assumptions_fields, config, error) &&
           check_assumed_baselines(&config->baselines, error) &&
           check_assumed_ranges(&config->ranges, error) &&
           check_assumption_cases(config, error) &&
           check_skipped_keys(&config->skips, error);
}

gboolean assumptions_check(ConfigDoc *doc, GError **error)
{
    AssumptionsConfig config;

    return read_and_check_assumptions(doc, &config, error);
}

/* ---- finding and loading a file of assumptions --------------------------- */

Assumptions *assumptions_load(const char *path, GError **error)
{
    g_autoptr(Assumptions) assumptions = g_new0(Assumptions, 1);

    assumptions->doc = load_run_or_sweep_file(path, error);
    if (!assumptions->doc || !read_and_check_assumptions(
                                 assumptions->doc, &assumptions->config, error))
        return NULL;
    return g_steal_pointer(&assumptions);
}

void assumptions_free(Assumptions *assumptions)
{
    if (!assumptions)
        return;
    g_clear_pointer(&assumptions->doc, config_doc_free);
    g_free(assumptions);
}

char *assumptions_find_file(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    const char *const above[] = { ".", ".." };

    for (guint i = 0; i < G_N_ELEMENTS(above); i++) {
        char *file = i == 0
                         ? g_build_filename(folder, FILE_NAME, NULL)
                         : g_build_filename(folder, above[i], FILE_NAME, NULL);

        if (g_file_test(file, G_FILE_TEST_IS_REGULAR))
            return file;
        g_free(file);
    }
    return NULL;
}
