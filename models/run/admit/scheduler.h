/* scheduler.h - chunks of pending collectives start in their order */
#ifndef MODELS_RUN_ADMIT_SCHEDULER_H
#define MODELS_RUN_ADMIT_SCHEDULER_H

#include "models/run/instance_impl.h"
#include "models/run/npu_impl.h"

/* Starts chunks as long as the endpoint takes any, at the end of this instant:
 * there may be room, or something may wait no longer. */
void scheduler_pump(Npu *npu);
/* The chunks of @coll may start on @npu. */
void scheduler_add(Npu *npu, CollInstance *coll);

extern const AccordOps scheduler_accord; /* of an Npu */

#endif
