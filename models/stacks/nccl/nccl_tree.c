/*
 * nccl_tree.c - chains inside machines and two binary trees between machines
 *
 * A chain leads from the GPU next to a NIC through all other GPUs of its
 * machine.  A binary tree connects the first GPUs of these chains.  A second
 * tree has the inner machines of the first as leaves, so that no machine is a
 * leaf of both.  If GPUs have private NICs, there are two such trees for each
 * GPU of a machine.  A payload goes up a tree in pieces, which are added on the
 * way, and down again.
 *
 * Sources  [NCCLTUNING]; P. Sanders, J. Speck, J. L. Traeff 2009, two trees
 */
#include "models/stacks/nccl/nccl_state_impl.h"

/* Returns the number of chains through a machine.  In groups of three or more
 * machines, each chain belongs to two trees. */
static uint32_t n_chains_per_machine(const NcclGroup *group)
{
    return nccl_channels_rotate_by_gpu(group, group->chains)
               ? group->per_node
               : nccl_n_channel_orders(group, group->chains);
}

static uint32_t n_different_trees(const NcclGroup *group)
{
    return group->n_nodes > 2 ? 2 * n_chains_per_machine(group)
                              : n_chains_per_machine(group);
}

/* Returns the number of channels of tree @tree. */
static uint32_t n_channels_of_tree(const NcclGroup *group, uint32_t tree)
{
    return nccl_channels_rotate_by_gpu(group, group->chains)
               ? 1
               : nccl_share_of_channel_order(
                     group, group->chains, tree % n_chains_per_machine(group));
}

/* Returns the rank at position @place of the chain in node @node that belongs
 * to tree @tree. */
static uint32_t rank_at_chain_position(const NcclGroup *group, uint32_t tree,
                                       uint32_t node, uint32_t place)
{
    uint32_t entry = tree % n_chains_per_machine(group);

    return nccl_channels_rotate_by_gpu(group, group->chains)
               ? nccl_rank_on_node(group, node, entry + place)
               : nccl_rank_in_channel_order(group, group->chains, entry, node,
                                            place);
}

/* Returns the parent of @node in an in-order binary tree of @n nodes.  The
 * parent of a node whose lowest set bit is l - 1 has the lowest set bit l.
 * If that parent does not exist, it is the node without its lowest set bit.
 * Node 0 is the root and its own parent. */
static uint32_t parent_in_first_binary_tree(uint32_t node, uint32_t n)
{
    uint32_t bit = node & -node, up;

    if (node == 0)
        return 0;
    up = (node ^ bit) | bit << 1;
    return up < n ? up : node ^ bit;
}

/* Returns the parent of @node in the second tree: the first tree mirrored, or
 * shifted by one node if @n is odd, because the mirror image would then be no
 * different tree. */
static uint32_t parent_in_second_binary_tree(uint32_t node, uint32_t n)
{
    if (n % 2 == 0)
        return n - 1 - parent_in_first_binary_tree(n - 1 - node, n);
    return (parent_in_first_binary_tree((node + n - 1) % n, n) + 1) % n;
}

/* Sets @ret_parents to the parent of each rank in tree @tree.  The root is its
 * own parent. */
static void find_tree_parents(const NcclGroup *group, uint32_t tree,
                              uint32_t *ret_parents)
{
    uint32_t n = group->n_nodes;

    for (uint32_t node = 0; node < n; node++) {
        uint32_t up = tree < n_chains_per_machine(group)
                          ? parent_in_first_binary_tree(node, n)
                          : parent_in_second_binary_tree(node, n);
        uint32_t m = nccl_n_ranks_of_node(group, node);

        ret_parents[rank_at_chain_position(group, tree, node, 0)] =
            rank_at_chain_position(group, tree, up, 0);
        for (uint32_t place = 1; place < m; place++)
            ret_parents[rank_at_chain_position(group, tree, node, place)] =
                rank_at_chain_position(group, tree, node, place - 1);
    }
}

static const char *tree_reason_not_usable(const NcclGroup *group, CollKind kind)
{
    (void)group;
    return kind == COLL_ALL_REDUCE ? NULL
                                   : "trees carry out an all-reduce only";
}

/* Returns the number of network hops from the deepest machine to the root. */
static uint32_t network_depth_of_tree(const NcclGroup *group)
{
    uint32_t depth = 0;

    while (1U << depth < group->n_nodes)
        depth++;
    return depth;
}

/* Adds to @loads the load of tree @tree, which carries @share of the payload up
 * and down. */
static void add_load_of_tree(const NcclGroup *group, uint32_t tree,
                             double share, NcclLinkLoads *loads)
{
    g_autofree uint32_t *parents = g_new(uint32_t, group->n);
    uint32_t plane = nccl_plane_of_channels(group);

    find_tree_parents(group, tree, parents);
    for (uint32_t r = 0; r < group->n; r++) {
        uint32_t end = group->npus[r], up = group->npus[parents[r]];

        if (end == up)
            continue;
        nccl_link_loads_add_message(loads, end, up, plane, share);
        nccl_link_loads_add_message(loads, up, end, plane, share);
    }
}

/* Returns the payload rate that the links allow.  From three machines on, NCCL
 * assumes that each machine sends the payload twice, although with exactly
 * three machines none sends it more than one and a half times. */
static uint64_t estimate_tree_payload_rate(const NcclGroup *group,
                                           const NcclLinkLoads *loads)
{
    uint64_t bytes_per_s = nccl_link_loads_max_payload_rate(loads);

    return group->n_nodes > 2 ? MIN(bytes_per_s, group->nic_bytes_per_s / 2)
                              : bytes_per_s;
}

static void tree_compute_cost_terms(const NcclGroup *group, CollKind kind,
                                    NcclCostTerms *ret)
{
    g_autoptr(NcclLinkLoads) loads = nccl_link_loads_new(group->topology);
    uint32_t k = n_different_trees(group);
    uint32_t near = 2 * (group->most_per_node - 1);
    uint32_t net = 2 * network_depth_of_tree(group), sum = 0;

    (void)kind;
    *ret = (NcclCostTerms){ 0 };
    for (uint32_t t = 0; t < k; t++)
        sum += n_channels_of_tree(group, t);
    for (uint32_t t = 0; t < k; t++)
        add_load_of_tree(group, t, (double)n_channels_of_tree(group, t) / sum,
                         loads);
    ret->bytes_per_s =
        (uint64_t)((SimWide)estimate_tree_payload_rate(group, loads) *
                   group->tree_ppm / 1000000);
    ret->bytes_per_s = MIN(ret->bytes_per_s, group->tree_bytes_per_s);
    ret->n_hops[TOPOLOGY_NETWORK] = net;
    ret->n_hops[group->node_route.reach] += near;
    ret->latency_ps = net * group->network_route.latency_ps +
                      near * group->node_route.latency_ps;
}

/* The percentage of its rate that a tree reaches, for payloads of 64 B, 128 B
 * and so on up to 256 MiB.  Larger payloads reach 100 % [NCCLTUNING]. */
static const uint8_t reached_percent[NCCL_N_PROTOCOLS][23] = {
    [NCCL_LL] = { 100, 100, 100, 100, 90, 80, 70, 70,  70,  70,  60, 50,
                  40,  40,  50,  60,  70, 80, 90, 100, 100, 100, 100 },
    [NCCL_LL128] = { 100, 100, 100, 100, 100, 90, 80, 80, 80, 70,  60, 60,
                     60,  60,  60,  60,  80,  90, 90, 90, 90, 100, 100 },
    [NCCL_SIMPLE] = { 90, 90, 90, 90, 90, 90, 90, 80, 70, 60, 60, 50,
                      50, 50, 50, 60, 70, 80, 70, 70, 80, 90, 90 },
};

static uint64_t find_tree_efficiency_percent(int protocol,
                                             uint64_t payload_bytes)
{
    guint i = 0;

    while (i < G_N_ELEMENTS(reached_percent[0]) && payload_bytes >> (i + 7))
        i++;
    return i < G_N_ELEMENTS(reached_percent[0]) ? reached_percent[protocol][i]
                                                : 100;
}

static SimTime tree_estimate_time_ps(const NcclGroup *group,
                                     const NcclCostTerms *terms, int protocol,
                                     uint64_t payload_bytes)
{
    return nccl_latency_ps(group, terms, protocol) +
           nccl_transfer_time_ps(
               group, protocol, payload_bytes,
               terms->bytes_per_s / 100 *
                   find_tree_efficiency_percent(protocol, payload_bytes));
}

static void tree_set_channels(const NcclGroup *group, CollKind kind,
                              int protocol, uint64_t payload_bytes,
                              GPtrArray *schedules, CollRecipe *ret)
{
    g_autofree uint32_t *parents = g_new(uint32_t, group->n);

    ret->protocol = &group->trees[protocol];
    ret->n_channels = n_different_trees(group);
    ret->channels = g_new0(CollChannel, ret->n_channels);
    for (uint32_t t = 0; t < ret->n_channels; t++) {
        CollSchedule *schedule;

        find_tree_parents(group, t, parents);
        schedule = coll_schedule_of_tree(kind, parents, group->n);
        g_ptr_array_add(schedules, schedule);
        ret->channels[t] =
            (CollChannel){ .algorithm = &coll_scheduled,
                           .schedule = schedule,
                           .plane = nccl_plane_of_channels(group),
                           .share = n_channels_of_tree(group, t) };
    }
    nccl_set_chunks(payload_bytes,
                    nccl_piece_bytes(group, protocol, payload_bytes), ret);
    ret->window *= network_depth_of_tree(group) + group->most_per_node;
}

const NcclAlgorithm nccl_tree = {
    .name = "Tree",
    .first_version = NCCL_HAS_TREES,
    .reason_not_usable = tree_reason_not_usable,
    .compute_cost_terms = tree_compute_cost_terms,
    .time_ps = tree_estimate_time_ps,
    .set_channels = tree_set_channels,
};
