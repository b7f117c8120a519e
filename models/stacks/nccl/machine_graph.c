/* machine_graph.c - builds the graph of one machine for NCCL's search */
#include "models/stacks/nccl/machine_graph.h"

#define MB UINT64_C(1000000)

/* The speeds of channels that the search tries, in MB/s.  Those up to 24,000
 * are NCCL's, from memory; 20,000 was added for the A100.  The faster ones are
 * for newer links. */
static const uint32_t speeds[NCCL_N_SPEEDS] = {
    96000, 72000, 60000, 48000, 42000, 36000, 30000, 24000,
    21000, 20000, 18000, 15000, 12000, 10000, 9000,  7000,
    6000,  5000,  4000,  3000,  2400,  1200,  240,   120,
};

uint64_t nccl_channel_speed(guint speed_index)
{
    g_assert(speed_index < NCCL_N_SPEEDS);
    return speeds[speed_index] * MB;
}

typedef struct {
    const Topology *topology;
    const NcclSearchTask *task;
    NcclSystem *system;
    /* Owned: for each node of the topology, its number here, or NCCL_NONE. */
    uint32_t *numbers;
    GArray *inside;  /* links (uint32_t) of the topology inside machines */
    GArray *outside; /* links (uint32_t) of the network between machines */
} Build;

/* ---- nodes -------------------------------------------------------------- */

static void assign_system_node_number(Build *build, uint32_t node)
{
    NcclSystem *nccl_system = build->system;

    build->numbers[node] = nccl_system->n_nodes;
    nccl_system->nodes[nccl_system->n_nodes++] = node;
}

static TopologyReach reach_of_topology_link(const Topology *topology,
                                            uint32_t link)
{
    return topology_get_port(topology, link % topology_n_ports(topology))
        ->reach;
}

/* Separates network links from links inside machines. */
static void separate_inside_and_network_links(Build *build)
{
    for (uint32_t l = 0; l < topology_n_links(build->topology); l++) {
        uint32_t from, to;

        if (topology_get_link_nodes(build->topology, l, &from, &to))
            g_array_append_val(reach_of_topology_link(build->topology, l) ==
                                       TOPOLOGY_NETWORK
                                   ? build->outside
                                   : build->inside,
                               l);
    }
}

static gboolean is_nic_node(const Build *build, uint32_t node)
{
    for (guint i = 0; i < build->outside->len; i++) {
        uint32_t from, to;

        topology_get_link_nodes(build->topology,
                                g_array_index(build->outside, uint32_t, i),
                                &from, &to);
        if (from == node)
            return TRUE;
    }
    return FALSE;
}

/* Numbers the nodes, other than NPUs, that links inside machines connect with
 * numbered nodes.  @nics selects NICs or all other nodes.  Returns whether it
 * found any. */
static gboolean number_neighbours_of_nodes(Build *build, gboolean nics)
{
    uint32_t n_before = build->system->n_nodes;

    for (guint i = 0; i < build->inside->len; i++) {
        uint32_t from, to;

        topology_get_link_nodes(build->topology,
                                g_array_index(build->inside, uint32_t, i),
                                &from, &to);
        if (build->numbers[from] != NCCL_NONE &&
            build->numbers[to] == NCCL_NONE &&
            to >= topology_n_npus(build->topology) &&
            is_nic_node(build, to) == nics)
            assign_system_node_number(build, to);
    }
    return build->system->n_nodes > n_before;
}

/* Renumbers the nodes after the GPUs so that NICs come first. */
static void renumber_nics_first(Build *build)
{
    NcclSystem *nccl_system = build->system;
    uint32_t n_others = nccl_system->n_nodes - nccl_system->n_gpus;
    g_autofree uint32_t *others = g_memdup2(
        nccl_system->nodes + nccl_system->n_gpus, n_others * sizeof *others);

    nccl_system->n_nodes = nccl_system->n_gpus;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n_others; i++)
            if (is_nic_node(build, others[i]) == (pass == 0))
                assign_system_node_number(build, others[i]);
        if (pass == 0)
            nccl_system->n_nics = nccl_system->n_nodes - nccl_system->n_gpus;
    }
}

static void number_system_nodes(Build *build)
{
    NcclSystem *nccl_system = build->system;
    uint32_t n = topology_n_nodes(build->topology);

    build->numbers = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        build->numbers[i] = NCCL_NONE;
    nccl_system->nodes = g_new(uint32_t, n);
    nccl_system->n_gpus = build->task->n_npus;
    for (uint32_t i = 0; i < nccl_system->n_gpus; i++)
        assign_system_node_number(build, build->task->npus[i]);
    while (number_neighbours_of_nodes(build, FALSE))
        continue;
    number_neighbours_of_nodes(build, TRUE);
    renumber_nics_first(build);
}

/* ---- links -------------------------------------------------------------- */

/* Returns the speed at which the search plans a link of @bytes_per_s. */
static uint64_t planned_speed_of_link(uint64_t bytes_per_s)
{
    for (guint i = 0; i < NCCL_N_SPEEDS; i++)
        if (nccl_channel_speed(i) <= bytes_per_s + bytes_per_s / 100)
            return nccl_channel_speed(i);
    return bytes_per_s;
}

static uint64_t search_rate_of_link(const Build *build,
                                    const TopologyPort *port)
{
    uint64_t given = build->task->planned_bytes_per_s[port->reach];

    return given > 0 ? given : planned_speed_of_link(port->payload_bytes_per_s);
}

static void add_system_links(Build *build)
{
    NcclSystem *nccl_system = build->system;

    nccl_system->links = g_new(NcclLink, build->inside->len + 1);
    nccl_system->nic_out = g_new0(uint64_t, nccl_system->n_nics + 1);
    for (guint i = 0; i < build->inside->len + build->outside->len; i++) {
        gboolean is_outside = i >= build->inside->len;
        uint32_t link = is_outside ? g_array_index(build->outside, uint32_t,
                                                   i - build->inside->len)
                                   : g_array_index(build->inside, uint32_t, i);
        const TopologyPort *port = topology_get_port(
            build->topology, link % topology_n_ports(build->topology));
        uint32_t from, to;

        topology_get_link_nodes(build->topology, link, &from, &to);
        /* A network link of a GPU is as good as a private NIC, and the search
         * needs no NIC for it. */
        if (is_outside && build->numbers[from] != NCCL_NONE &&
            build->numbers[from] >= nccl_system->n_gpus)
            nccl_system->nic_out[build->numbers[from] - nccl_system->n_gpus] +=
                search_rate_of_link(build, port) * port->n_links;
        else if (!is_outside && build->numbers[from] != NCCL_NONE &&
                 build->numbers[to] != NCCL_NONE)
            nccl_system->links[nccl_system->n_links++] = (NcclLink){
                .from = build->numbers[from],
                .to = build->numbers[to],
                .n_links = port->n_links,
                .link_bytes_per_s = search_rate_of_link(build, port),
                .reach = port->reach,
            };
    }
}

/* ---- paths ------------------------------------------------------------- */

/* One round of the Bellman-Ford algorithm towards @end.  Returns whether any
 * cost decreased.  The graph is small. */
static gboolean relax_paths_to_end(NcclSystem *nccl_system, uint32_t end)
{
    uint32_t *next = &nccl_system->next[end * nccl_system->n_nodes];
    uint32_t *costs = &nccl_system->costs[end * nccl_system->n_nodes];
    gboolean is_shorter = FALSE;

    for (uint32_t l = 0; l < nccl_system->n_links; l++) {
        const NcclLink *link = &nccl_system->links[l];
        uint32_t cost = link->reach == TOPOLOGY_NEAR ? 1 : NCCL_HOST_LINK_COST;

        /* GPUs and NICs do not forward data. */
        if ((link->to < nccl_system_n_ends(nccl_system) && link->to != end) ||
            costs[link->to] == NCCL_UNREACHABLE ||
            costs[link->to] + cost >= costs[link->from])
            continue;
        costs[link->from] = costs[link->to] + cost;
        next[link->from] = l;
        is_shorter = TRUE;
    }
    return is_shorter;
}

static void find_cheapest_paths(NcclSystem *nccl_system)
{
    gsize n = (gsize)nccl_system_n_ends(nccl_system) * nccl_system->n_nodes;

    nccl_system->next = g_new(uint32_t, n);
    nccl_system->costs = g_new(uint32_t, n);
    for (gsize i = 0; i < n; i++) {
        nccl_system->next[i] = NCCL_NONE;
        nccl_system->costs[i] = NCCL_UNREACHABLE;
    }
    for (uint32_t end = 0; end < nccl_system_n_ends(nccl_system); end++) {
        nccl_system->costs[end * nccl_system->n_nodes + end] = 0;
        while (relax_paths_to_end(nccl_system, end))
            continue;
    }
}

NcclSystem *nccl_system_new(const Topology *topology,
                            const NcclSearchTask *task)
{
    NcclSystem *system = g_new0(NcclSystem, 1);
    Build b = { .topology = topology,
                .task = task,
                .system = system,
                .inside = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                .outside = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };

    g_assert(task->n_npus > 0 && task->n_npus <= PACK_MAX_RANKS);
    separate_inside_and_network_links(&b);
    number_system_nodes(&b);
    add_system_links(&b);
    find_cheapest_paths(system);
    g_array_unref(b.inside);
    g_array_unref(b.outside);
    g_free(b.numbers);
    return system;
}

void nccl_system_free(NcclSystem *system)
{
    if (!system)
        return;
    g_free(system->nodes);
    g_free(system->nic_out);
    g_free(system->links);
    g_free(system->next);
    g_free(system->costs);
    g_free(system);
}
