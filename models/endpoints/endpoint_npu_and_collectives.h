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
    /* Number of the endpoint of the NPU that carries them out. */
    uint32_t endpoint;
} EndpointTask;

/* The NPU of an endpoint, and the collectives that it will carry out. */
typedef struct {
    const NpuConfig *npu; /* borrowed: the configuration of the NPU */
    const Topology *topology;
    const EndpointTask *tasks; /* the collectives of each kind */
    /* Number of kinds of collectives; 0 for EndpointOps.pace(), because the
     * collectives are not known yet. */
    uint32_t n_tasks;
    /* Borrowed, for the life of the endpoint: the number of the endpoint that
     * carries out each operation of the graph; NULL: there is one endpoint. */
    const guint8 *endpoint_of_op;
    /* Borrowed: the endpoints between which the collectives are divided; NULL:
     * there is one endpoint. */
    const struct EndpointMembers *members;
    /* Number of the endpoint among those of the NPU: its streams of the HBM are
     * those of hbm_comm_stream(). */
    uint32_t index;
    /* Number of resources that earlier endpoints of the NPU have of their own:
     * resource i of this one is number RESOURCE_OWN + .first_resource + i. */
    uint32_t first_resource;
    /* Borrowed: what an endpoint with such parameters and collectives found
     * before, by its parameters; NULL: nothing is kept.  A kind whose
     * parameters take long to apply keeps one block of memory, which the table
     * owns. */
    GHashTable *known;
} EndpointSite;

#endif
