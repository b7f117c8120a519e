#include <string.h>

#include "network/transport/meeting.h"
#include "network/transport/message_list.h"
#include "network/transport/packet.h"
#include "network/transport/stripe.h"

#define FACTOR_ONE 1000000

/* A link direction with its parallel links, and what waits for them. */
typedef struct {
    MessageList waiting; /* by key */
    MessageList coming;  /* yet to be ready, by .tail_ps */
    SimTime *free_ps;    /* borrowed: when its links are free, ascending */
    uint32_t n_links;
    uint32_t class;   /* the port's number, alike at every NPU */
    uint32_t far;     /* the node at its other end */
    SimTime armed_ps; /* a service event is due then; SIM_TIME_MAX: none */
    NetPortStats stats;
} Port;

/* What the links of a port have in common at every NPU. */
typedef struct {
    SimTime latency_ps;
    uint64_t bytes;    /* of the message looked at last, */
    StripeTimes takes; /* and what it takes */
} Class;

struct Network {
    SimEngine *engine;        /* borrowed */
    const Topology *topology; /* borrowed */
    uint64_t packet_bytes;
    const Fold *fold; /* borrowed; NULL: full */
    NetworkDeliverFn deliver;
    NetworkForeseeFn foresee; /* may be NULL */
    NetworkLinkFn link;       /* may be NULL */
    NetworkBusyFn busy;       /* with it */
    SimTime *free_before_ps;  /* owned: of a port's links, with .link */
    gpointer listener;        /* borrowed */
    gpointer self;            /* borrowed */
    uint32_t n_ports;
    Port *ports;            /* owned: n_ports for each simulated NPU */
    SimTime *free_ps;       /* owned: when each link is free, port by port */
    uint32_t *first_link;   /* owned: of each port, in free_ps; n_ports + 1 */
    PacketNetwork *packets; /* owned; NULL: messages are trains */
    Meetings *meetings;     /* owned; NULL: the switch adds nothing */
    uint64_t *factors_ppm;  /* owned: one a port of each NPU; NULL: all 1 */
    Class *classes;         /* owned: n_ports */
    NetMessage *messages;   /* owned */
    uint32_t n_messages, n_allocated, free_list, n_live;
};

static void on_hop(gpointer self, uint32_t message, uint64_t now_ps);

Network *network_new(SimEngine *engine, const Topology *topology,
                     uint64_t packet_bytes, const Fold *fold,
                     NetworkDeliverFn deliver, gpointer self)
{
    Network *net = g_new0(Network, 1);
    uint32_t n_npus = fold ? fold_n(fold) : topology_n_npus(topology);

    net->engine = engine;
    net->topology = topology;
    net->packet_bytes = packet_bytes;
    net->fold = fold && !fold_is_full(fold) ? fold : NULL;
    net->deliver = deliver;
    net->self = self;
    net->free_list = MESSAGE_NONE;
    net->n_ports = topology_n_ports(topology);
    net->ports = g_new0(Port, (gsize)n_npus * net->n_ports);
    net->classes = g_new0(Class, net->n_ports);
    net->first_link = g_new0(uint32_t, net->n_ports + 1);
    for (uint32_t p = 0; p < net->n_ports; p++) {
        const TopologyPort *port = topology_port(topology, p);

        net->first_link[p + 1] = net->first_link[p] + port->n_links;
        net->classes[p].latency_ps = port->latency_ps;
    }
    net->free_ps =
        g_new0(SimTime, (gsize)n_npus * net->first_link[net->n_ports]);
    if (topology_adder(topology))
        net->meetings =
            meetings_new(net, engine, topology, n_npus, packet_bytes, on_hop);
    for (gsize i = 0; i < (gsize)n_npus * net->n_ports; i++) {
        uint32_t owner = (uint32_t)(i / net->n_ports);
        uint32_t p = (uint32_t)(i % net->n_ports);

        net->ports[i].class = p;
        net->ports[i].far = topology_end(
            topology, net->fold ? fold_end(net->fold, owner) : owner, p);
        net->ports[i].n_links = topology_port(topology, p)->n_links;
        net->ports[i].free_ps =
            &net->free_ps[(gsize)owner * net->first_link[net->n_ports] +
                          net->first_link[p]];
        net->ports[i].waiting = MESSAGE_LIST_EMPTY;
        net->ports[i].coming = MESSAGE_LIST_EMPTY;
        net->ports[i].armed_ps = SIM_TIME_MAX;
    }
    return net;
}

uint64_t network_npu_bytes(const Topology *topology)
{
    uint64_t bytes = 0;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++)
        bytes += sizeof(Port) +
                 topology_port(topology, p)->n_links * sizeof(SimTime);
    return bytes;
}

void network_let_foresee(Network *net, NetworkForeseeFn foresee)
{
    net->foresee = foresee;
}

void network_listen(Network *net, NetworkLinkFn link, NetworkBusyFn busy,
                    gpointer self)
{
    net->link = link;
    net->busy = busy;
    net->free_before_ps =
        g_renew(SimTime, net->free_before_ps, net->first_link[net->n_ports]);
    net->listener = self;
}

void network_free(Network *net)
{
    if (!net)
        return;
    packet_network_free(net->packets);
    meetings_free(net->meetings);
    g_free(net->ports);
    g_free(net->free_ps);
    g_free(net->free_before_ps);
    g_free(net->first_link);
    g_free(net->classes);
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

    g_assert(!net->fold && factor_ppm > 0);
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
    if (i != MESSAGE_NONE) {
        net->free_list = net->messages[i].link.next;
        return i;
    }
    if (net->n_messages == net->n_allocated) {
        net->n_allocated = net->n_allocated ? 2 * net->n_allocated : 256;
        net->messages = g_renew(NetMessage, net->messages, net->n_allocated);
    }
    net->messages[net->n_messages].meets = NET_MEETS_NOT;
    return net->n_messages++;
}

NetMessage *network_message(Network *net, uint32_t message)
{
    return &net->messages[message];
}

void network_message_free(Network *net, uint32_t message)
{
    net->messages[message].meets = NET_MEETS_NOT;
    net->messages[message].link.next = net->free_list;
    net->free_list = message;
    net->n_live--;
}

static gboolean has_waiting(const Port *port)
{
    return port->waiting.head != MESSAGE_NONE;
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

/* The port of the link that @message, at @at, takes next. */
static uint32_t next_port(const Network *net, uint32_t at, NetMessage *m)
{
    uint32_t p;
    uint32_t owner = topology_next(net->topology, at, m->dst, m->way, &p);

    if (net->fold) {
        m->dst = fold_seen(net->fold, owner, m->dst);
        owner = fold_index(net->fold, owner);
    }
    return owner * net->n_ports + p;
}

/* @message is at @at, its head ready now: queue it for its next link. */
static void offer(Network *net, uint32_t at, uint32_t message)
{
    SimTime now_ps = sim_engine_now(net->engine);
    uint32_t link_port = next_port(net, at, &net->messages[message]);
    Port *port = &net->ports[link_port];

    message_list_insert(net->messages, &port->waiting, message);
    arm(net, link_port, MAX(now_ps, port->free_ps[0]));
}

/* What has become ready joins the others. */
static void welcome(Network *net, Port *port, SimTime now_ps)
{
    while (port->coming.head != MESSAGE_NONE &&
           net->messages[port->coming.head].tail_ps <= now_ps) {
        uint32_t message =
            message_list_take(net->messages, &port->coming, &message_by_tail);

        message_list_insert(net->messages, &port->waiting, message);
    }
}

static void on_deliver(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;

    net->deliver(net->self, net->messages[message].dst, message, now_ps);
}

/* The head has reached a node on the way. */
static void on_hop(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;

    (void)now_ps;
    if (G_UNLIKELY(network_is_to_meet(&net->messages[message])))
        meetings_come(net->meetings, message);
    else
        offer(net, net->messages[message].at, message);
}

/* What it takes stays in the port's class, for the next message that is as
 * long; of perturbed links nothing is remembered. */
static G_GNUC_NO_INLINE void work_out(Network *net, const Port *port,
                                      uint64_t bytes)
{
    Class *class = &net->classes[port->class];
    uint32_t owner = (uint32_t)(port - net->ports) / net->n_ports;
    uint64_t bytes_per_s =
        topology_port(net->topology, port->class)->payload_bytes_per_s;

    if (net->factors_ppm)
        bytes_per_s = perturbed_bytes_per_s(net, owner, port->class);
    else
        class->bytes = bytes;
    class->takes =
        stripe_times(bytes, net->packet_bytes, bytes_per_s, port->n_links);
}

/* @message is on its last link. */
static void come_in(Network *net, NetMessage *m, uint32_t message)
{
    if (net->fold)
        m->dst = fold_index(net->fold, m->dst);
    if (net->foresee && net->foresee(net->self, m->dst, message, m->tail_ps))
        return;
    sim_engine_at(net->engine, m->tail_ps, SIM_PHASE_DELIVER, on_deliver, net,
                  message);
}

/* Tells when the links work that are free at others times than before: in which
 * order they ended makes no difference to how many work when. */
static void tell_busy(Network *net, const Port *port, SimTime now_ps)
{
    for (uint32_t i = 0; i < port->n_links; i++) {
        SimTime from_ps = MAX(net->free_before_ps[i], now_ps);

        if (port->free_ps[i] > from_ps)
            net->busy(net->listener,
                      (uint32_t)(port - net->ports) / net->n_ports, port->class,
                      from_ps, port->free_ps[i]);
    }
}

static void tell(Network *net, const Port *port, uint32_t message,
                 SimTime now_ps, SimTime end_ps)
{
    net->link(net->listener, (uint32_t)(port - net->ports) / net->n_ports,
              port->class, message, end_ps, has_waiting(port));
    tell_busy(net, port, now_ps);
}

/* Puts @message on the links of @port, one of which is free now. */
static void transmit(Network *net, Port *port, uint32_t message, SimTime now_ps)
{
    NetMessage *m = &net->messages[message];
    const Class *class = &net->classes[port->class];
    Stripe stripe;

    if (G_UNLIKELY(class->bytes != m->bytes))
        work_out(net, port, m->bytes);
    if (G_UNLIKELY(net->link))
        memcpy(net->free_before_ps, port->free_ps,
               port->n_links * sizeof *port->free_ps);
    stripe = stripe_take(port->free_ps, port->n_links, &class->takes, now_ps,
                         m->tail_ps + class->takes.packet_ps);
    port->stats.busy_ps += stripe.busy_ps;
    port->stats.sent_bytes += m->bytes;
    port->stats.n_messages++;
    m->n_hops++;
    if (G_UNLIKELY(net->link))
        tell(net, port, message, now_ps, stripe.end_ps);
    m->tail_ps = stripe.end_ps + class->latency_ps;
    if (port->far == m->dst) {
        come_in(net, m, message);
        return;
    }
    m->at = port->far;
    sim_engine_at(net->engine,
                  now_ps + class->takes.packet_ps + class->latency_ps,
                  SIM_PHASE_DELIVER, on_hop, net, message);
}

static void on_service(gpointer self, uint32_t link_port, uint64_t now_ps)
{
    Network *net = self;
    Port *port = &net->ports[link_port];

    if (port->armed_ps != now_ps)
        return;
    port->armed_ps = SIM_TIME_MAX;
    welcome(net, port, now_ps);
    while (has_waiting(port) && port->free_ps[0] <= now_ps)
        transmit(
            net, port,
            message_list_take(net->messages, &port->waiting, &message_by_key),
            now_ps);
    if (has_waiting(port))
        arm(net, link_port, port->free_ps[0]);
    else if (port->coming.head != MESSAGE_NONE)
        arm(net, link_port,
            MAX(net->messages[port->coming.head].tail_ps, port->free_ps[0]));
}

/* By itself, so that who sends is small enough to be inlined. */
G_GNUC_NO_INLINE uint32_t network_first_port(const Network *net, uint32_t src,
                                             uint32_t dst, uint32_t way)
{
    uint32_t port;
    uint32_t owner = topology_next(net->topology, src, dst, way, &port);

    if (net->fold)
        owner = fold_index(net->fold, owner);
    return owner * net->n_ports + port;
}

/* ---- packet by packet ------------------------------------------------- */

static void on_packets_ready(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;
    const NetMessage *m = &net->messages[message];

    (void)now_ps;
    packet_network_send(net->packets, m->at, message, m);
}

void network_use_packets(Network *net, uint64_t buffer_bytes)
{
    g_assert(!net->fold && !net->packets);
    net->packets =
        packet_network_new(net->engine, net->topology, net->packet_bytes,
                           buffer_bytes, on_deliver, net);
}

/* ---- sending ---------------------------------------------------------- */

static G_GNUC_NO_INLINE void send_packets_at(Network *net, uint32_t src,
                                             uint32_t message, SimTime ready_ps)
{
    net->messages[message].at = src;
    sim_engine_at(net->engine, ready_ps, SIM_PHASE_ACT, on_packets_ready, net,
                  message);
}

static inline void line_up(Network *net, Port *port, uint32_t message,
                           SimTime ready_ps)
{
    if (ready_ps <= sim_engine_now(net->engine))
        message_list_insert(net->messages, &port->waiting, message);
    else
        message_list_append(net->messages, &port->coming, message);
}

static G_GNUC_NO_INLINE void arm_and_line_up(Network *net, uint32_t link_port,
                                             uint32_t message, SimTime ready_ps)
{
    Port *port = &net->ports[link_port];

    arm(net, link_port, MAX(ready_ps, port->free_ps[0]));
    line_up(net, port, message, ready_ps);
}

/* Mostly the port is armed.  Every way ends in its call, so that no register
 * need be saved for afterwards. */
void network_send_at(Network *net, uint32_t src, uint32_t message,
                     SimTime ready_ps)
{
    NetMessage *m = &net->messages[message];
    Port *port = &net->ports[m->port];

    g_assert(m->bytes > 0);
    if (G_UNLIKELY(net->packets)) {
        send_packets_at(net, src, message, ready_ps);
        return;
    }
    m->n_hops = 0;
    m->tail_ps = ready_ps;
    if (port->armed_ps <= MAX(ready_ps, port->free_ps[0]))
        line_up(net, port, message, ready_ps);
    else
        arm_and_line_up(net, m->port, message, ready_ps);
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
    gsize n_ports =
        (gsize)net->n_ports *
        (net->fold ? fold_n(net->fold) : topology_n_npus(net->topology));
    uint64_t n_hops = 0;

    if (net->packets)
        return packet_network_n_hops(net->packets);
    for (gsize i = 0; i < n_ports; i++)
        n_hops += net->ports[i].stats.n_messages;
    return n_hops;
}

gboolean network_is_empty(const Network *net)
{
    return net->n_live == 0 &&
           (!net->packets || packet_network_is_empty(net->packets));
}
