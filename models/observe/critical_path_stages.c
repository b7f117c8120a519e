/*
 * critical_path_stages.c - operations that only take time: stages, gaps, and
 * communication that is not simulated
 */
#include "models/observe/critical_path_impl.h"

static const Op *op_at(const CriticalPath *path, uint32_t op)
{
    return op_graph_op(system_graph(path->system), op);
}

/* Returns the chain of @op while it runs, or during the gap before it. */
static Chain *chain_of(const CriticalPath *path, uint32_t npu, uint32_t op)
{
    const Op *o = op_at(path, op);
    gsize place = path_npu_index(path, npu);

    if (o->type == OP_COLLECTIVE)
        return path_launch_at(path, npu, op);
    if (o->type == OP_COMPUTE)
        return &path->kernels[place * OP_N_STREAMS + o->stream];
    return &path->stages[place * system_graph(path->system)->queues->len +
                         o->queue];
}

static void on_begins(gpointer self, uint32_t npu, uint32_t op,
                      uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)iteration;
    (void)now_ps;
    chain_copy(&path->pool, chain_of(path, npu, op), &path->now);
}

static void end_op(CriticalPath *path, uint32_t npu, uint32_t op, uint32_t row,
                   SimTime now_ps)
{
    Chain *chain = chain_of(path, npu, op);

    path_extend(path, chain, row, 0, now_ps, now_ps);
    path_set_cause(path, chain);
    chain_clear(&path->pool, chain);
}

static void on_gap_ends(gpointer self, uint32_t npu, uint32_t op,
                        uint64_t iteration, SimTime now_ps)
{
    (void)iteration;
    end_op(self, npu, op, PATH_GAPS, now_ps);
}

static void on_recorded_ends(gpointer self, uint32_t npu, uint32_t op,
                             uint64_t iteration, SimTime now_ps)
{
    (void)iteration;
    end_op(self, npu, op, PATH_RECORDED, now_ps);
}

static void on_ends(gpointer self, uint32_t npu, uint32_t op,
                    uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)iteration;
    end_op(path, npu, op, PATH_STAGES + op_at(path, op)->stage, now_ps);
    if (npu == path->npu)
        chain_copy(&path->pool, &path->last, &path->now);
}

const TraceOps critical_path_stages = {
    .steady = path_steady,
    .repeats = &path_repeats,
    .gap_begins = on_begins,
    .gap_ends = on_gap_ends,
    .stage_begins = on_begins,
    .stage_ends = on_ends,
    .recorded_begins = on_begins,
    .recorded_ends = on_recorded_ends,
};
