/*
 * copy_engine_impl.h - the state of copy engines, shared by their source files
 *
 * Units    bytes, bytes per second
 */
#ifndef MODELS_ENDPOINTS_COPY_ENGINE_COPY_ENGINE_IMPL_H
#define MODELS_ENDPOINTS_COPY_ENGINE_COPY_ENGINE_IMPL_H

#include "models/endpoints/copy_engine/copy_engine_params.h"
#include "models/endpoints/endpoint_bus.h"
#include "models/endpoints/endpoint_impl.h"

/* The remaining work of a message at this endpoint. */
typedef struct {
    uint32_t place; /* position of the message at the memory, in a snapshot */
    uint8_t n_left; /* number of unfinished parts: memory, and engine or SMs */
    uint8_t is_reducing; /* TRUE: reduced by SMs; FALSE: sent by an engine */
} Work;

typedef struct {
    Endpoint base;
    const CopyEngineParams *params; /* borrowed */
    HbmMover *memory;
    SimServer *engines; /* owned: the copy engines; the unit of work is ps */
    /* Owned: the SMs, which do one reduction at a time; the unit of work is ps.
     * NULL: the endpoint has no SMs. */
    SimServer *sms;
    EndpointBus *out, *in; /* owned */
    GArray *work;          /* owned: remaining Work of each message */
    uint32_t n_copies, n_reductions;
    uint64_t sm_bytes_per_s;
    gboolean charges_writes;
    uint64_t read_bytes, write_bytes;
    uint32_t
        n_placed; /* number of messages that a snapshot visited at the memory */
} CopyEngine;

/* ---- copy_engine_steady_state.c ------------------------------------------ */

/* Implements EndpointOps.steady(). */
void copy_engine_visit_state(Endpoint *endpoint, SteadyWalk *walk);

#endif
