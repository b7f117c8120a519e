/*
 * copy_engine_params.h - parameters and the resource of copy engines
 *
 * Units    bytes/s, ps, as the names say
 */
#ifndef MODELS_ENDPOINTS_COPY_ENGINE_COPY_ENGINE_PARAMS_H
#define MODELS_ENDPOINTS_COPY_ENGINE_COPY_ENGINE_PARAMS_H

#include "models/endpoints/endpoint_params.h"
#include "models/trace/resource_list.h"

typedef struct {
    EndpointCommon common;
    uint64_t n_engines, engine_bytes_per_s;
    uint64_t copy_launch_ps, reduce_launch_ps;
    uint64_t n_sms;
    uint64_t memory_bytes_per_s;
    uint64_t sms_ppm,
        memory_ppm; /* shares of the NPU's SMs and HBM: see resource_shares.h */
    gboolean only_while_communicating;
    EndpointCosts costs;
} CopyEngineParams;

extern const ConfigField copy_engine_fields[];

/* The resources of this kind of endpoint, for which messages wait. */
enum {
    COPY_ENGINES,
    COPY_ENGINE_N_OWN,
};

extern const ResourceKind copy_engine_resources[COPY_ENGINE_N_OWN + 1];

#endif
