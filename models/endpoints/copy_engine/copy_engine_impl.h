/*
 * copy_engine_impl.h - the state of copy engines, shared by their source files
 *
 * Units    bytes, bytes per second
 */
#ifndef MODELS_ENDPOINTS_COPY_ENGINE_COPY_ENGINE_IMPL_H
#define MODELS_ENDPOINTS_COPY_ENGINE_COPY_ENGINE_IMPL_H

#include "models/endpoints/bus.h"
#include "models/endpoints/copy_engine/params.h"
#include "models/endpoints/endpoint_impl.h"

/* The remaining work of a message at this endpoint. */
typedef struct {
    uint32_t place;      /* position at the memory, in a snapshot */
    uint8_t n_left;      /* unfinished parts: memory, and the engine or SMs */
    uint8_t is_reducing; /* TRUE: reduced by SMs; FALSE: sent by an engine */
} Work;

typedef struct {
    Endpoint base;
    const CopyEngineParams *params; /* borrowed */
    HbmMover *memory;
    SimServer *engines; /* their units of work are ps */
    SimServer *sms; /* unit of work is ps, one kernel at a time; NULL: none */
    EndpointBus *out, *in; /* owned */
    GArray *work;          /* of Work, by message */
    uint32_t n_copies, n_reductions;
    uint64_t sm_bytes_per_s;
    gboolean charges_writes;
    uint64_t read_bytes, write_bytes;
    uint32_t
        n_placed; /* in a snapshot: messages visited at the memory so far */
} CopyEngine;

/* ---- steady.c --------------------------------------------------------- */

/* See EndpointOps. */
void copy_engine_steady(Endpoint *endpoint, SteadyWalk *walk);

#endif
