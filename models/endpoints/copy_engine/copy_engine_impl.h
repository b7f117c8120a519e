/*
 * copy_engine_impl.h - what the parts of copy engines share
 *
 * Units    bytes, bytes per second
 */
#ifndef MODELS_ENDPOINTS_COPY_ENGINE_COPY_ENGINE_IMPL_H
#define MODELS_ENDPOINTS_COPY_ENGINE_COPY_ENGINE_IMPL_H

#include "models/endpoints/bus.h"
#include "models/endpoints/copy_engine/params.h"
#include "models/endpoints/endpoint_impl.h"

/* What of a message is still to be done here. */
typedef struct {
    uint32_t place;      /* in a look: how many the memory has before it */
    uint8_t n_left;      /* of memory and whoever works in step with it */
    uint8_t is_reducing; /* by SMs; else on its way out by an engine */
} Work;

typedef struct {
    Endpoint base;
    const CopyEngineParams *params; /* borrowed */
    HbmMover *memory;
    SimServer *engines;    /* their units of work are ps */
    SimServer *sms;        /* likewise: one kernel at a time; NULL: none */
    EndpointBus *out, *in; /* owned */
    GArray *work;          /* of Work, by message */
    uint32_t n_copies, n_reductions;
    uint64_t sm_bytes_per_s;
    gboolean charges_writes;
    uint64_t read_bytes, write_bytes;
    uint32_t n_placed; /* in a look: messages that were seen at the memory */
} CopyEngine;

/* ---- steady.c --------------------------------------------------------- */

/* See EndpointOps. */
void copy_engine_steady(Endpoint *endpoint, SteadyWalk *walk);

#endif
