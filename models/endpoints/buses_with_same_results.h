/*
 * buses_with_same_results.h - whether another bus would have changed a run
 *
 * This applies to kinds whose SMs or engines feed an EndpointBus in each
 * direction.  They test none of their own parameters, except
 * `memory_bandwidth`, which is a share.
 *
 * Owner    all NPUs of a run share the notes, which are zeroed before
 */
#ifndef MODELS_ENDPOINTS_BUSES_WITH_SAME_RESULTS_H
#define MODELS_ENDPOINTS_BUSES_WITH_SAME_RESULTS_H

#include "models/endpoints/endpoints_with_same_results.h"

typedef struct {
    gboolean has_held; /* the bus delayed some message beyond its feed */
} BusNotes;

extern const EndpointInvariance bus_invariance;

#endif
