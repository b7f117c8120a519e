/*
 * pat_trees.c - PAT, parallel aggregated trees: few steps with one GPU in each
 * machine
 *
 * Sources  [NCCLTUNING], a version that has it; [PAT]
 */
#include "models/stacks/nccl/nccl_state_impl.h"

static const char *pat_reason_not_usable(const NcclGroup *group, CollKind kind)
{
    if (kind != COLL_ALL_GATHER && kind != COLL_REDUCE_SCATTER)
        return "PAT carries out an all-gather or a reduce-scatter only";
    return group->n_nodes == group->n ? NULL
                                      : "PAT is for one GPU of each machine";
}

static uint32_t pat_n_steps(const NcclGroup *group)
{
    return 32 - (uint32_t)__builtin_clz(group->n - 1);
}

static void pat_compute_cost_terms(const NcclGroup *group, CollKind kind,
                                   NcclCostTerms *ret)
{
    (void)kind;
    *ret = (NcclCostTerms){ .bytes_per_s = group->nic_bytes_per_s };
    ret->n_hops[TOPOLOGY_NETWORK] = pat_n_steps(group);
    ret->latency_ps = pat_n_steps(group) * group->network_route.latency_ps;
}

/* Returns the launch time, which is proportional to the number of ranks. */
static SimTime pat_launch_time_ps(const NcclGroup *group)
{
    return group->n * group->params->pat.rank_ps;
}

static SimTime pat_estimate_time_ps(const NcclGroup *group,
                                    const NcclCostTerms *terms, int protocol,
                                    uint64_t payload_bytes)
{
    SimWide wire =
        (SimWide)payload_bytes * group->pat.wire_num / group->pat.wire_den;

    (void)protocol;
    return pat_launch_time_ps(group) + terms->latency_ps +
           pat_n_steps(group) * group->pat.step_ps[TOPOLOGY_NETWORK] +
           sim_time_from_bytes((uint64_t)wire, terms->bytes_per_s);
}

static void pat_set_channels(const NcclGroup *group, CollKind kind,
                             int protocol, uint64_t payload_bytes,
                             GPtrArray *schedules, CollRecipe *ret)
{
    (void)kind;
    (void)schedules;
    ret->n_channels = 1;
    ret->channels = g_new0(CollChannel, 1);
    ret->channels[0] = (CollChannel){ .algorithm = &coll_pat, .share = 1 };
    ret->protocol = &group->pat;
    ret->launch_ps = pat_launch_time_ps(group);
    nccl_set_chunks(payload_bytes,
                    nccl_piece_bytes(group, protocol, UINT64_MAX) * group->n,
                    ret);
}

const NcclAlgorithm nccl_pat = {
    .name = "PAT",
    .simple_only = TRUE,
    .first_version = NCCL_HAS_PAT,
    .reason_not_usable = pat_reason_not_usable,
    .compute_cost_terms = pat_compute_cost_terms,
    .time_ps = pat_estimate_time_ps,
    .set_channels = pat_set_channels,
};
