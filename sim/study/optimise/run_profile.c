/* run_profile.c - the properties of the run that a search shall make faster */
#include "sim/study/optimise/run_profile.h"

#include <string.h>

#include "models/observe/critical_path.h"
#include "sim/config/config_node.h"
#include "sim/config/quantity.h"
#include "sim/study/config_value.h"
#include "sim/study/optimise/candidate_run.h"
#include "sim/study/optimise/gradient_messages.h"
#include "sim/study/optimise/yaml_writer.h"
#include "workloads/exchange/exchange.h"

/* Settings of an exchange that describe the library that carries it out; a
 * search does not change them. */
static const char *const kept[] = { "copy", "negotiation", "at_a_time" };

/* ---- settings of the gradient exchange ----------------------------------- */

static gboolean run_has_gradients(const SystemConfig *config)
{
    return ((const LoopOps *)config->workload.kind)->has_gradients;
}

const char *run_profile_exchange_kind(const RunProfile *profile)
{
    return run_has_gradients(&profile->config)
               ? profile->config.training.exchange.kind->name
               : "";
}

gboolean run_profile_may_group_gradients(const RunProfile *profile)
{
    return run_has_gradients(&profile->config) &&
           !g_str_equal(run_profile_exchange_kind(profile),
                        "parameter-server") &&
           !exchange_ops(&profile->config.training.exchange)->shard;
}

static gboolean exchange_has_key(const char *kind, const char *key)
{
    const ConfigKind *found = config_find_kind(&exchange_registry, kind);

    for (const ConfigField *field = found->fields; field->key; field++)
        if (g_str_equal(field->key, key))
            return TRUE;
    return FALSE;
}

/* Appends the settings of the library that @kind supports and @more lacks. */
static void append_kept_settings(const RunProfile *profile, const char *kind,
                                 const char *more, GString *out)
{
    for (guint i = 0; i < G_N_ELEMENTS(kept); i++) {
        g_autofree char *path =
            g_strconcat("training.exchange.", kept[i], NULL);
        g_autofree char *prefix = g_strdup_printf(", %s: ", kept[i]);
        g_autofree char *text = NULL;
        uint64_t value;
        ConfigType type;

        if (!exchange_has_key(kind, kept[i]) || strstr(more, prefix) ||
            !config_value_read_at_path(&profile->config, path, &value, &type))
            continue;
        text = quantity_format(value, type);
        g_string_append_printf(out, "%s%s", prefix, text);
    }
}

/* Appends the setting @key of the file's exchange, if it has one. */
static void append_configured_setting(const RunProfile *profile,
                                      const char *key, GString *out)
{
    g_autofree char *path = g_strconcat("training.exchange.", key, NULL);
    const ConfigNode *node = config_doc_find_exact(profile->doc, path);
    g_autofree char *text = node ? yaml_flow_text(node) : NULL;

    if (text)
        g_string_append_printf(out, ", %s: %s", key, text);
}

char *run_profile_exchange_sets(const RunProfile *profile, const char *kind,
                                const char *more)
{
    GString *out = g_string_new(NULL);

    g_string_printf(out, "training.exchange={kind: %s%s", kind, more);
    append_kept_settings(profile, kind, more, out);
    append_configured_setting(profile, "compression", out);
    append_configured_setting(profile, "sparse", out);
    g_string_append_c(out, '}');
    return g_string_free(out, FALSE);
}

void run_profile_count_tensors(RunProfile *profile, const Candidate *candidate)
{
    g_autofree char *sets = run_profile_exchange_sets(profile, "tensor", "");
    g_autoptr(Candidate) tensors =
        candidate_with_setting_changed(candidate, ASPECT_EXCHANGE, sets);
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(System) system = NULL;

    profile->n_tensors = 0;
    if (!run_has_gradients(&profile->config))
        return;
    doc = load_trial_config(profile->maker, tensors, &config, NULL);
    if (doc)
        system = system_new(&config, profile->maker->run_options, NULL);
    if (system)
        profile->n_tensors =
            gradient_messages_count_tensors(system_graph(system));
}

/* ---- the shares of the run time on the critical path --------------------- */

static gboolean is_communication_row(uint32_t row)
{
    return row == PATH_LOST_SMS || row == PATH_LOST_HBM ||
           path_row_is_communication_wait(row);
}

/* Runs the default and finds the shares of its critical path. */
static gboolean find_critical_path_shares(RunProfile *profile, GError **error)
{
    g_autoptr(System) system =
        system_new(&profile->config, profile->maker->run_options, error);
    g_autoptr(CriticalPath) path = NULL;
    SimTime total_ps;

    if (!system)
        return FALSE;
    profile->n_hops = system_estimate_size(system).n_hops;
    profile->work = count_trial_work(system_graph(system));
    path = critical_path_new(system, 0);
    if (!system_run(system, error))
        return FALSE;
    total_ps = system_result(system).total_ps;
    critical_path_finish(path, total_ps);
    for (uint32_t row = 0; row < PATH_N; row++) {
        double share = (double)critical_path_row_time_ps(path, row) /
                       (double)MAX(total_ps, 1);

        if (row == PATH_LOST_SMS || row == PATH_LOST_HBM)
            profile->kernel_slowdown += share;
        if (is_communication_row(row))
            profile->communication += share;
        else if (row == PATH_LAUNCH || row == PATH_FIXED)
            profile->fixed += share;
    }
    return TRUE;
}

/* ---- collecting all facts about the run ---------------------------------- */

RunProfile *run_profile_new(const TrialMaker *maker, GError **error)
{
    g_autoptr(RunProfile) profile = g_new0(RunProfile, 1);
    g_autoptr(Candidate) plain = candidate_new();

    profile->maker = maker;
    profile->tensors = g_array_new(FALSE, FALSE, sizeof(GroupingTensor));
    profile->messages = g_array_new(FALSE, FALSE, sizeof(GroupingMessage));
    profile->doc = load_trial_config(maker, plain, &profile->config, error);
    if (!profile->doc || !find_critical_path_shares(profile, error))
        return NULL;
    profile->is_recorded =
        profile->config.training.communication == COMMUNICATION_RECORDED;
    run_profile_count_tensors(profile, plain);
    return g_steal_pointer(&profile);
}

void run_profile_free(RunProfile *profile)
{
    if (!profile)
        return;
    g_array_unref(profile->tensors);
    g_array_unref(profile->messages);
    config_doc_free(profile->doc);
    g_free(profile);
}

void run_profile_set_messages(RunProfile *profile, const Trial *whole,
                              const GPtrArray *trials)
{
    g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(GroupingMessage));

    if (!whole)
        return;
    for (guint i = 0; i < trials->len; i++) {
        const Trial *trial = g_ptr_array_index(trials, i);

        gradient_messages_append_times(trial->messages, seen);
    }
    g_array_unref(profile->tensors);
    g_array_unref(profile->messages);
    profile->tensors = gradient_messages_list_tensors(whole->messages);
    profile->messages = grouping_average_messages(
        (const GroupingMessage *)(gconstpointer)seen->data, seen->len);
}
