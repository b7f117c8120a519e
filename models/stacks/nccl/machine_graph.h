/*
 * machine_graph.h - one machine as a graph, in the form that NCCL's search uses
 *
 * Nodes are the GPUs, numbered from 0 to n_gpus - 1 in the order of the ranks,
 * then the NICs, then the nodes that forward data: switches and CPUs.  There is
 * one path between two GPUs and between a GPU and a NIC: the one with the
 * fewest links through the host and, among those, the fewest links in total.
 * GPUs do not forward data.
 *
 * Channels have one of a few speeds.  The search assumes that a link carries
 * the fastest of these speeds that is at most 1 % above the rate of the link:
 * an NVLink of 23.5 GB/s counts as 21 GB/s, as in NCCL.
 *
 * Units    bytes per second
 * Owner    the caller owns the NcclSystem, which borrows nothing
 */
#ifndef MODELS_STACKS_NCCL_MACHINE_GRAPH_H
#define MODELS_STACKS_NCCL_MACHINE_GRAPH_H

#include "models/packing/link_graph.h"
#include "models/stacks/nccl/channel_search_task.h"

/* A directed connection of .n_links parallel links. */
typedef struct {
    uint32_t from, to;
    uint32_t n_links;
    uint64_t link_bytes_per_s; /* rate of one of the parallel links */
    TopologyReach reach;
} NcclLink;

typedef struct {
    uint32_t n_gpus, n_nics, n_nodes;
    uint32_t *nodes;   /* owned: the id of each node in the topology */
    uint64_t *nic_out; /* owned: the rate of each NIC in one direction */
    NcclLink *links;   /* owned: the links inside the machine */
    uint32_t n_links;
    /* Owned: the next link from node a towards end b, at [b, a]. */
    uint32_t *next;
    /* Owned: the cost of the path from node a to end b, at [b, a], or
     * NCCL_UNREACHABLE. */
    uint32_t *costs;
} NcclSystem;

/* Returns speed number @speed_index; the speeds are sorted from fastest to
 * slowest. */
#define NCCL_N_SPEEDS 24
uint64_t nccl_channel_speed(guint speed_index);

#define NCCL_NONE        UINT32_MAX
#define NCCL_UNREACHABLE UINT32_MAX
/* The cost of a path over one host link, if a near link has the cost 1. */
#define NCCL_HOST_LINK_COST 64

NcclSystem *nccl_system_new(const Topology *topology,
                            const NcclSearchTask *task);
void nccl_system_free(NcclSystem *system);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclSystem, nccl_system_free)

/* Returns the number of ends: GPUs and NICs. */
static inline uint32_t nccl_system_n_ends(const NcclSystem *system)
{
    return system->n_gpus + system->n_nics;
}

/* Returns the next link at @node on the path to @end, or NCCL_NONE. */
static inline uint32_t nccl_next_link_on_path(const NcclSystem *system,
                                              uint32_t node, uint32_t end)
{
    return system->next[end * system->n_nodes + node];
}

/* Returns the cost of the path from @node to @end, or NCCL_UNREACHABLE if there
 * is none. */
static inline uint32_t nccl_path_cost(const NcclSystem *system, uint32_t node,
                                      uint32_t end)
{
    return system->costs[end * system->n_nodes + node];
}

#endif
