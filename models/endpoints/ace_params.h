/*
 * ace_params.h - what may be said of ACE in a configuration
 *
 * Units    bytes, bytes/s, as the names say
 */
#ifndef MODELS_ENDPOINTS_ACE_PARAMS_H
#define MODELS_ENDPOINTS_ACE_PARAMS_H

#include "models/endpoints/params.h"

typedef struct {
    EndpointCommon common;
    uint64_t memory_bytes_per_s, sram_bytes;
    uint64_t memory_ppm; /* of the NPU's: see shares.h */
    uint64_t n_fsms, chunks_per_fsm;
    uint64_t n_alus, alu_bytes_per_cycle;
    EndpointCosts costs;
    gboolean only_while_communicating;
    int sram_split, fsm_split; /* AceSramSplit, AceFsmSplit */
} AceParams;

extern const ConfigField ace_fields[];

#endif
