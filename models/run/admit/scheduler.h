/* scheduler.h - chunks of pending collectives start in their order */
#ifndef MODELS_RUN_ADMIT_SCHEDULER_H
#define MODELS_RUN_ADMIT_SCHEDULER_H

#include "models/run/instance_impl.h"
#include "models/run/npu_impl.h"

/* Starts chunks as long as the endpoint takes any. */
void scheduler_pump(Npu *npu);
/* The chunks of @coll may start on @npu. */
void scheduler_add(Npu *npu, CollInstance *coll);

#endif
