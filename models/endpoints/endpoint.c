/* endpoint.c - functions common to all kinds of endpoints */
#include "models/endpoints/endpoint_impl.h"

const char *const endpoint_algorithm_names[] = { "auto", "nvls", "sharp",
                                                 NULL };

void endpoint_find_members(const ConfigVariant *config, EndpointMembers *ret)
{
    const EndpointOps *ops = endpoint_ops_of_kind(config);

    *ret = (EndpointMembers){ .n = 1, .endpoints = { *config } };
    if (ops->members)
        ops->members(config->params, ret);
}

uint32_t endpoint_member_for_collective(const ConfigVariant *config,
                                        const char *group, CollKind kind)
{
    const EndpointOps *ops = endpoint_ops_of_kind(config);

    return ops->member_of ? ops->member_of(config->params, group, kind) : 0;
}

const char *endpoint_name(const ConfigVariant *config)
{
    const EndpointCommon *common = config->params;

    return common->name;
}

const EndpointCommon *endpoint_common(const ConfigVariant *config)
{
    return config->params;
}

uint64_t endpoint_n_runs_to_choose_auto(const ConfigVariant *config)
{
    const EndpointCommon *common = config->params;

    return common->n_tried;
}

EndpointClaim endpoint_claim_resources(const ConfigVariant *config)
{
    EndpointClaim claim = { 0 };

    endpoint_ops_of_kind(config)->claim(config->params, &claim);
    return claim;
}

guint endpoint_n_auto_steps(const ConfigVariant *config, const NpuConfig *npu)
{
    const EndpointOps *ops = endpoint_ops_of_kind(config);

    return ops->n_steps ? ops->n_steps(config->params, npu) : 0;
}

char *endpoint_bandwidth_cap_reason(const ConfigVariant *config,
                                    const NpuConfig *npu, guint times)
{
    const EndpointOps *ops = endpoint_ops_of_kind(config);

    return ops->cap ? ops->cap(config->params, npu, times) : NULL;
}

void endpoint_set_auto_params(const ConfigVariant *config, const NpuConfig *npu,
                              guint step, guint part, gpointer params)
{
    g_assert(step < endpoint_n_auto_steps(config, npu));
    g_assert(part >= 1 && part <= ENDPOINT_N_PARTS);
    endpoint_ops_of_kind(config)->take_step(config->params, npu, step, part,
                                            params);
}

gboolean endpoint_estimate_chunk_costs(const ConfigVariant *config,
                                       const EndpointSite *site,
                                       const CollPlan *plan,
                                       uint64_t chunk_bytes, CutPace *ret)
{
    const EndpointOps *ops = endpoint_ops_of_kind(config);

    return !ops->pace ||
           ops->pace(config->params, site, plan, chunk_bytes, ret);
}

gboolean endpoint_delays_messages(const ConfigVariant *config)
{
    const EndpointOps *ops = endpoint_ops_of_kind(config);

    return ops->send || ops->receive;
}

Endpoint *endpoint_new(const ConfigVariant *config, const EndpointSite *site,
                       EndpointHost *host, GError **error)
{
    const EndpointOps *ops = endpoint_ops_of_kind(config);
    Endpoint *endpoint = ops->new (config, site, host, error);

    if (!endpoint)
        return NULL;
    endpoint->ops = ops;
    endpoint->host = host;
    endpoint->read_stream = hbm_comm_stream(HBM_COMM_READ, site->index);
    endpoint->first_resource = RESOURCE_OWN + site->first_resource;
    return endpoint;
}

void endpoint_free(Endpoint *endpoint)
{
    if (endpoint)
        endpoint->ops->free(endpoint);
}

void endpoint_set_costs(Endpoint *endpoint, const EndpointCosts *costs,
                        uint64_t clock_hz)
{
    endpoint->launch_ps = costs->launch_ps;
    endpoint->step_ps = costs->step_ps;
    endpoint->message_ps = sim_time_add(
        costs->step_ps, sim_time_from_cycles(costs->message_cycles, clock_hz));
}

SimTime endpoint_message_time_ps(const EndpointCosts *costs,
                                 const NpuConfig *npu)
{
    return sim_time_add(
        costs->step_ps,
        sim_time_from_cycles(costs->message_cycles, npu->clock_hz));
}

TraceResource endpoint_resource_that_delayed_mover(const NpuConfig *npu,
                                                   const HbmMover *mover,
                                                   TraceResource own)
{
    if (!hbm_mover_is_hbm_bound(mover))
        return own;
    return npu->hbm.policy == HBM_SHARED ? RESOURCE_HBM : RESOURCE_HBM_SHARE;
}
