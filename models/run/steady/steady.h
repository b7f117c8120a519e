/* steady.h - periods of a run that are not simulated: see steady.c */
#ifndef MODELS_RUN_STEADY_STEADY_H
#define MODELS_RUN_STEADY_STEADY_H

#include "models/run/instance_impl.h"

/* NULL: nothing is skipped in a run of @system, which is about to begin. */
Steady *steady_new(System *system);
void steady_free(Steady *steady);
/* NPU 0 is done with a chunk of @coll. */
void steady_chunk_ends(Steady *steady, CollInstance *coll);

/* The first kernel of an iteration just did, on the main stream of NPU 0. */
void steady_iteration_begins(Steady *steady);

#endif
