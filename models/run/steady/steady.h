/* steady.h - periods of a run that are not simulated: see steady.c */
#ifndef MODELS_RUN_STEADY_STEADY_H
#define MODELS_RUN_STEADY_STEADY_H

#include "models/run/state_impl.h"

/* NULL: nothing is skipped in a run of @system, which is about to begin.  Else
 * system->told is set. */
Steady *steady_new(System *system);
void steady_free(Steady *steady);

#endif
