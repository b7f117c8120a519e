/*
 * blink.c - packs spanning trees on the links that a job was given
 *
 * A scheduler gives a job some GPUs of a machine, and their links may contain
 * no ring.  Blink [BLINK] packs as many spanning trees on them as the minimum
 * cut allows: arborescences from the root for a broadcast, and trees that are
 * used up and then down for an all-reduce.  Each tree is a channel that carries
 * its share of the chunks.
 *
 *   one server     blink_trees.c: trees; on a switch, a star around each rank
 *   `hybrid`       blink_chunks.c: in addition a chain over the host, with a
 *                  share such that both finish together
 *   many servers   blink_servers.c: up trees, across in one hop, down again
 *
 * Broadcasts, reduces and all-reduces are packed; in several servers only
 * all-reduces.  All other collectives are left to `collectives`; a note of the
 * run names broadcasts and reduces in several servers.  If the links of a group
 * cannot be packed, this is an error for each kind that is packed.
 *
 * Costs    one launch for each direction of data, so two for an all-reduce; a
 *          step time before each message; less than the full rate of a link if
 *          ranks forward data.  The constants were fitted to logs of blinkplus
 *          (validate/data/blink), which runs each chain as a communicator of
 *          NCCL 2.7, so they include NCCL's costs.  The time that a chunk costs
 *          a link in addition to its bytes is not charged: the logs show it
 *          only in the chunk size that was chosen.
 */
#include <string.h>

#include "models/collectives/chunking.h"
#include "models/stacks/blink_impl.h"

static const char *const tree_names[] = { "packed", "chain", NULL };

#define MOST_PS UINT64_C(1000000000000)

static const ConfigField blink_fields[] = {
    STACK_COMMON_FIELDS(BlinkParams),
    { .key = "trees",
      .help = "packed on near links; chain: one, in the order of ranks",
      .type = CONFIG_ENUM,
      .offset = offsetof(BlinkParams, trees),
      .names = tree_names,
      .fallback = "packed",
      .source = "BLINK recalled" },
    { .key = "hybrid",
      .help = "a chain over the host in parallel with the trees over near "
              "links",
      .type = CONFIG_BOOL,
      .offset = offsetof(BlinkParams, hybrid),
      .fallback = "false",
      .source = "assumed: BLINK recalled has it as an option" },
    { .key = "launch_time",
      .help = "from the issue of a collective, once for each way that data go",
      .type = CONFIG_TIME,
      .offset = offsetof(BlinkParams, launch_ps),
      .max = MOST_PS,
      .fallback = "20 us",
      .source = "fitted to BLINKPLUS" },
    { .key = "near_step",
      .help = "before a message goes over near links",
      .type = CONFIG_TIME,
      .offset = offsetof(BlinkParams, near_step_ps),
      .max = MOST_PS,
      .fallback = "0 ns",
      .source = "fitted to BLINKPLUS: not more than the links' latency" },
    { .key = "host_step",
      .help = "before a message goes through the host",
      .type = CONFIG_TIME,
      .offset = offsetof(BlinkParams, host_step_ps),
      .max = MOST_PS,
      .fallback = "2 us",
      .source = "assumed" },
    { .key = "network_step",
      .help = "before a message goes out of the machine",
      .type = CONFIG_TIME,
      .offset = offsetof(BlinkParams, network_step_ps),
      .max = MOST_PS,
      .fallback = "10 us",
      .source = "assumed: as NCCL's proxy takes" },
    { .key = "peer_access",
      .help = "until the host can be used in parallel with near links",
      .type = CONFIG_TIME,
      .offset = offsetof(BlinkParams, peer_access_ps),
      .max = MOST_PS,
      .fallback = "1 ms",
      .source = "assumed: BLINK recalled says that it grows with GPUs" },
    { .key = "direct_rate",
      .help = "of a near link's payload rate, between two ranks",
      .type = CONFIG_FRACTION,
      .offset = offsetof(BlinkParams, direct_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "96.6 %",
      .source = "fitted to BLINKPLUS" },
    { .key = "broadcast_rate",
      .help = "likewise, where some rank passes on what it gets",
      .type = CONFIG_FRACTION,
      .offset = offsetof(BlinkParams, broadcast_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "94.6 %",
      .source = "fitted to BLINKPLUS" },
    { .key = "all_reduce_rate",
      .help = "likewise, of an all-reduce, both ways at once",
      .type = CONFIG_FRACTION,
      .offset = offsetof(BlinkParams, all_reduce_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "84.1 %",
      .source = "fitted to BLINKPLUS" },
    { .key = "chunk",
      .help = "what is pipelined; auto: sqrt(chunk_cost x rate x bytes of a "
              "link)",
      .type = CONFIG_BYTES,
      .offset = offsetof(BlinkParams, chunk_bytes),
      .min = 64,
      .max = UINT64_C(1) << 40,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "derived: models/stacks/blink_chunks.c" },
    { .key = "chunk_cost",
      .help = "what a chunk costs beside its bytes, for that rule",
      .type = CONFIG_TIME,
      .offset = offsetof(BlinkParams, chunk_cost_ps),
      .min = 1,
      .max = MOST_PS,
      .fallback = "3 us",
      .source = "fitted to BLINKPLUS" },
    { .key = "most_chunk",
      .help = "the most that the rule may give",
      .type = CONFIG_BYTES,
      .offset = offsetof(BlinkParams, max_chunk_bytes),
      .min = 64,
      .max = UINT64_C(1) << 40,
      .fallback = "1 MiB",
      .source = "fitted to BLINKPLUS" },
    CONFIG_END,
};

/* The recipe for one request, and the arrays that it borrows. */
typedef struct {
    CollRecipe recipe;
    CollProtocol protocol;
    GPtrArray *schedules; /* owned: elements are owned CollSchedule */
    CollKind kind;
    uint32_t n, root, n_servers;
    uint64_t payload_bytes;
    uint32_t *npus; /* owned: NPU id of each rank */
} Decision;

typedef struct {
    Stack base;
    const BlinkParams *params;
    const ConfigNode *node;
    GPtrArray *decisions;            /* owned: elements are owned Decision */
    GPtrArray *packings;             /* owned: see blink_tree_cache_new() */
    gboolean is_noted[COLL_N_KINDS]; /* the kind has a note */
} Blink;

static void free_coll_schedule(gpointer data)
{
    coll_schedule_free(data);
}

static void free_blink_decision(gpointer data)
{
    Decision *decision = data;

    g_free(decision->recipe.channels);
    g_ptr_array_unref(decision->schedules);
    g_free(decision->npus);
    g_free(decision);
}

static Stack *blink_stack_new(const ConfigVariant *config,
                              const Topology *topology, GError **error)
{
    Blink *blink = g_new0(Blink, 1);

    (void)topology;
    (void)error;
    blink->params = config->params;
    blink->node = config->node;
    blink->decisions = g_ptr_array_new_with_free_func(free_blink_decision);
    blink->packings = blink_tree_cache_new();
    blink->base.notes = g_ptr_array_new_with_free_func(g_free);
    return &blink->base;
}

static void blink_stack_free(Stack *stack)
{
    Blink *blink = (Blink *)stack;

    g_ptr_array_unref(blink->decisions);
    g_ptr_array_unref(blink->packings);
    g_free(blink);
}

/* ---- recipe -------------------------------------------------------------- */

/* Returns the NPUs of the first of several equal groups. The other groups have
 * the same trees if their links are the same. */
static uint32_t *list_npus_of_first_group(const CollMembers *members)
{
    uint32_t *npus = g_new(uint32_t, members->n_ranks);

    for (uint32_t r = 0; r < members->n_ranks; r++)
        npus[r] = coll_members_npu_of_rank(members, 0, r);
    return npus;
}

static uint32_t rate_fraction_of_collective_ppm(const BlinkDraft *draft)
{
    const BlinkParams *params = draft->params;
    gboolean relays =
        draft->n > 2 && g_array_index(draft->channels, CollChannel, 0).schedule;

    if (!relays)
        return (uint32_t)params->direct_ppm;
    return (uint32_t)(draft->kind == COLL_ALL_REDUCE ? params->all_reduce_ppm
                                                     : params->broadcast_ppm);
}

/* Returns the number of chunks in flight: enough to fill all channels twice.
 * The window is CUT_MAX_WINDOW if host channels start late, because near
 * channels would wait for their slots, or if several chains run at the same
 * time, because they shall not wait for each other. */
static uint64_t n_chunks_in_flight(const BlinkDraft *draft)
{
    uint64_t n = UINT64_C(2) * draft->channels->len * (draft->n_steps + 1);

    if (draft->host_delay_ps > 0 || draft->params->trees == BLINK_CHAIN)
        return CUT_MAX_WINDOW;
    return CLAMP(n, CUT_MIN_WINDOW, CUT_MAX_WINDOW);
}

static void finish_blink_recipe(const BlinkDraft *draft, Decision *decision)
{
    const BlinkParams *params = draft->params;
    CollRecipe *recipe = &decision->recipe;

    decision->protocol = (CollProtocol){
        .name = "blink",
        .wire_num = 1000000,
        .wire_den = draft->ppm,
        .step_ps = { [TOPOLOGY_NEAR] = params->near_step_ps +
                                       blink_narrow_channel_delay_ps(draft),
                     [TOPOLOGY_HOST] =
                         params->host_step_ps + draft->host_delay_ps,
                     [TOPOLOGY_NETWORK] = params->network_step_ps },
    };
    *recipe = (CollRecipe){
        .algorithm = draft->host_delay_ps > 0 ? "trees+host" : "trees",
        .protocol = &decision->protocol,
        .launch_ps =
            params->launch_ps * (draft->kind == COLL_ALL_REDUCE ? 2 : 1),
        .chunk_bytes = draft->chunk_bytes,
        .message_bytes = draft->chunk_bytes,
        .window = n_chunks_in_flight(draft),
        .n_channels = draft->channels->len,
        .channels = g_memdup2(draft->channels->data,
                              draft->channels->len * sizeof(CollChannel)),
    };
}

static gboolean is_connected_by_near_links(const BlinkDraft *draft)
{
    return g_array_index(draft->channels, CollChannel, 0).plane ==
           TOPOLOGY_PLANE(TOPOLOGY_NEAR);
}

/* Computes the channels of @draft, whose ranks are in @n_servers servers:
 * @server[r] is that of rank r.  Returns FALSE if there is no path, or if the
 * links cannot be packed. */
static gboolean compute_channels_of_draft(BlinkDraft *draft,
                                          const uint32_t *server,
                                          uint32_t n_servers)
{
    if (n_servers > 1 &&
        (draft->kind != COLL_ALL_REDUCE ||
         !blink_add_multi_server_channels(draft, server, n_servers)))
        return FALSE;
    if (n_servers == 1 &&
        (draft->n > PACK_MAX_RANKS || !blink_add_single_server_channels(draft)))
        return FALSE;
    if (draft->channels->len == 0)
        return FALSE;
    draft->ppm = rate_fraction_of_collective_ppm(draft);
    blink_set_chunk_size(draft);
    if (draft->params->hybrid && is_connected_by_near_links(draft))
        blink_add_host_channel(draft);
    return TRUE;
}

static gboolean blink_decision_matches_request(const Decision *decision,
                                               const CollRequest *request,
                                               const uint32_t *npus)
{
    return decision->kind == request->kind &&
           decision->payload_bytes == request->payload_bytes &&
           decision->root == request->from &&
           decision->n == request->members->n_ranks &&
           memcmp(decision->npus, npus, decision->n * sizeof *npus) == 0;
}

static Decision *make_blink_decision(const Blink *blink,
                                     const CollRequest *request, uint32_t *npus)
{
    g_autofree uint32_t *server = g_new(uint32_t, request->members->n_ranks);
    Decision *decision = g_new0(Decision, 1);
    BlinkDraft draft = {
        .topology = blink->base.topology,
        .params = blink->params,
        .kind = request->kind,
        .n = request->members->n_ranks,
        .root = request->kind == COLL_ALL_REDUCE ? 0 : request->from,
        .payload_bytes = request->payload_bytes,
        .npus = npus,
        .packings = blink->packings,
        .channels = g_array_new(FALSE, FALSE, sizeof(CollChannel)),
        .schedules = g_ptr_array_new_with_free_func(free_coll_schedule),
    };

    decision->kind = request->kind;
    decision->n = draft.n;
    decision->root = request->from;
    decision->payload_bytes = request->payload_bytes;
    decision->npus = npus;
    decision->schedules = draft.schedules;
    decision->n_servers =
        rank_locality_find_servers(draft.topology, npus, draft.n, server);
    if (compute_channels_of_draft(&draft, server, decision->n_servers))
        finish_blink_recipe(&draft, decision);
    g_array_unref(draft.channels);
    return decision;
}

/* Adds a note that `collectives` decides, once for each kind. */
static void note_kind_left_to_collectives(Blink *blink,
                                          const Decision *decision)
{
    if (blink->is_noted[decision->kind])
        return;
    blink->is_noted[decision->kind] = TRUE;
    g_ptr_array_add(
        blink->base.notes,
        g_strdup_printf("warning: blink packs a %s within one server only; "
                        "among %u NPUs in %u servers `collectives` chooses its "
                        "algorithm, at no cost of the stack",
                        coll_kind_name(decision->kind), decision->n,
                        decision->n_servers));
}

static const CollRecipe *
blink_choose_recipe(Stack *stack, const CollRequest *request, GError **error)
{
    Blink *blink = (Blink *)stack;
    g_autofree uint32_t *npus = NULL;
    Decision *decision = NULL;

    if ((request->kind != COLL_ALL_REDUCE && request->kind != COLL_BROADCAST &&
         request->kind != COLL_REDUCE) ||
        request->members->n_ranks < 2)
        return NULL;
    npus = list_npus_of_first_group(request->members);
    for (guint i = 0; i < blink->decisions->len && !decision; i++) {
        Decision *known = g_ptr_array_index(blink->decisions, i);

        if (blink_decision_matches_request(known, request, npus))
            decision = known;
    }
    if (!decision) {
        decision = make_blink_decision(blink, request, g_steal_pointer(&npus));
        g_ptr_array_add(blink->decisions, decision);
    }
    if (decision->recipe.n_channels > 0)
        return &decision->recipe;
    if (request->kind != COLL_ALL_REDUCE && decision->n_servers > 1) {
        note_kind_left_to_collectives(blink, decision);
        return NULL;
    }
    config_set_error(error, blink->node, CONFIG_ERROR_CONFLICT,
                     "blink: no trees can be packed on the links of this group "
                     "of %u%s",
                     decision->n,
                     decision->n > BLINK_MOST_MESHED
                         ? "; of more than 32 without a switch it packs none"
                         : "");
    return NULL;
}

const StackOps stack_blink = {
    .base = { .name = "blink",
              .summary = "spanning trees packed on the links there are",
              .fields = blink_fields,
              .size = sizeof(BlinkParams) },
    .new = blink_stack_new,
    .free = blink_stack_free,
    .decide = blink_choose_recipe,
};
