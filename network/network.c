#include "network/packet.h"

#define NONE       UINT32_MAX
#define FACTOR_ONE 1000000

/* A list of messages through .next. */
typedef struct {
    uint32_t head, tail; /* NONE, undefined: empty */
} List;

/* A link direction with its parallel links.  What passes through waits in a
 * FIFO, .fresh_ps's arrivals apart and in tie-break order until that instant
 * is over; what sets out here waits in order of its key. */
typedef struct {
    List passing, fresh, setting_out;
    List coming; /* yet to be ready, by .tail_ps */
    SimTime fresh_ps;
    SimTime *free_ps; /* borrowed: when each of its links is free */
    uint32_t n_links;
    uint32_t class;   /* the port's number, alike at every NPU */
    uint32_t far;     /* the node at its other end */
    SimTime armed_ps; /* a service event is due then; SIM_TIME_MAX: none */
    NetPortStats stats;
} Port;

/* Per class of links: durations worked out last. */
typedef struct {
    uint64_t bytes;
    SimTime bytes_ps;
    SimTime packet_ps;
} Memo;

struct Network {
    SimEngine *engine;        /* borrowed */
    const Topology *topology; /* borrowed */
    uint64_t packet_bytes;
    gboolean folded;
    NetworkDeliverFn deliver;
    gpointer self; /* borrowed */
    uint32_t n_ports;
    Port *ports;            /* owned: n_ports for each simulated NPU */
    SimTime *free_ps;       /* owned: when each link is free, port by port */
    uint32_t *first_link;   /* owned: of each port, in free_ps; n_ports + 1 */
    PacketNetwork *packets; /* owned; NULL: messages are trains */
    uint64_t *factors_ppm;  /* owned: one a port of each NPU; NULL: all 1 */
    Memo *memos;            /* owned: n_ports */
    NetMessage *messages;   /* owned */
    uint32_t n_messages, n_allocated, free_list, n_live;
    uint64_t n_hops;
};

Network *network_new(SimEngine *engine, const Topology *topology,
                     uint64_t packet_bytes, gboolean folded,
                     NetworkDeliverFn deliver, gpointer self)
{
    Network *net = g_new0(Network, 1);
    uint32_t n_npus = folded ? 1 : topology_n_npus(topology);

    net->engine = engine;
    net->topology = topology;
    net->packet_bytes = packet_bytes;
    net->folded = folded;
    net->deliver = deliver;
    net->self = self;
    net->free_list = NONE;
    net->n_ports = topology_n_ports(topology);
    net->ports = g_new0(Port, (gsize)n_npus * net->n_ports);
    net->memos = g_new0(Memo, net->n_ports);
    net->first_link = g_new0(uint32_t, net->n_ports + 1);
    for (uint32_t p = 0; p < net->n_ports; p++)
        net->first_link[p + 1] =
            net->first_link[p] + topology_port(topology, p)->n_links;
    net->free_ps =
        g_new0(SimTime, (gsize)n_npus * net->first_link[net->n_ports]);
    for (gsize i = 0; i < (gsize)n_npus * net->n_ports; i++) {
        uint32_t owner = (uint32_t)(i / net->n_ports);
        uint32_t p = (uint32_t)(i % net->n_ports);

        net->ports[i].class = p;
        net->ports[i].far = topology_end(topology, owner, p);
        net->ports[i].n_links = topology_port(topology, p)->n_links;
        net->ports[i].free_ps =
            &net->free_ps[(gsize)owner * net->first_link[net->n_ports] +
                          net->first_link[p]];
        net->ports[i].passing.head = NONE;
        net->ports[i].fresh.head = NONE;
        net->ports[i].setting_out.head = NONE;
        net->ports[i].coming.head = NONE;
        net->ports[i].armed_ps = SIM_TIME_MAX;
    }
    return net;
}

void network_free(Network *net)
{
    if (!net)
        return;
    packet_network_free(net->packets);
    g_free(net->ports);
    g_free(net->free_ps);
    g_free(net->first_link);
    g_free(net->memos);
    g_free(net->factors_ppm);
    g_free(net->messages);
    g_free(net);
}

/* The rate of a link that is not like the others. */
static uint64_t perturbed_bytes_per_s(const Network *net, uint32_t owner,
                                      uint32_t port)
{
    SimWide rate =
        (SimWide)topology_port(net->topology, port)->payload_bytes_per_s *
        net->factors_ppm[owner * net->n_ports + port] / FACTOR_ONE;

    return (uint64_t)MAX(1, MIN(rate, UINT64_MAX));
}

void network_set_bandwidth_factor(Network *net, uint32_t npu, uint32_t port,
                                  uint64_t factor_ppm)
{
    gsize n = (gsize)topology_n_npus(net->topology) * net->n_ports;

    g_assert(!net->folded && factor_ppm > 0);
    if (!net->factors_ppm) {
        net->factors_ppm = g_new(uint64_t, n);
        for (gsize i = 0; i < n; i++)
            net->factors_ppm[i] = FACTOR_ONE;
    }
    net->factors_ppm[npu * net->n_ports + port] = factor_ppm;
    if (net->packets)
        packet_network_set_rate(net->packets, npu, port,
                                perturbed_bytes_per_s(net, npu, port));
}

uint32_t network_message_new(Network *net)
{
    uint32_t i = net->free_list;

    net->n_live++;
    if (i != NONE) {
        net->free_list = net->messages[i].next;
        return i;
    }
    if (net->n_messages == net->n_allocated) {
        net->n_allocated = net->n_allocated ? 2 * net->n_allocated : 256;
        net->messages = g_renew(NetMessage, net->messages, net->n_allocated);
    }
    return net->n_messages++;
}

NetMessage *network_message(Network *net, uint32_t message)
{
    return &net->messages[message];
}

void network_message_free(Network *net, uint32_t message)
{
    net->messages[message].next = net->free_list;
    net->free_list = message;
    net->n_live--;
}

gboolean network_before(const NetMessage *a, const NetMessage *b)
{
    if (a->order_hi != b->order_hi)
        return a->order_hi < b->order_hi;
    if (a->order_lo != b->order_lo)
        return a->order_lo < b->order_lo;
    return a->n_hops < b->n_hops;
}

/* The instant of the fresh list is over: it follows what waited before. */
static void settle(Network *net, Port *port)
{
    if (port->fresh.head == NONE)
        return;
    if (port->passing.head == NONE)
        port->passing.head = port->fresh.head;
    else
        net->messages[port->passing.tail].next = port->fresh.head;
    port->passing.tail = port->fresh.tail;
    port->fresh.head = NONE;
}

/* Keeps @list sorted.  Mostly the place is at the end, or near the start. */
static void insert(Network *net, List *list, uint32_t message)
{
    NetMessage *m = &net->messages[message];
    uint32_t *link = &list->head;

    m->next = NONE;
    if (*link == NONE) {
        *link = list->tail = message;
        return;
    }
    if (!network_before(m, &net->messages[list->tail])) {
        net->messages[list->tail].next = message;
        list->tail = message;
        return;
    }
    while (!network_before(m, &net->messages[*link]))
        link = &net->messages[*link].next;
    m->next = *link;
    *link = message;
}

/* What goes next, or NONE. */
static uint32_t take_first(Network *net, Port *port)
{
    List *list =
        port->passing.head != NONE ? &port->passing : &port->setting_out;
    uint32_t message = list->head;

    if (message != NONE)
        list->head = net->messages[message].next;
    return message;
}

static gboolean has_waiting(const Port *port)
{
    return port->passing.head != NONE || port->setting_out.head != NONE;
}

static void on_service(gpointer self, uint32_t arg, uint64_t now_ps);

static void arm(Network *net, uint32_t link_port, SimTime at_ps)
{
    Port *port = &net->ports[link_port];

    if (port->armed_ps <= at_ps)
        return;
    port->armed_ps = at_ps;
    sim_engine_at(net->engine, at_ps, SIM_PHASE_LINK, on_service, net,
                  link_port);
}

static SimTime *first_free(const Port *port)
{
    SimTime *best = port->free_ps;

    for (uint32_t i = 1; i < port->n_links; i++)
        if (port->free_ps[i] < *best)
            best = &port->free_ps[i];
    return best;
}

/* The port of the link that @message, at @at, takes next. */
static uint32_t next_port(const Network *net, uint32_t at, NetMessage *m)
{
    uint32_t p;
    uint32_t owner = topology_next(net->topology, at, m->dst, m->way, &p);

    if (net->folded && owner != 0) {
        m->dst = topology_relative(net->topology, owner, m->dst);
        owner = 0;
    }
    return owner * net->n_ports + p;
}

/* @message is at @at, its head ready now: queue it for its next link. */
static void offer(Network *net, uint32_t at, uint32_t message)
{
    SimTime now_ps = sim_engine_now(net->engine);
    uint32_t link_port = next_port(net, at, &net->messages[message]);
    Port *port = &net->ports[link_port];

    if (port->fresh_ps != now_ps)
        settle(net, port);
    port->fresh_ps = now_ps;
    insert(net, &port->fresh, message);
    arm(net, link_port, MAX(now_ps, *first_free(port)));
}

/* What has become ready joins the others. */
static void welcome(Network *net, Port *port, SimTime now_ps)
{
    while (port->coming.head != NONE &&
           net->messages[port->coming.head].tail_ps <= now_ps) {
        uint32_t message = port->coming.head;

        port->coming.head = net->messages[message].next;
        insert(net, &port->setting_out, message);
    }
}

/* Adds to a list that is sorted by .tail_ps; nearly always at its end. */
static void append_coming(Network *net, Port *port, uint32_t message)
{
    NetMessage *m = &net->messages[message];
    uint32_t *link = &port->coming.head;

    if (*link != NONE && net->messages[port->coming.tail].tail_ps <= m->tail_ps)
        link = &net->messages[port->coming.tail].next;
    while (*link != NONE && net->messages[*link].tail_ps <= m->tail_ps)
        link = &net->messages[*link].next;
    m->next = *link;
    *link = message;
    if (m->next == NONE)
        port->coming.tail = message;
}

static void on_deliver(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;

    net->deliver(net->self, net->messages[message].dst, message, now_ps);
}

static void on_hop_switch(gpointer self, uint32_t message, uint64_t now_ps)
{
    (void)now_ps;
    offer(self, TOPOLOGY_CORE, message);
}

/* The head has reached a node on the way. */
static void on_hop(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;

    (void)now_ps;
    offer(net, net->messages[message].at, message);
}

/* Durations at the rate of a link that is not like the others. */
static SimTime perturbed_ps(const Network *net, uint32_t owner, uint32_t port,
                            uint64_t bytes, SimTime *packet_ps)
{
    uint64_t bytes_per_s = perturbed_bytes_per_s(net, owner, port);

    *packet_ps =
        sim_time_from_bytes(MIN(bytes, net->packet_bytes), bytes_per_s);
    return sim_time_from_bytes(bytes, bytes_per_s);
}

static SimTime message_ps(Network *net, uint32_t owner, uint32_t port,
                          uint64_t bytes, SimTime *packet_ps)
{
    Memo *memo = &net->memos[port];

    if (G_UNLIKELY(net->factors_ppm))
        return perturbed_ps(net, owner, port, bytes, packet_ps);
    if (memo->bytes != bytes) {
        uint64_t rate = topology_port(net->topology, port)->payload_bytes_per_s;

        memo->bytes = bytes;
        memo->bytes_ps = sim_time_from_bytes(bytes, rate);
        memo->packet_ps =
            sim_time_from_bytes(MIN(bytes, net->packet_bytes), rate);
    }
    *packet_ps = memo->packet_ps;
    return memo->bytes_ps;
}

/* Puts @message on a link of @port of @owner that is free now. */
static void transmit(Network *net, uint32_t owner, Port *from, SimTime *free_ps,
                     uint32_t message)
{
    NetMessage *m = &net->messages[message];
    NetPortStats *stats = &from->stats;
    uint32_t port = from->class, at = from->far;
    SimTime latency_ps = topology_port(net->topology, port)->latency_ps;
    SimTime now_ps = sim_engine_now(net->engine);
    SimTime packet_ps;
    SimTime takes_ps = message_ps(net, owner, port, m->bytes, &packet_ps);
    SimTime end_ps = MAX(sim_time_add(now_ps, takes_ps),
                         sim_time_add(m->tail_ps, packet_ps));

    *free_ps = end_ps;
    stats->busy_ps += end_ps - now_ps;
    stats->sent_bytes += m->bytes;
    stats->n_messages++;
    net->n_hops++;
    m->n_hops++;
    m->tail_ps = sim_time_add(end_ps, latency_ps);
    if (at == m->dst) {
        if (net->folded)
            m->dst = 0;
        sim_engine_at(net->engine, m->tail_ps, SIM_PHASE_DELIVER, on_deliver,
                      net, message);
        return;
    }
    m->at = at;
    sim_engine_at(net->engine,
                  sim_time_add(sim_time_add(now_ps, packet_ps), latency_ps),
                  SIM_PHASE_DELIVER,
                  at == TOPOLOGY_CORE ? on_hop_switch : on_hop, net, message);
}

static void on_service(gpointer self, uint32_t link_port, uint64_t now_ps)
{
    Network *net = self;
    Port *port = &net->ports[link_port];
    uint32_t owner = net->factors_ppm ? link_port / net->n_ports : 0;
    SimTime *free_ps = first_free(port);

    if (port->armed_ps != now_ps)
        return;
    port->armed_ps = SIM_TIME_MAX;
    settle(net, port);
    welcome(net, port, now_ps);
    while (has_waiting(port) && *free_ps <= now_ps) {
        transmit(net, owner, port, free_ps, take_first(net, port));
        free_ps = first_free(port);
    }
    if (has_waiting(port))
        arm(net, link_port, *free_ps);
    else if (port->coming.head != NONE)
        arm(net, link_port,
            MAX(net->messages[port->coming.head].tail_ps, *free_ps));
}

uint32_t network_first_port(const Network *net, uint32_t src, uint32_t dst,
                            uint32_t way)
{
    uint32_t port;

    topology_next(net->topology, src, dst, way, &port);
    return port;
}

/* ---- packet by packet ------------------------------------------------- */

static void on_packets_arrived(gpointer self, uint32_t message, SimTime now_ps)
{
    on_deliver(self, message, now_ps);
}

static void on_packets_ready(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;
    const NetMessage *m = &net->messages[message];

    (void)now_ps;
    packet_network_send(net->packets, m->at, message, m);
}

void network_use_packets(Network *net, uint64_t buffer_bytes)
{
    g_assert(!net->folded && !net->packets);
    net->packets =
        packet_network_new(net->engine, net->topology, net->packet_bytes,
                           buffer_bytes, on_packets_arrived, net);
}

/* ---- sending ---------------------------------------------------------- */

void network_send_at(Network *net, uint32_t src, uint32_t message,
                     SimTime ready_ps)
{
    NetMessage *m = &net->messages[message];
    uint32_t link_port = src * net->n_ports + m->port;
    Port *port = &net->ports[link_port];

    g_assert(m->bytes > 0);
    if (net->packets) {
        m->at = src;
        sim_engine_at(net->engine, ready_ps, SIM_PHASE_ACT, on_packets_ready,
                      net, message);
        return;
    }
    m->n_hops = 0;
    m->tail_ps = ready_ps;
    if (ready_ps <= sim_engine_now(net->engine))
        insert(net, &port->setting_out, message);
    else
        append_coming(net, port, message);
    arm(net, link_port, MAX(ready_ps, *first_free(port)));
}

void network_send(Network *net, uint32_t src, uint32_t message)
{
    NetMessage *m = &net->messages[message];

    m->port = network_first_port(net, src, m->dst, m->way);
    network_send_at(net, src, message, sim_engine_now(net->engine));
}

NetPortStats network_port_stats(const Network *net, uint32_t npu, uint32_t port)
{
    return net->packets ? packet_network_port_stats(net->packets, npu, port)
                        : net->ports[npu * net->n_ports + port].stats;
}

uint32_t network_n_live(const Network *net)
{
    return net->n_live;
}

uint64_t network_n_hops(const Network *net)
{
    return net->packets ? packet_network_n_hops(net->packets) : net->n_hops;
}

gboolean network_is_empty(const Network *net)
{
    return net->n_live == 0 &&
           (!net->packets || packet_network_is_empty(net->packets));
}
