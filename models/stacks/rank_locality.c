/* rank_locality.c - follows the paths between NPUs and adds up the load of
 * their links */
#include "models/stacks/rank_locality.h"

#include <string.h>

#include "network/paths.h"
#include "sim/core/time.h"

/* Returns the port of @link.  A topology repeats its ports in each unit, so
 * link p + ports * u is port p of unit u. */
static const TopologyPort *port_of_link(const Topology *topology, uint32_t link)
{
    return topology_get_port(topology, link % topology_n_ports(topology));
}

/* Returns the links of the path along @edge, or no links if there is no path.
 * A path never has more links than there are nodes. */
static GArray *find_links_of_path(const Topology *topology, NpuEdge edge,
                                  uint32_t plane)
{
    GArray *links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t at = edge.from;

    while (at != edge.to) {
        uint32_t link = topology_next_link(topology, at, edge.to,
                                           TOPOLOGY_PATH_ID(plane, 0));

        if (link == TOPOLOGY_NONE) {
            g_array_set_size(links, 0);
            break;
        }
        g_assert(links->len < topology_n_nodes(topology));
        g_array_append_val(links, link);
        at = topology_link_target(topology, link);
    }
    return links;
}

static uint32_t link_of_path(const GArray *links, guint i)
{
    return g_array_index(links, uint32_t, i);
}

/* ---- graphs ------------------------------------------------------------ */

/* The connection between two NPUs that passes no third NPU: direct links or a
 * switch.  Zero if there is none. */
typedef struct {
    uint32_t n_links;
    gboolean on_switch;
    uint64_t bytes_per_s;
} DirectConnection;

/* Returns the connection of the NPUs of @edge, or zero if the path leaves near
 * links or passes an NPU. */
static DirectConnection find_direct_connection(const Topology *topology,
                                               NpuEdge edge)
{
    g_autoptr(GArray) links =
        find_links_of_path(topology, edge, TOPOLOGY_PLANE(TOPOLOGY_NEAR));
    const TopologyPort *port;

    for (guint i = 0; i < links->len; i++) {
        uint32_t to = topology_link_target(topology, link_of_path(links, i));

        if (port_of_link(topology, link_of_path(links, i))->reach !=
                TOPOLOGY_NEAR ||
            (to != edge.to && to < topology_n_npus(topology)))
            return (DirectConnection){ 0 };
    }
    if (links->len == 0)
        return (DirectConnection){ 0 };
    port = port_of_link(topology, link_of_path(links, 0));
    return (DirectConnection){ port->n_links, links->len > 1,
                               port->payload_bytes_per_s };
}

/* Adds the connection @joint to @graph.  Returns FALSE if it differs from
 * earlier ones in rate or in the number of switch ports. */
static gboolean add_connection_to_graph(PackGraph *graph, NpuEdge ranks,
                                        const DirectConnection *joint,
                                        uint64_t *bytes_per_s)
{
    uint32_t *n_links = joint->on_switch ? &graph->n_ports
                                         : &graph->links[ranks.from][ranks.to];

    if (joint->n_links == 0)
        return TRUE;
    if (*bytes_per_s == 0)
        *bytes_per_s = joint->bytes_per_s;
    if (*bytes_per_s != joint->bytes_per_s ||
        (joint->on_switch && *n_links > 0 && *n_links != joint->n_links))
        return FALSE;
    *n_links = joint->n_links;
    return TRUE;
}

gboolean rank_locality_near_link_graph(const Topology *topology,
                                       const uint32_t *npus, uint32_t n,
                                       PackGraph *ret,
                                       uint64_t *ret_bytes_per_s)
{
    uint32_t n_switched = 0, n_joined = 0;

    g_assert(n <= PACK_MAX_RANKS);
    memset(ret, 0, sizeof *ret);
    ret->n = n;
    *ret_bytes_per_s = 0;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            DirectConnection joint;

            if (from == to)
                continue;
            joint = find_direct_connection(topology,
                                           (NpuEdge){ npus[from], npus[to] });
            n_switched += joint.on_switch ? 1 : 0;
            n_joined += joint.n_links > 0;
            if (!add_connection_to_graph(ret, (NpuEdge){ from, to }, &joint,
                                         ret_bytes_per_s))
                return FALSE;
        }
    return n_switched == 0 ||
           (n_switched == n_joined && n_joined == n * (n - 1));
}

/* ---- rates -------------------------------------------------------------- */

/* The time in ps that a byte of every edge occupies a link, and the sum of the
 * weights of the edges that use the link.  A message occupies each further link
 * at least as long as the slowest link that it has passed. */
typedef struct {
    double ps, weight;
} Load;

/* Adds a message on the path @links, with @weight, to the loads of links. */
static void add_path_load(const Topology *topology, const GArray *links,
                          double weight, Load *loads)
{
    double slowest_ps = 0;

    for (guint i = 0; i < links->len; i++) {
        const TopologyPort *port =
            port_of_link(topology, link_of_path(links, i));
        double ps = (double)SIM_PS_PER_SEC /
                    ((double)port->payload_bytes_per_s * port->n_links);

        slowest_ps = MAX(slowest_ps, ps);
        loads[link_of_path(links, i)].ps += weight * slowest_ps;
        loads[link_of_path(links, i)].weight += weight;
    }
}

/* Returns the largest time in ps that any limit of any unit needs, or @most_ps
 * if that is larger. */
static double max_load_of_limits_ps(const Topology *topology, const Load *loads,
                                    double most_ps)
{
    uint32_t n_ports = topology_n_ports(topology);

    for (uint32_t first = 0; first < topology_n_links(topology);
         first += n_ports)
        for (uint32_t i = 0; i < topology_n_limits(topology); i++) {
            const TopologyLimit *limit = topology_get_limit(topology, i);
            double weight = 0;

            for (uint32_t p = 0; p < limit->n_ports; p++)
                weight += loads[first + limit->ports[p]].weight;
            most_ps = MAX(most_ps, weight * (double)SIM_PS_PER_SEC /
                                       (double)limit->bytes_per_s);
        }
    return most_ps;
}

uint64_t rank_locality_shared_edge_rate(const Topology *topology,
                                        const NpuEdge *edges,
                                        const double *weights, uint32_t n,
                                        uint32_t plane)
{
    uint32_t n_links = topology_n_links(topology);
    g_autofree Load *loads = g_new0(Load, n_links);
    double most_ps = 0;

    for (uint32_t i = 0; i < n; i++) {
        g_autoptr(GArray) links = find_links_of_path(topology, edges[i], plane);

        if (links->len == 0)
            return 0;
        add_path_load(topology, links, weights ? weights[i] : 1, loads);
    }
    for (uint32_t l = 0; l < n_links; l++)
        most_ps = MAX(most_ps, loads[l].ps);
    most_ps = max_load_of_limits_ps(topology, loads, most_ps);
    return most_ps > 0 ? (uint64_t)((double)SIM_PS_PER_SEC / most_ps) : 0;
}

/* ---- servers ------------------------------------------------------------ */

uint32_t rank_locality_find_servers(const Topology *topology,
                                    const uint32_t *npus, uint32_t n,
                                    uint32_t *ret_server)
{
    g_autofree uint32_t *firsts = g_new(uint32_t, n);
    uint32_t n_servers = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = 0;

        for (; s < n_servers; s++) {
            if (topology_path_reach(topology, npus[firsts[s]], npus[i], 0) <
                TOPOLOGY_NETWORK)
                break;
        }
        if (s == n_servers)
            firsts[n_servers++] = i;
        ret_server[i] = s;
    }
    return n_servers;
}
