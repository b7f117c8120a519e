/* fixed_time_queues.c - runs operations that take time and no resource of the
 * NPU; see fixed_time_queues.h */
#include "models/run/admit/fixed_time_queues.h"

#include "models/run/prepare/op_times_by_npu.h"

typedef struct {
    /* Position of the next operation in the list of its role and queue. */
    guint position;
    uint64_t iteration;
    gboolean is_busy; /* an operation of the queue runs, or the gap before it */
} QueueState;

struct FixedTimeQueues {
    const System *system; /* borrowed */
    guint n_queues, n_roles;
    /* Owned: for each role and queue, the operations in order; the elements are
     * uint32_t. */
    GArray **ops;
    /* Owned: the state of each queue of each simulated NPU. */
    QueueState *states;
};

static GArray *stage_ops_of_role(const FixedTimeQueues *stages, uint32_t role,
                                 uint32_t queue)
{
    return stages->ops[role * stages->n_queues + queue];
}

static void list_stage_ops(const FixedTimeQueues *stages, const OpGraph *graph)
{
    for (guint i = 0; i < stages->n_roles * stages->n_queues; i++)
        stages->ops[i] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_STAGE)
            continue;
        for (uint32_t r = role_set_first(op->roles); r != ROLE_SET_END;
             r = role_set_next(op->roles, r))
            g_array_append_val(stage_ops_of_role(stages, r, op->queue), i);
    }
}

FixedTimeQueues *fixed_time_queues_new(System *system)
{
    const OpGraph *graph = system->plan.graph;
    FixedTimeQueues *stages;

    if (graph->queues->len == 0)
        return NULL;
    stages = g_new0(FixedTimeQueues, 1);
    stages->system = system;
    stages->n_queues = graph->queues->len;
    stages->n_roles = graph->roles->len;
    stages->ops = g_new(GArray *, (gsize)stages->n_roles * stages->n_queues);
    list_stage_ops(stages, graph);
    stages->states =
        g_new0(QueueState, (gsize)system->plan.n_sim * stages->n_queues);
    return stages;
}

void fixed_time_queues_free(FixedTimeQueues *stages)
{
    if (!stages)
        return;
    for (guint i = 0; i < stages->n_roles * stages->n_queues; i++)
        g_array_unref(stages->ops[i]);
    g_free(stages->ops);
    g_free(stages->states);
    g_free(stages);
}

static QueueState *stage_queue_state(const Npu *npu, uint32_t queue)
{
    const FixedTimeQueues *stages = npu->system->state.stages;

    return &stages->states[(gsize)npu->index * stages->n_queues + queue];
}

static const GArray *stage_ops_of_npu(const Npu *npu, uint32_t queue)
{
    return stage_ops_of_role(npu->system->state.stages, npu->role, queue);
}

gboolean fixed_time_queues_next_op_of_queue(const Npu *npu, uint32_t queue,
                                            uint32_t *ret_op,
                                            uint64_t *ret_iteration)
{
    const QueueState *state = stage_queue_state(npu, queue);
    const GArray *ops = stage_ops_of_npu(npu, queue);

    if (ops->len == 0 || state->is_busy ||
        state->iteration == npu->system->plan.config->training.n_iterations)
        return FALSE;
    *ret_op = g_array_index(ops, uint32_t, state->position);
    *ret_iteration = state->iteration;
    return TRUE;
}

static void on_stage_end(gpointer self, uint32_t queue, uint64_t now_ps)
{
    Npu *npu = self;
    QueueState *state = stage_queue_state(npu, queue);
    const GArray *ops = stage_ops_of_npu(npu, queue);
    uint32_t op = g_array_index(ops, uint32_t, state->position);
    uint64_t iteration = state->iteration;

    (void)now_ps;
    g_assert(state->is_busy);
    state->is_busy = FALSE;
    state->position++;
    if (state->position == ops->len) {
        state->position = 0;
        state->iteration++;
    }
    npu->callbacks->stage(npu, op, iteration);
}

static void begin_op_on_stage_queue(Npu *npu, uint32_t queue, uint32_t op)
{
    SimEngine *engine = npu->system->state.engine;
    const System *system = npu->system;
    SimTime duration_ps =
        sim_time_scaled(op_stage_time_of_rank_ps(
                            op_graph_op(system->plan.graph, op), npu->rank),
                        op_times_factor_ppm(system, npu->host.id, op), 1000000);

    TRACE(npu->host.watch, stage_begins, npu->host.id, op,
          stage_queue_state(npu, queue)->iteration);
    sim_engine_schedule(engine,
                        sim_time_add(sim_engine_now_ps(engine), duration_ps),
                        SIM_PHASE_ACT, on_stage_end, npu, queue);
}

static void on_stage_gap_end(gpointer self, uint32_t queue, uint64_t now_ps)
{
    Npu *npu = self;
    const QueueState *state = stage_queue_state(npu, queue);
    uint32_t op =
        g_array_index(stage_ops_of_npu(npu, queue), uint32_t, state->position);

    (void)now_ps;
    TRACE(npu->host.watch, gap_ends, npu->host.id, op, state->iteration);
    begin_op_on_stage_queue(npu, queue, op);
}

void fixed_time_queues_start_next_op(Npu *npu, uint32_t queue)
{
    SimEngine *engine = npu->system->state.engine;
    QueueState *state = stage_queue_state(npu, queue);
    uint32_t op =
        g_array_index(stage_ops_of_npu(npu, queue), uint32_t, state->position);
    SimTime gap_ps =
        op_gap_of_rank_ps(op_graph_op(npu->system->plan.graph, op), npu->rank);

    g_assert(!state->is_busy);
    state->is_busy = TRUE;
    if (gap_ps == 0) {
        begin_op_on_stage_queue(npu, queue, op);
        return;
    }
    TRACE(npu->host.watch, gap_begins, npu->host.id, op, state->iteration);
    sim_engine_schedule(engine, sim_time_add(sim_engine_now_ps(engine), gap_ps),
                        SIM_PHASE_ACT, on_stage_gap_end, npu, queue);
}

void fixed_time_queues_explain_wait(const Npu *npu, GString *text)
{
    uint64_t iteration;
    uint32_t op;

    if (!npu->system->state.stages)
        return;
    for (uint32_t q = 0; q < npu->system->state.stages->n_queues; q++) {
        if (!fixed_time_queues_next_op_of_queue(npu, q, &op, &iteration))
            continue;
        g_string_append(text, "  ");
        op_graph_append_op_name(npu->system->plan.graph, op, text);
        g_string_append_printf(
            text, " of iteration %" G_GUINT64_FORMAT " has not begun\n",
            iteration);
    }
}
