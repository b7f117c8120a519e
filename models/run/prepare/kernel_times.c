/* kernel_times.c - the times of the kernels of a graph; see kernel_times.h */
#include "models/run/prepare/kernel_times.h"

#include "models/npu/kernel_demands.h"

/* Returns the roofline times of the works of @graph, by OpWork.id, with all SMs
 * and the whole HBM bandwidth.  The caller owns the array. */
static SimTime *whole_npu_times_of_works(const NpuConfig *npu,
                                         const OpGraph *graph)
{
    SimTime *times_ps = g_new(SimTime, graph->works->len);

    for (guint i = 0; i < graph->works->len; i++)
        times_ps[i] = kernel_roofline_time_ps(
            npu, g_ptr_array_index(graph->works, i), npu->n_sms,
            hbm_usable_bytes_per_s(&npu->hbm));
    return times_ps;
}

/* Returns whether @op belongs to @job, or to the only workload if that is
 * NULL. */
static gboolean op_belongs_to_job(const Op *op, const OpJob *job)
{
    return !job || role_set_intersects(op->roles, job->roles);
}

/* Sets the scales of the operations of @job, or of all if it is NULL.  Kernels
 * without a measured time share the total of their pass, @calibrated_ps, in
 * proportion to their rooflines, @whole_ps by work. */
static void set_kernel_scales(const SimTime *whole_ps, const OpGraph *graph,
                              const OpJob *job, const uint64_t *calibrated_ps,
                              ComputeScale *ret)
{
    SimTime pass_ps[OP_N_PASSES] = { 0 };

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_COMPUTE && op->work->measured_ps == 0 &&
            calibrated_ps[op->pass] > 0 && op_belongs_to_job(op, job))
            pass_ps[op->pass] =
                sim_time_add(pass_ps[op->pass], whole_ps[op->work->id]);
    }
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (!op_belongs_to_job(op, job))
            continue;
        if (op->work->measured_ps > 0)
            ret[i] = (ComputeScale){ op->work->measured_ps,
                                     whole_ps[op->work->id], TRUE };
        else if (calibrated_ps[op->pass] > 0 && pass_ps[op->pass] > 0)
            ret[i] = (ComputeScale){ calibrated_ps[op->pass], pass_ps[op->pass],
                                     TRUE };
        else
            ret[i] = (ComputeScale){ 1, 1, FALSE };
    }
}

ComputeScale *compute_kernel_time_scales(const NpuConfig *npu,
                                         const OpGraph *graph)
{
    ComputeScale *scales = g_new0(ComputeScale, graph->ops->len);
    g_autofree SimTime *whole_ps = whole_npu_times_of_works(npu, graph);

    if (graph->jobs->len == 0)
        set_kernel_scales(whole_ps, graph, NULL, graph->calibrated_ps, scales);
    for (guint i = 0; i < graph->jobs->len; i++) {
        const OpJob *job = &g_array_index(graph->jobs, OpJob, i);

        set_kernel_scales(whole_ps, graph, job, job->calibrated_ps, scales);
    }
    return scales;
}

void list_kernel_times(gconstpointer npu, const OpGraph *graph,
                       uint64_t *ret_ps)
{
    const NpuConfig *config = npu;
    g_autofree ComputeScale *scales = compute_kernel_time_scales(config, graph);
    KernelDemands *demands = kernel_demands_new(config, graph->works->len);

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        ret_ps[i] = op->type != OP_COMPUTE
                        ? 0
                        : kernel_demands_time_ps(
                              demands, op->work, scales[i], config->n_sms,
                              hbm_usable_bytes_per_s(&config->hbm));
    }
    kernel_demands_free(demands);
}
