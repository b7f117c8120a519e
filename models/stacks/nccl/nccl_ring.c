/*
 * nccl_ring.c - rings inside one machine or through all machines
 *
 * Rings through several machines enter and leave a machine by a NIC: there is
 * one ring for each NIC.  If NICs belong to GPUs, there is one ring for each
 * GPU; it enters at that GPU and leaves at the GPU before it.  Odd machines are
 * traversed in reverse order, so that a ring leaves a machine and enters the
 * next by NICs with the same index, on the same rail.  Collectives with a root
 * send along each ring from the root, or to the root.
 */
#include "models/stacks/nccl/nccl_state_impl.h"

static uint32_t n_different_rings(const NcclGroup *group)
{
    return nccl_channels_rotate_by_gpu(group, group->rings)
               ? group->per_node
               : nccl_n_channel_orders(group, group->rings);
}

/* Returns the rank at position @place of ring @ring.  Odd nodes are traversed
 * in reverse. */
static uint32_t rank_at_ring_position(const NcclGroup *group, uint32_t ring,
                                      uint32_t place)
{
    uint32_t node = group->nodes[group->by_node[place]];
    uint32_t index = place - group->starts[node];

    if (node % 2)
        index = nccl_n_ranks_of_node(group, node) - 1 - index;
    if (nccl_channels_rotate_by_gpu(group, group->rings))
        return nccl_rank_on_node(group, node, ring + index);
    return nccl_rank_in_channel_order(group, group->rings, ring, node, index);
}

/* Returns the number of channels of ring @ring. */
static uint32_t n_channels_of_ring(const NcclGroup *group, uint32_t ring)
{
    return nccl_channels_rotate_by_gpu(group, group->rings)
               ? 1
               : nccl_share_of_channel_order(group, group->rings, ring);
}

static uint32_t sum_of_channel_shares(const NcclGroup *group)
{
    uint32_t sum = 0;

    for (uint32_t ring = 0; ring < n_different_rings(group); ring++)
        sum += n_channels_of_ring(group, ring);
    return sum;
}

/* Returns whether ring @ring has the same order as the group, so that the
 * channel needs no separate order. */
static gboolean ring_has_group_order(const NcclGroup *group, uint32_t ring)
{
    for (uint32_t i = 0; i < group->n; i++)
        if (rank_at_ring_position(group, ring, i) != i)
            return FALSE;
    return TRUE;
}

/* Returns whether a collective of @kind goes around the ring once, from its
 * root or to it. */
static gboolean collective_is_chain(CollKind kind)
{
    return kind == COLL_BROADCAST || kind == COLL_REDUCE;
}

/* Returns the number of sequential steps of a collective of @kind on a ring. */
static uint32_t n_dependent_ring_steps(const NcclGroup *group, CollKind kind)
{
    return (kind == COLL_ALL_REDUCE ? 2 : 1) * (group->n - 1);
}

/* Returns the fraction of the payload that each rank sends. */
static double payload_fraction_sent_by_rank(const NcclGroup *group,
                                            CollKind kind)
{
    return collective_is_chain(kind)
               ? 1
               : (double)n_dependent_ring_steps(group, kind) / group->n;
}

static const char *ring_reason_not_usable(const NcclGroup *group, CollKind kind)
{
    (void)group;
    return kind == COLL_ALL_REDUCE || kind == COLL_REDUCE_SCATTER ||
                   kind == COLL_ALL_GATHER || collective_is_chain(kind)
               ? NULL
               : "rings do not carry it out";
}

static void ring_compute_cost_terms(const NcclGroup *group, CollKind kind,
                                    NcclCostTerms *ret)
{
    g_autoptr(NcclLinkLoads) loads = nccl_link_loads_new(group->topology);
    uint32_t steps = n_dependent_ring_steps(group, kind),
             k = n_different_rings(group), n = group->n;
    uint32_t sum = sum_of_channel_shares(group);
    uint32_t net = group->n_nodes > 1 ? steps / (n - 1) * group->n_nodes : 0;

    *ret = (NcclCostTerms){ 0 };
    for (uint32_t ring = 0; ring < k; ring++)
        for (uint32_t i = 0; i < n; i++)
            nccl_link_loads_add_message(
                loads, group->npus[rank_at_ring_position(group, ring, i)],
                group->npus[rank_at_ring_position(group, ring, (i + 1) % n)],
                nccl_plane_of_channels(group),
                payload_fraction_sent_by_rank(group, kind) *
                    n_channels_of_ring(group, ring) / sum);
    ret->bytes_per_s = nccl_link_loads_max_payload_rate(loads);
    net = MIN(net, steps);
    ret->n_hops[TOPOLOGY_NETWORK] = net;
    ret->n_hops[group->node_route.reach] += steps - net;
    ret->n_fills = collective_is_chain(kind) ? n - 2 : 0;
    ret->latency_ps = net * group->network_route.latency_ps +
                      (steps - net) * group->node_route.latency_ps;
}

/* Returns the time until the first piece has passed all hops of a chain. */
static SimTime chain_pipeline_fill_time_ps(const NcclGroup *group,
                                           const NcclCostTerms *terms,
                                           int protocol, uint64_t payload_bytes)
{
    const NcclRoute *hop = group->node_route.bytes_per_s > 0
                               ? &group->node_route
                               : &group->network_route;

    if (terms->n_fills == 0)
        return 0;
    return terms->n_fills *
           nccl_transfer_time_ps(
               group, protocol,
               nccl_piece_bytes(group, protocol, payload_bytes),
               hop->bytes_per_s) /
           n_different_rings(group);
}

static SimTime ring_estimate_time_ps(const NcclGroup *group,
                                     const NcclCostTerms *terms, int protocol,
                                     uint64_t payload_bytes)
{
    return nccl_latency_ps(group, terms, protocol) +
           chain_pipeline_fill_time_ps(group, terms, protocol, payload_bytes) +
           nccl_transfer_time_ps(group, protocol, payload_bytes,
                                 terms->bytes_per_s);
}

static void ring_set_channels(const NcclGroup *group, CollKind kind,
                              int protocol, uint64_t payload_bytes,
                              GPtrArray *schedules, CollRecipe *ret)
{
    uint32_t k = n_different_rings(group);
    uint64_t piece_bytes = nccl_piece_bytes(group, protocol, UINT64_MAX);

    (void)schedules;
    ret->n_channels = k;
    ret->channels = g_new0(CollChannel, k);
    for (uint32_t ring = 0; ring < k; ring++) {
        CollChannel *channel = &ret->channels[ring];

        channel->algorithm =
            collective_is_chain(kind) ? &coll_chain : &coll_ring;
        channel->share = n_channels_of_ring(group, ring);
        channel->plane = nccl_plane_of_channels(group);
        if (ring_has_group_order(group, ring))
            continue;
        channel->order = g_new(uint32_t, group->n);
        for (uint32_t i = 0; i < group->n; i++)
            channel->order[i] = rank_at_ring_position(group, ring, i);
    }
    /* NCCL forwards one piece for each channel and rank at a time. */
    nccl_set_chunks(
        payload_bytes,
        collective_is_chain(kind) ? piece_bytes : piece_bytes * group->n, ret);
    if (collective_is_chain(
            kind)) /* chunks are in flight on each link of the chain */
        ret->window += (uint64_t)k * group->n;
}

const NcclAlgorithm nccl_ring = {
    .name = "Ring",
    .reason_not_usable = ring_reason_not_usable,
    .compute_cost_terms = ring_compute_cost_terms,
    .time_ps = ring_estimate_time_ps,
    .set_channels = ring_set_channels,
};
