/* run_notes.c - notes that a reader of results needs in addition to the
 * numbers; see run_notes.h */
#include "models/run/report/run_notes.h"

#include <inttypes.h>
#include <stdarg.h>

#include "models/run/report/groups_across_nodes.h"
#include "models/run/run_state_impl.h"
#include "sim/config/config_node.h"

/* A run is throttled by its endpoint if the endpoint reads memory for at least
 * BUSY_PERCENT of the time in which collectives are in flight, while the
 * network carries less than USED_PERCENT of its capacity. */
#define BUSY_PERCENT 95
#define USED_PERCENT 60
#define SM_PERCENT   95

struct RunNotes {
    GPtrArray *texts; /* owned: the notes; the elements are owned strings */
    gboolean is_throttled;
    uint64_t sent_bytes_per_s, cap_bytes_per_s;
    double busy_percent;
};

static void add_run_note(GPtrArray *texts, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

static void add_run_note(GPtrArray *texts, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(texts, g_strdup_vprintf(format, args));
    va_end(args);
}

/* ---- recordings ----------------------------------------------------- */

/* Returns the number of ranks in each set of group @g, or 0 if it depends on
 * the platform. */
static uint32_t number_of_npus_in_group_set(const OpGraph *graph, uint32_t g,
                                            uint32_t n_npus)
{
    const OpGroup *group = op_graph_group(graph, g);

    if (group->grouped_by == GROUP_ALL)
        return n_npus;
    return group->grouped_by == GROUP_DIMS ? 0 : group->size;
}

/* Adds a note on collectives of an imported program that end immediately
 * because the rank is the only participant. */
static void add_single_participant_note(GPtrArray *texts, const OpGraph *graph,
                                        uint32_t n_npus)
{
    guint n = 0;

    if (graph->recorded.iteration_ps == 0 && !graph->recorded.notes)
        return;
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        n += op->type == OP_COLLECTIVE && op->kind < COLL_N_KINDS &&
             !op->is_recorded && op->payload_bytes > 1 &&
             number_of_npus_in_group_set(graph, op->group, n_npus) == 1;
    }
    if (n > 0)
        add_run_note(
            texts,
            "warning: %u collective%s one participant and move%s nothing%s", n,
            n == 1 ? " has" : "s have", n == 1 ? "s" : "",
            n_npus == 1 ? ": say how many ranks there were by `acesim import "
                          "--ranks N`"
                        : "");
}

static void add_unsized_note(GPtrArray *texts, const OpGraph *graph,
                             uint64_t sent_bytes)
{
    uint64_t n = graph->recorded.n_unsized;

    if (n > 0 && sent_bytes > 0)
        add_run_note(
            texts,
            "warning: the recording does not say how much %" PRIu64
            " communication%s move%s: they are simulated with 1 B each; "
            "`training.communication: recorded` has the times that they took",
            n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}

static void add_run_size_note(GPtrArray *texts, const System *system)
{
    char *text = system_size_warning(system);

    if (text)
        g_ptr_array_add(texts, text);
}

static void add_node_border_note(GPtrArray *texts, const System *system,
                                 SimTime iteration_ps)
{
    char *text = node_borders_warning(system, iteration_ps);

    if (text)
        g_ptr_array_add(texts, text);
}

/* Adds the notes of the program and of the stack. */
static void add_graph_notes(GPtrArray *texts, const System *system)
{
    const OpGraph *graph = system_graph(system);
    const GPtrArray *decided = system->plan.stack->notes;

    for (guint i = 0; graph->recorded.notes && graph->recorded.notes[i]; i++)
        add_run_note(texts, "%s", graph->recorded.notes[i]);
    for (guint i = 0; i < graph->notes->len; i++)
        add_run_note(texts, "%s",
                     (const char *)g_ptr_array_index(graph->notes, i));
    for (guint i = 0; decided && i < decided->len; i++)
        add_run_note(texts, "%s", (const char *)g_ptr_array_index(decided, i));
    add_single_participant_note(texts, graph,
                                topology_n_npus(system->plan.topology));
}

/* ---- language models ----------------------------------------------------- */

/* Adds a note if products of a language model take the speed of single kernels,
 * since the NPU has none for training in their precision. */
static void add_unfitted_products_note(GPtrArray *texts, const System *system,
                                       const SystemConfig *config)
{
    const TrainingConfig *training = &config->training;
    const LanguageKernels *language = &config->platform.npu.precisions.language;

    if (system_graph(system)->model_flop == 0 || training->products != 0 ||
        training->precision == PRECISION_FP32 ||
        (training->precision == PRECISION_BF16 &&
         language->bf16.flop_per_s > 0))
        return;
    add_run_note(texts,
                 "products in %s take the speed of single kernels, since "
                 "platform.npu.language has no speed of training for %s; in "
                 "training, GPUs reach less of their peak",
                 precision_names[training->precision],
                 precision_names[training->precision]);
}

/* ---- an endpoint's sizes ------------------------------------------------ */

static void find_endpoint_throttling(RunNotes *notes,
                                     const SystemResult *result)
{
    SimTime comm_ps = result->comm_ps * result->n_iterations;

    if (result->sent_bytes == 0 || comm_ps == 0 ||
        result->net_cap_bytes_per_s == 0)
        return;
    notes->busy_percent =
        100 * (double)result->endpoint.hbm_busy_ps / (double)comm_ps;
    notes->sent_bytes_per_s =
        (uint64_t)((double)result->sent_bytes /
                   ((double)result->comm_ps / SIM_PS_PER_SEC));
    notes->cap_bytes_per_s = result->net_cap_bytes_per_s;
    notes->is_throttled =
        notes->busy_percent >= BUSY_PERCENT &&
        notes->sent_bytes_per_s < notes->cap_bytes_per_s / 100 * USED_PERCENT;
}

/* Returns whether the user gave the memory share for this run, and so expects
 * an effect: by `--set` or a sweep axis, or as a bandwidth in an endpoint that
 * the run file itself describes.  A file of an endpoint is written for any NPU,
 * and a percentage fits any NPU. */
static gboolean memory_share_is_for_this_run(const ConfigNode *endpoint)
{
    gboolean is_inline = config_node_is_nested(endpoint) ||
                         g_str_has_prefix(config_node_file(endpoint), "--set");

    for (guint i = 0; i < config_node_count(endpoint); i++) {
        const char *key = config_node_text(config_node_key(endpoint, i));
        const ConfigNode *value = config_node_value(endpoint, i);

        if (g_str_equal(key, "memory_bandwidth"))
            return g_strcmp0(config_node_file(value),
                             config_node_file(endpoint)) != 0 ||
                   (is_inline && !strchr(config_node_text(value), '%') &&
                    !g_str_equal(config_node_text(value), CONFIG_AUTO_WORD));
    }
    return FALSE;
}

static void add_endpoint_size_notes(GPtrArray *texts,
                                    const SystemConfig *config,
                                    const ConfigVariant *endpoint)
{
    EndpointClaim claim = endpoint_claim_resources(endpoint);
    const HbmConfig *hbm = &config->platform.npu.hbm;

    if (claim.read_bytes_per_s > hbm->bandwidth_bytes_per_s)
        add_run_note(
            texts,
            "warning: endpoint.memory_bandwidth is %.4g GB/s, more than the "
            "%.4g GB/s of the NPU's HBM",
            (double)claim.read_bytes_per_s / 1e9,
            (double)hbm->bandwidth_bytes_per_s / 1e9);
    if (claim.is_share_only && hbm->policy == HBM_SHARED &&
        memory_share_is_for_this_run(endpoint->node))
        add_run_note(texts,
                     "endpoint.memory_bandwidth of %.4g GB/s has no effect "
                     "under platform.npu.hbm.policy: shared; `partitioned` "
                     "uses it",
                     (double)claim.read_bytes_per_s / 1e9);
}

static void add_notes_of_members(GPtrArray *texts, const SystemConfig *config)
{
    EndpointMembers members;

    endpoint_find_members(&config->endpoint, &members);
    for (uint32_t i = 0; i < members.n; i++)
        add_endpoint_size_notes(texts, config, &members.endpoints[i]);
}

/* Returns what limits the endpoint's reads, as the beginning of a sentence; the
 * caller owns the text.  SMs of less than SM_PERCENT of the share limit them
 * more than the share does. */
static char *throttling_resource_text(const SystemConfig *config,
                                      const EndpointClaim *claim)
{
    const NpuConfig *npu = &config->platform.npu;
    gboolean share_has_effect =
        !claim->is_share_only || npu->hbm.policy != HBM_SHARED;
    EndpointMembers members;

    endpoint_find_members(&config->endpoint, &members);
    if (members.n > 1)
        return g_strdup("one of its members reads memory");
    if (claim->reads_by_sms &&
        (!share_has_effect || npu_sms_max_bytes_per_s(npu, claim->n_sms) <
                                  claim->read_bytes_per_s / 100 * SM_PERCENT))
        return g_strdup_printf("its %" PRIu64 " SMs read memory", claim->n_sms);
    if (!share_has_effect)
        return g_strdup("it reads memory");
    return g_strdup_printf("its memory_bandwidth of %.4g GB/s is in use",
                           (double)claim->read_bytes_per_s / 1e9);
}

static void add_throttle_note(GPtrArray *texts, const RunNotes *notes,
                              const SystemConfig *config)
{
    EndpointClaim claim = endpoint_claim_resources(&config->endpoint);
    g_autofree char *resource = throttling_resource_text(config, &claim);

    if (!notes->is_throttled)
        return;
    add_run_note(
        texts,
        "warning: the endpoint throttles the network: %s %.1f %% of the time "
        "that collectives are under way, and an NPU sends %.4g GB/s of the "
        "%.4g GB/s that its links allow",
        resource, MIN(100, notes->busy_percent),
        (double)notes->sent_bytes_per_s / 1e9,
        (double)notes->cap_bytes_per_s / 1e9);
}

/* ---- public functions ----------------------------------------------- */

RunNotes *run_notes_new(const System *system)
{
    RunNotes *notes = g_new0(RunNotes, 1);
    SystemResult r = system_result(system);

    notes->texts = g_ptr_array_new_with_free_func(g_free);
    add_graph_notes(notes->texts, system);
    add_unsized_note(notes->texts, system_graph(system), r.sent_bytes);
    add_run_size_note(notes->texts, system);
    add_node_border_note(notes->texts, system, r.iteration_ps);
    add_unfitted_products_note(notes->texts, system, system->plan.config);
    find_endpoint_throttling(notes, &r);
    return notes;
}

void run_notes_free(RunNotes *notes)
{
    if (!notes)
        return;
    g_ptr_array_unref(notes->texts);
    g_free(notes);
}

const char *run_note_prefix(const char *text)
{
    return g_str_has_prefix(text, "warning: ") ? "" : "note: ";
}

void run_notes_add_known_before_run(GPtrArray *texts, const System *system)
{
    const SystemConfig *config = system->plan.config;

    add_graph_notes(texts, system);
    add_run_size_note(texts, system);
    add_node_border_note(texts, system, 0);
    add_unfitted_products_note(texts, system, config);
    add_notes_of_members(texts, config);
}

GPtrArray *run_notes_list(const RunNotes *notes, const SystemConfig *config)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < notes->texts->len; i++)
        add_run_note(texts, "%s",
                     (const char *)g_ptr_array_index(notes->texts, i));
    add_notes_of_members(texts, config);
    add_throttle_note(texts, notes, config);
    return texts;
}

char *run_notes_line(const RunNotes *notes, const SystemConfig *config)
{
    g_autoptr(GPtrArray) texts = run_notes_list(notes, config);
    GString *line = g_string_new(NULL);

    for (guint i = 0; config->rounded && i < config->rounded->len; i++)
        g_string_append_printf(
            line, "%s%s", line->len > 0 ? "; " : "",
            (const char *)g_ptr_array_index(config->rounded, i));
    for (guint i = 0; i < texts->len; i++)
        g_string_append_printf(line, "%s%s", line->len > 0 ? "; " : "",
                               (const char *)g_ptr_array_index(texts, i));
    return g_string_free(line, FALSE);
}
