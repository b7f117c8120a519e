/* isolated_run.c - the time of an operation on an NPU that does nothing else;
 * see isolated_run.h */
#include "models/run/report/isolated_run.h"

#include "models/run/npu_impl.h"
#include "models/run/prepare/op_times_by_npu.h"

#define MILLION 1000000

static SimTime isolated_kernel_ps(const Npu *npu, uint32_t op,
                                  uint64_t iteration)
{
    const System *system = npu->system;
    const NpuConfig *config = &system->plan.config->platform.npu;
    SimTime ps = kernel_demands_time_ps(
        system->state.demands, op_graph_op(system->plan.graph, op)->work,
        op_times_scale(system, npu->rank, op), config->n_sms,
        hbm_usable_bytes_per_s(&config->hbm));

    return sim_time_scaled(
        ps,
        perturb_kernel_factor_ppm(&system->plan.config->perturb, npu->host.id,
                                  op, iteration),
        MILLION);
}

SimTime system_isolated_op_time_ps(const System *system, uint32_t npu,
                                   uint32_t op, uint64_t iteration)
{
    const Npu *n = &system->state.npus[system_representative_npu(system, npu)];
    const Op *o = op_graph_op(system->plan.graph, op);
    SimTime ps = o->type == OP_COMPUTE ? isolated_kernel_ps(n, op, iteration)
                                       : op_stage_time_of_rank_ps(o, n->rank);

    return sim_time_scaled(ps, op_times_factor_ppm(system, n->host.id, op),
                           MILLION);
}

SimTime system_gap_before_op_ps(const System *system, uint32_t npu, uint32_t op)
{
    return op_gap_of_rank_ps(
        op_graph_op(system->plan.graph, op),
        system->state.npus[system_representative_npu(system, npu)].rank);
}
