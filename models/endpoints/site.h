/*
 * site.h - where an endpoint is put, for its parameters to fit
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_SITE_H
#define MODELS_ENDPOINTS_SITE_H

#include "models/collectives/orders.h"
#include "models/npu/compute.h"

/* Collectives of one kind that a run has, with all orders of their chunks. */
typedef struct {
    CollKind kind;
    const CollOrders *orders; /* borrowed */
    uint64_t most_chunk_bytes;
} EndpointTask;

/* The NPU that an endpoint is for, and what it will have to do there. */
typedef struct {
    const NpuConfig *npu; /* borrowed, all of it */
    const Topology *topology;
    const EndpointTask *tasks; /* by kind */
    uint32_t n_tasks;          /* 0 for pace(): nobody knows yet */
} EndpointSite;

#endif
