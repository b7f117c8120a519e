/* npu.c - one NPU: its streams and endpoint, and the shares of SMs and HBM that
 * they have */
#include "models/run/npu_impl.h"

#include "models/run/prepare/op_times_by_npu.h"

/* Returns what endpoint number @i holds now. */
static EndpointClaim resources_held_by_endpoint(const Npu *npu, uint32_t i)
{
    const EndpointUse *use = &npu->uses[i];
    EndpointClaim claim = npu->system->plan.endpoints.claims[i];

    if (claim.only_while_communicating && !use->is_busy)
        claim = (EndpointClaim){ .only_while_communicating = TRUE };
    if (claim.sms_only_while_reducing && !use->is_reducing)
        claim.n_sms = 0;
    return claim;
}

EndpointClaim npu_endpoint_claim(const Npu *npu)
{
    EndpointClaim sum = resources_held_by_endpoint(npu, 0);

    for (uint32_t i = 1; i < npu->system->plan.endpoints.members.n; i++) {
        EndpointClaim one = resources_held_by_endpoint(npu, i);

        sum.n_sms += one.n_sms;
        sum.read_bytes_per_s += one.read_bytes_per_s;
        sum.write_bytes_per_s += one.write_bytes_per_s;
        sum.unpaced_write_bytes_per_s += one.unpaced_write_bytes_per_s;
    }
    return sum;
}

static uint64_t main_stream_sms(const Npu *npu)
{
    const NpuConfig *config = &npu->system->plan.config->platform.npu;
    uint64_t taken = npu_endpoint_claim(npu).n_sms;

    if (npu->stream_used[OP_STREAM_SIDE])
        taken += npu->system->plan.side_share.n_sms;
    return config->n_sms > taken ? config->n_sms - taken : 0;
}

static void give_stream_its_resource_share(Npu *npu, OpStream stream,
                                           uint64_t n_sms, uint64_t bytes_per_s)
{
    granted_npu_shares_add(&npu->system->counters.shares, stream, n_sms,
                           bytes_per_s);
    compute_stream_set_share(npu->streams[stream], n_sms, bytes_per_s);
}

static void on_hbm_rate_changed(gpointer self, HbmStream stream,
                                uint64_t bytes_per_s)
{
    Npu *npu = self;

    if (stream == HBM_MAIN)
        give_stream_its_resource_share(npu, OP_STREAM_MAIN,
                                       main_stream_sms(npu), bytes_per_s);
    else if (stream == HBM_SIDE)
        give_stream_its_resource_share(npu, OP_STREAM_SIDE,
                                       npu->system->plan.side_share.n_sms,
                                       bytes_per_s);
    else if (npu->endpoint && npu->endpoint->ops->set_rate)
        npu->endpoint->ops->set_rate(npu->endpoint, stream, bytes_per_s);
}

/* Updates the HBM bandwidth that a stream's kernel requests under `shared`:
 * what its present SMs could use. */
static void update_hbm_demand(Npu *npu, OpStream stream)
{
    uint32_t op = npu->kernels[stream];
    uint64_t n_sms = stream == OP_STREAM_MAIN
                         ? main_stream_sms(npu)
                         : npu->system->plan.side_share.n_sms;
    HbmStream memory = stream == OP_STREAM_MAIN ? HBM_MAIN : HBM_SIDE;
    uint64_t demand = 0;

    if (op != NPU_IDLE) {
        const KernelDemand *of = kernel_demands_get(
            npu->system->state.demands,
            op_graph_op(npu->system->plan.graph, op)->work, n_sms);

        demand = of->bytes_per_s;
        hbm_set_supply(npu->hbm, memory, of->supply_bytes_per_s);
        hbm_set_read_fraction(npu->hbm, memory, of->read_ppm);
    }
    hbm_set_demand(npu->hbm, memory, demand);
}

static void set_hbm_share_of_endpoint(Npu *npu, uint32_t i)
{
    const NpuConfig *config = &npu->system->plan.config->platform.npu;
    EndpointClaim claim = resources_held_by_endpoint(npu, i);

    hbm_set_share(npu->hbm, hbm_comm_stream(HBM_COMM_READ, i),
                  claim.read_bytes_per_s);
    hbm_set_share(
        npu->hbm, hbm_comm_stream(HBM_COMM_WRITE, i),
        claim.write_bytes_per_s +
            (config->hbm.charge_writes ? claim.unpaced_write_bytes_per_s : 0));
}

/* Updates the shares of SMs and HBM after the NPU's activity changed. */
static void update_resource_shares_of_streams(Npu *npu)
{
    EndpointClaim claim = npu_endpoint_claim(npu);

    TRACE(npu->host.watch, level, npu->host.id, TRACE_LEVEL_SMS, claim.n_sms);
    hbm_set_share(npu->hbm, HBM_SIDE,
                  npu->stream_used[OP_STREAM_SIDE]
                      ? npu->system->plan.side_share.bytes_per_s
                      : 0);
    for (uint32_t i = 0; i < npu->system->plan.endpoints.members.n; i++)
        set_hbm_share_of_endpoint(npu, i);
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
        update_hbm_demand(npu, stream);
    on_hbm_rate_changed(npu, HBM_MAIN, hbm_rate_of_stream(npu->hbm, HBM_MAIN));
    on_hbm_rate_changed(npu, HBM_SIDE, hbm_rate_of_stream(npu->hbm, HBM_SIDE));
}

/* Returns the factor by which `perturb` multiplies the time of kernel @op on
 * this NPU. */
static uint64_t perturbation_factor_ppm(const Npu *npu, uint32_t op,
                                        uint64_t iteration)
{
    const System *system = npu->system;
    uint64_t ppm = perturb_kernel_factor_ppm(&system->plan.config->perturb,
                                             npu->host.id, op, iteration);

    if (!system->plan.op_rules)
        return ppm;
    return sim_time_scaled(ppm, op_times_factor_ppm(system, npu->host.id, op),
                           1000000);
}

void npu_start_kernel(Npu *npu, uint32_t op, uint64_t iteration)
{
    const Op *o = op_graph_op(npu->system->plan.graph, op);

    if (G_UNLIKELY(npu->quiescent))
        npu->system->state.quiescent_callbacks->kernel_begins(npu);
    npu->kernels[o->stream] = op;
    update_hbm_demand(npu, o->stream);
    compute_stream_start_kernel(npu->streams[o->stream], o->work,
                                op_times_scale(npu->system, npu->rank, op),
                                perturbation_factor_ppm(npu, op, iteration),
                                op);
}

static void on_kernel_end(gpointer self, uint32_t op, uint64_t now_ps)
{
    Npu *npu = self;
    OpStream stream = op_graph_op(npu->system->plan.graph, op)->stream;

    (void)now_ps;
    npu->kernels[stream] = NPU_IDLE;
    update_hbm_demand(npu, stream);
    npu->callbacks->kernel(npu, op);
}

/* Updates whether the endpoint of @use is busy.  Returns whether that
 * changed. */
static gboolean update_endpoint_use(const Npu *npu, EndpointUse *use)
{
    gboolean is_busy = use->n_in_flight > 0;
    gboolean is_reducing = use->n_reducing > 0;
    SimTime now_ps;

    if (use->is_busy == is_busy && use->is_reducing == is_reducing)
        return FALSE;
    now_ps = sim_engine_now_ps(npu->system->state.engine);
    if (use->is_busy)
        use->busy_ps += now_ps - use->changed_ps;
    if (use->is_reducing)
        use->reduced_ps += now_ps - use->changed_ps;
    use->changed_ps = now_ps;
    use->is_busy = is_busy;
    use->is_reducing = is_reducing;
    return TRUE;
}

static void update_kernel_traffic(Npu *npu)
{
    gboolean has_changed = FALSE;

    for (uint32_t i = 0; i < npu->system->plan.endpoints.members.n; i++)
        has_changed |= update_endpoint_use(npu, &npu->uses[i]);
    if (has_changed)
        update_resource_shares_of_streams(npu);
}

/* Counts the time in which only a full window keeps a chunk from starting. */
static void count_window_full_time(Npu *npu)
{
    SimTime now_ps = sim_engine_now_ps(npu->system->state.engine);
    gboolean is_full_attention_layer_type =
        npu->system->state.communicators
            ? npu->n_held > 0
            : npu->pending->len > 0 &&
                  npu->n_in_flight >= npu->system->plan.window;

    if (npu->window_is_full)
        npu->window_full_ps += now_ps - npu->window_full_since_ps;
    npu->window_full_since_ps = now_ps;
    npu->window_is_full = is_full_attention_layer_type;
}

void npu_update_after_chunks(Npu *npu)
{
    count_window_full_time(npu);
    update_kernel_traffic(npu);
}

void npu_collective_begins(Npu *npu)
{
    System *system = npu->system;
    SimTime now_ps = sim_engine_now_ps(system->state.engine);

    if (npu->n_collectives++ > 0)
        return;
    npu->communicates_since_ps = now_ps;
    if (system->state.n_communicating++ == 0)
        system->state.communicates_since_ps = now_ps;
}

void npu_collective_ends(Npu *npu)
{
    System *system = npu->system;
    SimTime now_ps = sim_engine_now_ps(system->state.engine);

    if (--npu->n_collectives > 0)
        return;
    npu->communicated_ps += now_ps - npu->communicates_since_ps;
    if (--system->state.n_communicating > 0)
        return;
    system->counters.communicated_ps +=
        now_ps - system->state.communicates_since_ps;
    if (system->counters.communicated) {
        SystemSpan span = { system->state.communicates_since_ps, now_ps };

        g_array_append_val(system->counters.communicated, span);
    }
}

SimTime npu_communication_time_ps(const Npu *npu)
{
    return npu->communicated_ps +
           (npu->n_collectives == 0
                ? 0
                : sim_engine_now_ps(npu->system->state.engine) -
                      npu->communicates_since_ps);
}

static void init_endpoint_uses(Npu *npu)
{
    uint32_t n = npu->system->plan.endpoints.members.n;

    npu->uses = n == 1 ? &npu->only_use : g_new0(EndpointUse, n);
}

static void init_compute_streams(Npu *npu)
{
    const System *system = npu->system;

    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++) {
        npu->streams[stream] = compute_stream_new(
            system->state.engine, system->state.demands, on_kernel_end, npu);
        npu->kernels[stream] = NPU_IDLE;
        npu->stream_used[stream] =
            system->plan.role_ops[npu->role].by_stream[stream]->len > 0;
    }
}

gboolean npu_init(Npu *npu, System *system, uint32_t index,
                  const EndpointHostOps *ops, const EndpointSite *site,
                  GError **error)
{
    const NpuConfig *config = &system->plan.config->platform.npu;
    uint32_t id = symmetry_fold_representative_end(system->plan.fold, index);

    npu->system = system;
    npu->index = index;
    npu->inbox = INBOX_EMPTY;
    npu->role = coll_placement_role(&system->plan.placement, id);
    npu->rank =
        system->plan.op_npu_indices ? system->plan.op_npu_indices[id] : 0;
    g_queue_init(&npu->decisions);
    npu->pending = g_ptr_array_new();
    init_endpoint_uses(npu);
    npu->hbm =
        hbm_new_for_endpoints(&config->hbm, system->plan.endpoints.members.n,
                              on_hbm_rate_changed, npu);
    hbm_set_queueing_factor(npu->hbm, config->queueing_ppm);
    npu->host = (EndpointHost){ .ops = ops,
                                .id = id,
                                .place = index,
                                .config = config,
                                .engine = system->state.engine,
                                .network = system->state.network,
                                .hbm = npu->hbm,
                                .watch = &system->state.watch,
                                .chunks = system->state.chunks,
                                .consensus = &system->state.consensus,
                                .n_entries = system->whole->state.n_entries,
                                .notes = system->counters.endpoint_notes,
                                .in_turn = system->plan.keeps_intake_order };
    init_compute_streams(npu);
    update_resource_shares_of_streams(npu);
    npu->endpoint =
        endpoint_new(&system->plan.config->endpoint, site, &npu->host, error);
    if (!npu->endpoint)
        return FALSE;
    npu->send = npu->endpoint->ops->send;
    npu->receive = npu->endpoint->ops->receive;
    system->plan.stores_at_once = npu->endpoint->ops->stores_at_once;
    npu->message_ps = npu->endpoint->message_ps;
    return TRUE;
}

void npu_clear(Npu *npu)
{
    endpoint_free(npu->endpoint);
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
        compute_stream_free(npu->streams[stream]);
    hbm_free(npu->hbm);
    if (npu->uses != &npu->only_use)
        g_free(npu->uses);
    if (npu->pending)
        g_ptr_array_unref(npu->pending);
    g_queue_clear(&npu->decisions);
}
