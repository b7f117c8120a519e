/* scheduler.h - starts chunks of pending collectives in their order */
#ifndef MODELS_RUN_ADMIT_SCHEDULER_H
#define MODELS_RUN_ADMIT_SCHEDULER_H

#include "models/run/instance_impl.h"
#include "models/run/npu_impl.h"

/* Starts chunks while there is room, by the end of this instant.  Called if
 * there may be new room, or if a collective may no longer have to wait. */
void scheduler_start_chunks(Npu *npu);
/* Adds @coll, whose chunks may start on @npu. */
void scheduler_add_collective(Npu *npu, CollInstance *coll);

extern const AdmissionRequesterOps scheduler_requester_ops; /* .self is a Npu */

#endif
