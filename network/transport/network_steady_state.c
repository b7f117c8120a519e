/* network_steady_state.c - visits all variables of the state of a network, to
 * detect a periodic steady state */
#include "network/transport/network_steady_state.h"

#include "network/transport/network_state_impl.h"

gboolean network_supports_steady_state(const Network *net)
{
    return !net->packets && !net->meetings && !net->limits && !net->flows &&
           !net->factors_ppm;
}

/* Visits the fields of a message that its sender sets. */
static void visit_sender_fields_of_message(Network *net, SteadyWalk *walk,
                                           const NetMessage *message)
{
    walk->about(walk->self, walk, message->order_hi >> 8, message->cookie);
    if (walk->message)
        walk->message(walk->self, walk, (uint32_t)(message - net->messages));
    steady_visit_constant(walk, message->order_hi & 0xff);
    steady_visit_constant(walk, message->order_lo);
    steady_visit_constant(walk, message->bytes);
    steady_visit_constant(walk, message->flags);
    walk->is_lost |= message->reduction_role != NET_REDUCTION_NONE;
}

void network_visit_arrived_message(gpointer network, SteadyWalk *walk,
                                   uint64_t order, uint32_t message)
{
    Network *net = network;
    const NetMessage *net_message = &net->messages[message];

    walk->is_lost |= order != 0 && order != net_message->order_hi;
    visit_sender_fields_of_message(net, walk, net_message);
}

void network_visit_held_message(gpointer network, SteadyWalk *walk,
                                uint64_t order, uint32_t message)
{
    Network *net = network;
    const NetMessage *net_message = &net->messages[message];

    network_visit_arrived_message(network, walk, order, message);
    steady_visit_constant(walk, net_message->dst);
    steady_visit_constant(walk, net_message->path_id);
    steady_visit_constant(walk, net_message->first_link);
}

/* Visits the fields of a message in flight but .tail_ps. */
static void visit_fields_of_message(Network *net, SteadyWalk *walk,
                                    const NetMessage *message)
{
    visit_sender_fields_of_message(net, walk, message);
    steady_visit_constant(walk, message->dst);
    steady_visit_constant(walk, message->path_id);
    steady_visit_constant(walk, message->n_hops);
    steady_visit_constant(walk, message->sends_next_on_demand);
    if (message->sends_next_on_demand)
        steady_visit_constant(walk, message->sender);
}

/* Visits a message in flight that is in no list of a link. */
static void visit_message_in_flight(Network *net, SteadyWalk *walk,
                                    uint32_t message)
{
    NetMessage *net_message = &net->messages[message];

    visit_fields_of_message(net, walk, net_message);
    (walk->is_told ? steady_visit_time
                   : steady_visit_deadline)(walk, &net_message->tail_ps);
}

/* Returns whether .tail_ps of @message, which is in @list of @link, has an
 * effect once it has passed.  In .coming it is the time of the head: the tail
 * comes .link.child later, and may still be to come if the link is busy
 * meanwhile. On an uneven link the tails and heads of messages are compared
 * with each other, to find those that share it. */
static gboolean past_tail_time_has_effect(const Link *link,
                                          const MessageList *list,
                                          const NetMessage *message)
{
    return list == &link->coming || (link->is_uneven && message->n_hops > 0);
}

/* Visits a message in @list of @link. */
static void visit_waiting_message(Network *net, SteadyWalk *walk,
                                  const Link *link, const MessageList *list,
                                  uint32_t message)
{
    NetMessage *net_message = &net->messages[message];

    visit_fields_of_message(net, walk, net_message);
    if (walk->is_told || past_tail_time_has_effect(link, list, net_message))
        steady_visit_time(walk, &net_message->tail_ps);
    else
        steady_visit_deadline(walk, &net_message->tail_ps);
    if (link->is_uneven && net_message->n_hops > 0)
        steady_visit_constant(walk, net_message->feed);
    if (list == &link->coming)
        steady_visit_constant(walk, net_message->link.child);
}

/* Visits the entries of a message heap in their layout, and the relative age of
 * each.  Two heaps with the same layout behave identically.  Shifting all times
 * of .coming by the same amount keeps the order of the entries. */
static void visit_message_heap(Network *net, SteadyWalk *walk, const Link *link,
                               const MessageList *list,
                               const MessageOrder *order)
{
    MessageHeap *heap = list->heap;

    steady_visit_constant(walk, list->n_heap);
    for (uint32_t i = 0; i < list->n_heap; i++) {
        MessageEntry *entry = &heap->entries[i];

        steady_visit_constant(walk, heap->next_age - entry->age);
        visit_waiting_message(net, walk, link, list, entry->message);
        entry->hi = order->entry(&net->messages[entry->message]).hi;
    }
}

static void visit_message_list(Network *net, SteadyWalk *walk, const Link *link,
                               const MessageList *list,
                               const MessageOrder *order)
{
    uint32_t message = list->head;

    for (; message != MESSAGE_NONE;
         message = net->messages[message].link.next) {
        steady_visit_constant(walk, TRUE);
        visit_waiting_message(net, walk, link, list, message);
    }
    steady_visit_constant(walk, FALSE);
    visit_message_heap(net, walk, link, list, order);
}

/* Visits the rates that active messages use. */
static void visit_rate_server(SteadyWalk *walk, RateServer *server)
{
    if (!walk->moves)
        rate_server_drop_past_segments(server, walk->now_ps);
    steady_visit_constant(walk, server->n);
    for (uint32_t i = 0; i < server->n; i++) {
        steady_visit_time(walk, &server->segments[i].until_ps);
        steady_visit_constant(walk, server->segments[i].used_bytes_per_s);
    }
}

static void visit_link_state(Network *net, SteadyWalk *walk, Link *link)
{
    steady_visit_time(walk, &link->armed_ps);
    for (uint32_t i = 0; i < link->n_links; i++)
        steady_visit_deadline(walk, &link->free_ps[i]);
    if (link->is_uneven)
        visit_rate_server(walk, shared_link_rate_server(net, link));
    visit_message_list(net, walk, link, &link->waiting, &message_by_key);
    visit_message_list(net, walk, link, &link->coming, &message_by_tail);
}

static void visit_link_counters(SteadyWalk *walk, Link *link)
{
    steady_visit_counter(walk, &link->stats.sent_bytes);
    steady_visit_counter(walk, &link->stats.n_messages);
    steady_visit_counter(walk, &link->stats.busy_ps);
}

void network_visit_state(Network *net, SteadyWalk *walk)
{
    gsize n_links = (gsize)net->n_ports * net->n_units;

    walk->is_lost |= !network_supports_steady_state(net);
    steady_visit_constant(walk, net->n_live);
    for (gsize i = 0; i < n_links; i++)
        visit_link_state(net, walk, &net->links[i]);
    for (gsize i = 0; i < n_links; i++)
        visit_link_counters(walk, &net->links[i]);
}

void network_append_link_counters(Network *net, GArray *counts)
{
    SteadyWalk walk = { .counts = counts };

    for (gsize i = 0; i < (gsize)net->n_ports * net->n_units; i++)
        visit_link_counters(&walk, &net->links[i]);
}

uint64_t network_max_bytes_per_s(const Network *net)
{
    uint64_t most = 0;

    for (uint32_t p = 0; p < net->n_ports; p++) {
        const TopologyPort *port = topology_get_port(net->topology, p);

        most = MAX(most, port->n_links * port->payload_bytes_per_s);
    }
    return most;
}

static gboolean link_is_idle(const Network *net, const Link *link,
                             SimTime now_ps)
{
    if (link->armed_ps != SIM_TIME_MAX)
        return FALSE;
    for (uint32_t k = 0; k < link->n_links; k++)
        if (link->free_ps[k] > now_ps)
            return FALSE;
    return !link->is_uneven || shared_link_is_idle(net, link, now_ps);
}

gboolean network_link_is_at_rest(const Network *net, uint32_t link)
{
    const Link *l = &net->links[link];

    return !l->is_special && !link_has_waiting_trains(l) &&
           l->coming.head == MESSAGE_NONE &&
           link_is_idle(net, l, sim_engine_now_ps(net->engine));
}

gboolean network_is_idle(const Network *net)
{
    SimTime now_ps = sim_engine_now_ps(net->engine);

    for (gsize i = 0; i < (gsize)net->n_ports * net->n_units; i++)
        if (!link_is_idle(net, &net->links[i], now_ps))
            return FALSE;
    return net->n_live == 0;
}

/* Without packets and limits, a network has three kinds of events; the third is
 * the service of a link. */
void network_visit_event(Network *net, SteadyWalk *walk, SimEventFn fn,
                         uint32_t arg)
{
    steady_visit_constant(walk, fn == packet_trains_on_head_at_node);
    steady_visit_constant(walk, fn == packet_trains_on_tail_at_destination);
    if (fn == packet_trains_on_head_at_node)
        steady_visit_constant(walk, net->messages[arg].next_node);
    if (fn == packet_trains_on_head_at_node ||
        fn == packet_trains_on_tail_at_destination)
        visit_message_in_flight(net, walk, arg);
    else
        steady_visit_constant(walk, arg);
}
