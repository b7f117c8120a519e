/* check_any_file.c - checks a file of any kind; see check_any_file.h */
#include "sim/cli/check_any_file.h"

#include <stdio.h>
#include <string.h>

#include "models/run/report/run_notes.h"
#include "models/run/system.h"
#include "sim/config/config_node.h"
#include "sim/core/word_suggestions.h"
#include "sim/host/progress.h"
#include "sim/sensitivity/assumptions_file.h"
#include "sim/study/kernel_timing.h"
#include "sim/study/load_run_file.h"
#include "sim/study/tune_endpoint.h"
#include "sim/sweep/sweep_check.h"
#include "workloads/exchange/exchange.h"
#include "workloads/layer.h"
#include "workloads/schedules/schedule.h"
#include "workloads/transformer/model_totals.h"

/* The check of a sweep shows its progress if it takes longer than this. */
#define SILENT_SECONDS 5

static void print_config_notes(const ConfigDoc *doc)
{
    const GPtrArray *notes = config_doc_notes(doc);

    for (guint i = 0; i < notes->len; i++)
        fprintf(stderr, "%s\n", (const char *)g_ptr_array_index(notes, i));
}

/* ---- checking run files and sweep files ---------------------------------- */

static gboolean check_run_config(ConfigDoc *doc, GError **error)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    SystemConfig config;

    if (!config_doc_read(doc, system_fields, &config, error) ||
        !check_tuned_endpoint_is_buildable(&config, (RunOptions){ 0 }, notes,
                                           error))
        return FALSE;
    for (guint i = 0; i < notes->len; i++) {
        const char *text = g_ptr_array_index(notes, i);

        fprintf(stderr, "%s: %s%s\n", config_node_file(config_doc_root(doc)),
                run_note_prefix(text), text);
    }
    return TRUE;
}

/* Implements SweepReadFn: shows how many points have been checked, on a
 * terminal only, because logs of checks contain findings alone. */
static void show_check_progress(gpointer self, guint point, SweepReader *reader,
                                const SystemConfig *config)
{
    Progress *progress = self;

    (void)reader;
    (void)config;
    progress->n_done = point + 1;
    if (progress->is_terminal && progress_elapsed_s(progress) >= SILENT_SECONDS)
        progress_show(progress);
}

static gboolean check_sweep_config(const char *path, char *const *sets,
                                   GError **error)
{
    g_autoptr(SweepPlan) plan = sweep_plan_load(path, sets, error);
    Progress progress = { 0 };
    gboolean is_valid;

    if (!plan)
        return FALSE;
    progress_start_display(
        &progress, MIN(sweep_plan_count_points(plan), SWEEP_CHECK_POINTS), 0);
    is_valid = sweep_check(plan, TRUE, show_check_progress, &progress, error);
    if (progress.is_terminal && progress_elapsed_s(&progress) >= SILENT_SECONDS)
        progress_finish(&progress);
    return is_valid;
}

/* ---- checking parts of a run that have a kind ---------------------------- */

static gboolean check_topology_config(const ConfigVariant *topology,
                                      const char **ret_needs, GError **error)
{
    g_autoptr(Topology) built = topology_new(topology, error);

    (void)ret_needs;
    return built != NULL;
}

/* The training settings under which a workload is tried, the default first. */
static const struct {
    const char *training; /* as YAML */
    const char *needs;    /* text for the user; NULL: nothing is needed */
} settings[] = {
    { "{}", NULL },
    { "{compute: measured}", "training.compute: measured" },
};

static gboolean can_build_workload_with(const ConfigVariant *workload,
                                        const char *text, GError **error)
{
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("training", text, strlen(text), error);
    g_autoptr(OpGraph) graph = NULL;
    TrainingConfig training;

    if (!doc || !config_doc_read(doc, training_fields, &training, error))
        return FALSE;
    graph = workload_build(workload, &training, NULL, error);
    return graph != NULL;
}

/* Checks that the workload can be built under one of the settings.  If not,
 * reports the error under the last setting, which is not caused by a missing
 * setting. */
static gboolean check_workload_config(const ConfigVariant *workload,
                                      const char **ret_needs, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
        gboolean is_last = i + 1 == G_N_ELEMENTS(settings);

        *ret_needs = settings[i].needs;
        if (can_build_workload_with(workload, settings[i].training,
                                    is_last ? error : NULL))
            return TRUE;
    }
    return FALSE;
}

static gboolean check_layer_config(const ConfigVariant *layer,
                                   const char **ret_needs, GError **error)
{
    (void)ret_needs;
    return layer_check(layer, error);
}

static gboolean check_kernel_config(const ConfigVariant *kernel,
                                    const char **ret_needs, GError **error)
{
    (void)ret_needs;
    return kernel_check(kernel, error);
}

static gboolean check_stack_config(const ConfigVariant *stack,
                                   const char **ret_needs, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!comm_stack_describe(stack, text, error))
        return FALSE;
    *ret_needs = text->len > 0 ? g_intern_string(text->str) : NULL;
    return TRUE;
}

typedef struct {
    const ConfigRegistry *registry;
    /* Checks what ranges cannot express.  Sets *@ret_needs to what a run needs,
     * or to NULL. NULL: no further check. */
    gboolean (*check)(const ConfigVariant *variant, const char **ret_needs,
                      GError **error);
} CheckedFamily;

static const CheckedFamily families[] = {
    { &endpoint_registry, NULL },
    { &topology_registry, check_topology_config },
    { &workload_registry, check_workload_config },
    { &layer_registry, check_layer_config },
    { &kernel_registry, check_kernel_config },
    { &stack_registry, check_stack_config },
    { &exchange_registry, NULL },
    { &schedule_registry, NULL },
};

/* Reads the file as the value of a key, as the reader requires for a kind. */
static gboolean check_part_of_family(const ConfigDoc *doc,
                                     const CheckedFamily *family,
                                     const char **ret_needs, GError **error)
{
    const ConfigField fields[] = {
        { .key = family->registry->noun,
          .type = CONFIG_KIND,
          .registry = family->registry },
        CONFIG_END,
    };
    g_autoptr(ConfigDoc) outer = config_doc_parse("check", "{}", 2, error);
    ConfigVariant variant;

    if (!outer ||
        !config_doc_set_node(outer, family->registry->noun,
                             config_doc_root(doc), error) ||
        !config_doc_read(outer, fields, &variant, error))
        return FALSE;
    print_config_notes(outer);
    return !family->check || family->check(&variant, ret_needs, error);
}

static gboolean check_part_with_kind(const ConfigDoc *doc,
                                     const ConfigNode *kind,
                                     const char **ret_needs, GError **error)
{
    const char *name = config_node_text(kind);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    const char *nearest;

    for (guint i = 0; i < G_N_ELEMENTS(families); i++) {
        const ConfigRegistry *registry = families[i].registry;

        if (name && config_find_kind(registry, name))
            return check_part_of_family(doc, &families[i], ret_needs, error);
        for (guint k = 0; registry->kinds[k]; k++)
            g_ptr_array_add(names, (gpointer)registry->kinds[k]->name);
    }
    g_ptr_array_add(names, NULL);
    nearest = name ? words_find_nearest(name, (const char *const *)names->pdata)
                   : NULL;
    config_set_error(
        error, kind, CONFIG_ERROR_UNKNOWN_KEY,
        "kind: no endpoint, topology, workload, layer, kernel, stack or "
        "exchange is called '%s'%s%s%s",
        name ? name : "(a map or list)", nearest ? "; did you mean '" : "",
        nearest ? nearest : "", nearest ? "'?" : "");
    return FALSE;
}

/* ---- checking parts of a run that have no kind --------------------------- */

static gboolean check_platform_config(ConfigDoc *doc, GError **error)
{
    PlatformConfig config;

    return config_doc_read(doc, platform_fields, &config, error) &&
           check_topology_config(&config.topology, NULL, error);
}

static gboolean check_npu_config(ConfigDoc *doc, GError **error)
{
    NpuConfig config;

    return config_doc_read(doc, npu_fields, &config, error);
}

static gboolean check_collectives_config(ConfigDoc *doc, GError **error)
{
    CollectiveConfig config;

    return config_doc_read(doc, collective_fields, &config, error);
}

static gboolean check_training_config(ConfigDoc *doc, GError **error)
{
    TrainingConfig config;

    return config_doc_read(doc, training_fields, &config, error);
}

static gboolean check_kernels_config(ConfigDoc *doc, GError **error)
{
    KernelsFile file;

    return config_doc_read(doc, kernels_fields, &file, error) &&
           kernels_check_file(&file, error);
}

static gboolean read_language_model(ConfigDoc *doc, LanguageModel *ret,
                                    GError **error)
{
    if (!config_doc_read(doc, language_model_fields, ret, error))
        return FALSE;
    ret->node = config_doc_root(doc);
    return language_model_complete(ret, error);
}

static gboolean check_language_kernels(ConfigDoc *doc, GError **error)
{
    LanguageKernels kernels;

    return config_doc_read(doc, language_kernel_fields, &kernels, error);
}

static gboolean check_language_model(ConfigDoc *doc, GError **error)
{
    LanguageModel model;

    return read_language_model(doc, &model, error);
}

/* Returns the number of weights, which the user can compare with a published
 * one. */
static const char *describe_language_model(ConfigDoc *doc)
{
    LanguageModel model;
    g_autofree char *text = NULL;
    uint64_t n_all, n_active;

    if (!read_language_model(doc, &model, NULL))
        return NULL;
    n_all = language_model_all_weights(&model);
    n_active = language_model_active_weights(&model);
    text = n_all == n_active
               ? g_strdup_printf("%" G_GUINT64_FORMAT " weights", n_all)
               : g_strdup_printf("%" G_GUINT64_FORMAT
                                 " weights, of which a token uses "
                                 "%" G_GUINT64_FORMAT,
                                 n_all, n_active);
    return g_intern_string(text);
}

typedef struct {
    const ConfigField *fields;
    gboolean (*check)(ConfigDoc *doc, GError **error);
    /* Returns what a checked file has; NULL: nothing is said. */
    const char *(*describe)(ConfigDoc *doc);
} CheckedPart;

/* The first of the configuration sections with the most keys of the file is
 * chosen. */
static const CheckedPart parts[] = {
    { system_fields, check_run_config, NULL },
    { platform_fields, check_platform_config, NULL },
    { npu_fields, check_npu_config, NULL },
    { collective_fields, check_collectives_config, NULL },
    { training_fields, check_training_config, NULL },
    { assumptions_fields, assumptions_check, NULL },
    { kernels_fields, check_kernels_config, NULL },
    { language_model_fields, check_language_model, describe_language_model },
    { language_kernel_fields, check_language_kernels, NULL },
};

static guint count_known_keys(const ConfigNode *map, const ConfigField *fields)
{
    guint n = 0;

    for (guint i = 0; i < config_node_count(map); i++)
        for (const ConfigField *field = fields; field->key; field++)
            n += g_str_equal(field->key,
                             config_node_text(config_node_key(map, i)));
    return n;
}

gboolean check_config_file(const char *path, char *const *sets,
                           const char **ret_with, GError **error)
{
    g_autoptr(ConfigDoc) doc = load_run_or_sweep_file(path, error);
    const ConfigNode *root = doc ? config_doc_root(doc) : NULL;
    const CheckedPart *best = &parts[0];

    *ret_with = NULL;
    if (!doc)
        return FALSE;
    if (config_node_kind(root) == CONFIG_NODE_MAP &&
        (config_map_value(root, "axes") || config_map_value(root, "base")))
        return check_sweep_config(path, sets, error);
    for (; sets && *sets; sets++)
        if (!load_apply_setting(doc, *sets, error))
            return FALSE;
    root = config_doc_root(doc);
    if (config_node_kind(root) != CONFIG_NODE_MAP)
        return check_run_config(doc, error);
    if (config_map_value(root, "kind"))
        return check_part_with_kind(doc, config_map_value(root, "kind"),
                                    ret_with, error);
    for (guint i = 1; i < G_N_ELEMENTS(parts); i++)
        if (count_known_keys(root, parts[i].fields) >
            count_known_keys(root, best->fields))
            best = &parts[i];
    if (!best->check(doc, error))
        return FALSE;
    print_config_notes(doc);
    if (best->describe)
        *ret_with = best->describe(doc);
    return TRUE;
}
