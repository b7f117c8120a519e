/*
 * fixed_time_queues.h - stages: serial work with a known duration
 *
 * A stage takes a known time, independent of all other work, and uses no
 * resource of the NPU. Each NPU has all queues of a graph.  It runs the stages
 * that its role has in a queue one after the other, in table order.
 *
 * Units    ps
 * Owner    the graph
 */
#ifndef WORKLOADS_FIXED_TIME_QUEUES_H
#define WORKLOADS_FIXED_TIME_QUEUES_H

#include "workloads/graph.h"

#define OP_MAX_QUEUES 256

/* Sets @ret to the index of the queue and returns TRUE, or returns FALSE if
 * there is no such queue. */
gboolean op_graph_find_queue(const OpGraph *graph, OpStage stage,
                             const char *name, uint32_t *ret);
/* Returns the queue with this stage and name, and adds it if it does not exist.
 * Asserts that there is room. */
uint32_t op_graph_add_queue(OpGraph *graph, OpStage stage, const char *name);
/* Adds a stage to @queue with the same duration on all its NPUs. */
uint32_t op_graph_add_work(OpGraph *graph, uint32_t layer, OpPass pass,
                           uint32_t queue, uint64_t duration_ps);
/* Adds an input stage of one batch.  Stages of the same kind run one after the
 * other. */
uint32_t op_graph_add_stage(OpGraph *graph, uint32_t layer, OpStage stage,
                            uint64_t duration_ps);

/* Makes @op wait for the iteration that is @back iterations earlier: for its
 * last kernel, because kernels run in order, and for its communication if
 * @with_gradients.  The operations of an iteration must be complete. */
void op_graph_add_dep_on_iteration(OpGraph *graph, uint32_t op, uint32_t back,
                                   gboolean with_gradients);

/* Copy the times, or the gaps, of a kernel or a stage to the graph: see
 * Op.n_times. */
void op_graph_set_times(OpGraph *graph, uint32_t op, const uint64_t *times_ps,
                        uint32_t n);
void op_graph_set_gaps(OpGraph *graph, uint32_t op, const uint64_t *gaps_ps,
                       uint32_t n);
/* Sets the recorded time of a collective or a message: see Op.is_recorded. */
void op_graph_set_recorded(OpGraph *graph, uint32_t op, uint64_t duration_ps);

static inline const OpQueue *op_graph_queue(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->queues, OpQueue, i);
}

#endif
