/*
 * host_memory_params.h - parameters and resources of the host endpoint
 *
 * Units    bytes per second, ps, as the names say
 */
#ifndef MODELS_ENDPOINTS_HOST_MEMORY_HOST_MEMORY_PARAMS_H
#define MODELS_ENDPOINTS_HOST_MEMORY_HOST_MEMORY_PARAMS_H

#include "models/endpoints/endpoint_params.h"
#include "models/trace/resource_list.h"

/* The parameters of the host endpoint.  A rate of 0 means that the job takes no
 * time. */
typedef struct {
    EndpointCommon common;
    uint64_t staging_bytes_per_s, staging_launch_ps;
    uint64_t n_copies_back;
    uint64_t buffer_bytes_per_s, reduce_bytes_per_s, scale_bytes_per_s;
    uint64_t message_bytes_per_s;
    EndpointCosts costs;
} HostMemoryParams;

extern const ConfigField host_memory_fields[];

/* Resources of this kind of endpoint, for which chunks and messages wait. */
enum {
    HOST_CORES,
    HOST_STAGING,  /* copies to and from the NPU: a server for each direction */
    HOST_MESSAGES, /* messages of the process: a server for each direction */
    HOST_N_OWN,
};

extern const ResourceKind host_memory_resources[HOST_N_OWN + 1];

#endif
