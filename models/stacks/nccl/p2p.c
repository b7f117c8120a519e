/*
 * p2p.c - sends and receives: single messages, shifts and all-to-alls
 *
 * The configuration cannot pin them.
 */
#include "models/stacks/nccl/nccl_state_impl.h"

/* The largest group in which the paths of all pairs are examined. */
#define MOST_RANKS 512

static const char *p2p_reason_not_usable(const NcclGroup *group, CollKind kind)
{
    (void)group;
    return coll_is_any_all_to_all(kind) || kind == COLL_SEND ||
                   kind == COLL_SHIFT
               ? NULL
               : "it is neither a message, a shift nor an all-to-all";
}

/* Returns the rate of one message over the longest distance in the group.  The
 * exact value does not matter because there is no alternative algorithm. */
static uint64_t rate_of_longest_message(const NcclGroup *group)
{
    return group->n_nodes > 1 ? group->network_route.bytes_per_s
                              : group->node_route.bytes_per_s;
}

static void p2p_compute_cost_terms(const NcclGroup *group, CollKind kind,
                                   NcclCostTerms *ret)
{
    g_autoptr(NcclLinkLoads) loads = nccl_link_loads_new(group->topology);
    uint32_t n = group->n, n_from = n <= MOST_RANKS ? n : 1;

    *ret = (NcclCostTerms){ 0 };
    if (kind == COLL_SEND)
        n_from = 0;
    for (uint32_t from = 0; from < n_from; from++)
        for (uint32_t to = 0; to < n; to++)
            if (kind == COLL_SHIFT ? to == (from + 1) % n : to != from)
                nccl_link_loads_add_message(loads, group->npus[from],
                                            group->npus[to], 0,
                                            kind == COLL_SHIFT ? 1.0 : 1.0 / n);
    ret->bytes_per_s = kind == COLL_SEND
                           ? rate_of_longest_message(group)
                           : nccl_link_loads_max_payload_rate(loads);
    ret->n_hops[group->n_nodes > 1 ? TOPOLOGY_NETWORK
                                   : group->node_route.reach] = 1;
    ret->latency_ps = group->n_nodes > 1 ? group->network_route.latency_ps
                                         : group->node_route.latency_ps;
}

static SimTime p2p_estimate_time_ps(const NcclGroup *group,
                                    const NcclCostTerms *terms, int protocol,
                                    uint64_t payload_bytes)
{
    return nccl_latency_ps(group, terms, protocol) +
           nccl_transfer_time_ps(group, protocol, payload_bytes,
                                 terms->bytes_per_s);
}

static void p2p_set_channels(const NcclGroup *group, CollKind kind,
                             int protocol, uint64_t payload_bytes,
                             GPtrArray *schedules, CollRecipe *ret)
{
    const CollAlgorithm *algorithm = kind == COLL_SEND    ? &coll_p2p
                                     : kind == COLL_SHIFT ? &coll_shift
                                                          : &coll_direct;
    uint32_t n_peers = algorithm == &coll_direct ? group->n : 1;

    (void)schedules;
    ret->n_channels = 1;
    ret->channels = g_new0(CollChannel, 1);
    ret->channels[0] = (CollChannel){ .algorithm = algorithm, .share = 1 };
    nccl_set_chunks(payload_bytes,
                    nccl_piece_bytes(group, protocol, UINT64_MAX) * n_peers,
                    ret);
}

const NcclAlgorithm nccl_p2p = {
    .name = "P2P",
    .simple_only = TRUE,
    .ignores_pinned_choice = TRUE,
    .reason_not_usable = p2p_reason_not_usable,
    .compute_cost_terms = p2p_compute_cost_terms,
    .time_ps = p2p_estimate_time_ps,
    .set_channels = p2p_set_channels,
};
