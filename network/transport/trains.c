/* trains.c - messages as trains of packets, one event per hop; see network.h */
#include <string.h>

#include "network/transport/link_state_impl.h"

/* Returns whether the next message may begin now.  If so, it is the head of
 * .waiting. */
static G_GNUC_NO_INLINE gboolean may_begin(Network *net, uint32_t number,
                                           SimTime now_ps)
{
    Link *link = &net->links[number];

    if (link->is_limited && !limits_may_begin(net, number, now_ps))
        return FALSE;
    if (net->flows)
        flows_choose(net, link);
    return TRUE;
}

static void trains_on_service(gpointer self, uint32_t number, uint64_t now_ps);

/* Makes sure that a service event of link @number is due at @at_ps or
 * earlier. */
static void arm(Network *net, uint32_t number, SimTime at_ps)
{
    Link *link = &net->links[number];

    if (link->armed_ps <= at_ps)
        return;
    link->armed_ps = at_ps;
    sim_engine_schedule(net->engine, at_ps, SIM_PHASE_LINK, trains_on_service,
                        net, number);
}

/* ---- paths ------------------------------------------------------------ */

/* The kinds of results in the cache of paths. */
enum { CACHED_LINK, CACHED_REACH };

/* Same as next_link(), with the cache.  It is not inlined, so that networks
 * without a cache save no registers for it. */
static G_GNUC_NO_INLINE uint32_t cached_link(const Network *net, uint32_t at,
                                             uint32_t *dst, uint32_t path_id)
{
    uint64_t key;
    PathCacheSlot *known =
        path_cache_slot(net->known, CACHED_LINK, at, *dst, path_id, &key);

    if (G_UNLIKELY(known->key != key)) {
        uint32_t link = topology_next(net->topology, at, *dst, path_id);

        known->a = trains_link_number(net, link, dst);
        known->b = *dst;
        known->key = key;
    }
    *dst = known->b;
    return known->a;
}

/* Returns the simulated link that leads from node @at towards NPU *@dst.  Maps
 * *@dst by the translation that maps the link to its representative. */
static inline uint32_t next_link(const Network *net, uint32_t at, uint32_t *dst,
                                 uint32_t path_id)
{
    return net->known
               ? cached_link(net, at, dst, path_id)
               : trains_link_number(
                     net, topology_next(net->topology, at, *dst, path_id), dst);
}

/* Returns the first link of a path.  This is a separate function, so that the
 * functions that send are small enough to be inlined. */
G_GNUC_NO_INLINE uint32_t network_first_link(const Network *net, uint32_t src,
                                             uint32_t dst, uint32_t path_id)
{
    return next_link(net, src, &dst, path_id);
}

TopologyReach network_reach(const Network *net, uint32_t src, uint32_t dst,
                            uint32_t path_id)
{
    PathCacheSlot *known;
    uint64_t key;

    if (!net->known)
        return topology_path_reach(net->topology, src, dst, path_id);
    known = path_cache_slot(net->known, CACHED_REACH, src, dst, path_id, &key);
    if (known->key != key)
        *known = (PathCacheSlot){
            key, topology_path_reach(net->topology, src, dst, path_id), 0
        };
    return (TopologyReach)known->a;
}

/* Queues @message, whose head is at node @at now, for its next link. */
static void enqueue(Network *net, uint32_t at, uint32_t message)
{
    SimTime now_ps = sim_engine_now(net->engine);
    NetMessage *m = &net->messages[message];
    uint32_t number = next_link(net, at, &m->dst, m->way);
    Link *link = &net->links[number];

    if (G_UNLIKELY(link->is_uneven))
        m->feed = shares_encode(m->tail_ps > now_ps ? m->tail_ps - now_ps : 0);
    message_list_insert(net->messages, &link->waiting, message);
    arm(net, number, MAX(now_ps, link->free_ps[0]));
}

/* Queues @message, whose head reaches node @at at @head_ps and whose tail
 * arrives @trails_ps later.  No event is needed for the head itself. */
static inline void enqueue_later(Network *net, uint32_t at, uint32_t message,
                                 SimTime head_ps, uint32_t trails_ps)
{
    NetMessage *m = &net->messages[message];
    uint32_t number = next_link(net, at, &m->dst, m->way);
    Link *link = &net->links[number];

    if (G_UNLIKELY(link->is_uneven))
        m->feed = shares_encode(trails_ps);
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
    if (G_UNLIKELY(network_is_for_reduction(m)) &&
        topology_path_onward(net->topology, m->at, m->way) != m->way)
        reductions_arrive(net->meetings, message);
    else
        enqueue(net, m->at, message);
}

void trains_continue(Network *net, uint32_t message, SimTime head_ps)
{
    NetMessage *m = &net->messages[message];
    SimTime trails_ps = m->tail_ps > head_ps ? m->tail_ps - head_ps : 0;

    if (G_UNLIKELY(trails_ps > UINT32_MAX || network_is_for_reduction(m)))
        sim_engine_schedule(net->engine, head_ps, SIM_PHASE_DELIVER,
                            trains_on_hop, net, message);
    else
        enqueue_later(net, m->at, message, head_ps, (uint32_t)trails_ps);
}

/* Handles @message on its last link.  Always inlined, as a call would cost 30
 * instructions per hop. */
static inline __attribute__((always_inline)) void
arrive(Network *net, NetMessage *m, uint32_t message)
{
    if (net->fold)
        m->dst = fold_index(net->fold, m->dst);
    if (net->foresee && net->foresee(net->self, m->dst, message, m->tail_ps))
        return;
    sim_engine_schedule(net->engine, m->tail_ps, SIM_PHASE_DELIVER,
                        trains_on_deliver, net, message);
}

/* Continues @message, whose head reaches node @at at @at_ps. */
static G_GNUC_NO_INLINE void continue_path(Network *net, uint32_t at,
                                           uint32_t message, SimTime at_ps)
{
    net->messages[message].at = at;
    if (net->leave && net->leave(net->self, message, at_ps))
        return;
    trains_continue(net, message, at_ps);
}

/* ---- links ------------------------------------------------------------ */

/* Moves messages that are ready by @now_ps from .coming to .waiting.  In
 * .coming, .tail_ps is the time at which a message can be served; in .waiting,
 * it is the time at which its tail arrives. */
static void admit_ready(Network *net, Link *link, SimTime now_ps)
{
    while (link->coming.head != MESSAGE_NONE &&
           net->messages[link->coming.head].tail_ps <= now_ps) {
        uint32_t message =
            message_list_take(net->messages, &link->coming, &message_by_tail);

        net->messages[message].tail_ps += net->messages[message].link.child;
        message_list_insert(net->messages, &link->waiting, message);
    }
}

/* Computes the times of a message of @bytes on @link.  They are cached in the
 * link's class, for the next message of the same size, unless links are
 * perturbed. */
static G_GNUC_NO_INLINE void compute_times(Network *net, const Link *link,
                                           uint64_t bytes)
{
    LinkClass *class = &net->classes[link->port];
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

/* Reports the busy time of the parallel links whose free times have changed.
 * The order in which they end does not matter, as listeners count the busy
 * links. */
static void report_busy(Network *net, const Link *link, SimTime now_ps)
{
    for (uint32_t i = 0; i < link->n_links; i++) {
        SimTime from_ps = MAX(net->free_before_ps[i], now_ps);

        if (link->free_ps[i] > from_ps)
            net->busy(net->listener, (uint32_t)(link - net->links), from_ps,
                      link->free_ps[i]);
    }
}

/* Reports @message to the listeners.  @passage is its passage over a shared
 * link, or NULL. */
static void report(Network *net, const Link *link, uint32_t message,
                   const Passage *passage, SimTime now_ps, SimTime end_ps)
{
    gboolean wanted = trains_are_waiting(link) && link->free_ps[0] >= end_ps;

    if (!passage)
        wanted = trains_are_waiting(link);
    net->link(net->listener, (uint32_t)(link - net->links), message, end_ps,
              wanted);
    if (net->busy && passage)
        shares_report_busy(net, link, passage, now_ps);
    else if (net->busy)
        report_busy(net, link, now_ps);
}

/* Continues @message at the far end of @link.  Its transmission ends at
 * @end_ps; the head has been sent at @head_ps. */
static inline void finish_hop(Network *net, const Link *link, uint32_t message,
                              SimTime head_ps, SimTime end_ps)
{
    NetMessage *m = &net->messages[message];
    SimTime latency_ps = net->classes[link->port].latency_ps;

    m->tail_ps = end_ps + latency_ps;
    if (link->far_node == m->dst)
        arrive(net, m, message);
    else
        continue_path(net, link->far_node, message, head_ps + latency_ps);
}

static inline void count_hop(Link *link, NetMessage *m, SimTime busy_ps)
{
    link->stats.busy_ps += busy_ps;
    link->stats.sent_bytes += m->bytes;
    link->stats.n_messages++;
    m->n_hops++;
}

/* Transmits @message on a link that it shares with other messages. */
static G_GNUC_NO_INLINE void transmit_shared(Network *net, Link *link,
                                             uint32_t message, SimTime least_ps,
                                             SimTime now_ps)
{
    NetMessage *m = &net->messages[message];
    Passage passage = shares_take(net, link, m, least_ps, now_ps);

    count_hop(link, m, passage.busy_ps);
    if (net->link)
        report(net, link, message, &passage, now_ps, passage.end_ps);
    finish_hop(net, link, message, passage.head_ps, passage.end_ps);
}

/* Returns FALSE if @m certainly uses all of @link without sharing: it starts
 * here, or it arrives as fast as the links can send it and no other message
 * waits. */
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

/* Transmits @message on @link; one of the parallel links is free now. */
static void transmit(Network *net, Link *link, uint32_t message, SimTime now_ps)
{
    NetMessage *m = &net->messages[message];
    const LinkClass *class = &net->classes[link->port];
    SimTime least_ps;
    Stripe stripe;

    if (G_UNLIKELY(class->bytes != m->bytes))
        compute_times(net, link, m->bytes);
    least_ps = m->tail_ps + class->takes.packet_ps;
    if (G_UNLIKELY(net->link))
        memcpy(net->free_before_ps, link->free_ps,
               link->n_links * sizeof *link->free_ps);
    if (G_UNLIKELY(link->is_uneven) &&
        may_share(link, m, &class->takes, least_ps, now_ps) &&
        shares_are_needed(net, link, m, least_ps, now_ps)) {
        transmit_shared(net, link, message, least_ps, now_ps);
        return;
    }
    stripe = stripe_take(link->free_ps, link->n_links, &class->takes, now_ps,
                         least_ps);
    count_hop(link, m, stripe.busy_ps);
    if (G_UNLIKELY(net->link))
        report(net, link, message, NULL, now_ps, stripe.end_ps);
    finish_hop(net, link, message, now_ps + class->takes.packet_ps,
               stripe.end_ps);
}

/* Gets the next message of the sender of @message, which begins now, and puts
 * it into the queue in place of @message. */
static G_GNUC_NO_INLINE void queue_message_on_demand(Network *net, Link *link,
                                                     uint32_t message)
{
    uint32_t next = net->follow(net->self, message);

    net->messages[next].n_hops = 0;
    net->messages[next].tail_ps = net->messages[message].tail_ps;
    net->messages[message].leads = FALSE;
    message_list_insert(net->messages, &link->waiting, next);
}

/* Event: serves the messages that wait for link @number. */
static void trains_on_service(gpointer self, uint32_t number, uint64_t now_ps)
{
    Network *net = self;
    Link *link = &net->links[number];

    if (link->armed_ps != now_ps)
        return;
    link->armed_ps = SIM_TIME_MAX;
    admit_ready(net, link, now_ps);
    while (trains_are_waiting(link) && link->free_ps[0] <= now_ps) {
        uint32_t message;

        if (G_UNLIKELY(link->is_special) && !may_begin(net, number, now_ps))
            return;
        message =
            message_list_take(net->messages, &link->waiting, &message_by_key);
        if (G_UNLIKELY(net->messages[message].leads))
            queue_message_on_demand(net, link, message);
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
    sim_engine_schedule(net->engine, ready_ps, SIM_PHASE_ACT, on_packets_ready,
                        net, message);
}

static inline void enqueue_ready(Network *net, Link *link, uint32_t message,
                                 SimTime ready_ps)
{
    if (ready_ps <= sim_engine_now(net->engine)) {
        message_list_insert(net->messages, &link->waiting, message);
        return;
    }
    net->messages[message].link.child = 0;
    message_list_append(net->messages, &link->coming, message);
}

static G_GNUC_NO_INLINE void arm_and_enqueue(Network *net, uint32_t number,
                                             uint32_t message, SimTime ready_ps)
{
    Link *link = &net->links[number];

    arm(net, number, MAX(ready_ps, link->free_ps[0]));
    enqueue_ready(net, link, message, ready_ps);
}

/* Sends a message that is ready at @ready_ps.  Usually the link has an event
 * already.  Each branch ends in a tail call, so that no registers need to be
 * saved. */
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
        enqueue_ready(net, link, message, ready_ps);
    else
        arm_and_enqueue(net, m->first_link, message, ready_ps);
}

void network_send(Network *net, uint32_t src, uint32_t message)
{
    NetMessage *m = &net->messages[message];

    m->first_link = network_first_link(net, src, m->dst, m->way);
    network_send_at(net, src, message, sim_engine_now(net->engine));
}
