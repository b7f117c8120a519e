/* trace_listeners.c - forwards events of the network and NPUs to listeners */
#include "models/run/npu_impl.h"

/* Returns the first NPU of the unit of @link, a simulated link, and sets
 * *@ret_port to the link's port. */
static uint32_t first_npu_of_link_unit(const System *system, uint32_t link,
                                       uint32_t *ret_port)
{
    uint32_t n_ports = topology_n_ports(system->plan.topology);

    *ret_port = link % n_ports;
    return symmetry_fold_representative_unit(system->plan.fold,
                                             link / n_ports) *
           topology_get_symmetry(system->plan.topology)->unit_ends;
}

static void on_link_transfer(gpointer self, uint32_t link, uint32_t message,
                             SimTime end_ps, gboolean wanted)
{
    System *system = self;
    uint32_t port, npu = first_npu_of_link_unit(system, link, &port);
    SimTime ready_ps =
        network_get_message(system->state.network, message)->tail_ps;

    TRACE(&system->state.watch, link, npu, port, message, ready_ps,
          wanted ? end_ps : sim_engine_now_ps(system->state.engine), end_ps);
}

static void on_link_busy(gpointer self, uint32_t link, SimTime from_ps,
                         SimTime until_ps)
{
    System *system = self;
    uint32_t port, npu = first_npu_of_link_unit(system, link, &port);

    TRACE(&system->state.watch, link_busy, npu, port, from_ps, until_ps);
}

static void on_compute_piece(gpointer self, const ComputePiece *piece)
{
    Npu *npu = self;
    const NpuConfig *config = &npu->system->plan.config->platform.npu;
    uint64_t usable_bytes_per_s = hbm_usable_bytes_per_s(&config->hbm);
    uint64_t side_bytes_per_s = hbm_rate_of_stream(npu->hbm, HBM_SIDE);
    TracePiece told = {
        .stream = op_graph_op(npu->system->plan.graph, piece->arg)->stream,
        .op = piece->arg,
        .from_ps = piece->from_ps,
        .total_ps = piece->total_ps,
        .n_sms = piece->n_sms,
        .bytes_per_s = piece->bytes_per_s,
        .most_sms = config->n_sms,
        .most_bytes_per_s = usable_bytes_per_s,
        .scale = piece->scale,
    };

    if (npu->stream_used[OP_STREAM_SIDE])
        told.most_sms -= MIN(npu->system->plan.side_share.n_sms, told.most_sms);
    told.most_bytes_per_s -= MIN(side_bytes_per_s, usable_bytes_per_s);
    told.most_sms = MAX(told.most_sms, told.n_sms);
    told.most_bytes_per_s = MAX(told.most_bytes_per_s, told.bytes_per_s);
    TRACE(npu->host.watch, kernel_ran, npu->host.id, &told);
}

static void on_hbm_level(gpointer self, HbmStream stream, uint64_t bytes_per_s)
{
    Npu *npu = self;
    HbmStream own;

    (void)bytes_per_s;
    (void)hbm_endpoint_of_stream(stream, &own);
    TRACE(npu->host.watch, level, npu->host.id,
          own == HBM_COMM_READ ? TRACE_LEVEL_HBM_READ : TRACE_LEVEL_HBM_WRITE,
          hbm_bytes_per_s_used_by_endpoints(npu->hbm, own));
}

/* Ensures that no event is computed in advance, so that listeners get it at its
 * time. */
static void disable_foreseen_deliveries(System *system)
{
    system->plan.needs_exact_times = TRUE;
    network_set_early_delivery_callback(system->state.network, NULL);
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        Npu *npu = &system->state.npus[i];

        for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
            compute_stream_set_listener(npu->streams[stream], on_compute_piece,
                                        npu);
    }
}

/* Subscribes to the events of the network and of memories that listeners
 * need. */
static void subscribe_to_events(System *system)
{
    const TraceOps *callbacks = &system->state.watch.heard;

    network_set_link_listeners(system->state.network, on_link_transfer,
                               callbacks->link_busy ? on_link_busy : NULL,
                               system);
    for (uint32_t i = 0; callbacks->level && i < system->plan.n_sim; i++)
        hbm_set_listener(system->state.npus[i].hbm, on_hbm_level,
                         &system->state.npus[i]);
}

void system_add_listener(System *system, const TraceOps *ops, gpointer self)
{
    g_assert(!system->regions);
    trace_watch_add_listener(&system->state.watch, ops, self);
    system->plan.has_listener = TRUE;
    if (!ops->ahead && !system->plan.needs_exact_times)
        disable_foreseen_deliveries(system);
    if (system->plan.needs_exact_times)
        subscribe_to_events(system);
}
