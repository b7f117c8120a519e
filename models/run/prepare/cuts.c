/* cuts.c - how the collectives of a system are cut: see collectives/cut.h */
#include "models/run/state_impl.h"

#define MAX_CHUNKS (1U << 24)

static gboolean pace(gconstpointer self, const CollPlan *plan,
                     uint64_t chunk_bytes, CutPace *ret)
{
    const System *system = self;
    const EndpointSite site = { .npu = &system->config->platform.npu,
                                .topology = system->topology };

    return endpoint_pace(&system->config->endpoint, &site, plan, chunk_bytes,
                         ret);
}

/* What the collectives beside each other are to whoever is cut. */
static void look_around(const System *system, CutTask *task)
{
    guint n = 0;

    task->least_bytes = UINT64_MAX;
    for (guint i = 0; i < system->graph->ops->len; i++) {
        const Op *op = op_graph_op(system->graph, i);

        if (op->type != OP_COLLECTIVE)
            continue;
        task->least_bytes = MIN(task->least_bytes, op->payload_bytes);
        n++;
    }
    task->has_others = n > 1;
}

static Cut choose(const System *system, const Op *op)
{
    const CollectiveConfig *config = &system->config->collectives;
    const CollOrders *orders = &system->orders[op->kind];
    const Cut given = { config->chunk_bytes, config->message_bytes,
                        config->window };
    CutTask task;

    if ((given.chunk_bytes != CONFIG_AUTO &&
         given.message_bytes != CONFIG_AUTO && given.window != CONFIG_AUTO) ||
        orders->plans[0].n_phases == 0)
        return cut_without_choice(op->payload_bytes, &given);
    task = (CutTask){ .plans = orders->plans,
                      .shares = orders->shares,
                      .n_plans = orders->n,
                      .topology = system->topology,
                      .payload_bytes = op->payload_bytes,
                      .packet_bytes = config->packet_bytes,
                      .pace = pace,
                      .self = system };
    look_around(system, &task);
    return cut_choose(&task, &given);
}

/* What decides how a collective is cut. */
static guint hash(gconstpointer data)
{
    const Op *op = data;

    return g_int64_hash(&op->payload_bytes) ^ (guint)op->kind;
}

static gboolean is_alike(gconstpointer a, gconstpointer b)
{
    const Op *x = a, *y = b;

    return x->kind == y->kind && x->payload_bytes == y->payload_bytes;
}

static gboolean check_n_chunks(const System *system, const Op *op,
                               uint64_t n_chunks, GError **error)
{
    if (n_chunks <= MAX_CHUNKS)
        return TRUE;
    config_set_error(
        error, system->config->workload.node, CONFIG_ERROR_CONFLICT,
        "a collective of %" G_GUINT64_FORMAT " bytes has more than %u chunks; "
        "give a larger collectives.chunk",
        op->payload_bytes, MAX_CHUNKS);
    return FALSE;
}

gboolean system_make_cuts(System *system, GError **error)
{
    g_autoptr(GHashTable) known = g_hash_table_new(hash, is_alike);
    uint64_t n_all[COLL_N_KINDS] = { 0 };
    guint n_ops = system->graph->ops->len;

    system->cuts = g_new0(Cut, n_ops);
    system->n_chunks_before = g_new0(uint64_t, n_ops);
    system->window = 1;
    for (guint i = 0; i < n_ops; i++) {
        Op *op = &g_array_index(system->graph->ops, Op, i);
        const Cut *cut;
        uint64_t n_chunks;

        if (op->type != OP_COLLECTIVE)
            continue;
        cut = g_hash_table_lookup(known, op);
        system->cuts[i] = cut ? *cut : choose(system, op);
        g_hash_table_insert(known, op, &system->cuts[i]);
        n_chunks = (op->payload_bytes - 1) / system->cuts[i].chunk_bytes + 1;
        if (!check_n_chunks(system, op, n_chunks, error))
            return FALSE;
        system->window = MAX(system->window, system->cuts[i].window);
        system->n_chunks_before[i] = n_all[op->kind];
        n_all[op->kind] += n_chunks;
    }
    for (guint i = 0; i < n_ops; i++)
        system->cuts[i].window = system->window;
    return TRUE;
}

uint64_t system_most_chunk_bytes(const System *system, CollKind kind)
{
    uint64_t most = 0;

    for (guint i = 0; i < system->graph->ops->len; i++) {
        const Op *op = op_graph_op(system->graph, i);

        if (op->type == OP_COLLECTIVE && op->kind == kind)
            most = MAX(most, system->cuts[i].chunk_bytes);
    }
    return most;
}

const Cut *system_main_cut(const System *system)
{
    const Cut *cut = NULL;
    uint64_t most_bytes = 0;

    for (guint i = 0; i < system->graph->ops->len; i++) {
        const Op *op = op_graph_op(system->graph, i);

        if (op->type != OP_COLLECTIVE || op->payload_bytes <= most_bytes)
            continue;
        most_bytes = op->payload_bytes;
        cut = &system->cuts[i];
    }
    return cut;
}
