/*
 * nccl_tree.c - chains inside machines, two binary trees between them
 *
 * A chain leads from the GPU beside a NIC through all others of its machine;
 * these GPUs are joined by a binary tree whose leaves are the inner nodes of
 * another, so that no machine is a leaf of both.  There are two such trees for
 * each GPU of a machine, which goes by NICs of its own.  A payload goes up in
 * pieces, each added on its way, and down again.
 *
 * Sources  [NCCLTUNING]; P. Sanders, J. Speck, J. L. Traeff 2009, two trees
 */
#include "models/stacks/nccl_impl.h"

static uint32_t per_node(const NcclGroup *group)
{
    return group->per_node > 0 ? group->per_node : 1;
}

static uint32_t n_nodes(const NcclGroup *group)
{
    return group->n / per_node(group);
}

static uint32_t n_trees(const NcclGroup *group)
{
    if (group->n_nodes == 1)
        return 1;
    return n_nodes(group) > 2 ? 2 * per_node(group) : per_node(group);
}

/* In order of numbers: those with their lowest bit at l are the parents of
 * those that have it at l - 1. */
static uint32_t parent_in_first(uint32_t node, uint32_t n)
{
    uint32_t bit = node & -node, up;

    if (node == 0)
        return 0;
    up = (node ^ bit) | bit << 1;
    return up < n ? up : node ^ bit;
}

/* The other way round, or, where that would be no other tree, one further. */
static uint32_t parent_in_second(uint32_t node, uint32_t n)
{
    if (n % 2 == 0)
        return n - 1 - parent_in_first(n - 1 - node, n);
    return (parent_in_first((node + n - 1) % n, n) + 1) % n;
}

/* The rank whose child @rank is in tree number @tree; the root is its own. */
static uint32_t parent_of(const NcclGroup *group, uint32_t tree, uint32_t rank)
{
    uint32_t m = per_node(group), n = n_nodes(group);
    uint32_t node = rank / m, entry = tree % m;
    uint32_t place = (rank % m + m - entry) % m;

    if (place > 0)
        return node * m + (entry + place - 1) % m;
    node = tree < m ? parent_in_first(node, n) : parent_in_second(node, n);
    return node * m + entry;
}

static const char *tree_refuses(const NcclGroup *group, CollKind kind)
{
    if (kind != COLL_ALL_REDUCE)
        return "trees carry out an all-reduce only";
    return group->n_nodes > 1 && group->per_node == 0
               ? "not all machines have as many GPUs in it, one after the other"
               : NULL;
}

static uint32_t tree_depth(const NcclGroup *group)
{
    uint32_t depth = 0;

    while (1U << depth < group->n_nodes)
        depth++;
    return depth;
}

static void tree_measure(const NcclGroup *group, CollKind kind, NcclWay *ret)
{
    g_autoptr(NcclLoads) loads = nccl_loads_new(group->topology);
    uint32_t k = n_trees(group);
    uint32_t near = 2 * (group->n / group->n_nodes - 1);
    uint32_t net = 2 * tree_depth(group);

    (void)kind;
    *ret = (NcclWay){ 0 };
    for (uint32_t t = 0; t < k; t++)
        for (uint32_t r = 0; r < group->n; r++) {
            uint32_t up = parent_of(group, t, r);

            if (up == r)
                continue;
            nccl_loads_add(loads, group->npus[r], group->npus[up], 0, 1.0 / k);
            nccl_loads_add(loads, group->npus[up], group->npus[r], 0, 1.0 / k);
        }
    ret->bytes_per_s = nccl_loads_rate(loads);
    ret->n_hops[TOPOLOGY_NETWORK] = net;
    ret->n_hops[group->near.reach] += near;
    ret->latency_ps =
        net * group->network.latency_ps + near * group->near.latency_ps;
}

/* Until the first piece has been up and down, at the rate of each hop: trees
 * begin at all GPUs of a machine, which send their parts side by side. */
static SimTime fill_ps(const NcclGroup *group, int protocol,
                       uint64_t piece_bytes)
{
    uint64_t near = 2 * (group->n / group->n_nodes - 1);
    uint64_t n_entries = group->n_nodes > 1 ? per_node(group) : 1;
    SimTime ps = 0;

    if (near > 0)
        ps = near *
             nccl_bytes_ps(group, protocol, piece_bytes,
                           group->near.bytes_per_s) /
             n_entries;
    if (group->n_nodes > 1)
        ps +=
            2 * tree_depth(group) *
            nccl_bytes_ps(group, protocol, piece_bytes, group->nic_bytes_per_s);
    return ps;
}

static SimTime tree_time_ps(const NcclGroup *group, const NcclWay *way,
                            int protocol, uint64_t payload_bytes)
{
    uint64_t piece_bytes = nccl_piece_bytes(group, protocol, payload_bytes);

    return nccl_latency_ps(group, way, protocol) +
           fill_ps(group, protocol, piece_bytes) +
           nccl_bytes_ps(group, protocol, payload_bytes - piece_bytes,
                         way->bytes_per_s);
}

static void tree_lay(const NcclGroup *group, CollKind kind, int protocol,
                     uint64_t payload_bytes, GPtrArray *schedules,
                     CollRecipe *ret)
{
    g_autofree uint32_t *parents = g_new(uint32_t, group->n);

    ret->n_channels = n_trees(group);
    ret->channels = g_new0(CollChannel, ret->n_channels);
    for (uint32_t t = 0; t < ret->n_channels; t++) {
        CollSchedule *schedule;

        for (uint32_t r = 0; r < group->n; r++)
            parents[r] = parent_of(group, t, r);
        schedule = coll_schedule_of_tree(kind, parents, group->n);
        g_ptr_array_add(schedules, schedule);
        ret->channels[t] = (CollChannel){ .algorithm = &coll_scheduled,
                                          .schedule = schedule,
                                          .share = 1 };
    }
    nccl_cut(payload_bytes, nccl_piece_bytes(group, protocol, payload_bytes),
             ret);
    ret->window *= tree_depth(group) + per_node(group);
}

const NcclAlgorithm nccl_tree = {
    .name = "Tree",
    .refuses = tree_refuses,
    .measure = tree_measure,
    .time_ps = tree_time_ps,
    .lay = tree_lay,
};
