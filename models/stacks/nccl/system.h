/*
 * system.h - one machine as NCCL's search sees it
 *
 * Nodes are its GPUs, 0 to n_gpus - 1 in the order of the ranks, behind them
 * its NICs, then what passes data on: switches and CPUs.  Between two GPUs,
 * and between a GPU and a NIC, there is one way: the one with the fewest links
 * through the host, of those with the fewest links.  GPUs pass nothing on.
 *
 * Channels have one of a few speeds, and a link is taken to carry the fastest
 * that it does, but for a hundredth that it may lack: so 23.5 GB/s of an NVLink
 * are planned as 21, as NCCL plans.
 *
 * Units    bytes per second
 * Owner    the caller owns the NcclSystem, which borrows nothing
 */
#ifndef MODELS_STACKS_NCCL_SYSTEM_H
#define MODELS_STACKS_NCCL_SYSTEM_H

#include "models/packing/graph.h"
#include "models/stacks/nccl/task.h"

/* One direction of it. */
typedef struct {
    uint32_t from, to;
    uint32_t n_links;
    uint64_t link_bytes_per_s; /* of one */
    TopologyReach reach;
} NcclLink;

typedef struct {
    uint32_t n_gpus, n_nics, n_nodes;
    uint32_t *nodes;   /* owned: of the topology */
    uint64_t *nic_out; /* owned: what each NIC takes out, and brings in */
    NcclLink *links;   /* owned */
    uint32_t n_links;
    uint32_t *next;  /* owned: link from node a towards end b, [b, a] */
    uint32_t *costs; /* owned: of that way, or NCCL_FAR */
} NcclSystem;

/* The speeds, fastest first. */
#define NCCL_N_SPEEDS 24
uint64_t nccl_speed(guint i);

#define NCCL_NONE UINT32_MAX
#define NCCL_FAR  UINT32_MAX
#define NCCL_HOST 64 /* so many near links cost as much as one of the host */

NcclSystem *nccl_system_new(const Topology *topology, const NcclTask *task);
void nccl_system_free(NcclSystem *system);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclSystem, nccl_system_free)

/* GPUs and NICs are ends. */
static inline uint32_t nccl_n_ends(const NcclSystem *system)
{
    return system->n_gpus + system->n_nics;
}

/* The link to take at @node towards end @end. */
static inline uint32_t nccl_next(const NcclSystem *system, uint32_t node,
                                 uint32_t end)
{
    return system->next[end * system->n_nodes + node];
}

/* Of the way from @node to @end. */
static inline uint32_t nccl_cost(const NcclSystem *system, uint32_t node,
                                 uint32_t end)
{
    return system->costs[end * system->n_nodes + node];
}

#endif
