/* packet_trains.c - messages as trains of packets, one event per hop; see
 * network.h */
#include <string.h>

#include "network/transport/network_state_impl.h"

/* Returns whether the next message may begin now.  If so, it is the head of
 * .waiting. */
static G_GNUC_NO_INLINE gboolean next_message_may_begin(Network *net,
                                                        uint32_t number,
                                                        SimTime now_ps)
{
    Link *link = &net->links[number];

    if (link->is_limited && !link_limits_admit_message(net, number, now_ps))
        return FALSE;
    if (net->flows)
        flow_queues_choose_next_message(net, link);
    return TRUE;
}

static void packet_trains_on_link_service(gpointer self, uint32_t number,
                                          uint64_t now_ps);

/* Makes sure that a service event of link @number is due at @at_ps or
 * earlier. */
static void schedule_link_service(Network *net, uint32_t number, SimTime at_ps)
{
    Link *link = &net->links[number];

    if (link->armed_ps <= at_ps)
        return;
    link->armed_ps = at_ps;
    sim_engine_schedule(net->engine, at_ps, SIM_PHASE_LINK,
                        packet_trains_on_link_service, net, number);
}

/* ---- paths ------------------------------------------------------------ */

/* The kinds of results in the cache of paths. */
enum { CACHED_LINK, CACHED_REACH };

/* Same as find_next_link(), with the cache.  It is not inlined, so that
 * networks without a cache save no registers for it. */
static G_GNUC_NO_INLINE uint32_t find_next_link_cached(const Network *net,
                                                       uint32_t node,
                                                       uint32_t *dst,
                                                       uint32_t path_id)
{
    uint64_t key;
    PathCacheSlot *known = path_cache_slot(net->path_cache, CACHED_LINK, node,
                                           *dst, path_id, &key);

    if (G_UNLIKELY(known->key != key)) {
        uint32_t link = topology_next_link(net->topology, node, *dst, path_id);

        known->a = link_number_of_representative(net, link, dst);
        known->b = *dst;
        known->key = key;
    }
    *dst = known->b;
    return known->a;
}

/* Returns the simulated link that leads from node @node towards NPU *@dst. Maps
 * *@dst by the translation that maps the link to its representative. */
static inline uint32_t find_next_link(const Network *net, uint32_t node,
                                      uint32_t *dst, uint32_t path_id)
{
    return net->path_cache
               ? find_next_link_cached(net, node, dst, path_id)
               : link_number_of_representative(
                     net,
                     topology_next_link(net->topology, node, *dst, path_id),
                     dst);
}

/* Returns the first link of a path.  This is a separate function, so that the
 * functions that send are small enough to be inlined. */
G_GNUC_NO_INLINE uint32_t network_first_link_of_path(const Network *net,
                                                     uint32_t src, uint32_t dst,
                                                     uint32_t path_id)
{
    return find_next_link(net, src, &dst, path_id);
}

TopologyReach network_path_reach(const Network *net, uint32_t src, uint32_t dst,
                                 uint32_t path_id)
{
    PathCacheSlot *known;
    uint64_t key;

    if (!net->path_cache)
        return topology_path_reach(net->topology, src, dst, path_id);
    known =
        path_cache_slot(net->path_cache, CACHED_REACH, src, dst, path_id, &key);
    if (known->key != key)
        *known = (PathCacheSlot){
            key, topology_path_reach(net->topology, src, dst, path_id), 0
        };
    return (TopologyReach)known->a;
}

void network_visit_path(const Network *net, uint32_t src, uint32_t dst,
                        uint32_t path_id, NetworkPathFn fn, gpointer self)
{
    uint32_t node = src;

    if (network_path_reach(net, src, dst, path_id) == TOPOLOGY_N_REACHES)
        return;
    do {
        uint32_t link = find_next_link(net, node, &dst, path_id);

        node = net->links[link].far_node;
        fn(self, link, node);
        path_id = topology_path_id_after_switch(net->topology, node, path_id);
    } while (node != dst);
}

/* Queues @message, whose head is at node @node now, for its next link. */
static void enqueue_message_now(Network *net, uint32_t node, uint32_t message)
{
    SimTime now_ps = sim_engine_now_ps(net->engine);
    NetMessage *net_message = &net->messages[message];
    uint32_t number =
        find_next_link(net, node, &net_message->dst, net_message->path_id);
    Link *link = &net->links[number];

    if (G_UNLIKELY(link->is_uneven))
        net_message->feed = encode_feed_time_ps(
            net_message->tail_ps > now_ps ? net_message->tail_ps - now_ps : 0);
    message_list_insert_by_key(net->messages, &link->waiting, message);
    schedule_link_service(net, number, MAX(now_ps, link->free_ps[0]));
}

/* Queues @message, whose head reaches node @node at @head_ps and whose tail
 * arrives @trails_ps later.  No event is needed for the head itself. */
static inline void enqueue_message_later(Network *net, uint32_t node,
                                         uint32_t message, SimTime head_ps,
                                         uint32_t trails_ps)
{
    NetMessage *net_message = &net->messages[message];
    uint32_t number =
        find_next_link(net, node, &net_message->dst, net_message->path_id);
    Link *link = &net->links[number];

    if (G_UNLIKELY(link->is_uneven))
        net_message->feed = encode_feed_time_ps(trails_ps);
    net_message->tail_ps = head_ps;
    net_message->link.child = trails_ps;
    message_list_insert_by_tail(net->messages, &link->coming, message);
    schedule_link_service(net, number, MAX(head_ps, link->free_ps[0]));
}

void packet_trains_on_tail_at_destination(gpointer self, uint32_t message,
                                          uint64_t now_ps)
{
    Network *net = self;

    net->deliver(net->self, net->messages[message].dst, message, now_ps);
}

void packet_trains_on_head_at_node(gpointer self, uint32_t message,
                                   uint64_t now_ps)
{
    Network *net = self;
    NetMessage *net_message = &net->messages[message];

    (void)now_ps;
    if (G_UNLIKELY(message_needs_in_switch_reduction(net_message)) &&
        topology_path_id_after_switch(net->topology, net_message->next_node,
                                      net_message->path_id) !=
            net_message->path_id)
        in_switch_reductions_on_message_arrival(net->meetings, message);
    else
        enqueue_message_now(net, net_message->next_node, message);
}

void packet_trains_continue_message(Network *net, uint32_t message,
                                    SimTime head_ps)
{
    NetMessage *net_message = &net->messages[message];
    SimTime trails_ps =
        net_message->tail_ps > head_ps ? net_message->tail_ps - head_ps : 0;

    if (G_UNLIKELY(trails_ps > UINT32_MAX ||
                   message_needs_in_switch_reduction(net_message)))
        sim_engine_schedule(net->engine, head_ps, SIM_PHASE_DELIVER,
                            packet_trains_on_head_at_node, net, message);
    else
        enqueue_message_later(net, net_message->next_node, message, head_ps,
                              (uint32_t)trails_ps);
}

/* Handles @message on its last link.  Always inlined, as a call would cost 30
 * instructions per hop. */
static inline __attribute__((always_inline)) void
handle_message_on_last_link(Network *net, NetMessage *net_message,
                            uint32_t message)
{
    if (net->fold)
        net_message->dst =
            symmetry_fold_class_of_end(net->fold, net_message->dst);
    if (net->foresee && net->foresee(net->self, net_message->dst, message,
                                     net_message->tail_ps))
        return;
    sim_engine_schedule(net->engine, net_message->tail_ps, SIM_PHASE_DELIVER,
                        packet_trains_on_tail_at_destination, net, message);
}

/* Continues @message, whose head reaches node @node at @at_ps. */
static G_GNUC_NO_INLINE void continue_message_at_node(Network *net,
                                                      uint32_t node,
                                                      uint32_t message,
                                                      SimTime at_ps)
{
    net->messages[message].next_node = node;
    if (net->leave && net->leave(net->self, message, at_ps))
        return;
    packet_trains_continue_message(net, message, at_ps);
}

/* ---- links ------------------------------------------------------------ */

/* Moves messages that are ready by @now_ps from .coming to .waiting.  In
 * .coming, .tail_ps is the time at which a message can be served; in .waiting,
 * it is the time at which its tail arrives. */
static void admit_ready_messages(Network *net, Link *link, SimTime now_ps)
{
    while (link->coming.head != MESSAGE_NONE &&
           net->messages[link->coming.head].tail_ps <= now_ps) {
        uint32_t message = message_list_take_first(net->messages, &link->coming,
                                                   &message_by_tail);

        net->messages[message].tail_ps += net->messages[message].link.child;
        message_list_insert_by_key(net->messages, &link->waiting, message);
    }
}

/* Computes the times of a message of @bytes on @link.  They are cached in the
 * link's class, for the next message of the same size, unless links are
 * perturbed. */
static G_GNUC_NO_INLINE void
compute_message_times(Network *net, const Link *link, uint64_t bytes)
{
    LinkClass *class = &net->classes[link->port];
    uint64_t bytes_per_s =
        topology_get_port(net->topology, link->port)->payload_bytes_per_s;

    if (net->factors_ppm)
        bytes_per_s =
            network_perturbed_bytes_per_s(net, (uint32_t)(link - net->links));
    else
        class->bytes = bytes;
    class->stripe_times = stripe_compute_times(bytes, net->packet_bytes,
                                               bytes_per_s, link->n_links);
}

/* Reports the busy time of the parallel links whose free times have changed.
 * The order in which they end does not matter, as listeners count the busy
 * links. */
static void report_busy_parallel_links(Network *net, const Link *link,
                                       SimTime now_ps)
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
static void report_message_to_listeners(Network *net, const Link *link,
                                        uint32_t message,
                                        const Passage *passage, SimTime now_ps,
                                        SimTime end_ps)
{
    gboolean wanted =
        link_has_waiting_trains(link) && link->free_ps[0] >= end_ps;

    if (!passage)
        wanted = link_has_waiting_trains(link);
    net->link(net->listener, (uint32_t)(link - net->links), message, end_ps,
              wanted);
    if (net->busy && passage)
        shared_link_report_busy(net, link, passage, now_ps);
    else if (net->busy)
        report_busy_parallel_links(net, link, now_ps);
}

/* Continues @message at the far end of @link.  Its transmission ends at
 * @end_ps; the head has been sent at @head_ps. */
static inline void finish_message_hop(Network *net, const Link *link,
                                      uint32_t message, SimTime head_ps,
                                      SimTime end_ps)
{
    NetMessage *net_message = &net->messages[message];
    SimTime latency_ps = net->classes[link->port].latency_ps;

    net_message->tail_ps = end_ps + latency_ps;
    if (link->far_node == net_message->dst)
        handle_message_on_last_link(net, net_message, message);
    else
        continue_message_at_node(net, link->far_node, message,
                                 head_ps + latency_ps);
}

static inline void count_message_hop(Link *link, NetMessage *message,
                                     SimTime busy_ps)
{
    link->stats.busy_ps += busy_ps;
    link->stats.sent_bytes += message->bytes;
    link->stats.n_messages++;
    message->n_hops++;
}

/* Transmits @message on a link that it shares with other messages. */
static G_GNUC_NO_INLINE void
transmit_message_on_shared_link(Network *net, Link *link, uint32_t message,
                                SimTime least_ps, SimTime now_ps)
{
    NetMessage *net_message = &net->messages[message];
    Passage passage =
        shared_link_begin_message(net, link, net_message, least_ps, now_ps);

    count_message_hop(link, net_message, passage.busy_ps);
    if (net->link)
        report_message_to_listeners(net, link, message, &passage, now_ps,
                                    passage.end_ps);
    finish_message_hop(net, link, message, passage.head_ps, passage.end_ps);
}

/* Returns FALSE if @message certainly uses all of @link without sharing: it
 * starts here, or it arrives as fast as the links can send it and no other
 * message waits. */
static inline gboolean message_may_share_link(const Link *link,
                                              const NetMessage *message,
                                              const StripeTimes *takes,
                                              SimTime least_ps, SimTime now_ps)
{
    if (link->is_shared || link->is_limited)
        return TRUE;
    return message->n_hops > 0 &&
           (link_has_waiting_trains(link) ||
            least_ps > now_ps + (link->n_links == 1 ? takes->message_ps
                                                    : takes->fewer_ps));
}

/* Transmits @message on @link; one of the parallel links is free now. */
static void transmit_message(Network *net, Link *link, uint32_t message,
                             SimTime now_ps)
{
    NetMessage *net_message = &net->messages[message];
    const LinkClass *class = &net->classes[link->port];
    SimTime least_ps;
    Stripe stripe;

    if (G_UNLIKELY(class->bytes != net_message->bytes))
        compute_message_times(net, link, net_message->bytes);
    least_ps = net_message->tail_ps + class->stripe_times.packet_ps;
    if (G_UNLIKELY(net->link))
        memcpy(net->free_before_ps, link->free_ps,
               link->n_links * sizeof *link->free_ps);
    if (G_UNLIKELY(link->is_uneven) &&
        message_may_share_link(link, net_message, &class->stripe_times,
                               least_ps, now_ps) &&
        link_must_be_shared(net, link, net_message, least_ps, now_ps)) {
        transmit_message_on_shared_link(net, link, message, least_ps, now_ps);
        return;
    }
    stripe = stripe_message_over_links(link->free_ps, link->n_links,
                                       &class->stripe_times, now_ps, least_ps);
    count_message_hop(link, net_message, stripe.busy_ps);
    if (G_UNLIKELY(net->link))
        report_message_to_listeners(net, link, message, NULL, now_ps,
                                    stripe.end_ps);
    finish_message_hop(net, link, message,
                       now_ps + class->stripe_times.packet_ps, stripe.end_ps);
}

/* Gets the next message of the sender of @message, which begins now, and puts
 * it into the queue in place of @message. */
static G_GNUC_NO_INLINE void
queue_next_message_of_sender(Network *net, Link *link, uint32_t message)
{
    uint32_t next = net->follow(net->self, message);

    net->messages[next].n_hops = 0;
    net->messages[next].tail_ps = net->messages[message].tail_ps;
    net->messages[message].sends_next_on_demand = FALSE;
    message_list_insert_by_key(net->messages, &link->waiting, next);
}

/* Event: serves the messages that wait for link @number. */
static void packet_trains_on_link_service(gpointer self, uint32_t number,
                                          uint64_t now_ps)
{
    Network *net = self;
    Link *link = &net->links[number];

    if (link->armed_ps != now_ps)
        return;
    link->armed_ps = SIM_TIME_MAX;
    admit_ready_messages(net, link, now_ps);
    while (link_has_waiting_trains(link) && link->free_ps[0] <= now_ps) {
        uint32_t message;

        if (G_UNLIKELY(link->is_special) &&
            !next_message_may_begin(net, number, now_ps))
            return;
        message = message_list_take_first(net->messages, &link->waiting,
                                          &message_by_key);
        if (G_UNLIKELY(net->messages[message].sends_next_on_demand))
            queue_next_message_of_sender(net, link, message);
        transmit_message(net, link, message, now_ps);
    }
    if (link_has_waiting_trains(link))
        schedule_link_service(net, number, link->free_ps[0]);
    else if (link->coming.head != MESSAGE_NONE)
        schedule_link_service(
            net, number,
            MAX(net->messages[link->coming.head].tail_ps, link->free_ps[0]));
}

void packet_trains_schedule_link_service(Network *net, uint32_t number,
                                         SimTime at_ps)
{
    schedule_link_service(net, number, at_ps);
}

void packet_trains_serve_link(Network *net, uint32_t number, SimTime now_ps)
{
    net->links[number].armed_ps = now_ps;
    packet_trains_on_link_service(net, number, now_ps);
}

/* ---- sending ---------------------------------------------------------- */

static void on_message_packets_ready(gpointer self, uint32_t message,
                                     uint64_t now_ps)
{
    Network *net = self;
    const NetMessage *net_message = &net->messages[message];

    (void)now_ps;
    packet_network_send(net->packets, net_message->next_node, message,
                        net_message);
}

static G_GNUC_NO_INLINE void send_message_as_packets_at(Network *net,
                                                        uint32_t src,
                                                        uint32_t message,
                                                        SimTime ready_ps)
{
    net->messages[message].next_node = src;
    sim_engine_schedule(net->engine, ready_ps, SIM_PHASE_ACT,
                        on_message_packets_ready, net, message);
}

static inline void enqueue_ready_message(Network *net, Link *link,
                                         uint32_t message, SimTime ready_ps)
{
    if (ready_ps <= sim_engine_now_ps(net->engine)) {
        message_list_insert_by_key(net->messages, &link->waiting, message);
        return;
    }
    net->messages[message].link.child = 0;
    message_list_insert_by_tail(net->messages, &link->coming, message);
}

static G_GNUC_NO_INLINE void schedule_service_and_enqueue(Network *net,
                                                          uint32_t number,
                                                          uint32_t message,
                                                          SimTime ready_ps)
{
    Link *link = &net->links[number];

    schedule_link_service(net, number, MAX(ready_ps, link->free_ps[0]));
    enqueue_ready_message(net, link, message, ready_ps);
}

/* Sends a message that is ready at @ready_ps.  Usually the link has an event
 * already.  Each branch ends in a tail call, so that no registers need to be
 * saved. */
void network_send_message_at(Network *net, uint32_t src, uint32_t message,
                             SimTime ready_ps)
{
    NetMessage *net_message = &net->messages[message];
    Link *link = &net->links[net_message->first_link];

    g_assert(net_message->bytes > 0);
    if (G_UNLIKELY(net->packets)) {
        send_message_as_packets_at(net, src, message, ready_ps);
        return;
    }
    net_message->n_hops = 0;
    net_message->tail_ps = ready_ps;
    if (link->armed_ps <= MAX(ready_ps, link->free_ps[0]))
        enqueue_ready_message(net, link, message, ready_ps);
    else
        schedule_service_and_enqueue(net, net_message->first_link, message,
                                     ready_ps);
}

void network_send_message(Network *net, uint32_t src, uint32_t message)
{
    NetMessage *net_message = &net->messages[message];

    net_message->first_link = network_first_link_of_path(
        net, src, net_message->dst, net_message->path_id);
    network_send_message_at(net, src, message, sim_engine_now_ps(net->engine));
}
