/* candidate_run.c - one run of a search */
#include "sim/study/optimise/candidate_run.h"

#include <inttypes.h>

#include "sim/study/load_run_file.h"
#include "sim/study/model_figures.h"
#include "sim/study/optimise/gradient_messages.h"
#include "sim/study/optimise/run_cut_off.h"
#include "sim/study/optimise/trial_critical_path.h"
#include "sim/study/optimise/yaml_writer.h"
#include "sim/study/tune_endpoint.h"
#include "workloads/layer.h"

ConfigDoc *load_trial_config(const TrialMaker *maker,
                             const Candidate *candidate, SystemConfig *config,
                             GError **error)
{
    g_autoptr(ConfigDoc) doc = maker->open(maker->self, error);
    g_auto(GStrv) sets = candidate_settings_list(candidate);

    if (!doc)
        return NULL;
    for (guint i = 0; maker->sets && maker->sets[i]; i++)
        if (!load_apply_setting(doc, maker->sets[i], error))
            return NULL;
    for (guint i = 0; sets[i]; i++)
        if (!load_apply_setting(doc, sets[i], error))
            return NULL;
    if (!config_doc_read(doc, system_fields, config, error))
        return NULL;
    return g_steal_pointer(&doc);
}

GString *candidate_run_file(const TrialMaker *maker, const Candidate *candidate,
                            const char *folder, const char *head,
                            GError **error)
{
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        load_trial_config(maker, candidate, &config, error);
    g_auto(GStrv) lines = g_strsplit(head, "\n", -1);
    g_autoptr(GString) text = NULL;

    if (!doc)
        return NULL;
    text = yaml_document_text(doc, system_fields, folder);
    for (guint i = g_strv_length(lines); i-- > 0;) {
        g_autofree char *line = g_strdup_printf("# %s\n", lines[i]);

        g_string_prepend(text, line);
    }
    return g_steal_pointer(&text);
}

TrialWork count_trial_work(const OpGraph *graph)
{
    TrialWork work = { .n_weights = graph->n_weights };

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->pass != OP_UPDATE)
            work.flop = layer_add_saturating(work.flop, op->work->flop);
    }
    return work;
}

/* Returns whether the run does all of the default's work.  A move that left out
 * work would otherwise win. */
static gboolean check_work_of_default_is_done(const TrialMaker *maker,
                                              const System *system,
                                              GError **error)
{
    TrialWork work = count_trial_work(system_graph(system));

    if (work.flop >= maker->work.flop &&
        work.n_weights >= maker->work.n_weights)
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_WRONG_DATA,
                "it does less work than the default: an error of the move "
                "that proposed it");
    return FALSE;
}

static gboolean candidate_run_fits_in_limits(const TrialMaker *maker,
                                             const System *system,
                                             uint64_t *ret_bytes,
                                             GError **error)
{
    const StageMemory *fullest;

    if (!check_work_of_default_is_done(maker, system, error))
        return FALSE;
    fullest = rank_memory_fullest(system_graph(system)->memory);
    *ret_bytes = fullest ? rank_memory_sum(&fullest->peak) : 0;
    if (maker->memory_bytes == 0 || *ret_bytes <= maker->memory_bytes)
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                "a rank needs %" PRIu64 " B of its memory, and has %" PRIu64
                " B",
                *ret_bytes, maker->memory_bytes);
    return FALSE;
}

/* Appends "TIME MEMORY BUBBLE MFU PATH MESSAGES"; PATH is 0 if @path is NULL
 * because it would be too long, or if it is not wanted.  @listener is NULL if
 * messages are not wanted. */
static void write_trial_result(const SystemConfig *config, const System *system,
                               const MessageListener *listener, RankPath *path,
                               uint64_t memory_bytes, GString *out)
{
    SystemResult r = system_result(system);
    g_autofree SimTime *ops_ps = NULL;
    TrialPath parts = { 0 };
    ModelFigures model = { 0 };

    if (path) {
        rank_path_finish(path, &r);
        parts = sum_critical_path_by_cause(system, path);
        ops_ps = trial_path_time_by_op(system, path);
    }
    if (!model_figures_of_run(config, system, &model))
        model.mfu = 0;
    g_string_append_printf(
        out,
        "%" PRIu64 " %" PRIu64 " %" PRIu64 " %.0f %" PRIu64 " %" PRIu64
        " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
        r.iteration_ps, memory_bytes, stream_times_bubble_ps(&model.times),
        model.mfu * 1e6, parts.kernels_ps, parts.hosts_ps, parts.idle_ps,
        parts.messages_ps, parts.lanes_ps, parts.gaps_ps);
    if (listener)
        message_listener_write(listener, ops_ps, out);
}

/* Runs a candidate whose endpoint has values that are `auto`: chooses them for
 * it.  The run is not cut off. */
static void run_tuned_candidate(const TrialMaker *maker,
                                const SystemConfig *config, GString *out)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(TuneResult) tuned =
        tune_endpoint(config, maker->run_options, &error);
    uint64_t memory_bytes;

    if (tuned && candidate_run_fits_in_limits(maker, tuned->system,
                                              &memory_bytes, &error))
        write_trial_result(tuned->config, tuned->system, NULL, NULL,
                           memory_bytes, out);
    else
        g_string_append_printf(out, " %s", error->message);
}

void run_optimise_candidate(const TrialMaker *maker, const Candidate *candidate,
                            SimTime limit_ps, GString *out)
{
    SystemConfig config;
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc =
        load_trial_config(maker, candidate, &config, &error);
    g_autoptr(System) system = NULL;
    g_autoptr(MessageListener) listener = NULL;
    g_autoptr(RankPath) path = NULL;
    g_autoptr(CutOff) cut_off = NULL;
    gboolean is_cut = FALSE;
    uint64_t memory_bytes = 0;

    if (doc && endpoint_tuning_is_needed(&config)) {
        run_tuned_candidate(maker, &config, out);
        return;
    }
    if (doc)
        system = system_new(&config, maker->run_options, &error);
    if (system &&
        candidate_run_fits_in_limits(maker, system, &memory_bytes, &error)) {
        listener = maker->is_quick ? NULL : message_listener_new(system);
        path = maker->is_quick ? NULL : rank_path_new(system, NULL);
        cut_off = cut_off_new(system, limit_ps);
        if (cut_off_run_until_limit(cut_off, &is_cut, &error)) {
            write_trial_result(&config, system, listener, path, memory_bytes,
                               out);
            return;
        }
    }
    if (is_cut)
        g_string_append_printf(out, TRIAL_CUT_OFF "%" PRIu64, limit_ps);
    else
        g_string_append_printf(out, " %s", error->message);
}
