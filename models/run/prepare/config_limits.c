/*
 * config_limits.c - refuses configurations whose run could never end
 *
 * A stream of kernels would stall if an endpoint or another stream takes all of
 * its SMs or HBM bandwidth for the whole run.  A kernel would not end if it
 * takes longer than the range of simulated time.  Both are errors at the value
 * that causes them.
 *
 * Resources that an endpoint takes only for a time (`only_while_communicating`)
 * are no error.  They are held while chunks are in flight on the NPU.  Those
 * chunks must not wait for a chunk behind them that a kernel of the same NPU
 * has yet to issue.  Therefore chunks keep the order of intake if they could
 * leave kernels nothing (EndpointHost.in_turn): the first chunk in that order
 * waits for no NPU that has chunks in flight.
 */
#include <inttypes.h>

#include "models/run/run_state_impl.h"

/* The SMs and the HBM bandwidth that the main stream cannot use. */
typedef struct {
    uint64_t n_sms, bytes_per_s; /* the part that the endpoint takes */
    uint64_t side_sms, side_bytes_per_s;
} TakenResources;

/* Returns what the endpoint and the side stream take from the main stream: for
 * the whole run if @for_good, else at any time. */
static TakenResources resources_taken_from_main(const System *system,
                                                gboolean for_good)
{
    const SystemConfig *config = system->plan.config;
    const NpuConfig *npu = &config->platform.npu;
    EndpointClaim claim = endpoint_claim_resources(&config->endpoint);
    TakenResources taken = { 0 };

    if (!for_good || !claim.only_while_communicating) {
        taken.n_sms = claim.n_sms;
        taken.bytes_per_s = claim.read_bytes_per_s;
        if (npu->hbm.charge_writes)
            taken.bytes_per_s +=
                claim.write_bytes_per_s + claim.unpaced_write_bytes_per_s;
    }
    if (system_has_kernels(system, OP_STREAM_SIDE)) {
        taken.side_sms = system->plan.side_share.n_sms;
        taken.side_bytes_per_s = system->plan.side_share.bytes_per_s;
    }
    if (npu->hbm.policy == HBM_SHARED)
        taken.bytes_per_s = taken.side_bytes_per_s = 0;
    return taken;
}

/* Returns whether the endpoint leaves the main stream SMs and bandwidth.  The
 * sums are far below 2^64, so they cannot overflow. */
static gboolean endpoint_leaves_resources(const NpuConfig *npu,
                                          const TakenResources *taken)
{
    return taken->n_sms < npu->n_sms &&
           taken->bytes_per_s < hbm_usable_bytes_per_s(&npu->hbm);
}

static gboolean side_stream_leaves_sms(const NpuConfig *npu,
                                       const TakenResources *taken)
{
    return taken->side_sms == 0 || taken->side_sms < npu->n_sms - taken->n_sms;
}

static gboolean side_stream_leaves_bandwidth(const NpuConfig *npu,
                                             const TakenResources *taken)
{
    return taken->side_bytes_per_s == 0 ||
           taken->side_bytes_per_s <
               hbm_usable_bytes_per_s(&npu->hbm) - taken->bytes_per_s;
}

gboolean system_kernels_may_starve(const System *system)
{
    const NpuConfig *npu = &system->plan.config->platform.npu;
    TakenResources taken = resources_taken_from_main(system, FALSE);

    return !endpoint_leaves_resources(npu, &taken) ||
           !side_stream_leaves_sms(npu, &taken) ||
           !side_stream_leaves_bandwidth(npu, &taken);
}

static gboolean check_endpoint_leaves_resources(const System *system,
                                                const TakenResources *taken,
                                                GError **error)
{
    const NpuConfig *npu = &system->plan.config->platform.npu;
    uint64_t usable_bytes_per_s = hbm_usable_bytes_per_s(&npu->hbm);

    if (endpoint_leaves_resources(npu, taken))
        return TRUE;
    config_set_error(
        error, system->plan.config->endpoint.node, CONFIG_ERROR_CONFLICT,
        "the endpoint leaves compute nothing: it takes "
        "%" PRIu64 " of %" PRIu64 " SMs and %.6g of %.6g GB/s of HBM for good",
        taken->n_sms, npu->n_sms, (double)taken->bytes_per_s / 1e9,
        (double)usable_bytes_per_s / 1e9);
    return FALSE;
}

static gboolean check_side_stream(const System *system,
                                  const TakenResources *taken, GError **error)
{
    const PlatformConfig *platform = &system->plan.config->platform;
    const NpuConfig *npu = &platform->npu;
    uint64_t usable_bytes_per_s = hbm_usable_bytes_per_s(&npu->hbm);

    if (!side_stream_leaves_sms(npu, taken)) {
        config_set_error(error, platform->npu_node, CONFIG_ERROR_CONFLICT,
                         "side_sms: %" PRIu64 " for the side stream and "
                         "%" PRIu64 " for the endpoint leave the main stream "
                         "none of %" PRIu64 " SMs",
                         taken->side_sms, taken->n_sms, npu->n_sms);
        return FALSE;
    }
    if (!side_stream_leaves_bandwidth(npu, taken)) {
        config_set_error(
            error, platform->npu_node, CONFIG_ERROR_CONFLICT,
            "side_bandwidth: %.6g GB/s for the side stream and %.6g for the "
            "endpoint leave the main stream none of %.6g GB/s of HBM",
            (double)taken->side_bytes_per_s / 1e9,
            (double)taken->bytes_per_s / 1e9, (double)usable_bytes_per_s / 1e9);
        return FALSE;
    }
    return TRUE;
}

/* Returns whether kernel @i ends within the range of simulated time. */
static gboolean kernel_ends_in_range(const System *system, uint32_t i,
                                     const TakenResources *taken)
{
    const NpuConfig *npu = &system->plan.config->platform.npu;
    const Op *op = op_graph_op(system->plan.graph, i);
    uint64_t usable_bytes_per_s = hbm_usable_bytes_per_s(&npu->hbm);
    gboolean is_side = op->stream == OP_STREAM_SIDE;
    uint64_t n_sms = is_side ? system->plan.side_share.n_sms
                             : npu->n_sms - taken->n_sms - taken->side_sms;
    uint64_t bytes_per_s = usable_bytes_per_s - taken->bytes_per_s;

    if (is_side && taken->side_bytes_per_s > 0)
        bytes_per_s = MIN(taken->side_bytes_per_s, usable_bytes_per_s);
    else
        bytes_per_s -= taken->side_bytes_per_s;
    return kernel_demands_time_ps(system->state.demands, op->work,
                                  system->plan.kernel_scales[i], n_sms,
                                  bytes_per_s) <= SIM_ENGINE_MAX_PS;
}

static gboolean check_kernels_end_in_range(const System *system,
                                           const TakenResources *taken,
                                           GError **error)
{
    const NpuConfig *npu = &system->plan.config->platform.npu;

    for (uint32_t i = 0; i < system->plan.graph->ops->len; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);
        g_autoptr(GString) name = NULL;

        if (op->type != OP_COMPUTE || kernel_ends_in_range(system, i, taken))
            continue;
        name = g_string_new(NULL);
        op_graph_append_op_name(system->plan.graph, i, name);
        config_set_error(
            error, system->plan.config->workload.node, CONFIG_ERROR_CONFLICT,
            "%s of %.3g FLOP and %.3g bytes takes longer than the 53 days that "
            "can be simulated, at platform.npu.flops x flops_efficiency = "
            "%.3g TFLOPS and platform.npu.hbm.bandwidth x efficiency = "
            "%.3g GB/s",
            name->str, (double)op->work->flop, (double)op->work->bytes,
            (double)npu->flop_per_s * (double)npu->efficiency_ppm / 1e18,
            (double)hbm_usable_bytes_per_s(&npu->hbm) / 1e9);
        return FALSE;
    }
    return TRUE;
}

gboolean system_check_limits(const System *system, GError **error)
{
    TakenResources taken = resources_taken_from_main(system, TRUE);

    if (!system_has_kernels(system, OP_STREAM_MAIN))
        return TRUE;
    return check_endpoint_leaves_resources(system, &taken, error) &&
           check_side_stream(system, &taken, error) &&
           check_kernels_end_in_range(system, &taken, error);
}

/* ---- notes on long runs ----------------------------------------------- */

typedef struct {
    const char *key;
    uint64_t bytes_per_s;
} Rate;

static uint64_t slowest_port_bytes_per_s(const System *system)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t phase = 0; phase < topology_n_ports(system->plan.topology);
         phase++)
        least = MIN(least, topology_get_port(system->plan.topology, phase)
                               ->payload_bytes_per_s);
    return least;
}

static SimTime sum_of_kernel_times_ps(const System *system)
{
    const NpuConfig *npu = &system->plan.config->platform.npu;
    SimTime all_ps = 0;

    for (uint32_t i = 0; i < system->plan.graph->ops->len; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);

        if (op->type == OP_COMPUTE)
            all_ps = sim_time_add(all_ps,
                                  kernel_demands_time_ps(
                                      system->state.demands, op->work,
                                      system->plan.kernel_scales[i], npu->n_sms,
                                      hbm_usable_bytes_per_s(&npu->hbm)));
    }
    return all_ps;
}

void system_explain_run_length(const System *system, GString *text)
{
    const SystemConfig *config = system->plan.config;
    const NpuConfig *npu = &config->platform.npu;
    EndpointClaim claim = endpoint_claim_resources(&config->endpoint);
    const Rate *lowest;
    const Rate rates[] = {
        { "a link's bandwidth x efficiency", slowest_port_bytes_per_s(system) },
        { "platform.npu.hbm.bandwidth x efficiency",
          hbm_usable_bytes_per_s(&npu->hbm) },
        { "platform.npu.fabric_bus", npu->bus_bytes_per_s },
        { "what the SMs draw by sm_bandwidth, sm_in_flight, memory_latency",
          npu_sms_max_bytes_per_s(npu,
                                  claim.n_sms > 0 ? claim.n_sms : npu->n_sms) },
        { "endpoint.memory_bandwidth",
          claim.read_bytes_per_s > 0 ? claim.read_bytes_per_s : UINT64_MAX },
    };

    lowest = &rates[0];
    for (guint i = 1; i < G_N_ELEMENTS(rates); i++)
        if (rates[i].bytes_per_s < lowest->bytes_per_s)
            lowest = &rates[i];
    g_string_append_printf(text,
                           "training.iterations: %" PRIu64
                           ", each with %.3g s of kernels; the lowest "
                           "bandwidth, %.6g GB/s, is %s",
                           config->training.n_iterations,
                           (double)sum_of_kernel_times_ps(system) / 1e12,
                           (double)lowest->bytes_per_s / 1e9, lowest->key);
}
