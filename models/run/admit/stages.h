/*
 * stages.h - what takes its time and nothing of the NPU, at run time
 *
 * Of each queue (workloads/queues.h) an NPU does one after the other, in the
 * order of the graph, each in the time that it says: nothing else slows it
 * down, and it takes neither SMs nor HBM.  Who may begin says training.c.
 *
 * Owner    the system owns its stages
 * Cost     nothing where the graph has none
 */
#ifndef MODELS_RUN_ADMIT_STAGES_H
#define MODELS_RUN_ADMIT_STAGES_H

#include "models/run/npu_impl.h"

/* NULL: the graph has none. */
Stages *stages_new(System *system);
void stages_free(Stages *stages);

/* What @queue of @npu does next, of which iteration; FALSE: it is at work, or
 * has nothing more to do. */
gboolean stages_next(const Npu *npu, uint32_t queue, uint32_t *ret_op,
                     uint64_t *ret_iteration);
/* It begins that, after the gap before it; its end comes to
 * NpuDone.stage(). */
void stages_start(Npu *npu, uint32_t queue);
/* Adds what each queue waits for, or is at, to @text: a line each. */
void stages_explain(const Npu *npu, GString *text);

#endif
