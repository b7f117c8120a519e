/*
 * fusion_buffers.c - the fusion buffers of a lane, as operations
 *
 * The payload of a buffer is known only when it is filled during the run, but
 * algorithms and chunk sizes are chosen for operations before the run.
 * Therefore the graph has one operation for each size class: four per octave,
 * each at most 19 % (a factor of 2^(1/4)) larger than the previous one.
 */
#include "workloads/graph.h"

#define CLASSES_PER_OCTAVE 4

/* 2^(-r/4) x 2^32, rounded up. */
static const uint64_t class_factor[CLASSES_PER_OCTAVE] = {
    4294967296,
    3611622603,
    3037000500,
    2553802834,
};

/* Returns size class @class_index, counted downwards from @most_bytes:
 * most_bytes x 2^(-class_index / 4), rounded up. */
static uint64_t fusion_size_class_bytes(uint64_t most_bytes,
                                        uint32_t class_index)
{
    unsigned __int128 part = (unsigned __int128)most_bytes *
                             class_factor[class_index % CLASSES_PER_OCTAVE];
    uint32_t shift = 32 + class_index / CLASSES_PER_OCTAVE;

    g_assert(class_index < 64 * CLASSES_PER_OCTAVE);
    return (uint64_t)((part + ((unsigned __int128)1 << shift) - 1) >> shift);
}

/* Returns the number of size classes from @most_bytes down to the smallest one
 * with at least @least_bytes. */
static uint32_t n_fusion_size_classes(uint64_t least_bytes, uint64_t most_bytes)
{
    uint32_t n = 1;

    while (n < 64 * CLASSES_PER_OCTAVE &&
           fusion_size_class_bytes(most_bytes, n) >= least_bytes)
        n++;
    return n;
}

static void add_fusion_buffer(OpGraph *graph, uint32_t lane, uint32_t layer,
                              uint32_t like, uint64_t bytes)
{
    /* Copied, because adding an operation may move the array of operations. */
    const Op as = *op_graph_op(graph, like);
    uint32_t op = op_graph_add_collective(graph, layer, as.pass, as.kind, bytes,
                                          as.priority);
    Op *added = &g_array_index(graph->ops, Op, op);

    added->roles = as.roles;
    added->node = as.node;
    added->group = as.group;
    added->from = as.from;
    added->to = as.to;
    added->is_star = as.is_star;
    added->is_buffer = TRUE;
    op_graph_set_lane(graph, op, lane);
}

void op_graph_add_buffers(OpGraph *graph, uint32_t lane, uint32_t like,
                          uint64_t least_bytes, uint64_t most_bytes)
{
    OpLane *op_lane = &g_array_index(graph->lanes, OpLane, lane);
    g_autofree char *name = g_strdup_printf("buffer of %s", op_lane->name);
    uint64_t below_bytes = 0;
    uint32_t layer;

    g_assert(lane < graph->lanes->len && like < graph->ops->len);
    g_assert(least_bytes > 0 && least_bytes <= most_bytes);
    g_assert(most_bytes <= op_lane->fusion_bytes);
    g_assert(op_graph_op(graph, like)->lane == lane);
    g_assert(op_graph_op(graph, like)->kind < COLL_N_KINDS);
    g_assert(!op_graph_op(graph, like)->weights);
    layer = op_graph_add_layer(graph, name);
    if (op_lane->n_buffers == 0)
        op_lane->first_buffer = graph->ops->len;
    g_assert(op_lane->first_buffer + op_lane->n_buffers == graph->ops->len);
    for (uint32_t n = n_fusion_size_classes(least_bytes, most_bytes);
         n-- > 0;) {
        uint64_t bytes = fusion_size_class_bytes(most_bytes, n);

        if (bytes > below_bytes)
            add_fusion_buffer(graph, lane, layer, like, bytes);
        below_bytes = bytes;
    }
    op_lane->n_buffers = graph->ops->len - op_lane->first_buffer;
}

static gboolean op_may_fuse_on_lane(const OpGraph *graph, uint32_t op,
                                    uint32_t lane)
{
    const Op *o = op_graph_op(graph, op);

    return o->type == OP_COLLECTIVE && o->lane == lane &&
           o->kind < COLL_N_KINDS && !o->weights && !o->is_recorded;
}

/* Adds the buffers for operation @like and all later operations that may be
 * fused with it.  Does nothing if @like may be fused with an earlier operation,
 * because then the buffers exist.  @n_ops excludes buffers that were added. */
static void add_buffers_for_ops_like(OpGraph *graph, uint32_t lane,
                                     uint32_t like, uint32_t n_ops)
{
    uint64_t most_bytes = 0, least_bytes = UINT64_MAX;
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_ops; i++) {
        const Op *op = op_graph_op(graph, i);

        if (!op_may_fuse_on_lane(graph, i, lane) ||
            !op_may_share_buffer(op, op_graph_op(graph, like)))
            continue;
        if (i < like)
            return;
        n++;
        most_bytes += op->payload_bytes;
        least_bytes = MIN(least_bytes, op->payload_bytes);
    }
    most_bytes = MIN(most_bytes, op_graph_lane(graph, lane)->fusion_bytes);
    /* A buffer holds at least two operations. */
    if (n > 1 && 2 * least_bytes <= most_bytes)
        op_graph_add_buffers(graph, lane, like, 2 * least_bytes, most_bytes);
}

void op_graph_add_fusion_buffers(OpGraph *graph, uint32_t lane)
{
    uint32_t n_ops = graph->ops->len;

    g_assert(op_graph_lane(graph, lane)->n_buffers == 0);
    for (uint32_t op = 0; op < n_ops; op++)
        if (op_may_fuse_on_lane(graph, op, lane))
            add_buffers_for_ops_like(graph, lane, op, n_ops);
}
