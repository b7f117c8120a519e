#include "workloads/graph.h"

const char *const op_pass_names[OP_N_PASSES + 1] = {
    [OP_FORWARD] = "forward",
    [OP_INPUT_GRADIENT] = "input-gradient",
    [OP_WEIGHT_GRADIENT] = "weight-gradient",
    [OP_UPDATE] = "update",
    [OP_N_PASSES] = NULL,
};

OpGraph *op_graph_new(void)
{
    OpGraph *graph = g_new0(OpGraph, 1);

    graph->ops = g_array_new(FALSE, FALSE, sizeof(Op));
    graph->layers = g_ptr_array_new_with_free_func(g_free);
    return graph;
}

void op_graph_free(OpGraph *graph)
{
    if (!graph)
        return;
    g_array_unref(graph->ops);
    g_ptr_array_unref(graph->layers);
    g_free(graph);
}

uint32_t op_graph_add_layer(OpGraph *graph, const char *name)
{
    g_assert(graph->layers->len < G_MAXINT);
    g_ptr_array_add(graph->layers, g_strdup(name));
    return graph->layers->len - 1;
}

static uint32_t add_op(OpGraph *graph, const Op *op)
{
    g_assert(graph->ops->len < G_MAXINT);
    g_assert(op->layer < graph->layers->len && op->pass < OP_N_PASSES);
    g_array_append_vals(graph->ops, op, 1);
    return graph->ops->len - 1;
}

uint32_t op_graph_add_compute(OpGraph *graph, uint32_t layer, OpPass pass,
                              OpStream stream, const OpWork *work)
{
    g_assert(stream < OP_N_STREAMS);
    return add_op(graph, &(Op){
                             .type = OP_COMPUTE,
                             .pass = pass,
                             .layer = layer,
                             .stream = stream,
                             .work = *work,
                         });
}

uint32_t op_graph_add_collective(OpGraph *graph, uint32_t layer, OpPass pass,
                                 CollKind kind, uint64_t payload_bytes,
                                 uint32_t priority)
{
    g_assert(kind < COLL_N_KINDS && payload_bytes > 0);
    return add_op(graph, &(Op){
                             .type = OP_COLLECTIVE,
                             .pass = pass,
                             .layer = layer,
                             .kind = kind,
                             .payload_bytes = payload_bytes,
                             .priority = priority,
                         });
}

void op_graph_add_dep(OpGraph *graph, uint32_t op, uint32_t on, uint32_t back)
{
    Op *waits;

    g_assert(op < graph->ops->len && back <= 1);
    waits = &g_array_index(graph->ops, Op, op);
    g_assert(waits->n_deps < OP_MAX_DEPS);
    waits->deps[waits->n_deps++] = (OpDep){ .op = on, .back = back };
}

void op_graph_name(const OpGraph *graph, uint32_t op, GString *text)
{
    const Op *o = op_graph_op(graph, op);

    g_string_append_printf(
        text, "%s of %s (%s)",
        o->type == OP_COLLECTIVE ? coll_kind_names[o->kind] : "kernel",
        (const char *)g_ptr_array_index(graph->layers, o->layer),
        op_pass_names[o->pass]);
}

void op_graph_check(const OpGraph *graph)
{
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        g_assert(op->layer < graph->layers->len);
        for (uint32_t d = 0; d < op->n_deps; d++) {
            g_assert(op->deps[d].op < graph->ops->len);
            g_assert(op->deps[d].back > 0 || op->deps[d].op < i);
        }
    }
}
