/*
 * switch.c - NVLS: the switch of a machine adds and multicasts
 *
 * All GPUs of a machine send what they have up and get the sum of all.  Through
 * several machines (NVLSTree) the switch leaves each GPU its part of the sum,
 * which trees over the network, one for each GPU with a NIC of its own, add to
 * those of other machines, before the switch gathers them.  Of two such trees
 * each takes every other chunk whole, so that none waits for the other.
 */
#include "models/stacks/nccl/nccl_impl.h"

#define LEAST_RANKS 3 /* of a machine, for the switch to be of use */

/* The dimension of the platform along which the GPUs of a machine stand. */
static uint32_t machine_dim(const NcclGroup *group)
{
    return (uint32_t)__builtin_ctz(group->dims_mask);
}

/* What keeps the switch of a machine from adding for it; NULL: nothing. */
static const char *refuses_machine(const NcclGroup *group, CollKind kind)
{
    uint32_t d;

    if (kind != COLL_ALL_REDUCE)
        return "NVLS carries out an all-reduce only";
    if (group->dims_mask == 0)
        return "these GPUs are no whole dimensions of the platform";
    d = machine_dim(group);
    if (!topology_adder(group->topology, d))
        return "no switch between GPUs of a machine adds (`reduces`)";
    if (group->per_node != topology_dim(group->topology, d)->size)
        return "the switch that adds is not that of a whole machine";
    return group->per_node < LEAST_RANKS ? "it wants three GPUs of a machine"
                                         : NULL;
}

static const char *nvls_refuses(const NcclGroup *group, CollKind kind)
{
    return group->n_nodes > 1 ? "NVLS is for GPUs of one machine; of several, "
                                "nvls-tree"
                              : refuses_machine(group, kind);
}

static void nvls_measure(const NcclGroup *group, CollKind kind, NcclWay *ret)
{
    NcclRoute route =
        nccl_route(group->topology, group->npus[0], group->npus[0],
                   TOPOLOGY_WAY_UP(machine_dim(group)));

    (void)kind;
    *ret = (NcclWay){ .latency_ps = route.latency_ps,
                      .bytes_per_s = route.bytes_per_s };
}

static SimTime in_switch_ps(const NcclGroup *group, uint64_t bytes,
                            uint64_t bytes_per_s)
{
    const NcclSwitchParams *params = &group->params->nvls;
    uint64_t efficiency_ppm =
        group->near_bytes_per_s >= params->fast_bytes_per_s
            ? params->fast_efficiency_ppm
            : params->efficiency_ppm;
    SimWide wire = (SimWide)bytes * 1000000 / efficiency_ppm;

    return sim_time_from_bytes((uint64_t)wire, bytes_per_s);
}

/* What all channels pass on at a time: less of a payload that would not fill
 * that many pieces, and so on [NCCLTUNING]. */
uint64_t nccl_switch_piece_bytes(const NcclGroup *group, uint64_t payload_bytes)
{
    static const uint64_t least_pieces[] = { 64, 8, 2 };
    uint64_t bytes = (uint64_t)group->per_node * group->n_switch_channels *
                     group->params->nvls.slice_bytes;

    for (guint i = 0; i < G_N_ELEMENTS(least_pieces); i++)
        if (payload_bytes < least_pieces[i] * bytes)
            bytes /= 2;
    return bytes;
}

static SimTime nvls_time_ps(const NcclGroup *group, const NcclWay *way,
                            int protocol, uint64_t payload_bytes)
{
    (void)protocol;
    return group->params->nvls.reckoned_ps + way->latency_ps +
           in_switch_ps(group, payload_bytes, way->bytes_per_s);
}

static void nvls_lay(const NcclGroup *group, CollKind kind, int protocol,
                     uint64_t payload_bytes, GPtrArray *schedules,
                     CollRecipe *ret)
{
    (void)kind;
    (void)protocol;
    (void)schedules;
    ret->n_channels = 1;
    ret->channels = g_new0(CollChannel, 1);
    ret->channels[0] = (CollChannel){ .algorithm = &coll_in_switch,
                                      .in_two = TRUE,
                                      .share = 1 };
    ret->protocol = &group->in_switch;
    ret->launch_ps = group->params->nvls.launch_ps;
    ret->n_sms = group->n_switch_channels;
    nccl_cut(payload_bytes, nccl_switch_piece_bytes(group, payload_bytes), ret);
}

const NcclAlgorithm nccl_nvls = {
    .name = "NVLS",
    .simple_only = TRUE,
    .since = NCCL_HAS_NVLS,
    .refuses = nvls_refuses,
    .measure = nvls_measure,
    .time_ps = nvls_time_ps,
    .lay = nvls_lay,
};

/* ---- several machines ------------------------------------------------- */

static const char *tree_refuses(const NcclGroup *group, CollKind kind)
{
    if (group->n_nodes < 2)
        return "NVLSTree is for GPUs of several machines; of one, nvls";
    return refuses_machine(group, kind);
}

#define SMALL_SLICE   UINT64_C(65536) /* of so many machines */
#define SMALL_NODES   4
#define EARLIER_SLICE UINT64_C(524288)

/* Of a channel and a rank, of a large payload [NCCLTUNING]. */
static uint64_t tree_slice_bytes(const NcclGroup *group)
{
    const NcclSwitchParams *params = &group->params->nvls;

    if (params->tree_slice_bytes != CONFIG_AUTO)
        return params->tree_slice_bytes;
    if (group->version >= NCCL_TREE_PIECES_SMALL &&
        group->n_nodes >= SMALL_NODES)
        return MIN(SMALL_SLICE, params->slice_bytes);
    return group->version >= NCCL_TREE_PIECES_AS_NVLS ? params->slice_bytes
                                                      : EARLIER_SLICE;
}

/* Less of a payload that has less than so many pieces, but no less than that
 * [NCCLTUNING]. */
static uint64_t tree_slice_of(const NcclGroup *group, uint64_t payload_bytes)
{
    static const struct {
        uint64_t n_pieces, slice_bytes;
    } steps[] = { { 32, 262144 }, { 16, 131072 }, { 4, 65536 }, { 1, 32768 } };
    uint64_t n = (uint64_t)group->per_node * group->n_switch_channels;
    uint64_t bytes = tree_slice_bytes(group);

    for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
        if (payload_bytes < steps[i].n_pieces * n * bytes &&
            bytes > steps[i].slice_bytes)
            bytes = steps[i].slice_bytes;
    return bytes;
}

static uint64_t tree_piece_bytes(const NcclGroup *group, uint64_t payload_bytes)
{
    return (uint64_t)group->per_node * group->n_switch_channels *
           tree_slice_of(group, payload_bytes);
}

/* Machines one after the other, up or down the tree. */
static uint32_t tree_depth(const NcclGroup *group)
{
    uint32_t depth = 0;

    while (1U << depth < group->n_nodes)
        depth++;
    return depth;
}

/* NCCL reckons with so much of the links, in a machine and between them
 * [NCCLTUNING]. */
#define TREE_RATIO_NUM 5
#define TREE_RATIO_DEN 6

/* An inner machine of one tree, a leaf of the other, sends up and down twice
 * what it has, all told; of two machines each sends it once. */
static void tree_measure(const NcclGroup *group, CollKind kind, NcclWay *ret)
{
    uint64_t nic_bytes_per_s = group->nic_bytes_per_s;

    nvls_measure(group, kind, ret);
    if (group->n_nodes > 2)
        nic_bytes_per_s /= 2;
    ret->bytes_per_s = MIN(ret->bytes_per_s, nic_bytes_per_s) / TREE_RATIO_DEN *
                       TREE_RATIO_NUM;
    ret->n_hops[TOPOLOGY_NETWORK] = 2 * tree_depth(group);
    ret->latency_ps +=
        ret->n_hops[TOPOLOGY_NETWORK] * group->network.latency_ps;
}

static SimTime tree_time_ps(const NcclGroup *group, const NcclWay *way,
                            int protocol, uint64_t payload_bytes)
{
    uint64_t piece_bytes =
        MIN(payload_bytes, tree_piece_bytes(group, payload_bytes));
    SimTime hop_ps =
        group->switch_tree.step_ps[TOPOLOGY_NETWORK] +
        nccl_bytes_ps(group, protocol, piece_bytes, group->nic_bytes_per_s);

    return group->params->nvls.reckoned_ps + way->latency_ps +
           way->n_hops[TOPOLOGY_NETWORK] * hop_ps +
           nccl_bytes_ps(group, protocol, payload_bytes, way->bytes_per_s);
}

static void tree_lay(const NcclGroup *group, CollKind kind, int protocol,
                     uint64_t payload_bytes, GPtrArray *schedules,
                     CollRecipe *ret)
{
    static const CollAlgorithm *const trees[] = { &coll_binary_tree,
                                                  &coll_binary_tree_beside };

    nvls_lay(group, kind, protocol, payload_bytes, schedules, ret);
    ret->protocol = &group->switch_tree;
    ret->n_channels = G_N_ELEMENTS(trees);
    ret->channels = g_renew(CollChannel, ret->channels, ret->n_channels);
    nccl_cut(payload_bytes, tree_piece_bytes(group, payload_bytes), ret);
    ret->window *= 1 + tree_depth(group);
    nccl_set_posts(group, protocol, tree_slice_of(group, payload_bytes), ret);
    for (uint32_t t = 0; t < ret->n_channels; t++) {
        ret->channels[t] = (CollChannel){ .share = 1 };
        for (uint32_t d = 0; d < COLL_MAX_DIMS; d++)
            if (group->dims_mask >> d & 1)
                ret->channels[t].levels[d] =
                    d == machine_dim(group) ? &coll_in_switch : trees[t];
    }
}

const NcclAlgorithm nccl_nvls_tree = {
    .name = "NVLSTree",
    .simple_only = TRUE,
    .since = NCCL_HAS_NVLS_TREE,
    .refuses = tree_refuses,
    .measure = tree_measure,
    .time_ps = tree_time_ps,
    .lay = tree_lay,
};
