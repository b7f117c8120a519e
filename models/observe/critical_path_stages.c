/*
 * critical_path_stages.c - operations that only take time: stages, gaps, and
 * communication that is not simulated
 */
#include "models/observe/critical_path_impl.h"

static const Op *op_of_critical_path(const CriticalPath *path, uint32_t op)
{
    return op_graph_op(system_graph(path->system), op);
}

/* Returns the chain of causes that delay @op, in its gap as while it runs: that
 * of its launch, of its kernel stream or of its queue. */
static CauseChain *cause_chain_of_stage(const CriticalPath *path, uint32_t npu,
                                        uint32_t op)
{
    const Op *o = op_of_critical_path(path, op);
    gsize place = path_npu_index(path, npu);

    if (o->type == OP_COLLECTIVE)
        return path_launch_chain_of_op(path, npu, op);
    if (o->type == OP_COMPUTE)
        return &path->kernels[place * OP_N_STREAMS + o->stream];
    return &path->stages[place * system_graph(path->system)->queues->len +
                         o->queue];
}

static void on_stage_begins(gpointer self, uint32_t npu, uint32_t op,
                            uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)iteration;
    (void)now_ps;
    cause_chain_copy(&path->pool, cause_chain_of_stage(path, npu, op),
                     &path->wait_chain);
}

static void end_timed_operation(CriticalPath *path, uint32_t npu, uint32_t op,
                                uint32_t row, SimTime now_ps)
{
    CauseChain *chain = cause_chain_of_stage(path, npu, op);

    path_extend_cause_chain(path, chain, row, 0, now_ps, now_ps);
    path_set_cause(path, chain);
    cause_chain_clear(&path->pool, chain);
}

static void on_recorded_gap_ends(gpointer self, uint32_t npu, uint32_t op,
                                 uint64_t iteration, SimTime now_ps)
{
    (void)iteration;
    end_timed_operation(self, npu, op, PATH_GAPS, now_ps);
}

static void on_recorded_collective_ends(gpointer self, uint32_t npu,
                                        uint32_t op, uint64_t iteration,
                                        SimTime now_ps)
{
    (void)iteration;
    end_timed_operation(self, npu, op, PATH_RECORDED, now_ps);
}

static void on_stage_ends(gpointer self, uint32_t npu, uint32_t op,
                          uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)iteration;
    end_timed_operation(path, npu, op,
                        PATH_STAGES + op_of_critical_path(path, op)->stage,
                        now_ps);
    if (npu == path->npu)
        cause_chain_copy(&path->pool, &path->last, &path->wait_chain);
}

const TraceOps critical_path_stages = {
    .steady = path_visit_no_state,
    .repeats = &path_repeats,
    .gap_begins = on_stage_begins,
    .gap_ends = on_recorded_gap_ends,
    .stage_begins = on_stage_begins,
    .stage_ends = on_stage_ends,
    .recorded_begins = on_stage_begins,
    .recorded_ends = on_recorded_collective_ends,
};
