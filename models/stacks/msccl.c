/*
 * msccl.c - all-reduces by a schedule that is read from an MSCCL file
 *
 * MSCCL is NCCL with an interpreter: a file says what each thread block of each
 * GPU does, for a range of payload sizes.  The stack reads the file
 * (msccl/xml_reader.h), proves it (msccl/prove_schedule.h) and divides it into
 * independent parts (msccl/independent_chunk_schedules.h), each of which
 * becomes a channel.  A chunk of the simulator is a part.  If a block of it
 * would be larger than the `slice` of the protocol, a chunk is one of the
 * passes that MSCCL makes over the buffer. Rank i is GPU i of the file.
 *
 * NCCL decides all other collectives: other kinds, other numbers of ranks, and
 * sizes outside the file's range.
 *
 * Left out: a thread block finishes one pass before the next, while here only
 * the window of chunks limits passes; memory traffic of receives into scratch
 * and later additions, beyond that of a receive that adds; copies between
 * buffers; waiting of thread blocks for each other by flags in memory.
 *
 * Costs    those of the NCCL protocol that the file names, and an SM for each
 *          thread block of a GPU
 */
#include "models/collectives/chunking.h"
#include "models/stacks/msccl/independent_chunk_schedules.h"
#include "models/stacks/msccl/prove_schedule.h"
#include "models/stacks/msccl/xml_reader.h"
#include "models/stacks/nccl/nccl_params.h"
#include "models/stacks/stack.h"
#include "sim/config/config_node.h"
#include "sim/config/quantity.h"
#include "sim/core/file_read.h"
#include "sim/core/integer_math.h"
#include "sim/core/word_suggestions.h"

typedef struct {
    StackCommon common;
    const char *file;
    NcclParams nccl;
} MscclParams;

static const ConfigField msccl_fields[] = {
    STACK_COMMON_FIELDS(MscclParams),
    { .key = "file",
      .help = "the schedule, relative to the file in which this stands",
      .type = CONFIG_NAME,
      .offset = offsetof(MscclParams, file) },
    { .key = "nccl",
      .help = "the library that it belongs to, for its protocols and for "
              "collectives without a schedule",
      .type = CONFIG_SECTION,
      .offset = offsetof(MscclParams, nccl),
      .fields = nccl_fields,
      .fallback = "{}" },
    CONFIG_END,
};

/* The recipe for payloads of one size. */
typedef struct {
    uint64_t payload_bytes;
    CollRecipe recipe;
} Decision;

/* Reasons why the schedule is not used for a collective. */
typedef enum {
    FALLBACK_KIND,
    FALLBACK_RANKS,
    FALLBACK_SIZE,
    N_FALLBACK_REASONS,
} FallbackReason;

typedef struct {
    Stack base;
    const MscclParams *params;
    MscclSchedule *msccl; /* owned */
    GArray *parts;        /* owned: MscclPart */
    CollProtocol protocol;
    CollChannel *channels; /* owned: one for each independent part */
    uint32_t n_shares;     /* sum of the shares of all channels */
    GPtrArray *decisions;  /* owned: elements are owned Decision */
    Stack *nccl;           /* owned: the stack for all other collectives */
    gboolean is_noted[N_FALLBACK_REASONS];
} MscclStack;

extern const StackOps stack_nccl;

/* ---- schedule file ----------------------------------------------------- */

static const ConfigNode *find_file_key_node(const ConfigVariant *config)
{
    for (guint i = 0; i < config_node_count(config->node); i++) {
        const char *key = config_node_text(config_node_key(config->node, i));

        if (key && g_str_equal(key, "file"))
            return config_node_value(config->node, i);
    }
    g_assert_not_reached(); /* the key is required */
}

/* Returns the path of the schedule as messages show it.  The caller frees
 * it. */
static char *schedule_path_for_messages(const ConfigVariant *config)
{
    const MscclParams *params = config->params;
    g_autofree char *folder =
        g_path_get_dirname(config_node_file(find_file_key_node(config)));

    if (g_path_is_absolute(params->file) || g_str_equal(folder, "."))
        return g_strdup(params->file);
    return g_build_filename(folder, params->file, NULL);
}

/* Reads and proves the schedule.  Sets *@ret_parts to its parts.  Returns NULL
 * and sets @error if the schedule is wrong. */
static MscclSchedule *read_and_prove_schedule_file(const ConfigVariant *config,
                                                   GArray **ret_parts,
                                                   GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autofree char *path = schedule_path_for_messages(config),
                    *quoted = words_quote_text(path);
    gsize n_bytes = 0;
    g_autofree char *text =
        file_read(path, MSCCL_MAX_FILE_BYTES, &n_bytes, &reason);
    g_autoptr(MscclSchedule) msccl = NULL;
    g_autoptr(GArray) order = NULL;

    if (!text) {
        config_set_error(error, find_file_key_node(config), CONFIG_ERROR_FILE,
                         "file: %s %s", quoted, reason->message);
        return NULL;
    }
    msccl = msccl_read_xml_schedule(path, text, n_bytes, error);
    if (!msccl || !msccl_prove_all_reduce(msccl, &order, error))
        return NULL;
    *ret_parts = msccl_find_independent_parts(msccl, order, error);
    return *ret_parts ? g_steal_pointer(&msccl) : NULL;
}

static gboolean msccl_describe_schedule(const ConfigVariant *config,
                                        GString *out, GError **error)
{
    GArray *parts = NULL;
    g_autoptr(MscclSchedule) msccl =
        read_and_prove_schedule_file(config, &parts, error);

    if (!msccl)
        return FALSE;
    g_string_append_printf(
        out,
        "schedule %s, proved: %u steps of %u thread blocks on each of %u GPUs, "
        "which send %.4g bytes for each of the payload",
        msccl->name, msccl->steps->len, msccl_max_thread_blocks_per_gpu(msccl),
        msccl->n_gpus,
        (double)msccl_max_chunks_sent_by_gpu(msccl) / msccl->n_chunks);
    if (msccl->min_bytes > 0 || msccl->max_bytes < INT64_MAX)
        g_string_append_printf(
            out, "; taken for payloads from %" G_GUINT64_FORMAT " B",
            msccl->min_bytes);
    if (msccl->max_bytes < INT64_MAX)
        g_string_append_printf(out, " to %" G_GUINT64_FORMAT " B",
                               msccl->max_bytes);
    if (msccl->min_bytes > 0 || msccl->max_bytes < INT64_MAX)
        g_string_append(out, ", and NCCL's own algorithms for others");
    msccl_parts_free(parts);
    return TRUE;
}

static void msccl_append_inputs(const ConfigVariant *config, GString *out)
{
    g_autofree char *path = schedule_path_for_messages(config);
    gsize n_bytes = 0;
    g_autofree char *text =
        file_read(path, MSCCL_MAX_FILE_BYTES, &n_bytes, NULL);
    g_autofree char *sum =
        text ? g_compute_checksum_for_data(G_CHECKSUM_SHA256,
                                           (const guchar *)text, n_bytes)
             : NULL;

    g_string_append_printf(out, "stack.file sha256 %s\n", sum ?: "none");
}

/* ---- construction and decisions ---------------------------------------- */

/* Makes a channel for each part of the schedule.  The share of a channel is
 * proportional to its part of the payload. */
static void make_msccl_channels(MscclStack *stack)
{
    uint32_t divisor = 0;

    stack->channels = g_new0(CollChannel, stack->parts->len);
    for (guint p = 0; p < stack->parts->len; p++) {
        const MscclPart *part = &g_array_index(stack->parts, MscclPart, p);
        uint32_t n_chunks = part->n_copies * part->schedule->n_blocks;

        stack->channels[p].algorithm = &coll_scheduled;
        stack->channels[p].schedule = part->schedule;
        stack->channels[p].share = n_chunks;
        for (uint32_t i = 0; i < part->n_copies; i++)
            divisor = (uint32_t)greatest_common_divisor(
                part->schedule->n_blocks, divisor);
    }
    for (guint p = 0; p < stack->parts->len; p++) {
        stack->channels[p].share /= divisor;
        stack->n_shares += stack->channels[p].share;
    }
}

static void make_msccl_protocol(MscclStack *stack)
{
    const NcclProtocolParams *costs =
        &stack->params->nccl.protocols[stack->msccl->protocol];

    stack->protocol = (CollProtocol){
        .name = msccl_protocols[stack->msccl->protocol],
        .wire_num = 1000000,
        .wire_den = (uint32_t)costs->efficiency_ppm,
        .step_ps = { [TOPOLOGY_NEAR] = costs->near_step_ps,
                     [TOPOLOGY_HOST] = costs->host_step_ps,
                     [TOPOLOGY_NETWORK] = costs->network_step_ps },
    };
}

static void msccl_stack_free(Stack *base)
{
    MscclStack *stack = (MscclStack *)base;

    comm_stack_free(stack->nccl);
    g_ptr_array_unref(stack->decisions);
    g_free(stack->channels);
    msccl_parts_free(stack->parts);
    msccl_schedule_free(stack->msccl);
    g_free(stack);
}

static Stack *msccl_stack_new(const ConfigVariant *config,
                              const Topology *topology, GError **error)
{
    const MscclParams *params = config->params;
    const ConfigVariant nccl = { .kind = &stack_nccl.base,
                                 .params = &params->nccl,
                                 .node = config->node };
    GArray *parts = NULL;
    MscclSchedule *msccl = read_and_prove_schedule_file(config, &parts, error);
    MscclStack *stack;

    if (!msccl)
        return NULL;
    stack = g_new0(MscclStack, 1);
    stack->params = config->params;
    stack->msccl = msccl;
    stack->parts = parts;
    stack->decisions = g_ptr_array_new_with_free_func(g_free);
    make_msccl_channels(stack);
    make_msccl_protocol(stack);
    stack->nccl = comm_stack_new(&nccl, topology, error);
    if (stack->nccl) {
        stack->base.notes = g_ptr_array_new_with_free_func(g_free);
        return &stack->base;
    }
    msccl_stack_free(&stack->base);
    return NULL;
}

/* Sets the recipe for the payload size of @decision.  The number of passes is
 * the smallest for which a block fits in a slice. */
static void set_recipe_for_payload_size(const MscclStack *stack,
                                        Decision *decision)
{
    const NcclProtocolParams *costs =
        &stack->params->nccl.protocols[stack->msccl->protocol];
    uint64_t chunk =
        divide_rounding_up(decision->payload_bytes, stack->msccl->n_chunks);
    uint64_t n_passes = divide_rounding_up(chunk, costs->slice_bytes);
    uint64_t n = n_passes * stack->n_shares;

    decision->recipe = (CollRecipe){
        .algorithm = stack->msccl->name,
        .protocol = &stack->protocol,
        .launch_ps = costs->launch_ps,
        .n_sms = msccl_max_thread_blocks_per_gpu(stack->msccl),
        .chunk_bytes = MAX(1, divide_rounding_up(decision->payload_bytes, n)),
        .message_bytes = costs->slice_bytes,
        .window = CLAMP(UINT64_C(2) * stack->n_shares, CUT_MIN_WINDOW,
                        CUT_MAX_WINDOW),
        .n_channels = stack->parts->len,
        .channels = stack->channels,
    };
}

/* Adds a note that the schedule is not used, once for each reason. */
static void note_fallback_to_other_library(MscclStack *stack,
                                           const CollRequest *request)
{
    const MscclSchedule *msccl = stack->msccl;
    g_autofree char *bytes =
        quantity_format(request->payload_bytes, CONFIG_BYTES);
    g_autofree char *why = NULL;
    FallbackReason reason = FALLBACK_SIZE;

    if (request->kind != COLL_ALL_REDUCE) {
        reason = FALLBACK_KIND;
        why = g_strdup("it is for all-reduces");
    } else if (request->members->n_ranks != msccl->n_gpus) {
        reason = FALLBACK_RANKS;
        why = g_strdup_printf("it is for %u ranks, and not %u", msccl->n_gpus,
                              request->members->n_ranks);
    } else if (request->payload_bytes < msccl->min_bytes) {
        why = g_strdup_printf("it is for payloads from %" G_GUINT64_FORMAT " B",
                              msccl->min_bytes);
    } else {
        why = g_strdup_printf("it is for payloads of at most "
                              "%" G_GUINT64_FORMAT " B",
                              msccl->max_bytes);
    }
    if (stack->is_noted[reason])
        return;
    stack->is_noted[reason] = TRUE;
    g_ptr_array_add(
        stack->base.notes,
        g_strdup_printf("warning: schedule %s of stack.file is not used for a "
                        "collective of kind %s and %s: %s; NCCL's own "
                        "algorithms are",
                        msccl->name, coll_kind_name(request->kind), bytes,
                        why));
}

static const CollRecipe *
msccl_choose_recipe(Stack *base, const CollRequest *request, GError **error)
{
    MscclStack *stack = (MscclStack *)base;
    const MscclSchedule *msccl = stack->msccl;
    Decision *decision;

    if (request->kind != COLL_ALL_REDUCE ||
        request->members->n_ranks != msccl->n_gpus ||
        request->payload_bytes < msccl->min_bytes ||
        request->payload_bytes > msccl->max_bytes) {
        note_fallback_to_other_library(stack, request);
        return stack_choose_recipe(stack->nccl, request, error);
    }
    for (guint i = 0; i < stack->decisions->len; i++) {
        decision = g_ptr_array_index(stack->decisions, i);
        if (decision->payload_bytes == request->payload_bytes)
            return &decision->recipe;
    }
    decision = g_new0(Decision, 1);
    decision->payload_bytes = request->payload_bytes;
    set_recipe_for_payload_size(stack, decision);
    g_ptr_array_add(stack->decisions, decision);
    return &decision->recipe;
}

const StackOps stack_msccl = {
    .base = { .name = "msccl",
              .summary = "all-reduces by a schedule in an XML file of MSCCL, "
                         "proved before it runs",
              .fields = msccl_fields,
              .size = sizeof(MscclParams) },
    .new = msccl_stack_new,
    .free = msccl_stack_free,
    .decide = msccl_choose_recipe,
    .append_inputs = msccl_append_inputs,
    .describe = msccl_describe_schedule,
};
