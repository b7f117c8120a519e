/*
 * fixed_time_queues.h - runs operations that take time and no resource of the
 * NPU
 *
 * An NPU executes the operations of each queue (workloads/fixed_time_queues.h)
 * one after the other, in the order of the graph. Each takes its given time,
 * and neither SMs nor HBM. training.c decides when the next one may begin.
 *
 * Owner    the system owns its stages
 * Cost     none if the graph has no such operations
 */
#ifndef MODELS_RUN_ADMIT_FIXED_TIME_QUEUES_H
#define MODELS_RUN_ADMIT_FIXED_TIME_QUEUES_H

#include "models/run/npu_impl.h"

/* Returns the queues of @system, or NULL if its graph has none. */
FixedTimeQueues *fixed_time_queues_new(System *system);
void fixed_time_queues_free(FixedTimeQueues *stages);

/* Sets the next operation of @queue on @npu and its iteration.  Returns FALSE
 * if the queue is busy, or if it has no operations left. */
gboolean fixed_time_queues_next_op_of_queue(const Npu *npu, uint32_t queue,
                                            uint32_t *ret_op,
                                            uint64_t *ret_iteration);
/* Starts the next operation of @queue after the gap before it.
 * NpuCallbacks.stage() is called at its end. */
void fixed_time_queues_start_next_op(Npu *npu, uint32_t queue);
/* Appends to @text one line for each queue that has an operation to start. */
void fixed_time_queues_explain_wait(const Npu *npu, GString *text);

#endif
