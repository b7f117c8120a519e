/* fixed_time_queues.c - adds stages and recorded times to a graph; see
 * fixed_time_queues.h */
#include "workloads/fixed_time_queues.h"

gboolean op_graph_find_queue(const OpGraph *graph, OpStage stage,
                             const char *name, uint32_t *ret)
{
    for (guint i = 0; i < graph->queues->len; i++) {
        const OpQueue *queue = op_graph_queue(graph, i);

        *ret = i;
        if (queue->stage == stage && g_str_equal(queue->name, name))
            return TRUE;
    }
    return FALSE;
}

uint32_t op_graph_add_queue(OpGraph *graph, OpStage stage, const char *name)
{
    OpQueue added = { .stage = stage };
    uint32_t queue;

    g_assert(stage < OP_N_STAGES);
    if (op_graph_find_queue(graph, stage, name, &queue))
        return queue;
    g_assert(graph->queues->len < OP_MAX_QUEUES);
    added.name = g_strdup(name);
    g_array_append_val(graph->queues, added);
    return graph->queues->len - 1;
}

uint32_t op_graph_add_work(OpGraph *graph, uint32_t layer, OpPass pass,
                           uint32_t queue, uint64_t duration_ps)
{
    g_assert(queue < graph->queues->len);
    return op_graph_add(graph, &(Op){
                                   .type = OP_STAGE,
                                   .pass = pass,
                                   .layer = layer,
                                   .stage = op_graph_queue(graph, queue)->stage,
                                   .queue = queue,
                                   .duration_ps = duration_ps,
                               });
}

uint32_t op_graph_add_stage(OpGraph *graph, uint32_t layer, OpStage stage,
                            uint64_t duration_ps)
{
    uint32_t queue = op_graph_add_queue(graph, stage, op_stage_names[stage]);

    g_assert(duration_ps > 0);
    return op_graph_add_work(graph, layer, OP_FORWARD, queue, duration_ps);
}

static Op *mutable_timed_op(OpGraph *graph, uint32_t op)
{
    Op *o = &g_array_index(graph->ops, Op, op);

    g_assert(op < graph->ops->len && o->type != OP_COLLECTIVE);
    return o;
}

void op_graph_set_times(OpGraph *graph, uint32_t op, const uint64_t *times_ps,
                        uint32_t n)
{
    Op *o = mutable_timed_op(graph, op);

    g_free(o->times_ps);
    o->times_ps = g_memdup2(times_ps, n * sizeof times_ps[0]);
    o->n_times = n;
}

void op_graph_set_gaps(OpGraph *graph, uint32_t op, const uint64_t *gaps_ps,
                       uint32_t n)
{
    Op *o = mutable_timed_op(graph, op);

    g_free(o->gaps_ps);
    o->gaps_ps = g_memdup2(gaps_ps, n * sizeof gaps_ps[0]);
    o->n_gaps = n;
}

void op_graph_set_recorded(OpGraph *graph, uint32_t op, uint64_t duration_ps)
{
    Op *o = &g_array_index(graph->ops, Op, op);

    g_assert(op < graph->ops->len && o->type == OP_COLLECTIVE);
    o->is_recorded = TRUE;
    o->duration_ps = duration_ps;
}

void op_graph_add_dep_on_iteration(OpGraph *graph, uint32_t op, uint32_t back,
                                   gboolean with_gradients)
{
    const RoleSet *roles = op_graph_op(graph, op)->roles;
    const RoleSet *left = roles; /* roles whose last kernel is not found yet */

    for (uint32_t i = graph->ops->len; i-- > 0;) {
        const Op *on = op_graph_op(graph, i);
        gboolean is_last = on->type == OP_COMPUTE &&
                           on->stream == OP_STREAM_MAIN &&
                           role_set_intersects(on->roles, left);
        gboolean is_sum = with_gradients && on->type == OP_COLLECTIVE &&
                          !on->is_buffer &&
                          role_set_intersects(on->roles, roles);

        if (is_last || is_sum)
            op_graph_add_dep_for_roles(
                graph, op, i, back,
                role_sets_intersection(graph->role_sets, on->roles,
                                       is_last ? left : roles));
        if (is_last)
            left = role_sets_difference(graph->role_sets, left, on->roles);
    }
}
