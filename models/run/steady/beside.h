/*
 * beside.h - what goes on beside communication, and does not see it
 *
 * Kernels under `partitioned` have their share whatever an endpoint does with
 * its own, and an endpoint sees nothing of them until one of them, at its end,
 * lets a collective begin.  So kernels run on by themselves while periods of
 * communication are skipped.  Whatever else is to happen, at a time that is
 * set, ends what can be skipped.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_BESIDE_H
#define MODELS_RUN_STEADY_BESIDE_H

#include "models/run/npu_impl.h"

typedef struct Beside Beside;

Beside *beside_new(System *system);
void beside_free(Beside *beside);

/* Runs @events (of SimEvent, in order; nothing else is in the engine) up to
 * @until_ps and leaves those to come in @events.  Returns when the first is
 * that could be seen, which it does not run; SIM_TIME_MAX: none until then.
 * Where somebody listens that is as well when a wait of the main stream begins
 * or ends, or an iteration does; it is told only if it @tells. */
SimTime beside_run(Beside *beside, GArray *events, SimTime until_ps,
                   gboolean tells);

/* All as it is now, and back to it. */
void beside_note(Beside *beside);
void beside_go_back(Beside *beside);

#endif
