/* paths.c - walks along the links of a path; see paths.h */
#include "network/paths.h"

#include "network/topology_impl.h"

/* Returns the furthest reach in the mask @planes. */
static TopologyReach furthest_reach_of_plane_mask(uint32_t planes)
{
    uint32_t reach = TOPOLOGY_NEAR;

    g_assert(planes < TOPOLOGY_PLANE(TOPOLOGY_N_REACHES));
    while (planes >> (reach + 1))
        reach++;
    return (TopologyReach)reach;
}

uint32_t topology_path_id_after_switch(const Topology *topology, uint32_t node,
                                       uint32_t path_id)
{
    return TOPOLOGY_PATH_IS_UP(path_id) &&
                   topology->ops->node_reduces(topology, node,
                                               TOPOLOGY_PATH_DIM(path_id))
               ? TOPOLOGY_PATH_DOWN(path_id)
               : path_id;
}

TopologyReach topology_path_reach(const Topology *topology, uint32_t src,
                                  uint32_t dst, uint32_t path_id)
{
    uint32_t plane = TOPOLOGY_PATH_PLANE(path_id), at = src;
    gboolean all = plane == 0 || (topology->planes & ~plane) == 0;
    TopologyReach most = furthest_reach_of_plane_mask(topology->planes),
                  furthest = TOPOLOGY_NEAR;

    /* A machine without links has one NPU, whose only path is to itself. */
    if (all && (topology->planes & (topology->planes - 1)) == 0)
        return most;
    do {
        uint32_t link = topology_next_link(topology, at, dst, path_id);
        TopologyReach reach;

        if (link == TOPOLOGY_NONE)
            return TOPOLOGY_N_REACHES;
        reach = topology->ports[link % topology->n_ports].reach;
        if (!all && !(plane & TOPOLOGY_PLANE(reach)))
            return TOPOLOGY_N_REACHES;
        furthest = MAX(furthest, reach);
        at = topology_link_target(topology, link);
        path_id = topology_path_id_after_switch(topology, at, path_id);
    } while (at != dst && !(all && furthest == most));
    return furthest;
}

static const char *const reach_names[TOPOLOGY_N_REACHES] = { "near", "host",
                                                             "network" };

gboolean topology_check_path(const Topology *topology, uint32_t src,
                             uint32_t dst, uint32_t plane,
                             const ConfigNode *where, GError **error)
{
    g_autoptr(GString) links = NULL;

    if (topology_path_reach(topology, src, dst, TOPOLOGY_PATH_ID(plane, 0)) !=
        TOPOLOGY_N_REACHES)
        return TRUE;
    links = g_string_new(NULL);
    for (uint32_t r = 0; r < TOPOLOGY_N_REACHES; r++)
        if (plane & TOPOLOGY_PLANE(r))
            g_string_append_printf(links, "%s%s", links->len > 0 ? " or " : "",
                                   reach_names[r]);
    config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                     "no way from NPU %u to NPU %u keeps to links that are %s",
                     src, dst, links->str);
    return FALSE;
}

/* ---- bandwidth and NICs ------------------------------------------------ */

/* Returns the planes of the links of each node.  The caller owns the array. */
static uint8_t *list_link_planes_of_nodes(const Topology *topology)
{
    uint8_t *planes = g_new0(uint8_t, topology->n_nodes);

    for (uint32_t link = 0; link < topology_n_links(topology); link++) {
        uint32_t from, to;
        uint8_t plane = (uint8_t)TOPOLOGY_PLANE(
            topology->ports[link % topology->n_ports].reach);

        if (!topology_get_link_nodes(topology, link, &from, &to))
            continue;
        planes[from] |= plane;
        planes[to] |= plane;
    }
    return planes;
}

#define NIC_PLANES                                                             \
    (TOPOLOGY_PLANE(TOPOLOGY_HOST) | TOPOLOGY_PLANE(TOPOLOGY_NETWORK))

static gboolean is_nic_node(const Topology *topology, const uint8_t *planes,
                            uint32_t node)
{
    return node >= topology->n_npus &&
           (planes[node] & NIC_PLANES) == NIC_PLANES;
}

uint64_t topology_mean_npu_bandwidth(const Topology *topology,
                                     TopologyReach reach)
{
    g_autofree uint8_t *planes = list_link_planes_of_nodes(topology);
    SimWide sum = 0;

    for (uint32_t link = 0; link < topology_n_links(topology); link++) {
        const TopologyPort *port = &topology->ports[link % topology->n_ports];
        uint32_t from, to;

        if (port->reach == reach &&
            topology_get_link_nodes(topology, link, &from, &to) &&
            (from < topology->n_npus || (reach == TOPOLOGY_NETWORK &&
                                         is_nic_node(topology, planes, from))))
            sum += (SimWide)port->n_links * port->bandwidth_bytes_per_s;
    }
    return (uint64_t)(sum / topology->n_npus);
}

uint32_t topology_n_nics(const Topology *topology)
{
    g_autofree uint8_t *planes = list_link_planes_of_nodes(topology);
    uint32_t n = 0;

    for (uint32_t node = 0; node < topology->n_nodes; node++)
        n += is_nic_node(topology, planes, node) ? 1 : 0;
    return MAX(n, topology->n_nics);
}
