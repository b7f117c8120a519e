/* critical_path_stages.c - batches on their way to an NPU */
#include "models/observe/critical_path_impl.h"

static OpStage stage_of(const CriticalPath *path, uint32_t op)
{
    return op_graph_op(system_graph(path->system), op)->stage;
}

static Chain *stage_at(const CriticalPath *path, uint32_t npu, uint32_t op)
{
    return &path->stages[path_place(path, npu) * OP_N_STAGES +
                         stage_of(path, op)];
}

static void on_begins(gpointer self, uint32_t npu, uint32_t op,
                      uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)iteration;
    (void)now_ps;
    chain_copy(&path->pool, stage_at(path, npu, op), &path->now);
}

static void on_ends(gpointer self, uint32_t npu, uint32_t op,
                    uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = stage_at(path, npu, op);

    (void)iteration;
    path_extend(path, chain, PATH_STAGES + stage_of(path, op), 0, now_ps,
                now_ps);
    path_go_on(path, chain);
    chain_clear(&path->pool, chain);
    if (npu == path->npu)
        chain_copy(&path->pool, &path->last, &path->now);
}

const TraceOps critical_path_stages = {
    .stage_begins = on_begins,
    .stage_ends = on_ends,
};
