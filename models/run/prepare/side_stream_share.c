/* side_stream_share.c - the SMs and the HBM bandwidth of the side stream; see
 * side_stream_share.h */
#include "models/run/prepare/side_stream_share.h"

#include "models/run/stack_costs.h"
#include "sim/config/config_field.h"

/* The SMs and the HBM bandwidth that remain for the streams when the endpoint
 * holds all that it can. */
typedef struct {
    uint64_t n_sms, bytes_per_s;
} LeftResources;

static LeftResources resources_left_by_endpoint(const SystemConfig *config)
{
    const NpuConfig *npu = &config->platform.npu;
    EndpointClaim claim = endpoint_claim_resources(&config->endpoint);
    LeftResources left = { npu->n_sms, hbm_usable_bytes_per_s(&npu->hbm) };
    uint64_t taken = claim.read_bytes_per_s;

    if (claim.only_while_communicating)
        return left;
    left.n_sms -= MIN(claim.n_sms, left.n_sms);
    if (npu->hbm.policy == HBM_SHARED)
        return left;
    if (npu->hbm.charge_writes)
        taken += claim.write_bytes_per_s + claim.unpaced_write_bytes_per_s;
    left.bytes_per_s -= MIN(taken, left.bytes_per_s);
    return left;
}

static SimTime stream_kernels_ps(const System *system, const GArray *ops,
                                 uint64_t n_sms, uint64_t bytes_per_s)
{
    SimTime sum_ps = 0;

    for (guint i = 0; i < ops->len; i++) {
        uint32_t op = g_array_index(ops, uint32_t, i);

        sum_ps = sim_time_add(
            sum_ps, kernel_demands_time_ps(
                        system->state.demands,
                        op_graph_op(system->plan.graph, op)->work,
                        system->plan.kernel_scales[op], n_sms, bytes_per_s));
    }
    return sum_ps;
}

/* Returns the total kernel time of the longer stream, on the role where it is
 * longest, or SIM_TIME_MAX if @share leaves the main stream nothing. */
static SimTime time_of_longer_stream_ps(const System *system, SideShare share)
{
    gboolean is_shared =
        system->plan.config->platform.npu.hbm.policy == HBM_SHARED;
    LeftResources left = resources_left_by_endpoint(system->plan.config);
    SimTime longest = 0;

    if (share.n_sms >= left.n_sms ||
        (!is_shared && share.bytes_per_s >= left.bytes_per_s))
        return SIM_TIME_MAX;
    for (guint r = 0; r < system->plan.graph->roles->len; r++) {
        const RoleOps *ops = &system->plan.role_ops[r];
        SimTime main_ps = stream_kernels_ps(
            system, ops->by_stream[OP_STREAM_MAIN], left.n_sms - share.n_sms,
            is_shared ? left.bytes_per_s
                      : left.bytes_per_s - share.bytes_per_s);
        SimTime side_ps = stream_kernels_ps(
            system, ops->by_stream[OP_STREAM_SIDE], share.n_sms,
            is_shared ? left.bytes_per_s : share.bytes_per_s);

        longest = MAX(longest, MAX(main_ps, side_ps));
    }
    return longest;
}

/* Returns the share that the configuration states; @n_sms replaces the number
 * of SMs if it is `auto`. */
static SideShare side_share_with_sms(const NpuConfig *npu, uint64_t n_sms)
{
    SideShare share = { npu->side_sms, npu->side_bytes_per_s, TRUE };

    if (share.n_sms == CONFIG_AUTO)
        share.n_sms = n_sms;
    if (share.bytes_per_s == CONFIG_AUTO)
        share.bytes_per_s = MIN(npu_sms_max_bytes_per_s(npu, share.n_sms),
                                hbm_usable_bytes_per_s(&npu->hbm));
    return share;
}

gboolean system_chosen_side_share(const System *system, uint64_t *ret_n_sms,
                                  uint64_t *ret_bytes_per_s)
{
    *ret_n_sms = system->plan.side_share.n_sms;
    *ret_bytes_per_s = system->plan.side_share.bytes_per_s;
    return system->plan.side_share.is_chosen;
}

SideShare side_share_choose(const System *system)
{
    const NpuConfig *npu = &system->plan.config->platform.npu;
    SideShare given = { npu->side_sms, npu->side_bytes_per_s, FALSE };
    SideShare best = side_share_with_sms(npu, 1);
    SimTime best_ps;

    if ((given.n_sms != CONFIG_AUTO && given.bytes_per_s != CONFIG_AUTO) ||
        !system_has_kernels(system, OP_STREAM_SIDE))
        return given;
    best_ps = time_of_longer_stream_ps(system, best);
    for (uint64_t n = 2; given.n_sms == CONFIG_AUTO && n <= npu->n_sms / 2;
         n++) {
        SideShare share = side_share_with_sms(npu, n);
        SimTime ps = time_of_longer_stream_ps(system, share);

        if (ps < best_ps) {
            best = share;
            best_ps = ps;
        }
    }
    return best;
}
