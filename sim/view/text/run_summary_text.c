/* run_summary_text.c - a short summary of a run, as text */
#include "sim/view/text/run_summary_text.h"

#include "models/npu/kernel_time.h"
#include "models/run/regions/thread_count.h"
#include "models/run/report/faster_algorithm_note.h"
#include "models/run/report/run_notes.h"
#include "models/run/stack_costs.h"
#include "models/run/steady/skip_mode.h"
#include "sim/config/quantity.h"
#include "sim/core/aligned_table.h"
#include "sim/study/config_value.h"
#include "sim/study/expected_error/expected_error.h"
#include "sim/study/model_figures.h"
#include "sim/study/rows/run_rows.h"
#include "sim/study/tune_endpoint.h"
#include "sim/study/utilisation_summary.h"
#include "sim/view/text/collective_lanes_text.h"
#include "sim/view/text/recorded_times_text.h"
#include "sim/view/text/summary_first_line.h"
#include "sim/view/text/time_text.h"

typedef struct {
    const SystemConfig *config;
    const System *system;
    SystemResult r;
    gboolean has_model; /* the workload is a language model */
    ModelFigures model; /* if .has_model */
    GArray *resources;  /* owned: of ResourceUtilisation */
} RunSummary;

static double ratio_or_zero_if_no_capacity(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double byte_rate_per_s(uint64_t bytes, SimTime ps)
{
    return 1e12 * ratio_or_zero_if_no_capacity((double)bytes, (double)ps);
}

/* ---- the use of resources ------------------------------------------------ */

/* The smallest exposed share of the iteration that the summary mentions; an
 * explanation uses the same value. */
#define WORTH_A_WORD 0.01

static const ResourceUtilisation *summary_resource_at(const RunSummary *summary,
                                                      guint i)
{
    return &g_array_index(summary->resources, ResourceUtilisation, i);
}

/* The bubble of a pipeline is no exposed communication. */
static double exposed_share_of_iteration(const RunSummary *summary)
{
    SimTime exposed_ps = 0;

    for (WaitCause c = WAIT_TP; summary->has_model && c < WAIT_OTHER; c++)
        exposed_ps += summary->model.times.wait_ps[c];
    if (summary->has_model)
        return ratio_or_zero_if_no_capacity((double)exposed_ps,
                                            (double)summary->r.iteration_ps);
    return ratio_or_zero_if_no_capacity((double)summary->r.exposed_ps,
                                        (double)summary->r.iteration_ps);
}

/* Returns whether enough communication is exposed that the occupancy of SMs
 * does not explain the iteration time. */
static gboolean is_communication_exposed(const RunSummary *summary)
{
    return summary->r.sent_bytes > 0 &&
           exposed_share_of_iteration(summary) >= WORTH_A_WORD;
}

/* Returns the index of the resource with the highest utilisation; if @exposed,
 * only of resources for communication. */
static guint find_busiest_resource(const RunSummary *summary, gboolean exposed)
{
    guint best = 0;

    for (guint i = 1; i < summary->resources->len; i++)
        if ((!exposed || summary_resource_at(summary, i)->communicates) &&
            summary_resource_at(summary, i)->share >
                summary_resource_at(summary, best)->share)
            best = i;
    return best;
}

/* Writes the exposed share, and the busiest resource while collectives are in
 * flight.  The busiest resource is not necessarily the bottleneck: latency, a
 * full window, or a collective ahead in the queue may limit while all resources
 * are idle.  Only the critical path shows the cause. */
static void write_exposed_share(const RunSummary *summary, GString *out)
{
    const ResourceUtilisation *most =
        summary_resource_at(summary, find_busiest_resource(summary, TRUE));
    double in_flight = ratio_or_zero_if_no_capacity(
        (double)summary->r.comm_ps, (double)summary->r.iteration_ps);

    if (!is_communication_exposed(summary) || in_flight <= 0 ||
        !most->communicates)
        return;
    g_string_append_printf(
        out,
        "%.1f %% of the iteration is exposed communication (--explain shows "
        "its causes).\nHighest while collectives are in flight: %s, %.1f %%\n",
        100 * exposed_share_of_iteration(summary), most->name,
        MIN(100, 100 * most->share / in_flight));
}

static void write_window_limit(const RunSummary *summary, GString *out)
{
    double share = ratio_or_zero_if_no_capacity((double)summary->r.window_ps,
                                                (double)summary->r.comm_ps);
    uint64_t window;

    if (!utilisation_is_window_bound(
            share, utilisation_max_share(summary->config, summary->system)))
        return;
    window = system_chunking_of_largest_collective(summary->system)->window;
    g_string_append_printf(out,
                           "No resource is fully used while collectives are in "
                           "flight, but chunks wait %.0f %% of that time\nfor "
                           "the window of %" G_GUINT64_FORMAT
                           " chunk%s: --explain shows what a larger "
                           "collectives.window gains\n",
                           100 * share, window, window == 1 ? "" : "s");
}

static void write_resource_shares(const RunSummary *summary, GString *out)
{
    const TableColumn columns[] = {
        { "utilisation of NPU 0", FALSE, 0 },
        { "in use", TRUE, 0 },
        { "capacity", FALSE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    guint best =
        find_busiest_resource(summary, is_communication_exposed(summary));

    for (guint i = 0; i < summary->resources->len; i++) {
        const ResourceUtilisation *resource = summary_resource_at(summary, i);

        table_add_cell(table, resource->name);
        table_add_cell_printf(table, "%.1f %%", 100 * resource->share);
        table_add_cell_printf(table, "%s%s", resource->detail,
                              i != best ? ""
                              : is_communication_exposed(summary)
                                  ? "   <- highest of communication"
                                  : "   <- highest");
    }
    table_write(table, out, 0, 0);
    write_exposed_share(summary, out);
    write_window_limit(summary, out);
}

/* ---- the tables of times and rates --------------------------------------- */

/* Adds a row with @ps, its share of the iteration and a remark.  Communication
 * may end after the last iteration: then it has no share. */
static void add_time_row(const RunSummary *summary, Table *table,
                         const char *what, SimTime ps, const char *remark)
{
    g_autofree char *text = time_text(ps);

    table_add_cell(table, what);
    table_add_cell(table, text);
    if (ps > summary->r.iteration_ps) {
        table_add_cell(table, "");
        table_add_cell(table,
                       "including collectives that end after the iterations");
        return;
    }
    table_add_cell_printf(
        table, "%.1f %%",
        100 * ratio_or_zero_if_no_capacity((double)ps,
                                           (double)summary->r.iteration_ps));
    table_add_cell(table, remark);
}

/* Returns whether writes are not charged to the partition for communication.
 * Then reads and writes together may exceed the HBM bandwidth. */
static gboolean are_hbm_writes_free(const RunSummary *summary)
{
    const HbmConfig *hbm = &summary->config->platform.npu.hbm;

    return hbm->policy == HBM_PARTITIONED && !hbm->charge_writes &&
           summary->r.hbm_comm_write_bytes > 0 &&
           summary->r.hbm_compute_bytes > 0;
}

static void add_hbm_rate_rows(const RunSummary *summary, Table *table)
{
    const SystemResult *result = &summary->r;
    g_autofree char *sent = format_rate((double)result->net_bytes_per_s);
    g_autofree char *cap = format_rate((double)result->net_cap_bytes_per_s);
    g_autofree char *hbm = format_rate(byte_rate_per_s(
        result->hbm_comm_read_bytes + result->hbm_comm_write_bytes,
        result->comm_ps));
    g_autofree char *read = format_rate(
        byte_rate_per_s(result->hbm_comm_read_bytes, result->comm_ps));
    g_autofree char *written = format_rate(
        byte_rate_per_s(result->hbm_comm_write_bytes, result->comm_ps));

    table_add_cell(table, "network, sent per NPU");
    table_add_cell(table, sent);
    table_add_cell_printf(table, "%.1f %%",
                          100 * ratio_or_zero_if_no_capacity(
                                    (double)result->net_bytes_per_s,
                                    (double)result->net_cap_bytes_per_s));
    table_add_cell_printf(table, "of %s, the capacity of the links in use",
                          cap);
    table_add_cell(table, "HBM, communication");
    table_add_cell(table, hbm);
    table_add_cell(table, "");
    table_add_cell_printf(
        table, "%s read, %s written%s", read, written,
        are_hbm_writes_free(summary)
            ? "; writes do not slow kernels down (hbm.charge_writes)"
            : "");
}

/* Adds the chunk size, message size and window of the largest collective. */
static void add_chunk_size_row(const RunSummary *summary, Table *table)
{
    const CollectiveConfig *config = &summary->config->collectives;
    const Cut *cut = system_chunking_of_largest_collective(summary->system);
    gboolean any_chosen = config->chunk_bytes == CONFIG_AUTO ||
                          config->message_bytes == CONFIG_AUTO ||
                          config->window == CONFIG_AUTO;
    g_autofree char *chunk = NULL;
    g_autofree char *message = NULL;

    if (!cut)
        return;
    chunk = quantity_format(cut->chunk_bytes, CONFIG_BYTES);
    message = quantity_format(MIN(cut->message_bytes, cut->chunk_bytes),
                              CONFIG_BYTES);
    table_add_cell(table, any_chosen ? "chunks, chosen" : "chunks");
    table_add_cell(table, chunk);
    table_add_cell(table, "");
    table_add_cell_printf(
        table, "messages of at most %s, %" G_GUINT64_FORMAT " chunks in flight",
        message, cut->window);
}

/* Adds the SMs and bandwidth of the side stream, if they were chosen. */
static void add_side_stream_row(const RunSummary *summary, Table *table)
{
    uint64_t n_sms, byte_rate_per_s;

    if (!system_chosen_side_share(summary->system, &n_sms, &byte_rate_per_s))
        return;
    table_add_cell(table, "side stream, chosen");
    table_add_cell_printf(table, "%" G_GUINT64_FORMAT " SM%s", n_sms,
                          n_sms == 1 ? "" : "s");
    table_add_cell(table, "");
    table_add_cell_printf(table, "and %.1f GB/s of HBM",
                          (double)byte_rate_per_s / 1e9);
}

/* Writes a sentence if an approximate choice of the chunk size may cost
 * time. */
static void write_chunk_size_warning(const RunSummary *summary, GString *out)
{
    uint64_t ppm = system_chunking_error_ppm(summary->system);

    if (ppm > 0)
        g_string_append_printf(
            out,
            "warning: a collective may take %.1f %% too long (estimated), "
            "because the best chunks have too many messages to simulate;\n"
            "a smaller collectives.chunk is more accurate and takes longer\n",
            (double)ppm / 1e4);
}

/* If the run waits for a host or for input, only a part of the exposed time is
 * due to communication. */
static void add_exposed_time_rows(const RunSummary *summary, Table *table)
{
    SimTime comm_ps = summary->r.own_comm_ps -
                      MIN(summary->r.beside_ps, summary->r.own_comm_ps);
    g_autofree char *remark = NULL;

    if (summary->has_model) {
        add_time_row(summary, table, "  main stream waits",
                     summary->r.exposed_ps,
                     "bubble and exposed communication, see below");
        return;
    }
    if (system_graph(summary->system)->queues->len == 0) {
        add_time_row(summary, table, "  exposed communication",
                     summary->r.exposed_ps, "the main stream waits");
        return;
    }
    remark =
        g_strdup_printf("with collectives in flight %.1f %%",
                        100 * ratio_or_zero_if_no_capacity(
                                  (double)MIN(comm_ps, summary->r.exposed_ps),
                                  (double)summary->r.iteration_ps));
    add_time_row(summary, table, "  main stream waits", summary->r.exposed_ps,
                 remark);
}

static void write_time_table(const RunSummary *summary, GString *out)
{
    const TableColumn columns[] = {
        { "", FALSE, 0 },
        { "", TRUE, 0 },
        { "share", TRUE, 0 },
        { "", FALSE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    g_autofree char *mean = g_strdup_printf(
        "mean of %" G_GUINT64_FORMAT " iterations", summary->r.n_iterations);

    add_time_row(summary, table, "iteration time", summary->r.iteration_ps,
                 summary->r.n_iterations > 1 ? mean : "one iteration");
    add_recorded_time_row(summary->system, summary->r.iteration_ps, table);
    add_time_row(summary, table, "  compute", summary->r.compute_ps,
                 "kernels of the main stream");
    add_exposed_time_rows(summary, table);
    add_time_row(summary, table, "collectives in flight", summary->r.comm_ps,
                 "at least one collective is in flight");
    table_write(table, out, 0, 0);
}

#define GIB (1024.0 * 1024 * 1024)

/* Adds the memory of the fullest rank, by kind, and when it is needed. */
static void add_memory_row(Table *table, const StageMemory *fullest)
{
    g_autoptr(GString) kinds = g_string_new(NULL);

    for (guint k = 0; k < MEMORY_N_KINDS; k++)
        g_string_append_printf(kinds, "%s%s %.4g", k > 0 ? ", " : "",
                               memory_kind_names[k],
                               (double)fullest->peak.bytes[k] / GIB);
    table_add_cell(table, "memory");
    table_add_cell_printf(table, "%.4g GiB",
                          (double)rank_memory_sum(&fullest->peak) / GIB);
    table_add_cell_printf(table,
                          "of the fullest rank, in stage %u at %s of "
                          "micro-batch %u, chunk %u: %s",
                          fullest->stage, fullest->pass, fullest->micro_batch,
                          fullest->chunk, kinds->str);
}

/* Adds a row with the sum of the waits of some causes, and each of them. */
static void add_wait_row(const RunSummary *summary, Table *table,
                         const char *what, WaitCause first, WaitCause end)
{
    const StreamTimes *times = &summary->model.times;
    g_autoptr(GString) parts = g_string_new(NULL);
    g_autofree char *text = NULL;
    SimTime sum_ps = 0;

    for (WaitCause c = first; c < end; c++) {
        g_autofree char *part = time_text(times->wait_ps[c]);

        sum_ps += times->wait_ps[c];
        if (times->wait_ps[c] > 0)
            g_string_append_printf(parts, "%s%s %s", parts->len > 0 ? ", " : "",
                                   wait_cause_names[c], part);
    }
    text = time_text(sum_ps);
    g_strdelimit(parts->str, "_", '-');
    table_add_cell(table, what);
    table_add_cell(table, text);
    table_add_cell_printf(table, "%.1f %% of the iteration%s%s",
                          100 * (double)sum_ps /
                              (double)summary->r.iteration_ps,
                          parts->len > 0 ? ": " : "", parts->str);
}

/* Writes the results in the terms of a language model, for each NPU. */
static void write_language_model(const RunSummary *summary, GString *out)
{
    const TableColumn columns[] = {
        { "", FALSE, 0 },
        { "", TRUE, 0 },
        { "", FALSE, 0 },
    };
    const ModelFigures *figures = &summary->model;
    g_autoptr(Table) table = NULL;

    if (!summary->has_model)
        return;
    table = table_new(columns, G_N_ELEMENTS(columns));
    table_add_cell(table, "weights");
    table_add_cell_printf(table, "%.4g G", (double)figures->n_weights * 1e-9);
    table_add_cell_printf(table, "a token uses %.4g G",
                          (double)figures->n_active_weights * 1e-9);
    table_add_cell(table, "tokens");
    table_add_cell_printf(table, "%.5g /s", figures->tokens_per_s);
    table_add_cell_printf(table,
                          "for each NPU; %" G_GUINT64_FORMAT " an iteration",
                          figures->n_tokens);
    table_add_cell(table, "model FLOP");
    table_add_cell_printf(table, "%.4g TFLOP/s",
                          figures->model_flop_per_s * 1e-12);
    table_add_cell_printf(table,
                          "for each NPU: MFU %.1f %% of %.4g TFLOP/s; its "
                          "kernels do %.4g TFLOP/s",
                          100 * figures->mfu, figures->peak_flop_per_s * 1e-12,
                          figures->hardware_flop_per_s * 1e-12);
    add_memory_row(table, figures->memory);
    add_wait_row(summary, table, "bubble", WAIT_WARM_UP, WAIT_TP);
    add_wait_row(summary, table, "exposed", WAIT_TP, WAIT_OTHER);
    if (figures->times.wait_ps[WAIT_OTHER] > 0)
        add_wait_row(summary, table, "other waits", WAIT_OTHER, WAIT_N_CAUSES);
    g_string_append(out, "\nlanguage model\n");
    table_write(table, out, 0, 0);
}

static void write_hbm_and_network_rates(const RunSummary *summary, GString *out)
{
    const TableColumn columns[] = {
        { "while collectives are in flight", FALSE, 0 },
        { "", TRUE, 0 },
        { "", TRUE, 0 },
        { "", FALSE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    if (summary->r.sent_bytes > 0 ||
        !is_any_communication_replayed(summary->system))
        add_hbm_rate_rows(summary, table);
    add_chunk_size_row(summary, table);
    add_side_stream_row(summary, table);
    table_write(table, out, 0, 0);
}

/* Writes the factor between the calibrated totals and the times from shapes. */
static void write_calibration_factors(const RunSummary *summary, GString *out)
{
    const NpuConfig *npu = &summary->config->platform.npu;
    const OpGraph *graph = system_graph(summary->system);
    SimTime given_ps = 0, shapes_ps = 0;
    g_autofree char *given = NULL;
    g_autofree char *shapes = NULL;

    for (guint i = 0; i < OP_N_PASSES; i++)
        given_ps += graph->calibrated_ps[i];
    for (guint i = 0; given_ps > 0 && i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_COMPUTE && op->work->measured_ps == 0 &&
            graph->calibrated_ps[op->pass] > 0)
            shapes_ps += kernel_roofline_time_ps(
                npu, op->work, npu->n_sms, hbm_usable_bytes_per_s(&npu->hbm));
    }
    if (shapes_ps == 0)
        return;
    given = time_text(given_ps);
    shapes = time_text(shapes_ps);
    g_string_append_printf(out,
                           "note: kernel times with the whole NPU are scaled "
                           "to %s in all (training.compute: measured).\n"
                           "      SMs and FLOP/s do not change this total, but "
                           "how much communication slows each kernel down.\n"
                           "      The roofline of this NPU gives %s (--set "
                           "training.compute=roofline)\n",
                           given, shapes);
}

/* Writes the time of the optimiser's step, or that it is not modelled. */
static void write_optimiser_time(const RunSummary *summary, GString *out)
{
    const OpGraph *graph = system_graph(summary->system);
    const HbmConfig *hbm = &summary->config->platform.npu.hbm;
    g_autofree char *time = NULL;

    if (graph->n_weights == 0)
        return;
    if (!graph->optimiser) {
        g_string_append_printf(
            out, "note: the optimiser step is not simulated%s\n",
            summary->config->training.compute == COMPUTE_MEASURED
                ? " (--set training.optimiser=adam includes one); published "
                  "times exclude it"
                : "");
        return;
    }
    time = time_text(sim_time_from_bytes(graph->optimiser_bytes,
                                         hbm_usable_bytes_per_s(hbm)));
    g_string_append_printf(out,
                           "optimiser step: %s on %.1f million weights moves "
                           "%.1f MB per iteration, %s on the whole NPU\n",
                           graph->optimiser, (double)graph->n_weights / 1e6,
                           (double)graph->optimiser_bytes / 1e6, time);
}

static uint64_t stack_cost_ps(const RunSummary *summary, const char *key)
{
    uint64_t value = 0;
    ConfigType type;

    return config_value_read_at_path(summary->config, key, &value, &type)
               ? value
               : 0;
}

/* Returns whether a collective is started by the endpoint and not the stack. */
static gboolean endpoint_starts_collectives(const System *system)
{
    const OpGraph *graph = system_graph(system);

    for (uint32_t i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type == OP_COLLECTIVE &&
            !system_recipe(system, i))
            return TRUE;
    return FALSE;
}

/* Writes the costs of starting a collective. */
static void write_start_costs(const RunSummary *summary, GString *out)
{
    SimTime launch_ps = stack_cost_ps(summary, "endpoint.launch_time");
    SimTime step_ps = stack_cost_ps(summary, "endpoint.step_time");
    g_autofree char *launch = time_text(launch_ps);
    g_autofree char *step = time_text(step_ps);

    if (summary->r.sent_bytes == 0 ||
        !endpoint_starts_collectives(summary->system))
        return;
    if (launch_ps == 0 && step_ps == 0)
        g_string_append(out, "note: starting a collective or a step takes no "
                             "time (endpoint.launch_time, "
                             "endpoint.step_time)\n");
    else
        g_string_append_printf(out,
                               "starting a collective takes %s, a step %s\n",
                               launch, step_ps > 0 ? step : "no time");
}

/* Warns that the order of collectives matters if NPUs differ.  One NPU that is
 * 20 % slower makes ResNet-50 33 % slower under LIFO and 20 % under FIFO: an
 * NPU that is ahead starts the latest collective first, and waits in it for the
 * slow NPU. */
static void write_order_warning(const RunSummary *summary, GString *out)
{
    const PerturbConfig *perturb = &summary->config->perturb;

    if ((perturb->npus.n == 0 && perturb->jitter_ppm == 0) ||
        system_scheduler(summary->system) == SCHEDULER_FIFO ||
        system_scheduler(summary->system) == SCHEDULER_FAIR ||
        summary->r.hbm_compute_bytes == 0)
        return;
    g_string_append(out, "note: fast NPUs wait for slow ones, and the time "
                         "depends on the order of collectives\n      (compare "
                         "--set collectives.scheduler=fifo)\n");
}

/* Writes the sharing between communicators, which matters only if several are
 * in flight. */
static void write_bandwidth_sharing(const RunSummary *summary, GString *out)
{
    uint32_t n = system_max_active_communicators(summary->system);

    if (n > 1)
        g_string_append_printf(out,
                               "up to %u communicators share an NPU and its "
                               "links fairly (collectives.scheduler: fair)\n",
                               n);
}

static void write_tuned_values(const RunSummary *summary, GString *out)
{
    const ConfigVariant *endpoint = &summary->config->endpoint;
    g_autofree char *chosen = tune_values_text(endpoint);

    if (*chosen != '\0')
        g_string_append_printf(
            out, "tuned: %s, the best of %" G_GUINT64_FORMAT " tried\n", chosen,
            endpoint_n_runs_to_choose_auto(endpoint));
}

static void write_expected_error(const RunSummary *summary, GString *out)
{
    g_auto(ExpectedError) error =
        expected_error_of_run(summary->config, summary->system);
    g_autofree char *text = expected_error_text(&error);

    g_string_append_printf(out, "%s\n", text);
}

/* Writes notes, except those about rounded values, which go to standard
 * error. */
static void write_run_notes(const RunSummary *summary, GString *out)
{
    g_autoptr(RunNotes) notes = run_notes_new(summary->system);
    g_autoptr(GPtrArray) texts = run_notes_list(notes, summary->config);

    add_faster_algorithm_note(texts, summary->system);
    for (guint i = 0; i < texts->len; i++) {
        const char *text = g_ptr_array_index(texts, i);

        g_string_append_printf(out, "%s%s\n", run_note_prefix(text), text);
    }
    g_string_append(out, texts->len > 0 ? "\n" : "");
}

/* Writes how many chunks were skipped and collectives replayed, or compared by
 * --skip=check. */
static void write_skipped_chunks(const System *system, GString *out)
{
    uint64_t n_skipped = system_n_skipped(system);
    uint64_t n_checked = system_n_skip_checked(system);
    ReplayCounts replays = system_replay_counts(system);

    if (n_skipped > 0)
        g_string_append_printf(out,
                               "; %" G_GUINT64_FORMAT
                               " chunks skipped, which repeat a period",
                               n_skipped);
    if (replays.n_replayed > 0)
        g_string_append_printf(out,
                               "; %" G_GUINT64_FORMAT
                               " collectives replayed, which repeat another",
                               replays.n_replayed);
    if (n_checked > 0)
        g_string_append_printf(
            out,
            "; no chunk skipped, %" G_GUINT64_FORMAT
            " that repeat a period compared with the prediction",
            n_checked);
    else if (replays.n_checked > 0)
        g_string_append_printf(out,
                               "; no collective replayed, %" G_GUINT64_FORMAT
                               " that repeat another compared with it",
                               replays.n_checked);
    else if (system_skip_mode(system) == SKIP_CHECK)
        g_string_append(out, "; no chunk skipped, none would be");
}

static void write_summary_foot(const RunSummary *summary, double wall_s,
                               GString *out)
{
    const char *why = system_unfolded_reason(summary->system);
    guint n = summary->r.n_simulated;

    if (n < summary->r.n_npus)
        g_string_append_printf(
            out, "simulated: %u of %u NPUs, %s other%s equivalent", n,
            summary->r.n_npus, n + 1 == summary->r.n_npus ? "the" : "all",
            n + 1 == summary->r.n_npus ? " is" : "s are");
    else
        g_string_append_printf(out, "simulated: all %u NPUs", n);
    if (why)
        g_string_append_printf(out, " (%s)", why);
    write_skipped_chunks(summary->system, out);
    if (system_n_threads(summary->system) > 1)
        g_string_append_printf(out, "; %u threads",
                               system_n_threads(summary->system));
    g_string_append_printf(
        out,
        "\n           %.2f s, %" G_GUINT64_FORMAT
        " events, %.1f million events per second\n",
        wall_s, summary->r.n_events,
        ratio_or_zero_if_no_capacity((double)summary->r.n_events, wall_s) /
            1e6);
}

char *summary_of_run_text(const SystemConfig *config, const System *system,
                          double wall_s)
{
    RunSummary s = { .config = config,
                     .system = system,
                     .r = system_result(system) };
    GString *out = g_string_new(NULL);

    s.resources = utilisation_summary(config, system);
    s.has_model = model_figures_of_run(config, system, &s.model);
    write_summary_head(config, system, out);
    write_time_table(&s, out);
    write_language_model(&s, out);
    g_string_append_c(out, '\n');
    write_hbm_and_network_rates(&s, out);
    write_chunk_size_warning(&s, out);
    g_string_append_c(out, '\n');
    if (s.r.sent_bytes > 0 || !is_any_communication_replayed(system))
        write_resource_shares(&s, out);
    else
        g_string_append(out, "communication takes the recorded times: links "
                             "and endpoint are not simulated\n");
    g_string_append_c(out, '\n');
    write_expected_error(&s, out);
    write_run_notes(&s, out);
    write_calibration_factors(&s, out);
    write_order_warning(&s, out);
    write_bandwidth_sharing(&s, out);
    write_optimiser_time(&s, out);
    write_start_costs(&s, out);
    collective_lanes_text(system, out);
    write_tuned_values(&s, out);
    write_summary_foot(&s, wall_s, out);
    g_array_unref(s.resources);
    return g_string_free(out, FALSE);
}
