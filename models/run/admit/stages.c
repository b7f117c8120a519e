/* stages.c - one batch after the other through each stage of the input */
#include "models/run/admit/stages.h"

typedef struct {
    guint position; /* in the list of its role */
    uint64_t iteration;
    gboolean is_at_work;
} StageState;

/* Operations of a role, in order. */
typedef struct {
    GArray *of[OP_N_STAGES]; /* owned: of uint32_t */
} StageOps;

struct Stages {
    guint n_roles;
    StageOps *roles;                 /* owned: one a role */
    StageState (*npus)[OP_N_STAGES]; /* owned: one a simulated NPU */
};

static gboolean has_stages(const OpGraph *graph)
{
    for (guint i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type == OP_STAGE)
            return TRUE;
    return FALSE;
}

static void list_ops(const OpGraph *graph, uint32_t role, StageOps *ret)
{
    for (OpStage s = 0; s < OP_N_STAGES; s++)
        ret->of[s] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_STAGE && op_has_role(op, role))
            g_array_append_val(ret->of[op->stage], i);
    }
}

Stages *stages_new(System *system)
{
    Stages *stages;

    if (!has_stages(system->graph))
        return NULL;
    stages = g_new0(Stages, 1);
    stages->n_roles = system->graph->roles->len;
    stages->roles = g_new0(StageOps, stages->n_roles);
    for (uint32_t r = 0; r < stages->n_roles; r++)
        list_ops(system->graph, r, &stages->roles[r]);
    stages->npus = g_malloc0_n(system->n_sim, sizeof stages->npus[0]);
    return stages;
}

void stages_free(Stages *stages)
{
    if (!stages)
        return;
    for (uint32_t r = 0; r < stages->n_roles; r++)
        for (OpStage s = 0; s < OP_N_STAGES; s++)
            g_array_unref(stages->roles[r].of[s]);
    g_free(stages->roles);
    g_free(stages->npus);
    g_free(stages);
}

static StageState *state_of(const Npu *npu, OpStage stage)
{
    return &npu->system->stages->npus[npu->index][stage];
}

static const GArray *ops_of(const Npu *npu, OpStage stage)
{
    return npu->system->stages->roles[npu->role].of[stage];
}

gboolean stages_next(const Npu *npu, OpStage stage, uint32_t *ret_op,
                     uint64_t *ret_iteration)
{
    const StageState *state = state_of(npu, stage);
    const GArray *ops = ops_of(npu, stage);

    if (ops->len == 0 || state->is_at_work ||
        state->iteration == npu->system->config->training.n_iterations)
        return FALSE;
    *ret_op = g_array_index(ops, uint32_t, state->position);
    *ret_iteration = state->iteration;
    return TRUE;
}

static void on_end(gpointer self, uint32_t stage, uint64_t now_ps)
{
    Npu *npu = self;
    StageState *state = state_of(npu, (OpStage)stage);
    const GArray *ops = ops_of(npu, (OpStage)stage);
    uint32_t op = g_array_index(ops, uint32_t, state->position);
    uint64_t iteration = state->iteration;

    (void)now_ps;
    g_assert(state->is_at_work);
    state->is_at_work = FALSE;
    state->position++;
    if (state->position == ops->len) {
        state->position = 0;
        state->iteration++;
    }
    npu->done->stage(npu, op, iteration);
}

void stages_start(Npu *npu, OpStage stage)
{
    SimEngine *engine = npu->system->engine;
    StageState *state = state_of(npu, stage);
    uint32_t op = g_array_index(ops_of(npu, stage), uint32_t, state->position);
    SimTime takes_ps = op_graph_op(npu->system->graph, op)->duration_ps;

    g_assert(!state->is_at_work);
    state->is_at_work = TRUE;
    sim_engine_at(engine, sim_time_add(sim_engine_now(engine), takes_ps),
                  SIM_PHASE_ACT, on_end, npu, stage);
}

void stages_explain(const Npu *npu, GString *text)
{
    uint64_t iteration;
    uint32_t op;

    if (!npu->system->stages)
        return;
    for (OpStage s = 0; s < OP_N_STAGES; s++) {
        if (!stages_next(npu, s, &op, &iteration))
            continue;
        g_string_append(text, "  ");
        op_graph_name(npu->system->graph, op, text);
        g_string_append_printf(
            text, " of iteration %" G_GUINT64_FORMAT " has not begun\n",
            iteration);
    }
}
