#include "network/transport/packet.h"

#define NONE SIM_HEAP_EMPTY
/* Before a ring's dateline and after. */
#define N_CHANNELS 2

/* A message that has not arrived. */
typedef struct {
    uint64_t order_hi, order_lo;
    uint64_t bytes, unsent_bytes, missing_bytes;
    uint32_t dst, src;
    uint32_t place;   /* of the source, seen from the destination */
    SimHeapLink link; /* among those that set out */
    uint8_t way;
} Message;

/* The room at a link's far end that a packet occupies. */
typedef struct {
    uint32_t link_port; /* NONE: where it set out */
    uint32_t channel;
} Place;

typedef struct {
    uint32_t message;
    uint32_t n_hops;
    uint64_t index, bytes; /* in its message */
    SimTime arrival_ps;    /* at this node */
    Place here, there;     /* there: on the way to, or waiting for */
    SimHeapLink link;      /* among those that pass, or that are free */
} Packet;

typedef struct {
    uint32_t passing[N_CHANNELS]; /* heaps of packets; NONE: empty */
    uint32_t begun;       /* the message that sets out; NONE: between two */
    uint32_t setting_out; /* others, a heap by key; NONE: none */
    uint32_t n_idle;      /* links */
    gboolean is_dateline;
    gboolean is_armed; /* a service event is due in this instant */
    uint64_t bytes_per_s;
    uint64_t room_bytes[N_CHANNELS];
    NetPortStats stats;
} Port;

struct PacketNetwork {
    SimEngine *engine;        /* borrowed */
    const Topology *topology; /* borrowed */
    uint64_t packet_bytes, buffer_bytes;
    PacketDeliverFn deliver;
    gpointer self; /* borrowed */
    Fold *alike;   /* owned: all that cannot be told apart */
    uint32_t n_ports;
    Port *ports;       /* owned: n_ports for each NPU */
    Message *messages; /* owned, by the caller's numbers */
    Packet *packets;   /* owned */
    uint32_t n_message_slots, n_packets, n_packet_slots, free_list, n_live;
    uint64_t n_hops;
};

/* A wrap-around link is one that does not lead to the next id along its
 * dimension.  In a ring of two none does, and none needs to: no route has two
 * links of it. */
static gboolean is_dateline(const Topology *topology, uint32_t owner,
                            uint32_t port)
{
    uint32_t end, stride = 1;

    if (!topology_is_torus(topology))
        return FALSE;
    for (uint32_t d = 0; d < topology_port(topology, port)->dim; d++)
        stride *= topology_dim(topology, d)->size;
    end = topology_end(topology, owner, port);
    return MAX(end, owner) - MIN(end, owner) != stride;
}

/* A buffer for each of the parallel links, which they share. */
static uint64_t all_room_bytes(const PacketNetwork *net, uint32_t p)
{
    return net->buffer_bytes * topology_port(net->topology, p)->n_links;
}

static void init_port(PacketNetwork *net, uint32_t owner, uint32_t p)
{
    const TopologyPort *link = topology_port(net->topology, p);
    Port *port = &net->ports[owner * net->n_ports + p];

    *port = (Port){
        .begun = NONE,
        .setting_out = NONE,
        .n_idle = link->n_links,
        .is_dateline = is_dateline(net->topology, owner, p),
        .bytes_per_s = link->payload_bytes_per_s,
    };
    for (uint32_t c = 0; c < N_CHANNELS; c++) {
        port->passing[c] = NONE;
        port->room_bytes[c] = all_room_bytes(net, p);
    }
}

PacketNetwork *packet_network_new(SimEngine *engine, const Topology *topology,
                                  uint64_t packet_bytes, uint64_t buffer_bytes,
                                  PacketDeliverFn deliver, gpointer self)
{
    PacketNetwork *net = g_new0(PacketNetwork, 1);
    uint32_t n_npus = topology_n_npus(topology);

    g_assert(packet_bytes > 0 && buffer_bytes >= packet_bytes);
    net->engine = engine;
    net->topology = topology;
    net->packet_bytes = packet_bytes;
    net->buffer_bytes = buffer_bytes;
    net->deliver = deliver;
    net->self = self;
    net->free_list = NONE;
    net->alike = fold_new_most(topology);
    net->n_ports = topology_n_ports(topology);
    net->ports = g_new(Port, (gsize)n_npus * net->n_ports);
    for (uint32_t npu = 0; npu < n_npus; npu++)
        for (uint32_t p = 0; p < net->n_ports; p++)
            init_port(net, npu, p);
    return net;
}

void packet_network_free(PacketNetwork *net)
{
    if (!net)
        return;
    fold_free(net->alike);
    g_free(net->ports);
    g_free(net->messages);
    g_free(net->packets);
    g_free(net);
}

void packet_network_set_rate(PacketNetwork *net, uint32_t npu, uint32_t port,
                             uint64_t bytes_per_s)
{
    g_assert(bytes_per_s > 0);
    net->ports[npu * net->n_ports + port].bytes_per_s = bytes_per_s;
}

static uint32_t packet_new(PacketNetwork *net)
{
    uint32_t i = net->free_list;

    if (i != NONE) {
        net->free_list = net->packets[i].link.next;
        return i;
    }
    if (net->n_packets == net->n_packet_slots) {
        net->n_packet_slots = MAX(1024, 2 * net->n_packet_slots);
        net->packets = g_renew(Packet, net->packets, net->n_packet_slots);
    }
    return net->n_packets++;
}

static void packet_free(PacketNetwork *net, uint32_t packet)
{
    net->packets[packet].link.next = net->free_list;
    net->free_list = packet;
}

/* ---- who goes first --------------------------------------------------- */

/* < 0, 0 or > 0, as in strcmp(). */
static int compare_keys(const Message *a, const Message *b)
{
    if (a->order_hi != b->order_hi)
        return a->order_hi < b->order_hi ? -1 : 1;
    if (a->order_lo != b->order_lo)
        return a->order_lo < b->order_lo ? -1 : 1;
    return 0;
}

/* Which of two that pass goes first. */
static gboolean packet_before(gconstpointer network, uint32_t i, uint32_t j)
{
    const PacketNetwork *net = network;
    const Packet *a = &net->packets[i], *b = &net->packets[j];
    const Message *m = &net->messages[a->message];
    const Message *n = &net->messages[b->message];
    int by_key = compare_keys(m, n);

    if (by_key != 0)
        return by_key < 0;
    if (a->n_hops != b->n_hops)
        return a->n_hops < b->n_hops;
    if (a->arrival_ps != b->arrival_ps)
        return a->arrival_ps < b->arrival_ps;
    if (m->place != n->place)
        return m->place < n->place;
    /* From here on they are twins: same source, destination and key. */
    if (a->message != b->message)
        return a->message < b->message;
    return a->index < b->index;
}

/* Which of two that have sent nothing sets out first. */
static gboolean goes_before(gconstpointer messages, uint32_t i, uint32_t j)
{
    const Message *a = &((const Message *)messages)[i];
    const Message *b = &((const Message *)messages)[j];
    int by_key = compare_keys(a, b);

    return by_key != 0 ? by_key < 0 : a->place < b->place;
}

static SimHeapLink *link_of(gpointer messages, uint32_t i)
{
    return &((Message *)messages)[i].link;
}

static const SimHeapKind by_key = { link_of, goes_before };

static SimHeapLink *packet_link(gpointer network, uint32_t i)
{
    return &((PacketNetwork *)network)->packets[i].link;
}

static const SimHeapKind by_packet = { packet_link, packet_before };

/* Where the first of those that pass and find room is; NULL: nowhere. */
static uint32_t *find_passing(PacketNetwork *net, Port *port)
{
    uint32_t *best = NULL;

    for (uint32_t c = 0; c < N_CHANNELS; c++) {
        uint32_t *first = &port->passing[c];

        if (*first != NONE &&
            net->packets[*first].bytes <= port->room_bytes[c] &&
            (!best || packet_before(net, *first, *best)))
            best = first;
    }
    return best;
}

static uint32_t take_passing(PacketNetwork *net, uint32_t *first)
{
    uint32_t packet = *first;

    *first = sim_heap_pop(&by_packet, net, packet);
    return packet;
}

static uint64_t next_bytes(const PacketNetwork *net, const Message *m)
{
    return MIN(m->unsent_bytes, net->packet_bytes);
}

static uint32_t start_channel(const Port *port)
{
    return port->is_dateline ? 1 : 0;
}

/* The message that sets out, if its next packet finds room, or NONE. */
static uint32_t find_setting_out(const PacketNetwork *net, const Port *port)
{
    uint32_t message = port->begun != NONE ? port->begun : port->setting_out;

    if (message == NONE || next_bytes(net, &net->messages[message]) >
                               port->room_bytes[start_channel(port)])
        return NONE;
    return message;
}

/* A packet of @message, which find_setting_out() has found. */
static uint32_t take_setting_out(PacketNetwork *net, Port *port,
                                 uint32_t message)
{
    Message *m = &net->messages[message];
    uint64_t bytes = next_bytes(net, m);
    uint32_t packet = packet_new(net);

    net->packets[packet] = (Packet){
        .message = message,
        .index = (m->bytes - m->unsent_bytes) / net->packet_bytes,
        .bytes = bytes,
        .here = { NONE, 0 },
        .there = { (uint32_t)(port - net->ports), start_channel(port) },
    };
    if (port->begun == NONE)
        port->setting_out = sim_heap_pop(&by_key, net->messages, message);
    m->unsent_bytes -= bytes;
    port->begun = m->unsent_bytes > 0 ? message : NONE;
    return packet;
}

/* The first packet that finds room, or NONE.  Of equal keys, what has made no
 * hop yet goes first. */
static uint32_t take_first(PacketNetwork *net, Port *port)
{
    uint32_t *passing = find_passing(net, port);
    uint32_t message = find_setting_out(net, port);

    if (message == NONE)
        return passing ? take_passing(net, passing) : NONE;
    if (passing && compare_keys(&net->messages[net->packets[*passing].message],
                                &net->messages[message]) < 0)
        return take_passing(net, passing);
    return take_setting_out(net, port, message);
}

/* ---- links ------------------------------------------------------------ */

static void on_service(gpointer self, uint32_t link_port, SimTime now_ps);
static void on_left(gpointer self, uint32_t packet, SimTime now_ps);
static void on_arrival(gpointer self, uint32_t packet, SimTime now_ps);

/* Something has changed that may let a packet set out.  All that changes in
 * an instant is known before the first link chooses: what links do to each
 * other takes time. */
static void arm(PacketNetwork *net, uint32_t link_port)
{
    if (net->ports[link_port].is_armed)
        return;
    net->ports[link_port].is_armed = TRUE;
    sim_engine_at(net->engine, sim_engine_now(net->engine), SIM_PHASE_LINK,
                  on_service, net, link_port);
}

/* Puts @packet on an idle link of the port that it waited for. */
static void transmit(PacketNetwork *net, uint32_t packet, SimTime now_ps)
{
    Packet *p = &net->packets[packet];
    Port *port = &net->ports[p->there.link_port];
    uint32_t link = p->there.link_port % net->n_ports;
    /* Capped so that sums do not overflow; that never arrives. */
    SimTime takes_ps = MIN(sim_time_from_bytes(p->bytes, port->bytes_per_s),
                           SIM_ENGINE_MAX_PS);
    SimTime latency_ps = topology_port(net->topology, link)->latency_ps;

    g_assert(port->n_idle > 0);
    g_assert(p->bytes <= port->room_bytes[p->there.channel]);
    port->n_idle--;
    port->room_bytes[p->there.channel] -= p->bytes;
    port->stats.busy_ps += takes_ps;
    port->stats.sent_bytes += p->bytes;
    if (p->index == 0) {
        port->stats.n_messages++;
        net->n_hops++;
    }
    p->n_hops++;
    sim_engine_at(net->engine, now_ps + takes_ps, SIM_PHASE_DELIVER, on_left,
                  net, packet);
    sim_engine_at(net->engine, now_ps + takes_ps + latency_ps,
                  SIM_PHASE_DELIVER, on_arrival, net, packet);
}

static void on_service(gpointer self, uint32_t link_port, SimTime now_ps)
{
    PacketNetwork *net = self;
    Port *port = &net->ports[link_port];

    port->is_armed = FALSE;
    while (port->n_idle > 0) {
        uint32_t packet = take_first(net, port);

        if (packet == NONE)
            return;
        transmit(net, packet, now_ps);
    }
}

static void give_room(PacketNetwork *net, Place place, uint64_t bytes)
{
    Port *port = &net->ports[place.link_port];

    port->room_bytes[place.channel] += bytes;
    g_assert(port->room_bytes[place.channel] <=
             all_room_bytes(net, place.link_port % net->n_ports));
    arm(net, place.link_port);
}

/* @packet has left its node whole. */
static void on_left(gpointer self, uint32_t packet, SimTime now_ps)
{
    PacketNetwork *net = self;
    const Packet *p = &net->packets[packet];

    (void)now_ps;
    if (p->here.link_port != NONE)
        give_room(net, p->here, p->bytes);
    net->ports[p->there.link_port].n_idle++;
    arm(net, p->there.link_port);
}

static void take_in(PacketNetwork *net, uint32_t packet, SimTime now_ps)
{
    const Packet *p = &net->packets[packet];
    uint32_t message = p->message;
    Message *m = &net->messages[message];

    give_room(net, p->there, p->bytes);
    m->missing_bytes -= p->bytes;
    packet_free(net, packet);
    if (m->missing_bytes > 0)
        return;
    net->n_live--;
    net->deliver(net->self, message, now_ps);
}

/* @packet is at node @at, not its last: queue it for its next link. */
static void forward(PacketNetwork *net, uint32_t packet, uint32_t at,
                    SimTime now_ps)
{
    Packet *p = &net->packets[packet];
    const Message *m = &net->messages[p->message];
    uint32_t link, from = p->there.link_port % net->n_ports;
    uint32_t owner = topology_next(net->topology, at, m->dst, m->way, &link);
    uint32_t link_port = owner * net->n_ports + link;
    Port *port = &net->ports[link_port];
    uint32_t *passing;
    gboolean turns = topology_port(net->topology, from)->dim !=
                     topology_port(net->topology, link)->dim;

    p->here = p->there;
    p->there.link_port = link_port;
    if (turns)
        p->there.channel = 0;
    if (port->is_dateline)
        p->there.channel = 1;
    p->arrival_ps = now_ps;
    passing = &port->passing[p->there.channel];
    *passing = sim_heap_push(&by_packet, net, *passing, packet);
    arm(net, link_port);
}

static void on_arrival(gpointer self, uint32_t packet, SimTime now_ps)
{
    PacketNetwork *net = self;
    const Packet *p = &net->packets[packet];
    uint32_t dst = net->messages[p->message].dst;
    uint32_t at = topology_end(net->topology, p->there.link_port / net->n_ports,
                               p->there.link_port % net->n_ports);

    if (at == dst)
        take_in(net, packet, now_ps);
    else
        forward(net, packet, at, now_ps);
}

/* ---- messages --------------------------------------------------------- */

void packet_network_send(PacketNetwork *net, uint32_t src, uint32_t message,
                         const NetMessage *m)
{
    uint32_t link;
    uint32_t owner = topology_next(net->topology, src, m->dst, m->way, &link);
    uint32_t link_port = owner * net->n_ports + link;
    Port *port = &net->ports[link_port];

    g_assert(m->bytes > 0);
    if (message >= net->n_message_slots) {
        net->n_message_slots = MAX(message + 1, 2 * net->n_message_slots);
        net->messages = g_renew(Message, net->messages, net->n_message_slots);
    }
    net->messages[message] = (Message){
        .order_hi = m->order_hi,
        .order_lo = m->order_lo,
        .bytes = m->bytes,
        .unsent_bytes = m->bytes,
        .missing_bytes = m->bytes,
        .dst = m->dst,
        .src = src,
        .place = fold_seen(net->alike, m->dst, src),
        .way = m->way,
    };
    net->n_live++;
    port->setting_out =
        sim_heap_push(&by_key, net->messages, port->setting_out, message);
    arm(net, link_port);
}

NetPortStats packet_network_port_stats(const PacketNetwork *net, uint32_t npu,
                                       uint32_t port)
{
    return net->ports[npu * net->n_ports + port].stats;
}

uint64_t packet_network_n_hops(const PacketNetwork *net)
{
    return net->n_hops;
}

gboolean packet_network_is_empty(const PacketNetwork *net)
{
    gsize n = (gsize)topology_n_npus(net->topology) * net->n_ports;

    if (net->n_live > 0)
        return FALSE;
    for (gsize i = 0; i < n; i++) {
        const Port *port = &net->ports[i];

        g_assert(port->begun == NONE && port->setting_out == NONE);
        for (uint32_t c = 0; c < N_CHANNELS; c++) {
            g_assert(port->passing[c] == NONE);
            g_assert(port->room_bytes[c] ==
                     all_room_bytes(net, (uint32_t)(i % net->n_ports)));
        }
    }
    return TRUE;
}
