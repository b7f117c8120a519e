/*
 * ideal_endpoint.c - an endpoint whose work costs nothing
 *
 * A message is ready to leave a given number of cycles after it is submitted,
 * and is taken in immediately.  Collectives and steps start in zero time,
 * unless the keys say otherwise.  There is no HBM traffic and no bus, and no
 * SMs are used: the network is the only limit.  The result is a bound for the
 * other endpoints.
 */
#include "models/endpoints/endpoint_impl.h"

typedef struct {
    EndpointCommon common;
    EndpointCosts costs;
} IdealParams;

static const ConfigField ideal_fields[] = {
    ENDPOINT_COMMON_FIELDS(IdealParams),
    ENDPOINT_COST_FIELDS(IdealParams, "0 ns", "costs nothing", "0 ns",
                         "costs nothing"),
    CONFIG_END,
};

static Endpoint *ideal_endpoint_new(const ConfigVariant *config,
                                    const EndpointSite *site,
                                    EndpointHost *host, GError **error)
{
    const IdealParams *params = config->params;
    Endpoint *ideal = g_new0(Endpoint, 1);

    (void)error;
    endpoint_set_costs(ideal, &params->costs, site->npu->clock_hz);
    (void)host;
    return ideal;
}

static void ideal_endpoint_free(Endpoint *endpoint)
{
    g_free(endpoint);
}

static void ideal_endpoint_claim_resources(gconstpointer params,
                                           EndpointClaim *ret)
{
    (void)params;
    (void)ret; /* the endpoint claims no resources of the NPU */
}

static gboolean ideal_endpoint_estimate_chunk_costs(gconstpointer params,
                                                    const EndpointSite *site,
                                                    const CollPlan *plan,
                                                    uint64_t chunk_bytes,
                                                    CutPace *ret)
{
    const IdealParams *ideal_params = params;

    (void)plan;
    (void)chunk_bytes;
    ret->message_ps = endpoint_message_time_ps(&ideal_params->costs, site->npu);
    return TRUE;
}

static gboolean ideal_endpoint_may_admit_chunk(Endpoint *endpoint,
                                               uint64_t bytes)
{
    (void)endpoint;
    (void)bytes;
    return TRUE;
}

static void ideal_endpoint_advance_chunk(Endpoint *endpoint, Chunk *chunk,
                                         uint32_t phase)
{
    (void)phase;
    host_report_chunk_enters_phase(endpoint->host, chunk);
}

static void ideal_endpoint_read_counters(const Endpoint *endpoint,
                                         EndpointStats *ret)
{
    (void)endpoint;
    *ret = (EndpointStats){ 0 };
}

/* Visits nothing: an ideal endpoint has no state. */
static void ideal_endpoint_visit_state(Endpoint *endpoint, SteadyWalk *walk)
{
    (void)endpoint;
    (void)walk;
}

/* The endpoint reads no more of its NPU than
 * endpoints/endpoints_with_same_results.h allows. */
static const EndpointInvariance ideal_invariance = { 0 };

const EndpointOps endpoint_ideal = {
    .base = { .name = "ideal",
              .summary = "no work, no traffic: the network is the only limit",
              .fields = ideal_fields,
              .size = sizeof(IdealParams) },
    .new = ideal_endpoint_new,
    .free = ideal_endpoint_free,
    .claim = ideal_endpoint_claim_resources,
    .pace = ideal_endpoint_estimate_chunk_costs,
    .may_start = ideal_endpoint_may_admit_chunk,
    .advance = ideal_endpoint_advance_chunk,
    .stats = ideal_endpoint_read_counters,
    .steady = ideal_endpoint_visit_state,
    .is_final_at_chunk_end = TRUE,
    .invariance = &ideal_invariance,
};
