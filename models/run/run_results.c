/* run_results.c - results of a run, per NPU and iteration */
#include "models/run/admit/collective_lanes.h"
#include "models/run/prepare/op_times_by_npu.h"
#include "models/run/stack_costs.h"
#include "models/run/training_impl.h"
#include "workloads/jobs/jobs.h"

static uint64_t bytes_rate_per_s(uint64_t bytes, SimTime ps)
{
    return ps == 0 ? 0 : (uint64_t)((SimWide)bytes * SIM_PS_PER_SEC / ps);
}

/* Returns the time that the bytes of port @phase of unit @unit need.  On a
 * torus, which has few ports, the bytes of a dimension use all its links. */
static SimTime port_transfer_ps(const System *system, uint32_t unit,
                                uint32_t phase)
{
    const Topology *topology = system->plan.topology;
    uint32_t n_ports = topology_n_ports(topology);
    gboolean is_shared = topology_is_torus(topology);
    uint32_t first = is_shared ? 0 : phase,
             end = is_shared ? n_ports : phase + 1;
    uint64_t bytes = 0, bytes_per_s = 0;

    for (uint32_t q = first; q < end; q++) {
        const TopologyPort *port = topology_get_port(topology, q);

        if (port->dim != topology_get_port(topology, phase)->dim)
            continue;
        bytes += network_link_stats(system->state.network, unit * n_ports + q)
                     .sent_bytes;
        bytes_per_s += port->n_links * port->payload_bytes_per_s;
    }
    return sim_time_from_bytes(bytes, bytes_per_s);
}

/* Returns the maximum of bytes that could be sent per second if the most loaded
 * links never stopped: by dimension on a torus, else by port. */
static uint64_t max_network_bytes_per_s(const System *system,
                                        uint64_t sent_bytes)
{
    SimTime slowest_ps = 0;

    for (uint32_t u = 0; u < symmetry_fold_n_simulated_units(system->plan.fold);
         u++)
        for (uint32_t phase = 0;
             phase < topology_n_ports(system->plan.topology); phase++) {
            SimTime ps = port_transfer_ps(system, u, phase);

            slowest_ps = MAX(slowest_ps, ps);
        }
    return bytes_rate_per_s(sent_bytes, slowest_ps);
}

/* Sets the use of the resources of NPU 0.  The NPU has one bus per direction,
 * and one HBM share. */
static void count_resource_uses(const Npu *npu, const EndpointStats *stats,
                                ResourceUse *ret)
{
    const EndpointOps *ops = npu->endpoint->ops;

    ret[RESOURCE_HBM_SHARE] =
        (ResourceUse){ .capacity = 1, .busy_ps = stats->hbm_busy_ps };
    ret[RESOURCE_BUS] =
        (ResourceUse){ .capacity = 1, .busy_ps = stats->bus_busy_ps };
    if (ops->uses)
        ops->uses(npu->endpoint, ret + RESOURCE_OWN);
}

/* Adds the statistics of an endpoint to @result.  Bytes are summed; other
 * values are those of NPU 0. */
static void add_endpoint_stats(const Npu *npu, SystemResult *result)
{
    uint64_t read_bytes = result->endpoint.hbm_read_bytes;
    uint64_t write_bytes = result->endpoint.hbm_write_bytes;
    EndpointStats one;

    npu->endpoint->ops->stats(npu->endpoint, &one);
    if (npu->index == 0) {
        result->endpoint = one;
        count_resource_uses(npu, &one, result->uses);
    }
    result->endpoint.hbm_read_bytes =
        read_bytes + one.hbm_read_bytes + collective_lanes_copied_bytes(npu);
    result->endpoint.hbm_write_bytes =
        write_bytes + one.hbm_write_bytes + collective_lanes_copied_bytes(npu);
}

/* Returns the SMs held for communication, multiplied by the time for which they
 * are held. */
static uint64_t sm_time_for_communication_ns(const Npu *npu, SimTime total_ps)
{
    const EndpointMembers *members = &npu->system->plan.endpoints.members;
    SimWide sum = 0;

    for (uint32_t i = 0; i < members->n; i++) {
        const EndpointUse *use = &npu->uses[i];
        const EndpointClaim *claim = &npu->system->plan.endpoints.claims[i];
        SimTime held_ps = total_ps;

        if (claim->sms_only_while_reducing)
            held_ps = use->reduced_ps;
        else if (claim->only_while_communicating)
            held_ps = members->n == 1 ? npu->communicated_ps : use->busy_ps;
        sum += (SimWide)claim->n_sms * held_ps;
    }
    return (uint64_t)(sum / 1000);
}

static SimTime sum_of_kernel_rooflines_ps(const System *system)
{
    const Npu *npu = &system->state.npus[0];
    const NpuConfig *config = &system->plan.config->platform.npu;
    const GArray *ops =
        system->plan.role_ops[npu->role].by_stream[OP_STREAM_MAIN];
    /* The endpoint holds this even without chunks in flight. */
    EndpointClaim claim = npu_endpoint_claim(npu);
    uint64_t taken =
        claim.n_sms +
        (npu->stream_used[OP_STREAM_SIDE] ? system->plan.side_share.n_sms : 0);
    uint64_t n_sms = config->n_sms > taken ? config->n_sms - taken : 0;
    uint64_t bytes_per_s = config->hbm.policy == HBM_PARTITIONED
                               ? hbm_rate_of_stream(npu->hbm, HBM_MAIN)
                               : hbm_usable_bytes_per_s(&config->hbm);
    SimTime sum_ps = 0;

    for (guint i = 0; i < ops->len; i++) {
        uint32_t op = g_array_index(ops, uint32_t, i);

        sum_ps = sim_time_add(
            sum_ps,
            kernel_demands_time_ps(system->state.demands,
                                   op_graph_op(system->plan.graph, op)->work,
                                   op_times_scale(system, npu->rank, op), n_sms,
                                   bytes_per_s));
    }
    return sum_ps;
}

gboolean system_has_kernels(const System *system, OpStream stream)
{
    for (guint r = 0; r < system->plan.graph->roles->len; r++)
        if (system->plan.role_ops[r].by_stream[stream]->len > 0)
            return TRUE;
    return FALSE;
}

static gboolean npu_is_server(const System *system, uint32_t i)
{
    return op_graph_role(system->plan.graph, system->state.npus[i].role)
        ->serves;
}

/* Sums over all NPUs that train, and over all iterations. */
typedef struct {
    uint64_t n;
    SimWide busy_ps, comm_ps, beside_ps, window_ps, sent_bytes, sm_ns, bytes;
} Sums;

static void add_npu_sums(const Npu *npu, gboolean ends_with_compute, Sums *sums,
                         SystemResult *result)
{
    SimTime end_ps = ends_with_compute ? training_compute_end_ps(npu->training)
                                       : training_end_ps(npu->training);

    if (end_ps > result->total_ps)
        result->last_npu = npu->host.id;
    result->total_ps = MAX(result->total_ps, end_ps);
    sums->n++;
    sums->busy_ps += compute_stream_busy_ps(npu->streams[OP_STREAM_MAIN]);
    sums->comm_ps += npu->communicated_ps;
    sums->beside_ps += npu->beside_ps;
    sums->window_ps += npu->window_full_ps;
    sums->sent_bytes += npu->sent_bytes;
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++) {
        sums->sm_ns += compute_stream_busy_sm_ns(npu->streams[stream]);
        sums->bytes += compute_stream_bytes_moved(npu->streams[stream]);
    }
    add_endpoint_stats(npu, result);
}

/* Sets the values per NPU and iteration, as means over the NPUs that train.  On
 * a homogeneous platform each NPU has these values. */
static void set_mean_results(const Sums *sums, SystemResult *result)
{
    uint64_t n = sums->n, n_iterations = result->n_iterations;

    result->endpoint.hbm_read_bytes /= n;
    result->endpoint.hbm_write_bytes /= n;
    result->compute_ps = (SimTime)(sums->busy_ps / n / n_iterations);
    result->own_comm_ps = (SimTime)(sums->comm_ps / n / n_iterations);
    result->beside_ps = (SimTime)(sums->beside_ps / n / n_iterations);
    result->window_ps = (SimTime)(sums->window_ps / n / n_iterations);
    result->sent_bytes = (uint64_t)(sums->sent_bytes / n / n_iterations);
    result->hbm_comm_read_bytes =
        result->endpoint.hbm_read_bytes / n_iterations;
    result->hbm_comm_write_bytes =
        result->endpoint.hbm_write_bytes / n_iterations;
    result->hbm_compute_bytes = (uint64_t)(sums->bytes / n / n_iterations);
    result->sm_compute_ns = (uint64_t)(sums->sm_ns / n / n_iterations);
}

/* Returns the mean compute time of the job that ends last, which determines the
 * iterations.  NPUs of other jobs neither compute in them nor wait. */
static SimTime mean_compute_of_last_job(const System *system, uint32_t last_npu)
{
    const OpGraph *graph = system->plan.graph;
    uint32_t role =
        system->state.npus[system_representative_npu(system, last_npu)].role;
    const OpJob *job = NULL; /* NULL: one workload has all NPUs */
    uint64_t n = 0;
    SimWide sum_ps = 0;

    for (guint j = 0; j < graph->jobs->len; j++)
        if (role_set_has(op_graph_job(graph, j)->roles, role))
            job = op_graph_job(graph, j);
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        const Npu *npu = &system->state.npus[i];

        if (npu_is_server(system, i) ||
            (job && !role_set_has(job->roles, npu->role)))
            continue;
        sum_ps += compute_stream_busy_ps(npu->streams[OP_STREAM_MAIN]);
        n++;
    }
    return n > 0 ? (SimTime)(sum_ps / n) : 0;
}

/* Returns the results of a run that has ended.  The run ends with the last NPU
 * that trains. */
SystemResult system_result(const System *system)
{
    uint64_t n_iterations = system->plan.config->training.n_iterations, n_sent;
    SystemResult r = { .n_npus = topology_n_npus(system->plan.topology),
                       .n_simulated = system->plan.n_sim,
                       .n_iterations = n_iterations };
    gboolean ends_with_compute = system_has_kernels(system, OP_STREAM_MAIN) &&
                                 !system->plan.config->training.drain;
    Sums sums = { 0 };

    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        r.span_ps =
            MAX(r.span_ps, training_end_ps(system->state.npus[i].training));
        if (!npu_is_server(system, i))
            add_npu_sums(&system->state.npus[i], ends_with_compute, &sums, &r);
    }
    set_mean_results(&sums, &r);
    if (system->plan.graph->jobs->len > 0)
        r.compute_ps =
            mean_compute_of_last_job(system, r.last_npu) / n_iterations;
    n_sent = (uint64_t)(sums.sent_bytes / sums.n);
    r.iteration_ps = (r.total_ps + n_iterations - 1) / n_iterations;
    r.exposed_ps = r.iteration_ps - MIN(r.compute_ps, r.iteration_ps);
    r.roofline_ps = sum_of_kernel_rooflines_ps(system);
    r.sm_comm_ns =
        sm_time_for_communication_ns(&system->state.npus[0], r.total_ps) /
        n_iterations;
    r.n_hops = network_n_hops(system->state.network);
    r.n_events = system->counters.n_events;
    r.span_ps = MAX(r.span_ps, r.total_ps);
    r.comm_ps = system->counters.communicated_ps / n_iterations;
    r.net_bytes_per_s =
        bytes_rate_per_s(n_sent, system->counters.communicated_ps);
    r.net_cap_bytes_per_s = max_network_bytes_per_s(system, n_sent);
    return r;
}

uint64_t system_n_skipped(const System *system)
{
    return system->counters.n_skipped;
}

ReplayCounts system_replay_counts(const System *system)
{
    return system->counters.replay_counts;
}

uint64_t system_n_skip_checked(const System *system)
{
    return system->counters.n_skip_checked;
}

uint32_t system_n_simulated_npus(const System *system)
{
    return system->plan.n_sim;
}

gboolean system_simulates_npu(const System *system, uint32_t npu)
{
    return npu < topology_n_npus(system->plan.topology) &&
           symmetry_fold_representative_end(
               system->plan.fold,
               symmetry_fold_class_of_end(system->plan.fold, npu)) == npu;
}

const char *system_unfolded_reason(const System *system)
{
    return system->plan.unfolded_reason;
}

const SystemConfig *system_config(const System *system)
{
    return system->plan.config;
}

const NetMessage *system_get_message_in_flight(const System *system,
                                               uint32_t message)
{
    return network_get_message(system->state.network, message);
}

uint32_t system_representative_npu(const System *system, uint32_t npu)
{
    return symmetry_fold_class_of_end(system->plan.fold, npu);
}

const Endpoint *system_endpoint(const System *system, uint32_t npu, uint32_t op)
{
    return npu_endpoint_of_op(
        &system->state.npus[system_representative_npu(system, npu)], op);
}

const Topology *system_topology(const System *system)
{
    return system->plan.topology;
}

const OpGraph *system_graph(const System *system)
{
    return system->plan.graph;
}

const CollPlacement *system_placement(const System *system)
{
    return &system->plan.placement;
}

const ResourceKind *system_endpoint_resources(const System *system)
{
    return system->plan.endpoints.resources
               ? system->plan.endpoints.resources
               : endpoint_resources_of_kind(
                     system->plan.endpoints.members.endpoints[0].kind);
}

NetPortStats system_port_stats(const System *system, uint32_t port)
{
    uint32_t npu = 0;

    return network_link_stats(
        system->state.network,
        symmetry_fold_translate_link(system->plan.fold, port, &npu));
}

SimTime system_limit_busy_ps(const System *system, uint32_t limit)
{
    return network_limit_busy_ps(system->state.network, 0, limit);
}

SimTime system_layer_compute_ps(const System *system, uint32_t layer,
                                OpPass pass)
{
    return training_layer_ps(system->state.npus[0].training, layer, pass);
}

SimTime system_layer_wait_ps(const System *system, uint32_t layer, OpPass pass)
{
    return training_wait_ps(system->state.npus[0].training, layer, pass);
}

/* The least and the greatest time that an operation was in flight on an NPU
 * after its first chunk was started there. */
typedef struct {
    SimTime least_ps, most_ps;
} TimesInFlight;

/* Adds the times of operation @op of @npu. */
static void add_collective_times(const Npu *npu, uint32_t op,
                                 CollectiveTimes *times,
                                 TimesInFlight *in_flight)
{
    const TrainingCollective *own;
    SimTime ps;

    if (op_graph_op(npu->system->plan.graph, op)->type != OP_COLLECTIVE ||
        !npu_has_op(npu, op))
        return;
    own = training_collective(npu->training, op);
    if (own->took_ps == 0)
        return;
    ps = own->took_ps - own->waited_ps;
    if (times[op].took_ps == 0)
        in_flight[op].least_ps = ps;
    in_flight[op].least_ps = MIN(in_flight[op].least_ps, ps);
    in_flight[op].most_ps = MAX(in_flight[op].most_ps, ps);
    times[op].took_ps = MAX(times[op].took_ps, own->took_ps);
}

/* Adds the times of all operations of @npu. */
static void add_times_of_npu(const Npu *npu, const GArray *buffers,
                             CollectiveTimes *times, TimesInFlight *in_flight)
{
    const GArray *ops = npu_ops(npu);

    for (guint i = 0; i < ops->len; i++)
        add_collective_times(npu, g_array_index(ops, uint32_t, i), times,
                             in_flight);
    for (guint i = 0; i < buffers->len; i++)
        add_collective_times(npu, g_array_index(buffers, uint32_t, i), times,
                             in_flight);
}

/* Returns the buffers of lanes, which npu_ops() leaves out.  The caller owns
 * the array of uint32_t. */
static GArray *list_fusion_buffer_ops(const OpGraph *graph)
{
    GArray *buffers = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t op = 0; op < graph->ops->len; op++)
        if (op_graph_op(graph, op)->is_buffer)
            g_array_append_val(buffers, op);
    return buffers;
}

/* The NPU that starts a collective last has the least time from there to the
 * end.  That time is the same on all NPUs but for the last messages.  A message
 * ends for its receiver later than for its sender, so the greatest time is
 * used. */
CollectiveTimes *system_collective_times(const System *system)
{
    const OpGraph *graph = system->plan.graph;
    CollectiveTimes *times = g_new0(CollectiveTimes, graph->ops->len);
    g_autofree TimesInFlight *in_flight =
        g_new0(TimesInFlight, graph->ops->len);
    g_autoptr(GArray) buffers = list_fusion_buffer_ops(graph);

    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        add_times_of_npu(&system->state.npus[i], buffers, times, in_flight);
    for (uint32_t op = 0; op < graph->ops->len; op++)
        if (in_flight[op].most_ps > 0)
            times[op].waited_ps =
                times[op].took_ps - (op_graph_op(graph, op)->kind == COLL_SEND
                                         ? in_flight[op].most_ps
                                         : in_flight[op].least_ps);
    return times;
}
