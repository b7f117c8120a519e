/* network_construction.c - creates a network and reads its counters */
#include "network/transport/network_state_impl.h"

/* ---- construction ----------------------------------------------------- */

/* Returns how many free times of the parallel links of @port are stored outside
 * the Link. */
static uint32_t n_link_times_stored_separately(const TopologyPort *port)
{
    return port->n_links <= LINK_OWN_TIMES ? 0 : port->n_links;
}

static void make_link_classes(Network *net)
{
    net->classes = g_new0(LinkClass, net->n_ports);
    net->first_free = g_new0(uint32_t, net->n_ports + 1);
    for (uint32_t p = 0; p < net->n_ports; p++) {
        const TopologyPort *port = topology_get_port(net->topology, p);

        net->first_free[p + 1] =
            net->first_free[p] + n_link_times_stored_separately(port);
        net->classes[p].latency_ps = port->latency_ps;
    }
}

static void init_train_link(Network *net, uint32_t index, uint32_t p)
{
    uint32_t unit =
        net->fold ? symmetry_fold_representative_unit(net->fold, index) : index;
    const TopologyPort *port = topology_get_port(net->topology, p);
    Link *link = &net->links[(gsize)index * net->n_ports + p];
    gsize first = (gsize)index * net->first_free[net->n_ports];

    *link = (Link){
        .waiting = MESSAGE_LIST_EMPTY,
        .armed_ps = SIM_TIME_MAX,
        .free_ps = link->own_free_ps,
        .coming = MESSAGE_LIST_EMPTY,
        .n_links = port->n_links,
        .port = p,
        .far_node =
            topology_link_target(net->topology, unit * net->n_ports + p),
    };
    if (n_link_times_stored_separately(port) > 0)
        link->free_ps = &net->free_ps[first + net->first_free[p]];
}

/* The size of the cache of paths.  Measured: with trees, an NPU has about six
 * peers, and paths have four links. */
#define CACHE_SLOTS_PER_NPU 32
#define MAX_CACHE_SLOTS     65536

static uint64_t n_path_cache_slots(uint32_t n_npus)
{
    return MIN((uint64_t)n_npus * CACHE_SLOTS_PER_NPU, MAX_CACHE_SLOTS);
}

Network *network_new(SimEngine *engine, const Topology *topology,
                     uint64_t packet_bytes, const SymmetryFold *fold,
                     NetworkDeliverFn deliver, gpointer self)
{
    Network *net = g_new0(Network, 1);
    uint32_t n_ends =
        fold ? symmetry_fold_n_simulated_ends(fold) : topology_n_npus(topology);

    net->engine = engine;
    net->topology = topology;
    net->packet_bytes = packet_bytes;
    net->fold = fold && !symmetry_fold_simulates_all_ends(fold) ? fold : NULL;
    net->deliver = deliver;
    net->self = self;
    net->free_list = MESSAGE_NONE;
    net->n_ports = topology_n_ports(topology);
    net->n_units = net->fold ? symmetry_fold_n_simulated_units(fold)
                             : topology_n_npus(topology) /
                                   topology_get_symmetry(topology)->unit_ends;
    net->links = cache_lines_alloc_zeroed((gsize)net->n_units * net->n_ports *
                                          sizeof *net->links);
    make_link_classes(net);
    net->free_ps =
        g_new0(SimTime, (gsize)net->n_units * net->first_free[net->n_ports]);
    for (uint32_t index = 0; index < net->n_units; index++)
        for (uint32_t p = 0; p < net->n_ports; p++)
            init_train_link(net, index, p);
    if (topology_should_cache_next_links(topology) &&
        topology_n_nodes(topology) < PATH_CACHE_MAX_NODES)
        net->path_cache = path_cache_new(n_path_cache_slots(n_ends));
    net->limits = link_limits_new(net, packet_trains_serve_link,
                                  packet_trains_schedule_link_service);
    net->meetings =
        in_switch_reductions_new(net, engine, topology, fold, packet_bytes,
                                 packet_trains_on_head_at_node);
    net->shares = shared_links_new(net);
    return net;
}

uint64_t network_memory_per_unit_bytes(const Topology *topology)
{
    uint64_t bytes = 0;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++)
        bytes +=
            sizeof(Link) + shared_links_memory_per_link_bytes(topology) +
            n_link_times_stored_separately(topology_get_port(topology, p)) *
                sizeof(SimTime);
    return bytes;
}

void network_set_early_delivery_callback(Network *net,
                                         NetworkEarlyDeliveryFn foresee)
{
    net->foresee = foresee;
}

void network_set_leave_region_callback(Network *net, NetworkLeaveRegionFn leave)
{
    g_assert(!net->packets);
    net->leave = leave;
}

void network_insert_message_from_region(Network *net, const NetMessage *from,
                                        gboolean is_there, SimTime at_ps)
{
    uint32_t message = network_message_new(net);

    net->messages[message] = *from;
    if (is_there)
        sim_engine_schedule(net->engine, at_ps, SIM_PHASE_DELIVER,
                            packet_trains_on_tail_at_destination, net, message);
    else
        packet_trains_continue_message(net, message, at_ps);
}

void network_set_on_demand_sender(Network *net, NetworkOnDemandSendFn follow)
{
    net->follow = follow;
}

static uint32_t max_parallel_links(const Topology *topology)
{
    uint32_t most = 0;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++)
        most = MAX(most, topology_get_port(topology, p)->n_links);
    return most;
}

void network_set_link_listeners(Network *net, NetworkLinkFn link,
                                NetworkBusyFn busy, gpointer self)
{
    net->link = link;
    net->busy = busy;
    net->free_before_ps = g_renew(SimTime, net->free_before_ps,
                                  max_parallel_links(net->topology));
    net->listener = self;
}

static void free_network_links(Network *net)
{
    for (gsize i = 0; i < (gsize)net->n_units * net->n_ports; i++) {
        message_list_clear(&net->links[i].waiting);
        message_list_clear(&net->links[i].coming);
    }
    cache_lines_free(net->links);
}

void network_free(Network *net)
{
    if (!net)
        return;
    packet_network_free(net->packets);
    in_switch_reductions_free(net->meetings);
    flow_queues_free(net->flows);
    link_limits_free(net->limits);
    shared_links_free(net->shares);
    free_network_links(net);
    g_free(net->free_ps);
    g_free(net->free_before_ps);
    g_free(net->first_free);
    g_free(net->classes);
    g_free(net->path_cache);
    g_free(net->factors_ppm);
    cache_lines_free(net->messages);
    g_free(net);
}

void network_set_bandwidth_factor(Network *net, uint32_t link,
                                  uint64_t factor_ppm)
{
    gsize n = net->fold ? (gsize)net->n_units * net->n_ports
                        : topology_n_links(net->topology);

    g_assert(link < topology_n_links(net->topology) && factor_ppm > 0);
    if (net->fold)
        link = symmetry_fold_translate_link(net->fold, link, &(uint32_t){ 0 });
    if (!net->factors_ppm) {
        net->factors_ppm = g_new(uint64_t, n);
        for (gsize i = 0; i < n; i++)
            net->factors_ppm[i] = NETWORK_FACTOR_ONE;
    }
    net->factors_ppm[link] = factor_ppm;
    shared_links_update_rates(net);
    if (net->packets)
        packet_network_set_rate(net->packets, link,
                                network_perturbed_bytes_per_s(net, link));
}

void network_move_packets_individually(Network *net, uint64_t buffer_bytes)
{
    g_assert(!net->fold && !net->packets);
    net->packets = packet_network_new(
        net->engine, net->topology, net->packet_bytes, buffer_bytes,
        packet_trains_on_tail_at_destination, net);
}

void network_set_flows(Network *net, uint32_t n_flows, NetworkFlowFn flow_of,
                       gpointer self)
{
    g_assert(n_flows > 1 && !net->flows);
    if (net->packets)
        packet_network_set_flows(net->packets, n_flows, flow_of, self);
    else
        net->flows = flow_queues_new(net, n_flows, flow_of, self);
}

/* ---- counters --------------------------------------------------------- */

NetPortStats network_link_stats(const Network *net, uint32_t link)
{
    return net->packets ? packet_network_link_stats(net->packets, link)
                        : net->links[link].stats;
}

void network_add_link_stats(Network *net, uint32_t link,
                            const NetPortStats *more)
{
    NetPortStats *stats = &net->links[link].stats;

    stats->sent_bytes += more->sent_bytes;
    stats->n_messages += more->n_messages;
    stats->busy_ps += more->busy_ps;
}

void network_add_stats(Network *net, const Network *other)
{
    gsize n_links = (gsize)net->n_ports * net->n_units;

    g_assert(other->n_ports == net->n_ports && other->n_units == net->n_units);
    for (gsize i = 0; i < n_links; i++) {
        NetPortStats *sum = &net->links[i].stats;
        const NetPortStats *more = &other->links[i].stats;

        sum->sent_bytes += more->sent_bytes;
        sum->n_messages += more->n_messages;
        sum->busy_ps += more->busy_ps;
    }
}

uint32_t network_n_allocated_messages(const Network *net)
{
    return net->n_live;
}

uint64_t network_n_hops(const Network *net)
{
    gsize n_links = (gsize)net->n_ports * net->n_units;
    uint64_t n_hops = 0;

    if (net->packets)
        return packet_network_n_hops(net->packets);
    for (gsize i = 0; i < n_links; i++)
        n_hops += net->links[i].stats.n_messages;
    return n_hops;
}

gboolean network_is_empty(const Network *net)
{
    return net->n_live == 0 &&
           (!net->packets || packet_network_is_empty(net->packets));
}
