/* assemble.c - a system is put together from its configuration, and freed */
#include "models/run/chunk_impl.h"
#include "models/run/inbox_impl.h"
#include "models/run/pipeline_impl.h"
#include "models/run/scheduler_impl.h"
#include "models/run/training_impl.h"
#include "network/deadlock.h"

/* Of which orders weigh what they give each dimension to do: large enough for
 * no block to be rounded up by much. */
#define ORDERS_CHUNK (UINT64_C(1) << 30)

/* What a switch that adds cannot do. */
static gboolean check_meetings(const SystemConfig *config, const CollPlan *plan,
                               GError **error)
{
    const CollectiveConfig *collectives = &config->collectives;
    const CollPhase *phase = &plan->phases[0];
    uint32_t n_lanes = coll_n_lanes(phase, collectives->chunk_bytes,
                                    collectives->message_bytes);
    const char *what = NULL;

    if (collectives->fidelity == FIDELITY_PACKET)
        what = "fidelity: packets do not meet in a switch that adds; take "
               "`message`, or another algorithm than in-switch";
    else if (coll_lane_bytes(phase, collectives->chunk_bytes, phase->max_blocks,
                             n_lanes) > UINT32_MAX)
        what = "message: a switch adds messages of less than 4 GiB";
    if (what)
        config_set_error(error, collectives->node, CONFIG_ERROR_CONFLICT, "%s",
                         what);
    return what == NULL;
}

static gboolean make_plans(System *system, GError **error)
{
    const SystemConfig *config = system->config;
    const CollChoices choices = { .rows = &config->collectives.choices,
                                  .algorithm = config->collectives.algorithm,
                                  .node = config->collectives.node };
    const CollMembers all =
        coll_members_of_all(topology_n_npus(system->topology));

    for (guint i = 0; i < system->graph->ops->len; i++) {
        const Op *op = op_graph_op(system->graph, i);

        if (op->type != OP_COLLECTIVE || system->kind_used[op->kind])
            continue;
        system->kind_used[op->kind] = TRUE;
        if (!coll_plan_init(
                &system->plans[op->kind],
                &(CollRequest){ .kind = op->kind,
                                .members = &all,
                                .payload_bytes = op->payload_bytes },
                &choices, system->topology, error))
            return FALSE;
        if (system->plans[op->kind].via_switch &&
            !check_meetings(config, &system->plans[op->kind], error))
            return FALSE;
        coll_orders_init(
            &system->orders[op->kind], (CollOrder)config->collectives.order,
            &system->plans[op->kind], system->topology, ORDERS_CHUNK);
    }
    return TRUE;
}

/* Why NPUs can be told apart; NULL: they cannot.  On pairwise links rotations
 * and XOR of ranks load different links. */
static const char *cannot_fold(const System *system)
{
    const Symmetry *symmetry = topology_symmetry(system->topology);
    gboolean by[2] = { FALSE, FALSE };

    for (uint32_t d = 0; d < symmetry->n_dims; d++)
        if (!symmetry->dims[d].translates)
            return "the topology has ends";
    if (!perturb_is_none(&system->config->perturb))
        return "`perturb` makes NPUs or links differ";
    if (system->config->collectives.fidelity == FIDELITY_PACKET)
        return "`fidelity: packet` moves the packets of all";
    for (int k = 0; k < COLL_N_KINDS; k++)
        for (uint32_t p = 0; p < system->plans[k].n_phases; p++)
            by[system->plans[k].phases[p].algorithm->symmetry] = TRUE;
    if (by[COLL_BY_XOR] && !symmetry->any_order &&
        !topology_is_pairwise(system->topology))
        return "what goes by XOR of ranks cannot be moved along the topology";
    if (topology_is_pairwise(system->topology) && by[COLL_BY_ROTATION] &&
        by[COLL_BY_XOR])
        return "between links of their own, collectives by rotation and by "
               "XOR of ranks tell NPUs apart";
    return NULL;
}

static gboolean decide_fold(System *system, FoldMode fold, GError **error)
{
    system->unfolded_reason = cannot_fold(system);
    if (fold == FOLD_REQUIRE && system->unfolded_reason) {
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_CANNOT_FOLD,
                    "cannot fold: %s", system->unfolded_reason);
        return FALSE;
    }
    if (fold == FOLD_OFF && !system->unfolded_reason)
        system->unfolded_reason = "as asked for";
    system->fold = system->unfolded_reason
                       ? fold_new(system->topology,
                                  topology_symmetry(system->topology), NULL)
                       : fold_new_most(system->topology);
    system->n_sim = fold_n(system->fold);
    return TRUE;
}

static SimTime whole_npu_ps(const System *system, const OpWork *work)
{
    const NpuConfig *npu = &system->config->platform.npu;

    return compute_roofline_ps(npu, work, npu->n_sms,
                               hbm_usable_bytes_per_s(&npu->hbm));
}

/* Once, as a share changes often. */
static void choose_cuts(System *system)
{
    GArray *ops = system->graph->ops;

    for (guint i = 0; i < ops->len; i++) {
        OpWork *work = &g_array_index(ops, Op, i).work;

        work->cut = compute_cut(&system->config->platform.npu, work);
    }
}

static void make_scales(System *system)
{
    const OpGraph *graph = system->graph;
    SimTime pass_ps[OP_N_PASSES] = { 0 };

    system->scales = g_new0(ComputeScale, graph->ops->len);
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_COMPUTE && op->work.measured_ps == 0)
            pass_ps[op->pass] = sim_time_add(pass_ps[op->pass],
                                             whole_npu_ps(system, &op->work));
    }
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->work.measured_ps > 0)
            system->scales[i] =
                (ComputeScale){ op->work.measured_ps,
                                whole_npu_ps(system, &op->work), TRUE };
        else if (graph->calibrated_ps[op->pass] > 0 && pass_ps[op->pass] > 0)
            system->scales[i] = (ComputeScale){ graph->calibrated_ps[op->pass],
                                                pass_ps[op->pass], TRUE };
        else
            system->scales[i] = (ComputeScale){ 1, 1, FALSE };
    }
}

/* Runs are what `auto` is chosen by, so that it is none of one run. */
static gboolean check_chosen(const SystemConfig *config, GError **error)
{
    if (endpoint_n_steps(&config->endpoint, &config->platform.npu) == 0)
        return TRUE;
    config_set_error(error, config->endpoint.node, CONFIG_ERROR_CONFLICT,
                     "nobody has chosen what is `auto` of the endpoint");
    return FALSE;
}

static void index_graph(System *system)
{
    const OpGraph *graph = system->graph;
    guint n = graph->ops->len;

    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        system->stream_ops[s] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    system->dependents = g_new0(GArray *, n);
    system->instances = g_new0(GPtrArray *, n);
    for (uint32_t i = 0; i < n; i++) {
        system->dependents[i] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        system->instances[i] = g_ptr_array_new();
    }
    for (uint32_t i = 0; i < n; i++) {
        const Op *op = op_graph_op(graph, i);

        for (uint32_t d = 0; d < op->n_deps; d++)
            g_array_append_val(system->dependents[op->deps[d].op], i);
        if (op->type == OP_COMPUTE)
            g_array_append_val(system->stream_ops[op->stream], i);
        else
            g_array_append_val(system->dependents[i], i); /* the next one */
    }
}

static void has_room(EndpointHost *host)
{
    scheduler_pump(npu_of(host));
}

/* What endpoints call. */
static const EndpointHostOps host_ops = {
    .enter = pipeline_enter,
    .transmit = pipeline_transmit,
    .handled = pipeline_handled,
    .has_room = has_room,
};

static gboolean make_npus(System *system, GError **error)
{
    EndpointTask tasks[COLL_N_KINDS];
    EndpointSite site = { .npu = &system->config->platform.npu,
                          .topology = system->topology,
                          .tasks = tasks };

    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++)
        if (system->kind_used[kind])
            tasks[site.n_tasks++] =
                (EndpointTask){ kind, &system->orders[kind],
                                system_most_chunk_bytes(system, kind) };
    system->npus = g_new0(Npu, system->n_sim);
    system->arrived = g_new(uint32_t, system->n_sim);
    for (uint32_t i = 0; i < system->n_sim; i++) {
        Npu *npu = &system->npus[i];

        if (!npu_init(npu, system, i, &host_ops, &site, error))
            return FALSE;
        (void)training_new(npu);
    }
    return TRUE;
}

static void make_network(System *system)
{
    const SystemConfig *config = system->config;
    const CollectiveConfig *collectives = &config->collectives;

    system->network =
        network_new(system->engine, system->topology, collectives->packet_bytes,
                    system->fold, inbox_on_deliver, system);
    if (!endpoint_takes_time(&config->endpoint))
        network_let_foresee(system->network, pipeline_foresee);
    if (collectives->fidelity == FIDELITY_PACKET)
        network_use_packets(system->network, MAX(collectives->buffer_bytes,
                                                 collectives->packet_bytes));
    perturb_links(&config->perturb, system->topology, system->network);
}

static gboolean init(System *system, FoldMode fold, SystemSize most,
                     GError **error)
{
    const SystemConfig *config = system->config;

    system->engine = sim_engine_new();
    system->watch.engine = system->engine;
    system->chunks = g_ptr_array_new();
    system->free_chunks = g_ptr_array_new();
    system->admissions = g_ptr_array_new();
    if (!check_chosen(config, error))
        return FALSE;
    system->topology = topology_new(&config->platform.topology, error);
    if (!system->topology ||
        (config->collectives.fidelity == FIDELITY_PACKET &&
         !topology_check_packets(system->topology, config->collectives.node,
                                 error)))
        return FALSE;
    system->graph = workload_build(&config->workload, &config->training, error);
    if (!system->graph || !make_plans(system, error) ||
        !system_make_cuts(system, error))
        return FALSE;
    choose_cuts(system);
    make_scales(system);
    index_graph(system);
    if (!system_check_limits(system, error) ||
        !perturb_check(&config->perturb, system->topology, error))
        return FALSE;
    if (!decide_fold(system, fold, error) ||
        !system_check_size(system, most, error))
        return FALSE;
    make_network(system);
    return make_npus(system, error);
}

System *system_new(const SystemConfig *config, FoldMode fold, GError **error)
{
    return system_new_within(config, fold, (SystemSize){ 0 }, error);
}

System *system_new_within(const SystemConfig *config, FoldMode fold,
                          SystemSize most, GError **error)
{
    g_autoptr(System) system = g_new0(System, 1);

    system->config = config;
    if (!init(system, fold, most, error))
        return NULL;
    return g_steal_pointer(&system);
}

static void free_npu(Npu *npu)
{
    training_free(npu->training);
    npu_clear(npu);
}

void system_free(System *system)
{
    if (!system)
        return;
    for (uint32_t i = 0; system->npus && i < system->n_sim; i++)
        free_npu(&system->npus[i]);
    g_free(system->npus);
    g_free(system->arrived);
    for (guint i = 0; system->dependents && i < system->graph->ops->len; i++) {
        g_array_unref(system->dependents[i]);
        instances_free(system->instances[i]);
    }
    g_free(system->dependents);
    g_free(system->instances);
    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        if (system->stream_ops[s])
            g_array_unref(system->stream_ops[s]);
    chunks_free(system->chunks);
    g_ptr_array_unref(system->free_chunks);
    g_ptr_array_unref(system->admissions);
    for (int k = 0; k < COLL_N_KINDS; k++)
        coll_orders_clear(&system->orders[k]);
    g_free(system->cuts);
    g_free(system->n_chunks_before);
    g_free(system->scales);
    watch_clear(&system->watch);
    network_free(system->network);
    fold_free(system->fold);
    op_graph_free(system->graph);
    topology_free(system->topology);
    sim_engine_free(system->engine);
    g_free(system);
}
