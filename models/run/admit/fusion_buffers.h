/* fusion_buffers.h - collectives through a buffer: copy in, communicate, copy
 * out */
#ifndef MODELS_RUN_ADMIT_FUSION_BUFFERS_H
#define MODELS_RUN_ADMIT_FUSION_BUFFERS_H

#include "models/run/npu_impl.h"

/* Returns whether @load goes through a buffer: it has several operations, or
 * its operation consists of several tensors (Op.is_packed). */
static inline gboolean fusion_buffers_has(const System *system,
                                          const TraceLoad *load)
{
    return trace_is_fused(load) ||
           op_graph_op(system->plan.graph, load->op)->is_packed;
}

/* Begins @load, which goes through a buffer, on @npu. */
void fusion_buffers_begin(Npu *npu, const TraceLoad *load);
/* Ends @coll, whose load of collectives has been communicated on @npu: copies
 * it out and then calls NpuCallbacks.load_ends(). */
void fusion_buffers_end(Npu *npu, CollInstance *coll);

#endif
