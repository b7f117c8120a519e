/* buffers.h - loads of several operations: into a buffer, through, out again */
#ifndef MODELS_RUN_ADMIT_BUFFERS_H
#define MODELS_RUN_ADMIT_BUFFERS_H

#include "models/run/npu_impl.h"

/* @load, which is fused, begins on @npu. */
void buffers_begin(Npu *npu, const TraceLoad *load);
/* @coll, which is a buffer's, is through on @npu.  When it is copied out,
 * NpuDone.load() is told. */
void buffers_end(Npu *npu, CollInstance *coll);

#endif
