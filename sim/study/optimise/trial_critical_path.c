/* trial_critical_path.c - which parts of a run's critical path a change could
 * save */
#include "sim/study/optimise/trial_critical_path.h"

#include "models/run/report/isolated_run.h"

static const RankPathPart *path_part_at(const GArray *parts, guint i)
{
    return &g_array_index(parts, RankPathPart, i);
}

/* Returns the field of @path that sums the time of @part, a part of the
 * critical path. */
static SimTime *path_field_of_part(TrialPath *path, const System *system,
                                   const RankPathPart *part)
{
    const OpGraph *graph = system_graph(system);
    uint32_t role = coll_placement_role(system_placement(system), part->npu);

    if (part->kind == RANK_PATH_GAP)
        return system_gap_before_op_ps(system, part->npu, part->op) > 0
                   ? &path->idle_ps
                   : &path->gaps_ps;
    if (part->kind != RANK_PATH_OP)
        return &path->lanes_ps;
    if (op_graph_op(graph, part->op)->type == OP_COLLECTIVE ||
        op_graph_role(graph, role)->serves)
        return &path->messages_ps;
    return op_graph_op(graph, part->op)->type == OP_COMPUTE ? &path->kernels_ps
                                                            : &path->hosts_ps;
}

TrialPath sum_critical_path_by_cause(const System *system, const RankPath *path)
{
    const GArray *parts = rank_path_parts(path);
    TrialPath ret = { 0 };

    for (guint i = 0; i < parts->len; i++) {
        const RankPathPart *part = path_part_at(parts, i);

        *path_field_of_part(&ret, system, part) += part->to_ps - part->from_ps;
    }
    g_assert(trial_path_total_ps(&ret) == system_result(system).total_ps);
    return ret;
}

SimTime *trial_path_time_by_op(const System *system, const RankPath *path)
{
    const GArray *parts = rank_path_parts(path);
    SimTime *ret = g_new0(SimTime, system_graph(system)->ops->len);

    for (guint i = 0; i < parts->len; i++) {
        const RankPathPart *part = path_part_at(parts, i);

        if (part->kind != RANK_PATH_GAP)
            ret[part->op] += part->to_ps - part->from_ps;
    }
    return ret;
}
