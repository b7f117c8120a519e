/* launch.h - from the issue of a collective on an NPU to its first chunk */
#ifndef MODELS_RUN_ADMIT_LAUNCH_H
#define MODELS_RUN_ADMIT_LAUNCH_H

#include "models/run/npu_impl.h"

/* Chunks of @coll may start on @npu when its launch is over.  One of nothing is
 * through at once, but not within the call. */
void launch(Npu *npu, CollInstance *coll);

#endif
