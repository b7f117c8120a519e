/*
 * graph.c - a topology whose nodes and links are listed in a file
 *
 * Nodes of kind `npu` are the NPUs, in the order of the file or of `allocate`.
 * All other nodes only pass messages on, whatever their kind; NPUs pass
 * messages on unless `npus_forward` is false.  Routes are the shortest paths
 * (routing/shortest_paths.h) over all links or over those of a plane.  The
 * graph is one unit: no NPU represents another.
 */
#include "network/topologies/graph.h"

static gboolean graph_topology_init(Topology *topology,
                                    const ConfigVariant *config, GError **error)
{
    const GraphParams *params = config->params;
    Graph *graph = topology->kind = g_new0(Graph, 1);

    graph->npus_forward = params->npus_forward;
    graph->hashes = params->equal_cost == GRAPH_BY_HASH;
    graph->seed = params->seed;
    if (!graph_build_from_config(topology, params, error))
        return FALSE;
    topology->n_units = 1;
    topology->n_dims = topology->symmetry.n_dims = 1;
    topology->dims[0] = (TopologyDim){ topology->n_npus, TRUE, TOPOLOGY_OTHER };
    topology->symmetry.dims[0].size = 1;
    topology->symmetry.unit_ends = topology->n_npus;
    return TRUE;
}

static void graph_topology_free(Topology *topology)
{
    Graph *graph = topology->kind;

    for (guint i = 0; i < G_N_ELEMENTS(graph->routes); i++)
        shortest_routes_free(graph->routes[i]);
    g_free(graph->from);
    g_free(graph->to);
    g_free(graph);
}
static uint32_t graph_next_link(const Topology *topology, uint32_t node,
                                uint32_t dst, uint32_t path_id)
{
    const ShortestRoutes *routes =
        graph_routes_in_plane(topology, TOPOLOGY_PATH_PLANE(path_id));

    if (!routes || shortest_routes_n_hops(routes, node, dst) == UINT32_MAX)
        return TOPOLOGY_NONE;
    return shortest_routes_next_link(routes, node, dst, path_id);
}

static gboolean graph_get_link_nodes(const Topology *topology, uint32_t unit,
                                     uint32_t port, uint32_t *ret_from,
                                     uint32_t *ret_to)
{
    const Graph *graph = topology->kind;

    (void)unit;
    *ret_from = graph->from[port];
    *ret_to = graph->to[port];
    return TRUE;
}

const TopologyOps topology_graph = {
    .base = { .name = "graph",
              .summary = "nodes and links as given; shortest ways",
              .fields = graph_fields,
              .size = sizeof(GraphParams) },
    .init = graph_topology_init,
    .free = graph_topology_free,
    .next = graph_next_link,
    .get_link_nodes = graph_get_link_nodes,
};
