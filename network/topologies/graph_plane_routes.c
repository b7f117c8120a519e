/*
 * graph_plane_routes.c - the routes of a graph over the links of a plane,
 * computed at their first use
 */
#include "network/topologies/graph.h"

/* Returns the routes over the links whose reach is in the mask @reaches. */
static ShortestRoutes *
graph_routes_over_links_of_reaches(const Topology *topology, uint32_t reaches)
{
    const Graph *graph = topology->kind;
    g_autofree gboolean *uses = g_new(gboolean, topology->n_ports);
    ShortestRoutesInput input = {
        .n_nodes = topology->n_nodes,
        .n_targets = topology->n_npus + topology->n_nics,
        .n_links = topology->n_ports,
        .n_ends = graph->npus_forward ? 0 : topology->n_npus,
        .from = graph->from,
        .to = graph->to,
        .uses = uses,
        .hashes = graph->hashes,
        .seed = graph->seed,
    };

    for (uint32_t i = 0; i < topology->n_ports; i++)
        uses[i] = (reaches & TOPOLOGY_PLANE(topology->ports[i].reach)) != 0;
    return shortest_routes_new(&input);
}

const ShortestRoutes *graph_routes_in_plane(const Topology *topology,
                                            uint32_t plane)
{
    Graph *graph = topology->kind;
    uint32_t reaches = plane == 0 ? graph->reaches : plane & graph->reaches;

    g_assert(reaches < G_N_ELEMENTS(graph->routes));
    if (reaches > 0 && !graph->routes[reaches])
        graph->routes[reaches] =
            graph_routes_over_links_of_reaches(topology, reaches);
    return graph->routes[reaches];
}
