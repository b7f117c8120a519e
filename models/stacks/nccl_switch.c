/*
 * nccl_switch.c - NVLS: the switch of a machine adds and multicasts
 *
 * All GPUs of a machine send what they have up and get the sum of all.  Through
 * several machines (NVLSTree) the switch leaves each GPU its part of the sum,
 * which trees over the network, one for each GPU with a NIC of its own, add to
 * those of other machines, before the switch gathers them.
 */
#include "models/stacks/nccl_impl.h"

#define LEAST_RANKS 3 /* of a machine, for the switch to be of use */

static const char *refuses_all(const NcclGroup *group, CollKind kind)
{
    if (kind != COLL_ALL_REDUCE)
        return "NVLS carries out an all-reduce only";
    if (!topology_adder(group->topology, 0))
        return "no switch there adds (`reduces`)";
    return NULL;
}

static const char *nvls_refuses(const NcclGroup *group, CollKind kind)
{
    if (!refuses_all(group, kind) &&
        group->n != topology_n_npus(group->topology))
        return "the switch that adds is not that of these GPUs alone";
    if (!refuses_all(group, kind) &&
        (group->n_nodes > 1 || group->n < LEAST_RANKS))
        return "it wants three GPUs or more of one machine";
    return refuses_all(group, kind);
}

static void nvls_measure(const NcclGroup *group, CollKind kind, NcclWay *ret)
{
    NcclRoute route =
        nccl_route(group->topology, group->npus[0], group->npus[0], 0);

    (void)kind;
    *ret = (NcclWay){ .latency_ps = route.latency_ps,
                      .bytes_per_s = route.bytes_per_s };
}

static SimTime in_switch_ps(const NcclGroup *group, uint64_t bytes,
                            uint64_t bytes_per_s)
{
    SimWide wire = (SimWide)bytes * group->in_switch.wire_num;

    return sim_time_from_bytes((uint64_t)(wire / group->in_switch.wire_den),
                               bytes_per_s);
}

/* What all channels pass on at a time: less of a payload that would not fill
 * that many pieces, and so on [NCCLTUNING]. */
static uint64_t switch_piece_bytes(const NcclGroup *group,
                                   uint64_t payload_bytes)
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
    return group->params->nvls.launch_ps + way->latency_ps +
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
    ret->channels[0] =
        (CollChannel){ .algorithm = &coll_in_switch, .share = 1 };
    ret->protocol = &group->in_switch;
    ret->launch_ps = group->params->nvls.launch_ps;
    ret->n_sms = group->n_switch_channels;
    nccl_cut(payload_bytes, switch_piece_bytes(group, payload_bytes), ret);
}

const NcclAlgorithm nccl_nvls = {
    .name = "NVLS",
    .simple_only = TRUE,
    .refuses = nvls_refuses,
    .measure = nvls_measure,
    .time_ps = nvls_time_ps,
    .lay = nvls_lay,
};
