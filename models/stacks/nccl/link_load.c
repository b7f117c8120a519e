/* link_load.c - follows routes link by link and sums up the load of links */
#include "models/stacks/nccl/link_load.h"

#include "network/paths.h"

static uint64_t total_rate_of_port(const TopologyPort *port)
{
    return port->n_links * port->payload_bytes_per_s;
}

NcclRoute nccl_find_route(const Topology *topology, uint32_t from, uint32_t to,
                          uint32_t path_id)
{
    NcclRoute route = { .bytes_per_s = UINT64_MAX };
    uint32_t at = from;

    do {
        uint32_t link = topology_next_link(topology, at, to, path_id);
        const TopologyPort *port =
            topology_get_port(topology, link % topology_n_ports(topology));

        route.reach = MAX(route.reach, port->reach);
        route.latency_ps = sim_time_add(route.latency_ps, port->latency_ps);
        route.bytes_per_s = MIN(route.bytes_per_s, total_rate_of_port(port));
        at = topology_link_target(topology, link);
        path_id = topology_path_id_after_switch(topology, at, path_id);
    } while (at != to);
    return route;
}

NcclLinkLoads *nccl_link_loads_new(const Topology *topology)
{
    NcclLinkLoads *loads = g_new0(NcclLinkLoads, 1);

    loads->topology = topology;
    loads->loads = g_new0(double, topology_n_links(topology));
    return loads;
}

void nccl_link_loads_free(NcclLinkLoads *loads)
{
    if (!loads)
        return;
    g_free(loads->loads);
    g_free(loads);
}

void nccl_link_loads_add_message(NcclLinkLoads *loads, uint32_t from,
                                 uint32_t to, uint32_t plane, double share)
{
    uint32_t at = from;

    do {
        uint32_t link = topology_next_link(loads->topology, at, to,
                                           TOPOLOGY_PATH_ID(plane, 0));

        loads->loads[link] += share;
        at = topology_link_target(loads->topology, link);
    } while (at != to);
}

static double load_of_link_limit(const NcclLinkLoads *loads,
                                 const TopologyLimit *limit,
                                 uint32_t first_link)
{
    double sum = 0;

    for (uint32_t i = 0; i < limit->n_ports; i++)
        sum += loads->loads[first_link + limit->ports[i]];
    return sum;
}

uint64_t nccl_link_loads_max_payload_rate(const NcclLinkLoads *loads)
{
    uint32_t n_links = topology_n_links(loads->topology);
    uint32_t n_ports = topology_n_ports(loads->topology);
    uint32_t n_limits = topology_n_limits(loads->topology);
    double least = (double)UINT64_MAX;

    for (uint32_t link = 0; link < n_links; link++) {
        const TopologyPort *port =
            topology_get_port(loads->topology, link % n_ports);

        if (loads->loads[link] > 0)
            least = MIN(least,
                        (double)total_rate_of_port(port) / loads->loads[link]);
        for (uint32_t l = 0; l < n_limits && link % n_ports == 0; l++) {
            const TopologyLimit *limit = topology_get_limit(loads->topology, l);
            double load = load_of_link_limit(loads, limit, link);

            if (load > 0)
                least = MIN(least, (double)limit->bytes_per_s / load);
        }
    }
    return least >= (double)UINT64_MAX ? UINT64_MAX : (uint64_t)least;
}
