/*
 * graph.h - the representation of a graph, shared by graph.c and
 * graph_construction.c
 *
 * Node numbers begin with the nodes of kind `npu`, then those of kind `nic`,
 * then all other forwarders, each group in the order of the file.
 */
#ifndef NETWORK_TOPOLOGIES_GRAPH_H
#define NETWORK_TOPOLOGIES_GRAPH_H

#include "network/routing/shortest_paths.h"
#include "network/topologies/graph_fields.h"

typedef struct {
    uint32_t *from, *to; /* owned: per link, the nodes that it connects */
    gboolean npus_forward, hashes;
    uint64_t seed;
    uint32_t reaches; /* bit mask of the reaches of all links */
    /* Owned: routes by mask of reaches, made at first use.  The entry of a mask
     * without links stays NULL. */
    ShortestRoutes *routes[1 << TOPOLOGY_N_REACHES];
} Graph;

/* Returns the routes over the links of @plane; plane 0 means all links.
 * Returns NULL if no link is in @plane. */
const ShortestRoutes *graph_routes_in_plane(const Topology *topology,
                                            uint32_t plane);

/* Sets nodes, links and limits of @topology from @params.  The Graph of
 * @topology has been allocated. */
G_GNUC_WARN_UNUSED_RESULT
gboolean graph_build_from_config(Topology *topology, const GraphParams *params,
                                 GError **error);

#endif
