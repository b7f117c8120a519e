/*
 * recorded_collectives.h - collectives and messages that take their recorded
 * time
 *
 * The operation begins in a set when the last of its NPUs reaches it, and ends
 * on all of them after its time (Op.duration_ps, `perturb.ops`), independent of
 * other traffic.  It has no chunks and no messages, and holds no resources.  It
 * cannot cause a deadlock, because NPUs in it wait only for NPUs that have yet
 * to reach it.
 */
#ifndef MODELS_RUN_ADMIT_RECORDED_COLLECTIVES_H
#define MODELS_RUN_ADMIT_RECORDED_COLLECTIVES_H

#include "models/run/npu_impl.h"

/* Notes that @npu has reached @coll.  NpuCallbacks.collective() is called at
 * its end. */
void recorded_collective_begin(Npu *npu, CollInstance *coll);
/* Returns an NPU of @npu's set that has yet to reach @coll, or NULL if it has
 * begun. */
const Npu *recorded_collective_find_missing_npu(const Npu *npu,
                                                const CollInstance *coll);

#endif
