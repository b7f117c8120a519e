/*
 * loads.h - ways of messages, and how fast they go side by side
 *
 * Units    bytes per second, ps
 * Owner    the caller owns the NcclLoads, which borrow the topology
 */
#ifndef MODELS_STACKS_NCCL_LOADS_H
#define MODELS_STACKS_NCCL_LOADS_H

#include "network/topology.h"

typedef struct {
    TopologyReach reach; /* the greatest of its links' */
    SimTime latency_ps;
    uint64_t bytes_per_s; /* of its slowest link, alone */
} NcclRoute;

/* From an NPU to another, or up to a switch that adds and back; there is such a
 * way. */
NcclRoute nccl_route(const Topology *topology, uint32_t from, uint32_t to,
                     uint32_t way);

typedef struct {
    const Topology *topology;
    double *loads; /* owned: by link */
} NcclLoads;

NcclLoads *nccl_loads_new(const Topology *topology);
void nccl_loads_free(NcclLoads *loads);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclLoads, nccl_loads_free)

/* @share bytes more go from @from to @to for each byte of the whole. */
void nccl_loads_add(NcclLoads *loads, uint32_t from, uint32_t to,
                    uint32_t plane, double share);
/* Bytes a second of the whole: what the busiest link, or limit, allows.
 * UINT64_MAX: nothing goes over any. */
uint64_t nccl_loads_rate(const NcclLoads *loads);

#endif
