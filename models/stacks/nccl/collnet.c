/*
 * collnet.c - CollNet: switches between machines reduce (SHARP)
 *
 * Each machine does a reduce-scatter, so that every GPU has its part of the
 * machine's sum.  GPUs with the same index in all machines send that part to
 * the switch of the network and receive the total sum, which the machine then
 * gathers.  Inside a machine, switches that reduce do this.  Otherwise each GPU
 * sends to every other GPU over a switch.  Otherwise the GPUs form a ring,
 * where NCCL has a chain.  Early versions have only that chain, and also LL.
 *
 * NCCL's cost model counts the network traffic twice.  The simulated rate is
 * defined by the platform, as for NVLS: by the `reduce_rate` of its outer
 * switch.
 *
 * Sources  [NCCLTUNING]
 */
#include "models/stacks/nccl/nccl_state_impl.h"

/* Returns the dimension of the platform that contains the machines. */
static uint32_t network_dimension_of_platform(const NcclGroup *group)
{
    return 31 - (uint32_t)__builtin_clz(group->dims_mask);
}

static const char *collnet_reason_not_usable(const NcclGroup *group,
                                             CollKind kind)
{
    if (kind != COLL_ALL_REDUCE)
        return "CollNet carries out an all-reduce only";
    if (group->n_nodes < 2)
        return "CollNet is for GPUs of several machines";
    if (group->dims_mask == 0)
        return "these GPUs are no whole dimensions of the platform";
    if (!topology_in_switch_adder(group->topology,
                                  network_dimension_of_platform(group)))
        return "no switch between machines adds (`reduces`)";
    return topology_dimension(group->topology,
                              network_dimension_of_platform(group))
                       ->size == group->n_nodes
               ? NULL
               : "the switch that adds is not between machines";
}

static gboolean is_early_collnet_version(const NcclGroup *group)
{
    return group->version < NCCL_COLLNET_SIMPLE_ONLY;
}

/* Returns the algorithm along dimension @dim inside a machine. */
static const CollAlgorithm *intra_node_algorithm(const NcclGroup *group,
                                                 uint32_t dim)
{
    if (is_early_collnet_version(group))
        return &coll_ring;
    if (topology_in_switch_adder(group->topology, dim))
        return &coll_in_switch;
    return topology_dimension(group->topology, dim)->shape == TOPOLOGY_SWITCH
               ? &coll_direct
               : &coll_ring;
}

static const CollAlgorithm *
algorithm_of_innermost_dimension(const NcclGroup *group)
{
    return intra_node_algorithm(group,
                                (uint32_t)__builtin_ctz(group->dims_mask));
}

/* Returns the number of sequential steps in a machine, in both directions. */
static uint32_t n_intra_node_steps(const NcclGroup *group)
{
    if (group->per_node < 2)
        return 0;
    return algorithm_of_innermost_dimension(group) == &coll_ring
               ? 2 * (group->per_node - 1)
               : 2;
}

static void collnet_compute_cost_terms(const NcclGroup *group, CollKind kind,
                                       NcclCostTerms *ret)
{
    const NcclCollnetParams *params = &group->params->collnet;
    SimWide network =
        (SimWide)group->nic_bytes_per_s * params->efficiency_ppm / 1000000;
    uint32_t m = group->per_node;

    (void)kind;
    *ret = (NcclCostTerms){ .bytes_per_s = (uint64_t)network };
    if (m > 1)
        ret->bytes_per_s =
            MIN(ret->bytes_per_s, group->near_bytes_per_s * m / (2 * (m - 1)));
    ret->n_hops[group->node_route.reach] = n_intra_node_steps(group);
    ret->latency_ps = group->network_route.latency_ps +
                      n_intra_node_steps(group) * group->node_route.latency_ps;
}

/* Returns the launch time, which covers the step over the network.  @nvls_ps is
 * the launch time of NVLS, which is included if the machines use NVLS. */
static SimTime collnet_launch_time_ps(const NcclGroup *group, int protocol,
                                      SimTime nvls_ps)
{
    const NcclCollnetParams *params = &group->params->collnet;

    if (protocol == NCCL_LL)
        return params->ll_launch_ps;
    if (is_early_collnet_version(group))
        return params->early_launch_ps;
    return group->per_node > 1 &&
                   algorithm_of_innermost_dimension(group) == &coll_in_switch
               ? nvls_ps + params->nvls_ps
               : params->launch_ps;
}

static const CollProtocol *collnet_protocol(const NcclGroup *group,
                                            int protocol)
{
    return protocol == NCCL_LL ? &group->collnet_ll : &group->collnet;
}

static SimTime collnet_estimate_time_ps(const NcclGroup *group,
                                        const NcclCostTerms *terms,
                                        int protocol, uint64_t payload_bytes)
{
    const CollProtocol *used = collnet_protocol(group, protocol);
    SimWide wire = (SimWide)payload_bytes * used->wire_num / used->wire_den;

    return collnet_launch_time_ps(group, protocol,
                                  nccl_nvls_model_launch_ps(group)) +
           terms->latency_ps +
           n_intra_node_steps(group) * used->step_ps[group->node_route.reach] +
           sim_time_from_bytes((uint64_t)wire, terms->bytes_per_s);
}

static void collnet_set_channels(const NcclGroup *group, CollKind kind,
                                 int protocol, uint64_t payload_bytes,
                                 GPtrArray *schedules, CollRecipe *ret)
{
    (void)kind;
    (void)schedules;
    ret->n_channels = 1;
    ret->channels = g_new0(CollChannel, 1);
    ret->channels[0].share = 1;
    for (uint32_t d = 0; d < COLL_MAX_DIMS; d++)
        if (group->dims_mask >> d & 1)
            ret->channels[0].levels[d] =
                d == network_dimension_of_platform(group)
                    ? &coll_in_switch
                    : intra_node_algorithm(group, d);
    ret->protocol = collnet_protocol(group, protocol);
    ret->launch_ps =
        collnet_launch_time_ps(group, protocol, group->params->nvls.launch_ps);
    ret->n_sms = group->n_switch_channels;
    nccl_set_chunks(payload_bytes, nccl_nvls_piece_bytes(group, payload_bytes),
                    ret);
}

/* Sets the step times of CollNet.  The launch time includes the step over the
 * network, so that step costs nothing. */
void nccl_collnet_protocol(const NcclGroup *group, int protocol,
                           CollProtocol *ret)
{
    const NcclCollnetParams *params = &group->params->collnet;
    SimTime step_ps = params->chain_step_ps;

    ret->step_ps[TOPOLOGY_NETWORK] = 0;
    if (collnet_reason_not_usable(group, COLL_ALL_REDUCE) ||
        group->per_node < 2)
        return;
    if (is_early_collnet_version(group))
        step_ps =
            protocol == NCCL_LL ? params->ll_step_ps : params->early_step_ps;
    if (algorithm_of_innermost_dimension(group) == &coll_direct)
        step_ps = params->direct_step_ps +
                  (group->per_node - 1) * params->peer_step_ps;
    if (algorithm_of_innermost_dimension(group) == &coll_in_switch)
        step_ps = 0;
    step_ps -= MIN(step_ps, group->node_route.latency_ps);
    ret->step_ps[TOPOLOGY_NEAR] = step_ps;
    ret->step_ps[TOPOLOGY_HOST] = step_ps;
}

const NcclAlgorithm nccl_collnet = {
    .name = "CollNet",
    .simple_only = TRUE,
    .ll_before = NCCL_COLLNET_SIMPLE_ONLY,
    .first_version = NCCL_HAS_COLLNET,
    .reason_not_usable = collnet_reason_not_usable,
    .compute_cost_terms = collnet_compute_cost_terms,
    .time_ps = collnet_estimate_time_ps,
    .set_channels = collnet_set_channels,
};
