/* packet_network.c - packets over links and through buffers; see
 * packet_network.h */
#include "network/transport/packet_network_impl.h"

/* Returns the size of the buffer that the parallel links of @link share: the
 * sum of one buffer per parallel link. */
static uint64_t packet_buffer_size_bytes(const PacketNetwork *net,
                                         uint32_t link)
{
    return net->buffer_bytes *
           topology_get_port(net->topology, link % net->n_ports)->n_links;
}

static void init_packet_link(PacketNetwork *net, uint32_t number)
{
    const TopologyPort *port =
        topology_get_port(net->topology, number % net->n_ports);
    Link *link = &net->links[number];

    *link = (Link){
        .started_message = NONE,
        .starting_messages = NONE,
        .n_idle = port->n_links,
        .far_node = topology_link_target(net->topology, number),
        .start_channel = topology_next_virtual_channel(
            net->topology, TOPOLOGY_NONE, 0, number),
        .bytes_per_s = port->payload_bytes_per_s,
    };
    for (uint32_t c = 0; c < N_CHANNELS; c++) {
        link->passing[c] = NONE;
        link->room_bytes[c] = packet_buffer_size_bytes(net, number);
    }
}

static void transmit_first_packet(PacketNetwork *net, Link *link,
                                  SimTime now_ps);

PacketNetwork *packet_network_new(SimEngine *engine, const Topology *topology,
                                  uint64_t packet_bytes, uint64_t buffer_bytes,
                                  PacketDeliverFn deliver, gpointer self)
{
    PacketNetwork *net = g_new0(PacketNetwork, 1);
    uint32_t n = topology_n_links(topology);

    g_assert(packet_bytes > 0 && buffer_bytes >= packet_bytes);
    net->engine = engine;
    net->topology = topology;
    net->packet_bytes = packet_bytes;
    net->buffer_bytes = buffer_bytes;
    net->deliver = deliver;
    net->self = self;
    net->free_list = NONE;
    net->fold = symmetry_fold_new_maximal(topology);
    net->n_ports = topology_n_ports(topology);
    net->links = g_new(Link, n);
    for (uint32_t link = 0; link < n; link++)
        init_packet_link(net, link);
    net->limits = packet_limits_new(net, transmit_first_packet);
    return net;
}

void packet_network_free(PacketNetwork *net)
{
    if (!net)
        return;
    for (uint32_t i = 0;
         net->n_flows > 0 && i < topology_n_links(net->topology); i++)
        fair_share_clear(&net->links[i].share);
    symmetry_fold_free(net->fold);
    packet_limits_free(net->limits);
    g_free(net->links);
    g_free(net->messages);
    g_free(net->packets);
    g_free(net);
}

void packet_network_set_rate(PacketNetwork *net, uint32_t link,
                             uint64_t bytes_per_s)
{
    g_assert(bytes_per_s > 0);
    net->links[link].bytes_per_s = bytes_per_s;
}

void packet_network_set_flows(PacketNetwork *net, uint32_t n_flows,
                              NetworkFlowFn flow_of, gpointer self)
{
    net->n_flows = n_flows;
    net->flow_of = flow_of;
    net->flow_self = self;
    for (uint32_t i = 0; i < topology_n_links(net->topology); i++)
        fair_share_init(&net->links[i].share, n_flows);
}

/* ---- links ------------------------------------------------------------ */

static void on_packet_link_service(gpointer self, uint32_t number,
                                   SimTime now_ps);
static void on_packet_left_node(gpointer self, uint32_t packet, SimTime now_ps);
static void on_packet_arrival(gpointer self, uint32_t packet, SimTime now_ps);

/* Schedules the service of link @number in this instant, because a packet may
 * have become able to move.  All changes of an instant are known before the
 * first link chooses, as links affect each other only after a delay. */
static void schedule_packet_link_service(PacketNetwork *net, uint32_t number)
{
    if (net->links[number].is_armed)
        return;
    net->links[number].is_armed = TRUE;
    sim_engine_schedule(net->engine, sim_engine_now_ps(net->engine),
                        SIM_PHASE_LINK, on_packet_link_service, net, number);
}

/* Sends @packet over an idle link of those that it waited for, and occupies the
 * limits. */
static void transmit_packet(PacketNetwork *net, uint32_t packet, SimTime now_ps)
{
    Packet *p = &net->packets[packet];
    Link *link = &net->links[p->next_buffer.link];
    uint32_t port = p->next_buffer.link % net->n_ports;
    /* The time is capped so that sums do not overflow.  A packet that takes
     * this long never arrives. */
    SimTime takes_ps = MIN(sim_time_from_bytes(p->bytes, link->bytes_per_s),
                           SIM_ENGINE_MAX_PS);
    SimTime latency_ps = topology_get_port(net->topology, port)->latency_ps;

    g_assert(link->n_idle > 0);
    g_assert(p->bytes <= link->room_bytes[p->next_buffer.channel]);
    packet_limits_occupy(net, p->next_buffer.link, p->bytes, now_ps);
    link->n_idle--;
    link->room_bytes[p->next_buffer.channel] -= p->bytes;
    link->stats.busy_ps += takes_ps;
    link->stats.sent_bytes += p->bytes;
    if (p->index == 0) {
        link->stats.n_messages++;
        net->n_hops++;
    }
    p->n_hops++;
    sim_engine_schedule(net->engine, now_ps + takes_ps, SIM_PHASE_DELIVER,
                        on_packet_left_node, net, packet);
    sim_engine_schedule(net->engine, now_ps + takes_ps + latency_ps,
                        SIM_PHASE_DELIVER, on_packet_arrival, net, packet);
}

static void transmit_first_packet(PacketNetwork *net, Link *link,
                                  SimTime now_ps)
{
    transmit_packet(net, packet_take_next_of_link(net, link), now_ps);
}

static void on_packet_link_service(gpointer self, uint32_t number,
                                   SimTime now_ps)
{
    PacketNetwork *net = self;
    Link *link = &net->links[number];

    link->is_armed = FALSE;
    if (packet_limits_serve_link(net, number))
        return;
    while (link->n_idle > 0) {
        uint32_t packet = packet_take_next_of_link(net, link);

        if (packet == NONE)
            return;
        transmit_packet(net, packet, now_ps);
    }
}

/* Frees the part of a buffer that a packet of @bytes has occupied. */
static void free_packet_buffer_space(PacketNetwork *net, BufferSlot slot,
                                     uint64_t bytes)
{
    Link *link = &net->links[slot.link];

    link->room_bytes[slot.channel] += bytes;
    g_assert(link->room_bytes[slot.channel] <=
             packet_buffer_size_bytes(net, slot.link));
    schedule_packet_link_service(net, slot.link);
}

/* Event: the last byte of @packet has left its node. */
static void on_packet_left_node(gpointer self, uint32_t packet, SimTime now_ps)
{
    PacketNetwork *net = self;
    const Packet *p = &net->packets[packet];

    (void)now_ps;
    if (p->buffer.link != NONE)
        free_packet_buffer_space(net, p->buffer, p->bytes);
    net->links[p->next_buffer.link].n_idle++;
    schedule_packet_link_service(net, p->next_buffer.link);
}

/* Handles @packet at its destination; delivers its message if it is the last
 * one. */
static void accept_packet_at_destination(PacketNetwork *net, uint32_t packet,
                                         SimTime now_ps)
{
    const Packet *p = &net->packets[packet];
    uint32_t message = p->message;
    Message *m = &net->messages[message];

    free_packet_buffer_space(net, p->next_buffer, p->bytes);
    m->missing_bytes -= p->bytes;
    packet_free(net, packet);
    if (m->missing_bytes > 0)
        return;
    net->n_live--;
    net->deliver(net->self, message, now_ps);
}

/* Queues @packet, which is at node @node and not at its destination, for its
 * next link. */
static void forward_packet_to_next_link(PacketNetwork *net, uint32_t packet,
                                        uint32_t node, SimTime now_ps)
{
    Packet *p = &net->packets[packet];
    const Message *message = &net->messages[p->message];
    uint32_t number =
        topology_next_link(net->topology, node, message->dst, message->path_id);

    p->buffer = p->next_buffer;
    p->next_buffer.link = number;
    p->next_buffer.channel = topology_next_virtual_channel(
        net->topology, p->buffer.link, p->buffer.channel, number);
    p->arrival_ps = now_ps;
    packet_enqueue_passing(net, &net->links[number], packet);
    schedule_packet_link_service(net, number);
}

static void on_packet_arrival(gpointer self, uint32_t packet, SimTime now_ps)
{
    PacketNetwork *net = self;
    const Packet *p = &net->packets[packet];
    uint32_t node = net->links[p->next_buffer.link].far_node;

    if (node == net->messages[p->message].dst)
        accept_packet_at_destination(net, packet, now_ps);
    else
        forward_packet_to_next_link(net, packet, node, now_ps);
}

/* ---- messages --------------------------------------------------------- */

void packet_network_send(PacketNetwork *net, uint32_t src, uint32_t message,
                         const NetMessage *net_message)
{
    uint32_t number = topology_next_link(net->topology, src, net_message->dst,
                                         net_message->path_id);

    g_assert(net_message->bytes > 0);
    if (message >= net->n_message_slots) {
        net->n_message_slots = MAX(message + 1, 2 * net->n_message_slots);
        net->messages = g_renew(Message, net->messages, net->n_message_slots);
    }
    net->messages[message] = (Message){
        .order_hi = net_message->order_hi,
        .order_lo = net_message->order_lo,
        .bytes = net_message->bytes,
        .unsent_bytes = net_message->bytes,
        .missing_bytes = net_message->bytes,
        .dst = net_message->dst,
        .src = src,
        .position =
            symmetry_fold_translate_end(net->fold, net_message->dst, src),
        .end = symmetry_fold_class_of_end(net->fold, net_message->dst),
        .path_id = net_message->path_id,
    };
    if (net->n_flows > 0)
        net->messages[message].flow =
            (uint8_t)net->flow_of(net->flow_self, net_message);
    net->n_live++;
    packet_start_message(net, &net->links[number], message);
    schedule_packet_link_service(net, number);
}

NetPortStats packet_network_link_stats(const PacketNetwork *net, uint32_t link)
{
    return net->links[link].stats;
}

uint64_t packet_network_n_hops(const PacketNetwork *net)
{
    return net->n_hops;
}

gboolean packet_network_is_empty(const PacketNetwork *net)
{
    uint32_t n = topology_n_links(net->topology);

    if (net->n_live > 0)
        return FALSE;
    for (uint32_t i = 0; i < n; i++) {
        const Link *link = &net->links[i];

        g_assert(link->started_message == NONE &&
                 link->starting_messages == NONE);
        for (uint32_t c = 0; c < N_CHANNELS; c++) {
            g_assert(link->passing[c] == NONE);
            g_assert(link->room_bytes[c] == packet_buffer_size_bytes(net, i));
        }
    }
    return TRUE;
}
