/*
 * graph.h - one training iteration as a graph of operations
 *
 * A loop (loops/) turns a workload into a graph; every NPU runs it n times.
 * Compute operations belong to a stream and run in the order of the table,
 * one at a time per stream; the main stream is the training loop, the side
 * stream is what a loop moved off its critical path.  Collectives run beside
 * both, as soon as they are issued.
 *
 * A dependency {op, back} of instance i is met when instance i - back of @op
 * is done; instances before the first are done from the start.  Instance i of
 * an operation never starts before its own instance i - 1 is done.
 * A collective may be issued no earlier than the compute operation before it
 * in the table order has started only if it depends on it: collectives have
 * no order but their dependencies.
 *
 * Units    FLOP, bytes of HBM traffic (read and written), ps
 * Owner    the graph owns its arrays and names
 */
#ifndef WORKLOADS_GRAPH_H
#define WORKLOADS_GRAPH_H

#include "workloads/collective.h"
#include "workloads/work.h"

#define OP_MAX_DEPS 4

typedef enum {
    OP_FORWARD,
    OP_INPUT_GRADIENT,
    OP_WEIGHT_GRADIENT,
    OP_UPDATE,
    OP_N_PASSES,
} OpPass;

extern const char *const op_pass_names[OP_N_PASSES + 1];

typedef enum {
    OP_COMPUTE,
    OP_COLLECTIVE,
} OpType;

typedef enum {
    OP_STREAM_MAIN,
    OP_STREAM_SIDE,
    OP_N_STREAMS,
} OpStream;

typedef struct {
    uint32_t op;
    uint32_t back; /* 0: of this iteration, 1: of the one before */
} OpDep;

typedef struct {
    OpType type;
    OpPass pass;
    uint32_t layer; /* index into OpGraph.layers */
    uint32_t n_deps;
    OpDep deps[OP_MAX_DEPS];
    /* compute */
    OpStream stream;
    OpWork work;
    /* collective */
    CollKind kind;
    uint64_t payload_bytes;
    uint32_t priority; /* the larger is served first by `priority` */
} Op;

typedef struct {
    GArray *ops;       /* of Op */
    GPtrArray *layers; /* of char *: names */
    /* Total that the compute operations of a pass are scaled to, with the
     * whole NPU to themselves: a fit, see the workload's file.  0: none. */
    uint64_t calibrated_ps[OP_N_PASSES];
    /* Weights whose gradients are reduced, and the optimiser whose step on
     * them counts, its HBM traffic in all; NULL: none. */
    uint64_t n_weights;
    const char *optimiser; /* static */
    uint64_t optimiser_bytes;
} OpGraph;

OpGraph *op_graph_new(void);
void op_graph_free(OpGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OpGraph, op_graph_free)

/* Each returns the index of what it adds.  Asserts that there is room. */
uint32_t op_graph_add_layer(OpGraph *graph, const char *name);
uint32_t op_graph_add_compute(OpGraph *graph, uint32_t layer, OpPass pass,
                              OpStream stream, const OpWork *work);
uint32_t op_graph_add_collective(OpGraph *graph, uint32_t layer, OpPass pass,
                                 CollKind kind, uint64_t payload_bytes,
                                 uint32_t priority);
/* Op @op waits for instance -@back of @on.  @on may be an index not yet
 * added when @back is 1; op_graph_check() sees to it in the end. */
void op_graph_add_dep(OpGraph *graph, uint32_t op, uint32_t on, uint32_t back);

static inline const Op *op_graph_op(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->ops, Op, i);
}

/* Adds the name of @op to @text, as in "all-reduce of fc (weight-gradient)". */
void op_graph_name(const OpGraph *graph, uint32_t op, GString *text);

/* Asserts what the header promises: dependencies exist, and those of the
 * same iteration point backwards, so that no instance can wait for itself. */
void op_graph_check(const OpGraph *graph);

#endif
