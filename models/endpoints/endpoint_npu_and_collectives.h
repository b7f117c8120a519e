/*
 * endpoint_npu_and_collectives.h - the NPU and the collectives for which an
 * endpoint is configured
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_ENDPOINT_NPU_AND_COLLECTIVES_H
#define MODELS_ENDPOINTS_ENDPOINT_NPU_AND_COLLECTIVES_H

#include "models/collectives/dimension_orders.h"
#include "models/npu/kernel_time.h"

/* The collectives of one kind in a run, with all dimension orders of their
 * chunks. */
typedef struct {
    CollKind kind;
    const CollOrders *orders; /* borrowed */
    uint64_t max_chunk_bytes;
} EndpointTask;

/* The NPU of an endpoint, and the collectives that it will carry out. */
typedef struct {
    const NpuConfig *npu; /* borrowed: the configuration of the NPU */
    const Topology *topology;
    const EndpointTask *tasks; /* the collectives of each kind */
    /* Number of kinds of collectives; 0 for EndpointOps.pace(), because the
     * collectives are not known yet. */
    uint32_t n_tasks;
} EndpointSite;

#endif
