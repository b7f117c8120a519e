/* plan_samples.c - the times of a few layers of each plan, by simulation */
#include "sim/study/optimise/plan_samples.h"

#include <inttypes.h>
#include <stdio.h>

#include "models/run/report/isolated_run.h"
#include "models/run/stream_times.h"
#include "sim/study/tune_endpoint.h"
#include "workloads/workload.h"

/* The share of the forward pass in what communication adds: see the header. */
#define FORWARD_SHARE 0.4

typedef struct {
    char *text;      /* owned: the settings */
    gboolean is_run; /* the times are valid */
    gboolean is_done;
    PlanTimes alone;
    SimTime iteration_ps, exchange_ps;
} Sample;

struct PlanSamples {
    const TrialMaker *maker;       /* borrowed */
    const ConfigVariant *workload; /* borrowed */
    const PlanOps *ops;            /* static */
    uint64_t layers[PLAN_MAX_SAMPLES];
    guint n_layers;
    GPtrArray *samples;  /* owned: of owned Sample, in the order of requests */
    GHashTable *by_text; /* owned: borrowed text -> borrowed Sample */
    guint n_done;
};

static void free_plan_sample(gpointer data)
{
    Sample *sample = data;

    g_free(sample->text);
    g_free(sample);
}

PlanSamples *plan_samples_new(const TrialMaker *maker,
                              const ConfigVariant *workload)
{
    PlanSamples *samples = g_new0(PlanSamples, 1);

    samples->maker = maker;
    samples->workload = workload;
    samples->ops = ((const LoopOps *)workload->kind)->plans;
    samples->n_layers = samples->ops->sample_layers(workload, samples->layers);
    samples->samples = g_ptr_array_new_with_free_func(free_plan_sample);
    samples->by_text = g_hash_table_new(g_str_hash, g_str_equal);
    return samples;
}

void plan_samples_free(PlanSamples *samples)
{
    if (!samples)
        return;
    g_hash_table_unref(samples->by_text);
    g_ptr_array_unref(samples->samples);
    g_free(samples);
}

char *plan_lines_as_settings(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GString *out = g_string_new(NULL);

    for (guint i = 0; lines[i]; i++)
        g_string_append_printf(out, "%sworkload.%s", i > 0 ? "\n" : "",
                               lines[i]);
    return g_string_free(out, FALSE);
}

uint64_t slowest_link_bytes_per_s(const Topology *topology)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        least = MIN(least, port->payload_bytes_per_s * port->n_links);
    }
    return least;
}

static char *settings_text_of_sample(const PlanSamples *samples,
                                     const WorkloadPlan *plan, guint i)
{
    g_autofree char *lines =
        samples->ops->sample_sets(samples->workload, plan, samples->layers[i]);
    g_autofree char *settings = plan_lines_as_settings(lines);

    return g_strconcat(
        settings, "\ntraining.memory=ignored\ntraining.iterations=1", NULL);
}

void plan_samples_add(PlanSamples *samples, const WorkloadPlan *plan)
{
    for (guint i = 0; i < samples->n_layers; i++) {
        g_autofree char *text = settings_text_of_sample(samples, plan, i);
        Sample *sample;

        if (g_hash_table_contains(samples->by_text, text))
            continue;
        sample = g_new0(Sample, 1);
        sample->text = g_steal_pointer(&text);
        g_ptr_array_add(samples->samples, sample);
        g_hash_table_insert(samples->by_text, sample->text, sample);
    }
}

guint plan_samples_count(const PlanSamples *samples)
{
    return samples->samples->len;
}

/* ---- one sample, which may run in another process ------------------------ */

/* Returns the times of the kernels of NPU 0, each alone. */
static PlanTimes sum_isolated_kernel_times(const System *system)
{
    const OpGraph *graph = system_graph(system);
    uint32_t role = coll_placement_role(system_placement(system), 0);
    PlanTimes ret = { 0 };

    for (uint32_t op = 0; op < graph->ops->len; op++) {
        const Op *what = op_graph_op(graph, op);
        SimTime time_ps;

        if (what->type != OP_COMPUTE || what->stream != OP_STREAM_MAIN ||
            !op_has_role(what, role))
            continue;
        time_ps = system_isolated_op_time_ps(system, 0, op, 0);
        if (what->pass == OP_FORWARD)
            ret.forward_ps += time_ps;
        else if (what->pass == OP_INPUT_GRADIENT)
            ret.input_ps += time_ps;
        else if (what->pass == OP_UPDATE)
            ret.update_ps += time_ps;
        else
            ret.weight_ps += time_ps;
    }
    return ret;
}

/* Appends "FORWARD INPUT WEIGHT UPDATE ITERATION EXCHANGE". */
static void write_sample_times(const System *system, GString *out)
{
    PlanTimes alone = sum_isolated_kernel_times(system);
    StreamTimes times = system_stream_times(system);

    g_string_append_printf(
        out,
        "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
        alone.forward_ps, alone.input_ps, alone.weight_ps, alone.update_ps,
        system_result(system).iteration_ps, times.wait_ps[WAIT_DP]);
}

/* Appends nothing if the sample cannot be run. */
static void run_plan_sample(gpointer self, guint i, GString *out)
{
    const PlanSamples *samples = self;
    const Sample *sample = g_ptr_array_index(samples->samples, i);
    g_autoptr(Candidate) none = candidate_new();
    g_autoptr(Candidate) candidate =
        candidate_with_setting_changed(none, ASPECT_PLAN, sample->text);
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        load_trial_config(samples->maker, candidate, &config, NULL);
    g_autoptr(TuneResult) tuned = NULL;
    g_autoptr(System) system = NULL;

    if (!doc)
        return;
    if (endpoint_tuning_is_needed(&config)) {
        tuned = tune_endpoint(&config, samples->maker->run_options, NULL);
        if (tuned)
            write_sample_times(tuned->system, out);
        return;
    }
    system = system_new(&config, samples->maker->run_options, NULL);
    if (system && system_run(system, NULL))
        write_sample_times(system, out);
}

static void parse_sample_times(Sample *sample, const char *text)
{
    PlanTimes *alone = &sample->alone;

    sample->is_done = TRUE;
    sample->is_run = sscanf(text,
                            "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                            " %" SCNu64 " %" SCNu64,
                            &alone->forward_ps, &alone->input_ps,
                            &alone->weight_ps, &alone->update_ps,
                            &sample->iteration_ps, &sample->exchange_ps) == 6;
}

/* Returns the times of the whole run.  The exchange of gradients is a part of
 * the passes if @in_passes, else of the update. */
static PlanTimes simulated_times_of_sample(const Sample *sample,
                                           gboolean in_passes)
{
    PlanTimes ret = sample->alone;
    SimTime sum_ps, rest_ps;

    if (!in_passes)
        ret.update_ps += sample->exchange_ps;
    sum_ps = ret.forward_ps + ret.input_ps + ret.weight_ps + ret.update_ps;
    rest_ps = sample->iteration_ps > sum_ps ? sample->iteration_ps - sum_ps : 0;
    ret.forward_ps += (SimTime)(FORWARD_SHARE * (double)rest_ps);
    ret.input_ps += rest_ps - (SimTime)(FORWARD_SHARE * (double)rest_ps);
    return ret;
}

/* ---- all samples --------------------------------------------------------- */

static char *result_key_of_sample(const PlanSamples *samples,
                                  const Sample *sample)
{
    g_autofree char *all = g_strdup_printf("%s\nplan sample\n%s",
                                           samples->maker->id, sample->text);

    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, all, -1);
}

/* The samples that must be run. */
typedef struct {
    PlanSamples *samples;
    GArray *todo; /* of guint: indices */
} SampleBatch;

static guint sample_number_of_batch_piece(gpointer self, guint i)
{
    const SampleBatch *batch = self;

    return g_array_index(batch->todo, guint, i);
}

static void run_sample_of_batch(gpointer self, guint number, GString *out)
{
    const SampleBatch *batch = self;

    run_plan_sample(batch->samples, number, out);
}

static void store_sample_result(gpointer self, guint i, const GString *text,
                                const char *reason)
{
    const SampleBatch *batch = self;
    PlanSamples *samples = batch->samples;
    Sample *sample = g_ptr_array_index(samples->samples,
                                       g_array_index(batch->todo, guint, i));
    g_autofree char *key = result_key_of_sample(samples, sample);

    parse_sample_times(sample, reason ? "" : text->str);
    if (!reason && samples->maker->keep)
        samples->maker->keep(samples->maker->self, key, text->str);
    samples->n_done++;
    if (samples->maker->on_trial)
        samples->maker->on_trial(samples->maker->self, samples->n_done,
                                 samples->samples->len, 0);
}

gboolean plan_samples_run(PlanSamples *samples, GError **error)
{
    g_autoptr(GArray) todo = g_array_new(FALSE, FALSE, sizeof(guint));
    SampleBatch batch = { samples, todo };
    RunMany many = { .number = sample_number_of_batch_piece,
                     .work = run_sample_of_batch,
                     .piece_ended = store_sample_result,
                     .self = &batch };
    g_autoptr(GError) reason = NULL;

    for (guint i = 0; i < samples->samples->len; i++) {
        Sample *sample = g_ptr_array_index(samples->samples, i);
        g_autofree char *key = result_key_of_sample(samples, sample);
        const char *text = NULL;

        if (!sample->is_done && samples->maker->recall)
            text = samples->maker->recall(samples->maker->self, key);
        if (text)
            parse_sample_times(sample, text);
        else if (!sample->is_done)
            g_array_append_val(todo, i);
    }
    samples->n_done = samples->samples->len - todo->len;
    many.n = todo->len;
    if (todo->len == 0 ||
        samples->maker->run_many(samples->maker->self, &many, &reason))
        return TRUE;
    g_set_error(error, reason->domain, reason->code,
                "%s after %u of %u runs of a few layers, which rate the plans, "
                "and before any run of a plan: with --resume FILE the runs "
                "would be kept, and --keep KEY,KEY leaves fewer plans",
                reason->message, samples->n_done, samples->samples->len);
    return FALSE;
}

gboolean plan_samples_get(const PlanSamples *samples, const WorkloadPlan *plan,
                          PlanTimes ret_alone[PLAN_MAX_SAMPLES],
                          PlanTimes ret_simulated[PLAN_MAX_SAMPLES])
{
    for (guint i = 0; i < samples->n_layers; i++) {
        g_autofree char *text = settings_text_of_sample(samples, plan, i);
        const Sample *sample = g_hash_table_lookup(samples->by_text, text);

        if (!sample || !sample->is_run)
            return FALSE;
        ret_alone[i] = sample->alone;
        ret_alone[i].update_ps = 0;
        ret_simulated[i] = simulated_times_of_sample(
            sample, samples->ops->exchanges_in_passes(plan));
    }
    return TRUE;
}
