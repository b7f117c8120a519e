/* buffers.h - loads of several operations, or tensors: into a buffer, through,
 * out again */
#ifndef MODELS_RUN_ADMIT_BUFFERS_H
#define MODELS_RUN_ADMIT_BUFFERS_H

#include "models/run/npu_impl.h"

/* It goes by way of a buffer; */
static inline gboolean buffers_has(const System *system, const TraceLoad *load)
{
    return trace_is_fused(load) ||
           op_graph_op(system->graph, load->op)->is_packed;
}

/* then @load begins on @npu; */
void buffers_begin(Npu *npu, const TraceLoad *load);
/* and when @coll, which has a load, is through on @npu, it is copied out, and
 * NpuDone.load() told. */
void buffers_end(Npu *npu, CollInstance *coll);

#endif
