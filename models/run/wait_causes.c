/* wait_causes.c - divides the waits of a main stream among their causes */
#include "models/run/wait_causes_impl.h"

#include <string.h>

#include "models/run/op_slots_impl.h"

const char *const wait_cause_names[WAIT_N_CAUSES + 1] = {
    [WAIT_WARM_UP] = "warm_up",
    [WAIT_COOL_DOWN] = "cool_down",
    [WAIT_IMBALANCE] = "imbalance",
    [WAIT_TP] = "tp",
    [WAIT_CP] = "cp",
    [WAIT_EP] = "ep",
    [WAIT_PP] = "pp",
    [WAIT_DP] = "dp",
    [WAIT_OTHER] = "other",
    [WAIT_N_CAUSES] = NULL,
};

/* ---- what depends on the graph only -------------------------------------- */

/* Returns the cause that stands for the axes of @group, such as "cp+dp": data
 * parallelism if it is among them, else the first. */
static WaitCause cause_of_group(const OpGroup *group)
{
    static const struct {
        const char *axis;
        WaitCause cause;
    } rows[] = { { "dp", WAIT_DP },         { "edp", WAIT_DP },
                 { "dp_within", WAIT_DP },  { "dp_across", WAIT_DP },
                 { "edp_within", WAIT_DP }, { "edp_across", WAIT_DP },
                 { "tp", WAIT_TP },         { "etp", WAIT_TP },
                 { "cp", WAIT_CP },         { "ep", WAIT_EP },
                 { "ep_local", WAIT_EP },   { "ep_nodes", WAIT_EP },
                 { "pp", WAIT_PP } };
    g_auto(GStrv) axes = g_strsplit(group->name, "+", 0);

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        if (g_strv_contains((const char *const *)axes, rows[i].axis))
            return rows[i].cause;
    return WAIT_OTHER;
}

gboolean graph_has_wait_causes(const OpGraph *graph)
{
    for (guint i = 0; i < graph->groups->len; i++)
        if (cause_of_group(op_graph_group(graph, i)) != WAIT_OTHER)
            return TRUE;
    return graph->n_tokens > 0;
}

/* Finds the first backward kernel and the end of the forward kernels. */
static void find_forward_and_backward_kernels(WaitState *state)
{
    const GArray *ops = npu_stream_ops(state->npu, OP_STREAM_MAIN);
    const OpGraph *graph = state->npu->system->plan.graph;

    state->first_backward = ops->len;
    for (guint i = 0; i < ops->len; i++) {
        OpPass pass = op_graph_op(graph, g_array_index(ops, uint32_t, i))->pass;

        if (pass == OP_FORWARD)
            state->forward_end = i + 1;
        else if (pass != OP_UPDATE)
            state->first_backward = MIN(state->first_backward, i);
    }
}

WaitState *wait_state_new(const Npu *npu)
{
    const OpGraph *graph = npu->system->plan.graph;
    WaitState *state;

    if (!graph_has_wait_causes(graph))
        return NULL;
    state = g_new0(WaitState, 1);
    state->npu = npu;
    state->lasts = g_new0(WaitInstance, npu_n_collective_slots(npu));
    state->last_op = UINT32_MAX;
    state->cause_of = g_new(WaitCause, graph->groups->len);
    for (guint i = 0; i < graph->groups->len; i++)
        state->cause_of[i] = cause_of_group(op_graph_group(graph, i));
    find_forward_and_backward_kernels(state);
    return state;
}

void wait_state_free(WaitState *state)
{
    if (!state)
        return;
    g_free(state->lasts);
    g_free(state->cause_of);
    g_free(state);
}

/* ---- collectives --------------------------------------------------------- */

/* Returns the set of @npu in @coll; without sets, all NPUs are one. */
static CollSet *npu_set_in_collective(const CollInstance *coll, const Npu *npu)
{
    return coll->coll_class->set_of
               ? &coll->sets[coll->coll_class->set_of[npu->index]]
               : NULL;
}

void wait_state_note_issue(const WaitState *state, CollInstance *coll)
{
    CollSet *set = npu_set_in_collective(coll, state->npu);

    if (set)
        set->last_issued_ps =
            sim_engine_now_ps(state->npu->system->state.engine);
}

void wait_state_note_end(WaitState *state, const CollInstance *coll,
                         SimTime issued_ps)
{
    SimTime now_ps = sim_engine_now_ps(state->npu->system->state.engine);
    const CollSet *set = npu_set_in_collective(coll, state->npu);

    state->lasts[npu_op_slot(state->npu, coll->op)] =
        (WaitInstance){ .begin_ps = issued_ps,
                        .late_ps = set ? set->last_issued_ps : issued_ps,
                        .end_ps = now_ps };
    state->last_op =
        now_ps > state->last_end_ps ? coll->op : MIN(state->last_op, coll->op);
    state->last_end_ps = now_ps;
}

/* ---- waits --------------------------------------------------------------- */

/* Returns the collective that @op waited for last and that ended after @from_ps
 * and not after @to_ps, or UINT32_MAX. */
static uint32_t find_last_awaited_collective(const WaitState *state,
                                             uint32_t op, SimTime from_ps,
                                             SimTime to_ps)
{
    const OpGraph *graph = state->npu->system->plan.graph;
    const Op *o = op_graph_op(graph, op);
    SimTime best_ps = from_ps;
    uint32_t best = UINT32_MAX;

    for (uint32_t d = 0; d < o->n_deps; d++) {
        const OpDep *dep = &o->deps[d];
        SimTime end_ps;

        if (!role_set_has(dep->roles, state->npu->role) ||
            op_graph_op(graph, dep->op)->type != OP_COLLECTIVE)
            continue;
        end_ps = state->lasts[npu_op_slot(state->npu, dep->op)].end_ps;
        if (end_ps > best_ps && end_ps <= to_ps) {
            best_ps = end_ps;
            best = dep->op;
        }
    }
    return best;
}

/* Adds to @ret the time from @from_ps to @to_ps, in which the NPU waited for
 * collective @op, which ended at @to_ps or later, and for what preceded it.
 * Bubbles of messages count as @phase. */
static void divide_wait_among_causes(const WaitState *state, uint32_t op,
                                     SimTime from_ps, SimTime to_ps,
                                     WaitCause phase, SimTime *ret)
{
    const OpGraph *graph = state->npu->system->plan.graph;

    while (op != UINT32_MAX && to_ps > from_ps) {
        const Op *o = op_graph_op(graph, op);
        const WaitInstance *last = &state->lasts[npu_op_slot(state->npu, op)];
        SimTime issued_ps = CLAMP(last->begin_ps, from_ps, to_ps);
        SimTime late_ps = CLAMP(last->late_ps, issued_ps, to_ps);
        SimTime end_ps = CLAMP(last->end_ps, late_ps, to_ps);

        ret[WAIT_OTHER] += to_ps - end_ps;
        ret[state->cause_of[o->group]] += end_ps - late_ps;
        ret[o->kind == COLL_SEND ? phase : WAIT_IMBALANCE] +=
            late_ps - issued_ps;
        to_ps = issued_ps;
        op = find_last_awaited_collective(state, op, from_ps, to_ps);
    }
    ret[WAIT_OTHER] += to_ps - from_ps;
}

static WaitCause phase_of_kernel_position(const WaitState *state,
                                          guint position)
{
    if (position <= state->first_backward)
        return WAIT_WARM_UP;
    return position >= state->forward_end ? WAIT_COOL_DOWN : WAIT_IMBALANCE;
}

void wait_state_add(WaitState *state, uint32_t op, guint position,
                    SimTime from_ps)
{
    WaitTimes *times = &state->times;
    SimTime now_ps = sim_engine_now_ps(state->npu->system->state.engine);

    memset(times->last_ps, 0, sizeof times->last_ps);
    if (now_ps == from_ps)
        return;
    divide_wait_among_causes(
        state, find_last_awaited_collective(state, op, from_ps, now_ps),
        from_ps, now_ps, phase_of_kernel_position(state, position),
        times->last_ps);
    for (guint i = 0; i < WAIT_N_CAUSES; i++)
        times->all_ps[i] += times->last_ps[i];
}

void wait_state_undo_last(WaitState *state)
{
    WaitTimes *times = &state->times;

    for (guint i = 0; i < WAIT_N_CAUSES; i++)
        times->all_ps[i] -= times->last_ps[i];
}

void wait_state_add_last(const WaitState *state, SimTime from_ps,
                         SimTime total_ps, SimTime *ret)
{
    SimTime end_ps = MIN(MAX(from_ps, state->last_end_ps), total_ps);

    ret[WAIT_COOL_DOWN] += total_ps - end_ps;
    divide_wait_among_causes(
        state, state->last_end_ps > from_ps ? state->last_op : UINT32_MAX,
        from_ps, end_ps, WAIT_COOL_DOWN, ret);
}
