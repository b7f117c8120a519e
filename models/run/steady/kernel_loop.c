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
        system->plan.role_ops[system->state.npus[0].role].by_stream[0];

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
    const Training *training = npu->training;
    const OpGraph *graph = npu->system->plan.graph;
    const GArray *main = training_stream(training, OP_STREAM_MAIN);

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);
        gboolean is_ahead;

        if (!npu_runs_op(npu, op))
            continue;
        is_ahead =
            mark > 0 &&
            training->n_done[training_slot(training, i)] == iteration + 1 &&
            op_precedes_position(main, mark, i);
        if (!is_ahead &&
            (training->n_done[training_slot(training, i)] != iteration ||
             (op->type == OP_COLLECTIVE &&
              training->n_issued[training_slot(training, i)] != iteration)))
            return FALSE;
    }
    return TRUE;
}

gboolean kernel_loop_is_at_mark(const Npu *npu, uint64_t iteration, guint mark,
                                SimTime now_ps)
{
    const Training *training = npu->training;
    const TrainingStream *main = &training->streams[OP_STREAM_MAIN];
    const TrainingStream *side = &training->streams[OP_STREAM_SIDE];

    return main->position == mark && main->iteration == iteration &&
           main->running && main->since_ps == now_ps && !side->running &&
           side->position == 0 &&
           (training_stream(training, OP_STREAM_SIDE)->len == 0 ||
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
    Training *training = npu->training;
    const OpGraph *graph = npu->system->plan.graph;

    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++) {
        steady_visit_reported_time(walk, &training->streams[stream].since_ps);
        compute_stream_visit_state(npu->streams[stream], walk);
    }
    for (guint i = 0; training->busy_ps && i < graph->layers->len * OP_N_PASSES;
         i++) {
        steady_visit_counter(walk, &training->busy_ps[i]);
        steady_visit_counter(walk, &training->wait_ps[i]);
    }
    steady_visit_reported_time(walk, &training->compute_end_ps);
    if (training->waits)
        visit_waits(training->waits, walk);
    steady_visit_counter(walk, &npu->beside_ps);
}

void kernel_loop_visit_collectives(Npu *npu, SteadyWalk *walk)
{
    Training *training = npu->training;
    SimTime was_ps = npu->communicated_ps;

    if (training->streams[OP_STREAM_MAIN].running)
        steady_visit_constant(walk,
                              npu->communicated_ps -
                                  training->streams[OP_STREAM_MAIN].beside_ps);
    for (uint32_t slot = 0; slot < training_n_collectives(training); slot++) {
        steady_visit_counter(walk, &training->collectives[slot].took_ps);
        steady_visit_counter(walk, &training->collectives[slot].waited_ps);
        if (!training->waits)
            continue;
        steady_visit_reported_time(walk,
                                   &training->waits->lasts[slot].begin_ps);
        steady_visit_reported_time(walk, &training->waits->lasts[slot].end_ps);
        steady_visit_reported_time(walk, &training->waits->lasts[slot].late_ps);
    }
    if (training->waits)
        steady_visit_reported_time(walk, &training->waits->last_end_ps);
    steady_visit_reported_time(walk, &training->collective_end_ps);
    steady_visit_reported_time(walk, &training->end_ps);
    steady_visit_counter(walk, &npu->communicated_ps);
    training->streams[OP_STREAM_MAIN].beside_ps +=
        npu->communicated_ps - was_ps;
    for (uint32_t i = 0; i < npu->system->plan.endpoints.members.n; i++) {
        steady_visit_counter(walk, &npu->uses[i].busy_ps);
        steady_visit_counter(walk, &npu->uses[i].reduced_ps);
    }
}

/* ---- skipping ----------------------------------------------------------- */

void kernel_loop_skip_iterations(Npu *npu, uint64_t n_iterations)
{
    Training *training = npu->training;
    const OpGraph *graph = npu->system->plan.graph;

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (!npu_runs_op(npu, op))
            continue;
        training->n_done[training_slot(training, i)] += (uint32_t)n_iterations;
        if (op->type == OP_COLLECTIVE)
            training->n_issued[training_slot(training, i)] +=
                (uint32_t)n_iterations;
    }
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
        if (training_stream(training, stream)->len > 0)
            training->streams[stream].iteration += n_iterations;
}

void kernel_loop_skip_to_end(Npu *npu, uint64_t n_iterations, SimTime waited_ps)
{
    Training *training = npu->training;
    const OpGraph *graph = npu->system->plan.graph;
    const Op *first = NULL;

    if (training->streams[OP_STREAM_MAIN].running)
        first = op_graph_op(graph, npu->kernels[OP_STREAM_MAIN]);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (!npu_runs_op(npu, op))
            continue;
        training->n_done[training_slot(training, i)] = (uint32_t)n_iterations;
        if (op->type == OP_COLLECTIVE)
            training->n_issued[training_slot(training, i)] =
                (uint32_t)n_iterations;
    }
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++) {
        training->streams[stream].iteration = n_iterations;
        training->streams[stream].position = 0;
        training->streams[stream].running = FALSE;
        npu->kernels[stream] = NPU_IDLE;
    }
    if (waited_ps > 0 && training->waits)
        wait_state_undo_last(training->waits);
    if (training->wait_ps && first)
        training->wait_ps[first->layer * OP_N_PASSES + first->pass] -=
            waited_ps;
}
