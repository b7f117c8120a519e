/* kernel_loop.c - the loop of one NPU over its kernels, and how to move it
 * ahead */
#include "models/run/steady/kernel_loop.h"

#include "models/run/training_impl.h"

/* ---- the mark ----------------------------------------------------------- */

gboolean kernel_loop_enables_collective(const System *system, uint32_t op)
{
    uint32_t n;
    const uint32_t *dependents = system_dependents(system, op, &n);

    for (uint32_t i = 0; i < n; i++)
        if (op_graph_op(system->plan.graph, dependents[i])->type != OP_COMPUTE)
            return TRUE;
    return FALSE;
}

guint kernel_loop_find_mark(const System *system)
{
    const GArray *main =
        system->plan.role_ops[system->state.npus[0].role].of[0];

    if (system->plan.config->platform.npu.hbm.policy != HBM_PARTITIONED ||
        system_has_kernels(system, OP_STREAM_SIDE))
        return 0;
    for (guint i = 0; i < main->len; i++)
        if (kernel_loop_enables_collective(system,
                                           g_array_index(main, uint32_t, i)))
            return i;
    return 0;
}

/* ---- progress of an iteration ------------------------------------------- */

static gboolean npu_runs_op(const Npu *npu, const Op *op)
{
    return op_has_role(op, npu->role);
}

static gboolean op_precedes_position(const GArray *stream, guint mark,
                                     uint32_t op)
{
    for (guint i = 0; i < mark; i++)
        if (g_array_index(stream, uint32_t, i) == op)
            return TRUE;
    return FALSE;
}

gboolean kernel_loop_is_done_before_mark(const Npu *npu, uint64_t iteration,
                                         guint mark)
{
    const Training *t = npu->training;
    const OpGraph *graph = npu->system->plan.graph;
    const GArray *main = training_stream(t, OP_STREAM_MAIN);

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);
        gboolean is_ahead;

        if (!npu_runs_op(npu, op))
            continue;
        is_ahead = mark > 0 &&
                   t->n_done[training_slot(t, i)] == iteration + 1 &&
                   op_precedes_position(main, mark, i);
        if (!is_ahead && (t->n_done[training_slot(t, i)] != iteration ||
                          (op->type == OP_COLLECTIVE &&
                           t->n_issued[training_slot(t, i)] != iteration)))
            return FALSE;
    }
    return TRUE;
}

gboolean kernel_loop_is_at_mark(const Npu *npu, uint64_t iteration, guint mark,
                                SimTime now_ps)
{
    const Training *t = npu->training;
    const TrainingStream *main = &t->streams[OP_STREAM_MAIN];
    const TrainingStream *side = &t->streams[OP_STREAM_SIDE];

    return main->position == mark && main->iteration == iteration &&
           main->running && main->since_ps == now_ps && !side->running &&
           side->position == 0 &&
           (training_stream(t, OP_STREAM_SIDE)->len == 0 ||
            side->iteration == iteration) &&
           npu->kernels[OP_STREAM_MAIN] != NPU_IDLE &&
           npu->kernels[OP_STREAM_SIDE] == NPU_IDLE &&
           kernel_loop_is_done_before_mark(npu, iteration, mark);
}

/* ---- visits ------------------------------------------------------------- */

static void visit_waits(WaitState *waits, SteadyWalk *walk)
{
    steady_visit_counter(walk, &waits->kernels_ps);
    for (guint i = 0; i < WAIT_N_CAUSES; i++)
        steady_visit_counter(walk, &waits->times.all_ps[i]);
}

void kernel_loop_visit_kernels(Npu *npu, SteadyWalk *walk)
{
    Training *t = npu->training;
    const OpGraph *graph = npu->system->plan.graph;

    for (OpStream s = 0; s < OP_N_STREAMS; s++) {
        steady_visit_reported_time(walk, &t->streams[s].since_ps);
        compute_stream_visit_state(npu->streams[s], walk);
    }
    for (guint i = 0; t->busy_ps && i < graph->layers->len * OP_N_PASSES; i++) {
        steady_visit_counter(walk, &t->busy_ps[i]);
        steady_visit_counter(walk, &t->wait_ps[i]);
    }
    steady_visit_reported_time(walk, &t->compute_end_ps);
    if (t->waits)
        visit_waits(t->waits, walk);
    steady_visit_counter(walk, &npu->beside_ps);
}

void kernel_loop_visit_collectives(Npu *npu, SteadyWalk *walk)
{
    Training *t = npu->training;
    SimTime was_ps = npu->communicated_ps;

    if (t->streams[OP_STREAM_MAIN].running)
        steady_visit_constant(walk, npu->communicated_ps -
                                        t->streams[OP_STREAM_MAIN].beside_ps);
    for (uint32_t slot = 0; slot < training_n_collectives(t); slot++) {
        steady_visit_counter(walk, &t->collectives[slot].took_ps);
        steady_visit_counter(walk, &t->collectives[slot].waited_ps);
        if (!t->waits)
            continue;
        steady_visit_reported_time(walk, &t->waits->lasts[slot].begin_ps);
        steady_visit_reported_time(walk, &t->waits->lasts[slot].end_ps);
        steady_visit_reported_time(walk, &t->waits->lasts[slot].late_ps);
    }
    if (t->waits)
        steady_visit_reported_time(walk, &t->waits->last_end_ps);
    steady_visit_reported_time(walk, &t->collective_end_ps);
    steady_visit_reported_time(walk, &t->end_ps);
    steady_visit_counter(walk, &npu->communicated_ps);
    t->streams[OP_STREAM_MAIN].beside_ps += npu->communicated_ps - was_ps;
    for (uint32_t i = 0; i < npu->system->plan.endpoints.members.n; i++) {
        steady_visit_counter(walk, &npu->uses[i].busy_ps);
        steady_visit_counter(walk, &npu->uses[i].reduced_ps);
    }
}

/* ---- skipping ----------------------------------------------------------- */

void kernel_loop_skip_iterations(Npu *npu, uint64_t n_iterations)
{
    Training *t = npu->training;
    const OpGraph *graph = npu->system->plan.graph;

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (!npu_runs_op(npu, op))
            continue;
        t->n_done[training_slot(t, i)] += (uint32_t)n_iterations;
        if (op->type == OP_COLLECTIVE)
            t->n_issued[training_slot(t, i)] += (uint32_t)n_iterations;
    }
    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        if (training_stream(t, s)->len > 0)
            t->streams[s].iteration += n_iterations;
}

void kernel_loop_skip_to_end(Npu *npu, uint64_t n_iterations, SimTime waited_ps)
{
    Training *t = npu->training;
    const OpGraph *graph = npu->system->plan.graph;
    const Op *first = NULL;

    if (t->streams[OP_STREAM_MAIN].running)
        first = op_graph_op(graph, npu->kernels[OP_STREAM_MAIN]);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (!npu_runs_op(npu, op))
            continue;
        t->n_done[training_slot(t, i)] = (uint32_t)n_iterations;
        if (op->type == OP_COLLECTIVE)
            t->n_issued[training_slot(t, i)] = (uint32_t)n_iterations;
    }
    for (OpStream s = 0; s < OP_N_STREAMS; s++) {
        t->streams[s].iteration = n_iterations;
        t->streams[s].position = 0;
        t->streams[s].running = FALSE;
        npu->kernels[s] = NPU_IDLE;
    }
    if (waited_ps > 0 && t->waits)
        wait_state_undo_last(t->waits);
    if (t->wait_ps && first)
        t->wait_ps[first->layer * OP_N_PASSES + first->pass] -= waited_ps;
}
