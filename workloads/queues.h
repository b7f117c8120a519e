/*
 * queues.h - stages: who does them one after the other, and in what time
 *
 * A stage takes a time that is known, whatever else goes on, and nothing of the
 * NPU.  Each NPU has all queues of a graph; what its role has in a queue it
 * does one after the other, in the order of the table.
 *
 * Units    ps
 * Owner    the graph
 */
#ifndef WORKLOADS_QUEUES_H
#define WORKLOADS_QUEUES_H

#include "workloads/graph.h"

#define OP_MAX_QUEUES 256

/* FALSE: there is none. */
gboolean op_graph_find_queue(const OpGraph *graph, OpStage stage,
                             const char *name, uint32_t *ret);
/* That is there by these two is not added again; asserts that there is room. */
uint32_t op_graph_add_queue(OpGraph *graph, OpStage stage, const char *name);
/* A stage of @queue, in all its NPUs as long. */
uint32_t op_graph_add_work(OpGraph *graph, uint32_t layer, OpPass pass,
                           uint32_t queue, uint64_t duration_ps);
/* A stage of the input of one batch, one after the other of each sort. */
uint32_t op_graph_add_stage(OpGraph *graph, uint32_t layer, OpStage stage,
                            uint64_t duration_ps);

/* Of a kernel or a stage: see Op.n_times; copied. */
void op_graph_set_times(OpGraph *graph, uint32_t op, const uint64_t *times_ps,
                        uint32_t n);
void op_graph_set_gaps(OpGraph *graph, uint32_t op, const uint64_t *gaps_ps,
                       uint32_t n);
/* Of a collective or a message: see Op.is_recorded. */
void op_graph_set_recorded(OpGraph *graph, uint32_t op, uint64_t duration_ps);

static inline const OpQueue *op_graph_queue(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->queues, OpQueue, i);
}

#endif
