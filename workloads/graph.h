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

typedef enum {
    PRECISION_FP16,
    PRECISION_BF16,
    PRECISION_FP32,
} Precision;

/* A matrix product: m x n results, each a sum of k products of two values.  A
 * convolution is one, of which the rows of one operand overlap. */
typedef struct {
    uint64_t m, n, k;    /* 0: the kernel is none */
    uint64_t n_products; /* side by side in one kernel; 0 counts as 1 */
    /* Of a convolution, in pixels of its input; 0: it is none. */
    uint64_t window_height, window_width, stride_height, stride_width;
    /* Of a convolution: of an image that its results, or its sums, are of. */
    uint64_t image_height, image_width;
    /* Of a weight gradient, a long sum of few results: libraries cut it. */
    gboolean cuts_sum;
    /* Of a recurrent layer: a library starts its pass as a whole, and each of
     * the kernels waits for the one before. */
    gboolean is_recurrent;
} OpProduct;

/* How a library cuts a product on an NPU, models/products.h: chosen once. */
typedef struct {
    uint64_t n_tiles;     /* 0: nobody has chosen */
    uint64_t tile_ps;     /* of one tile on an SM that has more of them */
    uint64_t more_bytes;  /* moved beside the arithmetic: parts of sums */
    uint64_t phase_bytes; /* moved before and after it: transforms */
    uint64_t more_ps;     /* of further kernels that this takes */
} OpCut;

/* What a kernel, or several alike in a row, has to do, whoever runs it. */
typedef struct {
    uint64_t flop;          /* of all of them, as are the next three */
    uint64_t bytes;         /* HBM, read and written */
    uint64_t written_bytes; /* of .bytes */
    uint64_t measured_ps;   /* with the whole NPU to itself; 0: from roofline */
    uint64_t n_kernels;     /* each of which is launched; 0 counts as 1 */
    /* That a kernel has under way on each SM; 0: as many as an SM can. */
    uint64_t in_flight_bytes;
    OpProduct product;       /* of each of them */
    OpCut cut;               /* likewise */
    Precision precision;     /* of what it calculates with */
    gboolean is_elementwise; /* a kernel beside that of its layer */
} OpWork;

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

static inline uint64_t op_work_n_kernels(const OpWork *work)
{
    return work->n_kernels > 0 ? work->n_kernels : 1;
}

/* Of one kernel, for tiles; 0: it is no product, or may be cut along the sum.
 */
static inline uint64_t op_work_n_results(const OpWork *work)
{
    const OpProduct *p = &work->product;
    uint64_t n;

    if (p->cuts_sum || __builtin_mul_overflow(p->m, p->n, &n) ||
        __builtin_mul_overflow(n, MAX(p->n_products, 1), &n))
        return 0;
    return n;
}

/* The part of its bytes that is read; all of it where it has none. */
static inline uint64_t op_work_read_ppm(const OpWork *work)
{
    g_assert(work->written_bytes <= work->bytes);
    return work->bytes == 0
               ? 1000000
               : (uint64_t)((unsigned __int128)(work->bytes -
                                                work->written_bytes) *
                            1000000 / work->bytes);
}

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
