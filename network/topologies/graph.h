/*
 * graph.h - nodes and links by number: what graph.c, graph_build.c and
 * graph_routes.c share
 *
 * Nodes of kind `npu` come first, those of kind `nic` behind them, then what
 * else passes messages on, each in the order of the file.
 */
#ifndef NETWORK_TOPOLOGIES_GRAPH_H
#define NETWORK_TOPOLOGIES_GRAPH_H

#include "network/routing/shortest.h"
#include "network/topologies/graph_fields.h"

typedef struct {
    uint32_t *from, *to; /* owned: of each link */
    gboolean npus_forward, hashes;
    uint64_t seed;
    uint32_t reaches; /* a plane for each that a link has */
    /* Owned: by the planes among those; made when first they are asked for, so
     * NULL until then, as those of no link are for ever. */
    Routes *routes[1 << TOPOLOGY_N_REACHES];
} Graph;

/* Ways that keep to @plane, 0 standing for all; NULL: no link does. */
const Routes *graph_routes(const Topology *topology, uint32_t plane);

/* Nodes, links and limits of @params in @topology, whose kind is a Graph. */
G_GNUC_WARN_UNUSED_RESULT
gboolean graph_build(Topology *topology, const GraphParams *params,
                     GError **error);

#endif
