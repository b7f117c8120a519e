/*
 * host_threads.h - a toy kind of endpoint that only tests use
 *
 * A message leaves when a host thread has sent it. A chunk is admitted if there
 * is pinned memory for it. Both resources are scarce. To use this kind, a test
 * lists it in its own endpoint_registry.
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
