/*
 * trains.c - messages as trains of packets, an event a hop; see network.h
 */
#include <string.h>

#include "network/transport/trains_impl.h"

/* Whether what goes first, which is the head then, may begin now. */
static G_GNUC_NO_INLINE gboolean let(Network *net, uint32_t number,
                                     SimTime now_ps)
{
    Link *link = &net->links[number];

    if (link->is_limited && !limits_let(net, number, now_ps))
        return FALSE;
    if (net->flows)
        flows_choose(net, link);
    return TRUE;
}

static void arm(Network *net, uint32_t number, SimTime at_ps)
{
    Link *link = &net->links[number];

    if (link->armed_ps <= at_ps)
        return;
    link->armed_ps = at_ps;
    sim_engine_at(net->engine, at_ps, SIM_PHASE_LINK, trains_on_service, net,
                  number);
}

/* ---- ways ------------------------------------------------------------- */

/* What known ways are asked for. */
enum { ASKS_LINK, ASKS_REACH };

/* Returns what next_link() does, and remembers it.  Not inlined: other
 * networks would save registers for it. */
static G_GNUC_NO_INLINE uint32_t known_link(const Network *net, uint32_t at,
                                            uint32_t *dst, uint32_t way)
{
    uint64_t key;
    KnownWay *known = known_ways_at(net->known, ASKS_LINK, at, *dst, way, &key);

    if (G_UNLIKELY(known->key != key)) {
        uint32_t link = topology_next(net->topology, at, *dst, way);

        known->a = trains_number_of(net, link, dst);
        known->b = *dst;
        known->key = key;
    }
    *dst = known->b;
    return known->a;
}

/* The simulated link that leads from node @at to NPU *@dst; *@dst is set to it
 * as it is seen from there. */
static inline uint32_t next_link(const Network *net, uint32_t at, uint32_t *dst,
                                 uint32_t way)
{
    return net->known
               ? known_link(net, at, dst, way)
               : trains_number_of(
                     net, topology_next(net->topology, at, *dst, way), dst);
}

/* By itself, so that who sends is small enough to be inlined. */
G_GNUC_NO_INLINE uint32_t network_first_link(const Network *net, uint32_t src,
                                             uint32_t dst, uint32_t way)
{
    return next_link(net, src, &dst, way);
}

TopologyReach network_reach(const Network *net, uint32_t src, uint32_t dst,
                            uint32_t way)
{
    KnownWay *known;
    uint64_t key;

    if (!net->known)
        return topology_reach(net->topology, src, dst, way);
    known = known_ways_at(net->known, ASKS_REACH, src, dst, way, &key);
    if (known->key != key)
        *known =
            (KnownWay){ key, topology_reach(net->topology, src, dst, way), 0 };
    return (TopologyReach)known->a;
}

/* @message is at @at, its head ready now: queue it for its next link. */
static void offer(Network *net, uint32_t at, uint32_t message)
{
    SimTime now_ps = sim_engine_now(net->engine);
    NetMessage *m = &net->messages[message];
    uint32_t number = next_link(net, at, &m->dst, m->way);
    Link *link = &net->links[number];

    if (G_UNLIKELY(link->is_uneven))
        m->feed = shares_feed(m->tail_ps > now_ps ? m->tail_ps - now_ps : 0);
    message_list_insert(net->messages, &link->waiting, message);
    arm(net, number, MAX(now_ps, link->free_ps[0]));
}

/* The same for a head that is at @at from @head_ps on, and whose tail comes
 * @trails_ps later.  No event is due for the head itself. */
static inline void expect(Network *net, uint32_t at, uint32_t message,
                          SimTime head_ps, uint32_t trails_ps)
{
    NetMessage *m = &net->messages[message];
    uint32_t number = next_link(net, at, &m->dst, m->way);
    Link *link = &net->links[number];

    if (G_UNLIKELY(link->is_uneven))
        m->feed = shares_feed(trails_ps);
    m->tail_ps = head_ps;
    m->link.child = trails_ps;
    message_list_append(net->messages, &link->coming, message);
    arm(net, number, MAX(head_ps, link->free_ps[0]));
}

void trains_on_deliver(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;

    net->deliver(net->self, net->messages[message].dst, message, now_ps);
}

void trains_on_hop(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;
    NetMessage *m = &net->messages[message];

    (void)now_ps;
    if (G_UNLIKELY(network_is_to_meet(m)) &&
        topology_way_on(net->topology, m->at, m->way) != m->way)
        meetings_come(net->meetings, message);
    else
        offer(net, m->at, message);
}

void trains_go_on(Network *net, uint32_t message, SimTime head_ps)
{
    NetMessage *m = &net->messages[message];
    SimTime trails_ps = m->tail_ps > head_ps ? m->tail_ps - head_ps : 0;

    if (G_UNLIKELY(trails_ps > UINT32_MAX || network_is_to_meet(m)))
        sim_engine_at(net->engine, head_ps, SIM_PHASE_DELIVER, trains_on_hop,
                      net, message);
    else
        expect(net, m->at, message, head_ps, (uint32_t)trails_ps);
}

/* @message is on its last link.  Inlined: a call costs 30 instructions a hop.
 */
static inline __attribute__((always_inline)) void
come_in(Network *net, NetMessage *m, uint32_t message)
{
    if (net->fold)
        m->dst = fold_index(net->fold, m->dst);
    if (net->foresee && net->foresee(net->self, m->dst, message, m->tail_ps))
        return;
    sim_engine_at(net->engine, m->tail_ps, SIM_PHASE_DELIVER, trains_on_deliver,
                  net, message);
}

/* The head of @message is at node @at at @at_ps, and goes further. */
static G_GNUC_NO_INLINE void go_on(Network *net, uint32_t at, uint32_t message,
                                   SimTime at_ps)
{
    net->messages[message].at = at;
    if (net->leave && net->leave(net->self, message, at_ps))
        return;
    trains_go_on(net, message, at_ps);
}

/* ---- links ------------------------------------------------------------ */

/* Moves messages that have come by @now_ps to those that wait for the link.  In
 * .coming .tail_ps is the time at which a message can be served; in .waiting it
 * is the time at which its tail comes. */
static void welcome(Network *net, Link *link, SimTime now_ps)
{
    while (link->coming.head != MESSAGE_NONE &&
           net->messages[link->coming.head].tail_ps <= now_ps) {
        uint32_t message =
            message_list_take(net->messages, &link->coming, &message_by_tail);

        net->messages[message].tail_ps += net->messages[message].link.child;
        message_list_insert(net->messages, &link->waiting, message);
    }
}

/* What it takes stays in the link's class, for the next message that is as
 * long; of perturbed links nothing is remembered. */
static G_GNUC_NO_INLINE void work_out(Network *net, const Link *link,
                                      uint64_t bytes)
{
    Class *class = &net->classes[link->port];
    uint64_t bytes_per_s =
        topology_port(net->topology, link->port)->payload_bytes_per_s;

    if (net->factors_ppm)
        bytes_per_s =
            network_perturbed_bytes_per_s(net, (uint32_t)(link - net->links));
    else
        class->bytes = bytes;
    class->takes =
        stripe_times(bytes, net->packet_bytes, bytes_per_s, link->n_links);
}

/* Tells when the links work that are free at others times than before: in which
 * order they ended makes no difference to how many work when. */
static void tell_busy(Network *net, const Link *link, SimTime now_ps)
{
    for (uint32_t i = 0; i < link->n_links; i++) {
        SimTime from_ps = MAX(net->free_before_ps[i], now_ps);

        if (link->free_ps[i] > from_ps)
            net->busy(net->listener, (uint32_t)(link - net->links), from_ps,
                      link->free_ps[i]);
    }
}

/* @passage: what it shares; NULL: nothing. */
static void tell(Network *net, const Link *link, uint32_t message,
                 const Passage *passage, SimTime now_ps, SimTime end_ps)
{
    gboolean wanted = trains_are_waiting(link) && link->free_ps[0] >= end_ps;

    if (!passage)
        wanted = trains_are_waiting(link);
    net->link(net->listener, (uint32_t)(link - net->links), message, end_ps,
              wanted);
    if (net->busy && passage)
        shares_tell_busy(net, link, passage, now_ps);
    else if (net->busy)
        tell_busy(net, link, now_ps);
}

/* @message, which goes over @link from now until @end_ps, comes to its far
 * end; its head does at @head_ps. */
static inline void pass(Network *net, const Link *link, uint32_t message,
                        SimTime head_ps, SimTime end_ps)
{
    NetMessage *m = &net->messages[message];
    SimTime latency_ps = net->classes[link->port].latency_ps;

    m->tail_ps = end_ps + latency_ps;
    if (link->far == m->dst)
        come_in(net, m, message);
    else
        go_on(net, link->far, message, head_ps + latency_ps);
}

static inline void count(Link *link, NetMessage *m, SimTime busy_ps)
{
    link->stats.busy_ps += busy_ps;
    link->stats.sent_bytes += m->bytes;
    link->stats.n_messages++;
    m->n_hops++;
}

/* Where others have a part of @link, or get one. */
static G_GNUC_NO_INLINE void share(Network *net, Link *link, uint32_t message,
                                   SimTime least_ps, SimTime now_ps)
{
    NetMessage *m = &net->messages[message];
    Passage passage = shares_take(net, link, m, least_ps, now_ps);

    count(link, m, passage.busy_ps);
    if (net->link)
        tell(net, link, message, &passage, now_ps, passage.end_ps);
    pass(net, link, message, passage.head_ps, passage.end_ps);
}

/* Returns FALSE where @m surely takes all of a link that it shares with no
 * other message: it sets out here, or comes as fast as the links can send it
 * and nothing else waits. */
static inline gboolean may_share(const Link *link, const NetMessage *m,
                                 const StripeTimes *takes, SimTime least_ps,
                                 SimTime now_ps)
{
    if (link->is_shared || link->is_limited)
        return TRUE;
    return m->n_hops > 0 &&
           (trains_are_waiting(link) ||
            least_ps > now_ps + (link->n_links == 1 ? takes->message_ps
                                                    : takes->fewer_ps));
}

/* Puts @message on the links of @link, one of which is free now. */
static void transmit(Network *net, Link *link, uint32_t message, SimTime now_ps)
{
    NetMessage *m = &net->messages[message];
    const Class *class = &net->classes[link->port];
    SimTime least_ps;
    Stripe stripe;

    if (G_UNLIKELY(class->bytes != m->bytes))
        work_out(net, link, m->bytes);
    least_ps = m->tail_ps + class->takes.packet_ps;
    if (G_UNLIKELY(net->link))
        memcpy(net->free_before_ps, link->free_ps,
               link->n_links * sizeof *link->free_ps);
    if (G_UNLIKELY(link->is_uneven) &&
        may_share(link, m, &class->takes, least_ps, now_ps) &&
        shares_are_needed(net, link, m, least_ps, now_ps)) {
        share(net, link, message, least_ps, now_ps);
        return;
    }
    stripe = stripe_take(link->free_ps, link->n_links, &class->takes, now_ps,
                         least_ps);
    count(link, m, stripe.busy_ps);
    if (G_UNLIKELY(net->link))
        tell(net, link, message, NULL, now_ps, stripe.end_ps);
    pass(net, link, message, now_ps + class->takes.packet_ps, stripe.end_ps);
}

/* What comes after @message, which begins now, waits in its place. */
static G_GNUC_NO_INLINE void follow(Network *net, Link *link, uint32_t message)
{
    uint32_t next = net->follow(net->self, message);

    net->messages[next].n_hops = 0;
    net->messages[next].tail_ps = net->messages[message].tail_ps;
    net->messages[message].leads = FALSE;
    message_list_insert(net->messages, &link->waiting, next);
}

void trains_on_service(gpointer self, uint32_t number, uint64_t now_ps)
{
    Network *net = self;
    Link *link = &net->links[number];

    if (link->armed_ps != now_ps)
        return;
    link->armed_ps = SIM_TIME_MAX;
    welcome(net, link, now_ps);
    while (trains_are_waiting(link) && link->free_ps[0] <= now_ps) {
        uint32_t message;

        if (G_UNLIKELY(link->is_special) && !let(net, number, now_ps))
            return;
        message =
            message_list_take(net->messages, &link->waiting, &message_by_key);
        if (G_UNLIKELY(net->messages[message].leads))
            follow(net, link, message);
        transmit(net, link, message, now_ps);
    }
    if (trains_are_waiting(link))
        arm(net, number, link->free_ps[0]);
    else if (link->coming.head != MESSAGE_NONE)
        arm(net, number,
            MAX(net->messages[link->coming.head].tail_ps, link->free_ps[0]));
}

void trains_serve_at(Network *net, uint32_t number, SimTime at_ps)
{
    arm(net, number, at_ps);
}

void trains_serve(Network *net, uint32_t number, SimTime now_ps)
{
    net->links[number].armed_ps = now_ps;
    trains_on_service(net, number, now_ps);
}

/* ---- sending ---------------------------------------------------------- */

static void on_packets_ready(gpointer self, uint32_t message, uint64_t now_ps)
{
    Network *net = self;
    const NetMessage *m = &net->messages[message];

    (void)now_ps;
    packet_network_send(net->packets, m->at, message, m);
}

static G_GNUC_NO_INLINE void send_packets_at(Network *net, uint32_t src,
                                             uint32_t message, SimTime ready_ps)
{
    net->messages[message].at = src;
    sim_engine_at(net->engine, ready_ps, SIM_PHASE_ACT, on_packets_ready, net,
                  message);
}

static inline void line_up(Network *net, Link *link, uint32_t message,
                           SimTime ready_ps)
{
    if (ready_ps <= sim_engine_now(net->engine)) {
        message_list_insert(net->messages, &link->waiting, message);
        return;
    }
    net->messages[message].link.child = 0;
    message_list_append(net->messages, &link->coming, message);
}

static G_GNUC_NO_INLINE void arm_and_line_up(Network *net, uint32_t number,
                                             uint32_t message, SimTime ready_ps)
{
    Link *link = &net->links[number];

    arm(net, number, MAX(ready_ps, link->free_ps[0]));
    line_up(net, link, message, ready_ps);
}

/* Mostly the link is armed.  Every way ends in its call, so that no register
 * need be saved for afterwards. */
void network_send_at(Network *net, uint32_t src, uint32_t message,
                     SimTime ready_ps)
{
    NetMessage *m = &net->messages[message];
    Link *link = &net->links[m->first_link];

    g_assert(m->bytes > 0);
    if (G_UNLIKELY(net->packets)) {
        send_packets_at(net, src, message, ready_ps);
        return;
    }
    m->n_hops = 0;
    m->tail_ps = ready_ps;
    if (link->armed_ps <= MAX(ready_ps, link->free_ps[0]))
        line_up(net, link, message, ready_ps);
    else
        arm_and_line_up(net, m->first_link, message, ready_ps);
}

void network_send(Network *net, uint32_t src, uint32_t message)
{
    NetMessage *m = &net->messages[message];

    m->first_link = network_first_link(net, src, m->dst, m->way);
    network_send_at(net, src, message, sim_engine_now(net->engine));
}
