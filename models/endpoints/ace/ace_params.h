/*
 * ace_params.h - parameters and resources of ACE
 *
 * Units    bytes, bytes/s, as the names say
 */
#ifndef MODELS_ENDPOINTS_ACE_ACE_PARAMS_H
#define MODELS_ENDPOINTS_ACE_ACE_PARAMS_H

#include "models/endpoints/endpoint_params.h"
#include "models/trace/resource_list.h"

typedef struct {
    EndpointCommon common;
    uint64_t memory_bytes_per_s, sram_bytes;
    uint64_t memory_ppm; /* share of the NPU's HBM bandwidth: see
                            resource_shares.h */
    uint64_t n_fsms, chunks_per_fsm;
    uint64_t n_alus, alu_bytes_per_cycle;
    EndpointCosts costs;
    gboolean only_while_communicating;
    int sram_split, fsm_split; /* AceSramSplit, AceFsmSplit */
} AceParams;

extern const ConfigField ace_fields[];

/* Resources of this kind of endpoint, for which chunks and messages wait. */
enum {
    ACE_ALUS,
    ACE_SRAM,
    ACE_FSMS,
    ACE_N_RESOURCES,
};

extern const ResourceKind ace_resources[ACE_N_RESOURCES + 1];

#endif
