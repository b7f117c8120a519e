/* collective_launch.h - the delay between the issue of a collective and its
 * first chunk */
#ifndef MODELS_RUN_ADMIT_COLLECTIVE_LAUNCH_H
#define MODELS_RUN_ADMIT_COLLECTIVE_LAUNCH_H

#include "models/run/npu_impl.h"

/* Launches @coll on @npu: its chunks may start after the launch time.  A
 * collective without chunks ends immediately, by an event at the same
 * instant. */
void launch_collective(Npu *npu, CollInstance *coll);

#endif
