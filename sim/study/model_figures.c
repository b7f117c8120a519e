/* model_figures.c - the results of a run in the terms of a language model */
#include "sim/study/model_figures.h"

/* Returns the peak of the NPU for products of the run's precision, or of
 * `training.products` if that is given. */
static uint64_t peak_flop_per_s(const SystemConfig *config)
{
    const NpuConfig *npu = &config->platform.npu;
    const TrainingConfig *training = &config->training;
    int precision =
        training->products > 0 ? training->products - 1 : training->precision;
    const PrecisionConfig *section =
        precision_section_of_path(&npu->precisions, (Precision)precision);

    return section && section->flop_per_s > 0 ? section->flop_per_s
                                              : npu->flop_per_s;
}

/* Returns the FLOP that the forward and backward kernels of all NPUs do in an
 * iteration. */
static double flop_executed_by_hardware(const System *system)
{
    const OpGraph *graph = system_graph(system);
    const CollPlacement *placement = system_placement(system);
    uint32_t n_npus = topology_n_npus(system_topology(system));
    g_autofree double *of_role = g_new0(double, graph->roles->len);
    double sum = 0;

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COMPUTE || op->pass == OP_UPDATE)
            continue;
        for (uint32_t r = role_set_first(op->roles); r != ROLE_SET_END;
             r = role_set_next(op->roles, r))
            of_role[r] += (double)op->work->flop;
    }
    for (uint32_t npu = 0; npu < n_npus; npu++)
        sum += of_role[coll_placement_role(placement, npu)];
    return sum;
}

gboolean model_figures_of_run(const SystemConfig *config, const System *system,
                              ModelFigures *ret)
{
    const OpGraph *graph = system_graph(system);
    SystemResult r = system_result(system);
    double npu_s = (double)r.iteration_ps * 1e-12 * r.n_npus;

    if (graph->n_tokens == 0 || r.iteration_ps == 0)
        return FALSE;
    *ret = (ModelFigures){
        .n_weights = graph->n_weights,
        .n_active_weights = graph->n_active_weights,
        .n_tokens = graph->n_tokens,
        .tokens_per_s = (double)graph->n_tokens / npu_s,
        .model_flop_per_s = graph->model_flop / npu_s,
        .hardware_flop_per_s = flop_executed_by_hardware(system) / npu_s,
        .peak_flop_per_s = (double)peak_flop_per_s(config),
        .memory = rank_memory_fullest(graph->memory),
        .times = system_stream_times(system),
    };
    ret->mfu = ret->model_flop_per_s / ret->peak_flop_per_s;
    return TRUE;
}
