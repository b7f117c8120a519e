/* chunk_scheduler.h - starts chunks of pending collectives in their order */
#ifndef MODELS_RUN_ADMIT_CHUNK_SCHEDULER_H
#define MODELS_RUN_ADMIT_CHUNK_SCHEDULER_H

#include "models/run/collective_instance_impl.h"
#include "models/run/npu_impl.h"

/* Starts chunks while there is room, by the end of this instant.  Called if
 * there may be new room, or if a collective may no longer have to wait. */
void scheduler_start_chunks(Npu *npu);
/* Adds @coll to the pending collectives of @npu: its chunks may start there. */
void scheduler_add_collective(Npu *npu, CollInstance *coll);

/* The functions by which an NPU takes part in admission decisions; .self is an
 * Npu. */
extern const AdmissionRequesterOps scheduler_requester_ops;

#endif
