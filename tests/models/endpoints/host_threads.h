/*
 * host_threads.h - an endpoint that is not the program's, for its tests
 *
 * A message goes out when a thread of the host has sent it, a chunk comes in
 * where there is pinned memory for it; both run short.  Who lists it in an
 * endpoint_registry has it.
 */
#ifndef TESTS_MODELS_ENDPOINTS_HOST_THREADS_H
#define TESTS_MODELS_ENDPOINTS_HOST_THREADS_H

#include "models/endpoints/endpoint.h"

enum {
    HOST_THREADS,
    HOST_PINNED,
    HOST_N_OWN,
};

extern const ResourceKind host_resources[HOST_N_OWN + 1];
extern const EndpointOps host_threads;

#endif
