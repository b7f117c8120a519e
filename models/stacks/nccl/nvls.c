/*
 * nvls.c - NVLS and NVLSTree: the switch of a machine reduces and multicasts
 *
 * All GPUs of a machine send their data to the switch and receive the sum.
 * With several machines (NVLSTree), the switch gives each GPU its part of the
 * sum.  Trees over the network, one for each GPU with a private NIC, add these
 * parts to those of the other machines before the switch gathers them.  Two
 * such trees carry alternate chunks, so that neither waits for the other.
 */
#include "models/stacks/nccl/nccl_state_impl.h"

#define LEAST_RANKS 3 /* smallest machine in which the switch helps */

/* Returns the dimension of the platform that contains the GPUs of a machine. */
static uint32_t dimension_inside_machine(const NcclGroup *group)
{
    return (uint32_t)__builtin_ctz(group->dims_mask);
}

/* Returns the reason why the switch of a machine cannot reduce for the group,
 * or NULL if it can. */
static const char *reason_machine_lacks_nvls(const NcclGroup *group)
{
    uint32_t d;

    if (group->dims_mask == 0)
        return "these GPUs are no whole dimensions of the platform";
    d = dimension_inside_machine(group);
    if (!topology_in_switch_adder(group->topology, d))
        return "no switch between GPUs of a machine adds (`reduces`)";
    if (group->per_node != topology_dimension(group->topology, d)->size)
        return "the switch that adds is not that of a whole machine";
    return group->per_node < LEAST_RANKS ? "it wants three GPUs of a machine"
                                         : NULL;
}

static const char *nvls_reason_not_usable(const NcclGroup *group, CollKind kind)
{
    if (!coll_kind_has_halves(kind))
        return "NVLS carries out an all-reduce only";
    return group->n_nodes > 1 ? "NVLS is for GPUs of one machine; of several, "
                                "nvls-tree"
                              : reason_machine_lacks_nvls(group);
}

static void nvls_compute_cost_terms(const NcclGroup *group, CollKind kind,
                                    NcclCostTerms *ret)
{
    NcclRoute route =
        nccl_find_route(group->topology, group->npus[0], group->npus[0],
                        TOPOLOGY_PATH_UP(dimension_inside_machine(group)));

    (void)kind;
    *ret = (NcclCostTerms){ .latency_ps = route.latency_ps,
                            .bytes_per_s = route.bytes_per_s };
}

static SimTime in_switch_reduction_time_ps(const NcclGroup *group,
                                           uint64_t bytes, uint64_t bytes_per_s)
{
    const NcclSwitchParams *params = &group->params->nvls;
    uint64_t efficiency_ppm =
        group->near_bytes_per_s >= params->fast_bytes_per_s
            ? params->fast_efficiency_ppm
            : params->efficiency_ppm;
    SimWide wire = (SimWide)bytes * 1000000 / efficiency_ppm;

    return sim_time_from_bytes((uint64_t)wire, bytes_per_s);
}

/* Returns the piece size of NVLS.  It is halved for a payload of fewer than 64
 * pieces, again below 8, and again below 2 [NCCLTUNING]. */
uint64_t nccl_nvls_piece_bytes(const NcclGroup *group, uint64_t payload_bytes)
{
    static const uint64_t least_pieces[] = { 64, 8, 2 };
    uint64_t bytes = (uint64_t)group->per_node * group->n_switch_channels *
                     group->params->nvls.slice_bytes;

    for (guint i = 0; i < G_N_ELEMENTS(least_pieces); i++)
        if (payload_bytes < least_pieces[i] * bytes)
            bytes /= 2;
    return bytes;
}

#define MODEL_LAUNCH_PS         UINT64_C(25000000)
#define EARLIER_MODEL_LAUNCH_PS UINT64_C(23000000)

SimTime nccl_nvls_model_launch_ps(const NcclGroup *group)
{
    if (group->params->nvls.model_launch_ps != CONFIG_AUTO)
        return group->params->nvls.model_launch_ps;
    return group->version >= NCCL_NVLS_MODEL_SLOWER ? MODEL_LAUNCH_PS
                                                    : EARLIER_MODEL_LAUNCH_PS;
}

static SimTime nvls_estimate_time_ps(const NcclGroup *group,
                                     const NcclCostTerms *terms, int protocol,
                                     uint64_t payload_bytes)
{
    (void)protocol;
    return nccl_nvls_model_launch_ps(group) + terms->latency_ps +
           in_switch_reduction_time_ps(group, payload_bytes,
                                       terms->bytes_per_s);
}

static void nvls_set_channels(const NcclGroup *group, CollKind kind,
                              int protocol, uint64_t payload_bytes,
                              GPtrArray *schedules, CollRecipe *ret)
{
    (void)protocol;
    (void)schedules;
    ret->n_channels = 1;
    ret->channels = g_new0(CollChannel, 1);
    ret->channels[0] = (CollChannel){ .algorithm = &coll_in_switch,
                                      .in_two = kind == COLL_ALL_REDUCE,
                                      .share = 1 };
    ret->protocol = &group->in_switch;
    ret->launch_ps = group->params->nvls.launch_ps;
    ret->n_sms = group->n_switch_channels;
    nccl_set_chunks(payload_bytes, nccl_nvls_piece_bytes(group, payload_bytes),
                    ret);
}

const NcclAlgorithm nccl_nvls = {
    .name = "NVLS",
    .simple_only = TRUE,
    .halves_on_demand = TRUE,
    .first_version = NCCL_HAS_NVLS,
    .reason_not_usable = nvls_reason_not_usable,
    .compute_cost_terms = nvls_compute_cost_terms,
    .time_ps = nvls_estimate_time_ps,
    .set_channels = nvls_set_channels,
};

/* ---- several machines ------------------------------------------------- */

static const char *nvls_tree_reason_not_usable(const NcclGroup *group,
                                               CollKind kind)
{
    if (group->n_nodes < 2)
        return "NVLSTree is for GPUs of several machines; of one, nvls";
    if (kind != COLL_ALL_REDUCE)
        return "NVLSTree carries out an all-reduce only";
    return reason_machine_lacks_nvls(group);
}

#define SMALL_SLICE   UINT64_C(65536) /* slice from SMALL_NODES machines on */
#define SMALL_NODES   4
#define EARLIER_SLICE UINT64_C(524288)

/* Returns the slice of a channel and rank for a large payload [NCCLTUNING]. */
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

/* Returns the slice of NVLSTree for @payload_bytes.  Payloads of few pieces get
 * smaller slices [NCCLTUNING]. */
static uint64_t nvls_tree_slice_for_payload(const NcclGroup *group,
                                            uint64_t payload_bytes)
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

/* Returns the bytes that channels and ranks of a machine forward at a time. */
static uint64_t nvls_tree_piece_bytes(const NcclGroup *group,
                                      uint64_t payload_bytes)
{
    return (uint64_t)group->per_node * group->n_switch_channels *
           nvls_tree_slice_for_payload(group, payload_bytes);
}

/* Returns the number of network hops from a leaf machine to the root of the
 * tree. */
static uint32_t nvls_tree_network_depth(const NcclGroup *group)
{
    uint32_t depth = 0;

    while (1U << depth < group->n_nodes)
        depth++;
    return depth;
}

/* The fraction of the link rate that NCCL's cost model assumes for NVLSTree, in
 * machines and between them [NCCLTUNING]. */
#define TREE_RATIO_NUM 5
#define TREE_RATIO_DEN 6

/* Computes the cost terms of NVLSTree.  A machine is an inner node of one tree
 * and a leaf of the other, so it sends twice the payload in total.  With two
 * machines, each sends it once. */
static void nvls_tree_compute_cost_terms(const NcclGroup *group, CollKind kind,
                                         NcclCostTerms *ret)
{
    uint64_t nic_bytes_per_s = group->nic_bytes_per_s;

    nvls_compute_cost_terms(group, kind, ret);
    if (group->n_nodes > 2)
        nic_bytes_per_s /= 2;
    ret->bytes_per_s = MIN(ret->bytes_per_s, nic_bytes_per_s) / TREE_RATIO_DEN *
                       TREE_RATIO_NUM;
    ret->n_hops[TOPOLOGY_NETWORK] = 2 * nvls_tree_network_depth(group);
    ret->latency_ps +=
        ret->n_hops[TOPOLOGY_NETWORK] * group->network_route.latency_ps;
}

static SimTime nvls_tree_time_ps(const NcclGroup *group,
                                 const NcclCostTerms *terms, int protocol,
                                 uint64_t payload_bytes)
{
    uint64_t piece_bytes =
        MIN(payload_bytes, nvls_tree_piece_bytes(group, payload_bytes));
    SimTime hop_ps = group->switch_tree.step_ps[TOPOLOGY_NETWORK] +
                     nccl_transfer_time_ps(group, protocol, piece_bytes,
                                           group->nic_bytes_per_s);

    return nccl_nvls_model_launch_ps(group) + terms->latency_ps +
           terms->n_hops[TOPOLOGY_NETWORK] * hop_ps +
           nccl_transfer_time_ps(group, protocol, payload_bytes,
                                 terms->bytes_per_s);
}

static void nvls_tree_set_channels(const NcclGroup *group, CollKind kind,
                                   int protocol, uint64_t payload_bytes,
                                   GPtrArray *schedules, CollRecipe *ret)
{
    static const CollAlgorithm *const trees[] = {
        &coll_binary_tree, &coll_binary_tree_complement
    };

    nvls_set_channels(group, kind, protocol, payload_bytes, schedules, ret);
    ret->protocol = &group->switch_tree;
    ret->n_channels = G_N_ELEMENTS(trees);
    ret->channels = g_renew(CollChannel, ret->channels, ret->n_channels);
    nccl_set_chunks(payload_bytes, nvls_tree_piece_bytes(group, payload_bytes),
                    ret);
    ret->window *= 1 + nvls_tree_network_depth(group);
    nccl_set_message_post_time(
        group, protocol, nvls_tree_slice_for_payload(group, payload_bytes),
        ret);
    for (uint32_t t = 0; t < ret->n_channels; t++) {
        ret->channels[t] = (CollChannel){ .share = 1 };
        for (uint32_t d = 0; d < COLL_MAX_DIMS; d++)
            if (group->dims_mask >> d & 1)
                ret->channels[t].levels[d] =
                    d == dimension_inside_machine(group) ? &coll_in_switch
                                                         : trees[t];
    }
}

const NcclAlgorithm nccl_nvls_tree = {
    .name = "NVLSTree",
    .simple_only = TRUE,
    .first_version = NCCL_HAS_NVLS_TREE,
    .reason_not_usable = nvls_tree_reason_not_usable,
    .compute_cost_terms = nvls_tree_compute_cost_terms,
    .time_ps = nvls_tree_time_ps,
    .set_channels = nvls_tree_set_channels,
};
