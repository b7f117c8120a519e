/* steady.h - skips periods of a run that repeat exactly: see steady.c */
#ifndef MODELS_RUN_STEADY_STEADY_H
#define MODELS_RUN_STEADY_STEADY_H

#include "models/run/run_state_impl.h"

/* Returns NULL if nothing can be skipped in a run of @system, which is about to
 * begin.  Otherwise sets system->state.period_listener. */
Steady *steady_new(System *system);
void steady_free(Steady *steady);

#endif
