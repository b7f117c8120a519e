/*
 * link_load.h - routes of messages, and their rates when they share links
 *
 * Units    bytes per second, ps
 * Owner    the caller owns the NcclLinkLoads, which borrows the topology
 */
#ifndef MODELS_STACKS_NCCL_LINK_LOAD_H
#define MODELS_STACKS_NCCL_LINK_LOAD_H

#include "network/topology.h"

typedef struct {
    TopologyReach reach; /* the furthest reach of its links */
    SimTime latency_ps;
    uint64_t bytes_per_s; /* rate of the slowest link without other traffic */
} NcclRoute;

/* Returns the route from one NPU to another, or up to a reducing switch and
 * back.  The route must exist. */
NcclRoute nccl_find_route(const Topology *topology, uint32_t from, uint32_t to,
                          uint32_t path_id);

typedef struct {
    const Topology *topology;
    double *loads; /* owned: bytes on each link for each byte of payload */
} NcclLinkLoads;

NcclLinkLoads *nccl_link_loads_new(const Topology *topology);
void nccl_link_loads_free(NcclLinkLoads *loads);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclLinkLoads, nccl_link_loads_free)

/* Adds a message from @from to @to that carries @share bytes for each byte of
 * payload. */
void nccl_link_loads_add_message(NcclLinkLoads *loads, uint32_t from,
                                 uint32_t to, uint32_t plane, double share);
/* Returns the payload rate in bytes per second that the most loaded link or
 * limit allows, or UINT64_MAX if no link carries anything. */
uint64_t nccl_link_loads_max_payload_rate(const NcclLinkLoads *loads);

#endif
