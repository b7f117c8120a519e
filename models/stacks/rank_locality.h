/*
 * rank_locality.h - how the ranks of a group are connected: near links, hosts,
 * networks
 *
 * Near links connect two NPUs directly or through a switch of their own.  NPUs
 * that near links do not connect communicate through the host of their machine,
 * and NPUs of different machines through a network.  A server is a set of
 * members that reach each other without a network.
 *
 * Units    bytes per second
 * Range    rank_locality_near_link_graph(): at most PACK_MAX_RANKS members
 */
#ifndef MODELS_STACKS_RANK_LOCALITY_H
#define MODELS_STACKS_RANK_LOCALITY_H

#include "models/collectives/group_members.h"
#include "models/packing/link_graph.h"

/* A directed edge between two NPUs. */
typedef struct {
    uint32_t from, to; /* the ids of the NPUs at both ends */
} NpuEdge;

/* Sets *@ret to the graph of near links among @npus[0 .. n-1] and
 * *@ret_bytes_per_s to the payload rate of one link, or to 0 if there are no
 * near links.  @n is at most PACK_MAX_RANKS.  Returns FALSE if the links have
 * different rates or only some of the NPUs are on a switch. */
gboolean rank_locality_near_link_graph(const Topology *topology,
                                       const uint32_t *npus, uint32_t n,
                                       PackGraph *ret,
                                       uint64_t *ret_bytes_per_s);

/* Returns the rate in bytes per second of an edge of weight 1 if all @n edges
 * carry data at the same time on the paths of @plane.  An edge of weight w
 * carries w times that rate; all weights are 1 if @weights is NULL.  The most
 * loaded link or limit determines the rate.  Returns 0 if there is no path for
 * some edge. */
uint64_t rank_locality_shared_edge_rate(const Topology *topology,
                                        const NpuEdge *edges,
                                        const double *weights, uint32_t n,
                                        uint32_t plane);

/* Sets @ret_server[i] to the server of @npus[i].  Servers are numbered from 0
 * in the order of their first members.  Returns the number of servers. */
uint32_t rank_locality_find_servers(const Topology *topology,
                                    const uint32_t *npus, uint32_t n,
                                    uint32_t *ret_server);

#endif
