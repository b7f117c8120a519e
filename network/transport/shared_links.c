/*
 * shared_links.c - several messages that share the rate of a link or a limit
 *
 * A message that arrives over a slow link does not need all of a fast link:
 * there are gaps between its packets, which other messages can use.  So a
 * message uses the full rate of a link only while its backlog at the node
 * lasts.  From then on it uses the rate at which it arrives, and the next
 * message may begin with the residual rate.
 *
 * A message of m bytes, in packets of p bytes, whose head reaches a node at h
 * and whose tail at t, has the feed rate a = (m - p) / (t - h).  On a link of
 * rate R (all parallel links together) it begins at s >= h, and uses the rate
 *
 *     c(t)            while it has a backlog at the node; c(t) is the smallest
 *                     residual rate of the link and its limits (rate_server.h)
 *     min(a, c(t))    afterwards
 *
 * It ends no sooner than its tail here + t(p), as on any link.  The next
 * message begins when a part of the rate is free.  Messages with the same key
 * that arrive together get equal parts of the residual rate, as their packets
 * would.  A message that is complete when it begins, on a link that it does not
 * share, uses R; this is the formula of network.h.
 *
 * If the rate of a message grows because others end, its head is delayed.  A
 * head without delay would make the next link assume an even feed and miss how
 * much arrives at the end.  Let D(t) be the bytes sent by t, and r the rate of
 * the next link.  The head is that of a message that begins at max(t - D(t) /
 * r), over all times t at which the rate changes.
 *
 * A link is uneven if messages may arrive more slowly than it sends them.  That
 * is the case if it is faster than some link, has parallel links, has a
 * perturbed rate or limits, or carries the results of slow switches.  Other
 * links, and the first hop of a message, have no cost from this module.
 *
 * Differs from packet_network.h, where packets of messages with smaller keys go
 *          between those of an active message; here an active message keeps its
 *          rate. tests/models/run/test_message_against_packet.c measures the
 *          error.
 * Assumes  a message that passes through arrives evenly; messages that share a
 *          link do not delay each other by less than the time of a packet
 */
#include "network/transport/network_state_impl.h"

typedef struct {
    RateServer server;
    /* The time until which all parallel links are reported as busy. */
    SimTime reported_ps;
} Share;

/* The maximum number of messages that are counted as sharers of a link.  With
 * more sharers, a message would hardly advance. */
#define MAX_SHARERS 64

/* A part of the transfer of a message, at one rate. */
typedef struct {
    SimTime from_ps, until_ps;
    uint64_t bytes_per_s;
} Step;

struct SharedLinks {
    Share *links;  /* owned: the state of each link */
    guint n_links; /* number of links of the network */
    /* Owned scratch array (ServerPart): the servers that a message uses. */
    GArray *taken;
    /* Owned scratch array (Step): the rates of a message over time. */
    GArray *steps;
};

/* ---- uneven links ------------------------------------------------------ */

/* Returns the rate of all parallel links together. */
static uint64_t rate_of_parallel_links(const Network *net, uint32_t number)
{
    const TopologyPort *port =
        topology_get_port(net->topology, number % net->n_ports);
    uint64_t bytes_per_s = port->payload_bytes_per_s;

    if (net->factors_ppm)
        bytes_per_s = network_perturbed_bytes_per_s(net, number);
    return (uint64_t)MIN((SimWide)bytes_per_s * port->n_links, UINT64_MAX);
}

static gboolean topology_has_bandwidth_limited_adder(const Topology *topology)
{
    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        const TopologySwitchAdder *adder =
            topology_in_switch_adder(topology, d);

        if (adder && adder->bytes_per_s > 0)
            return TRUE;
    }
    return FALSE;
}

static SimWide sum_of_link_rates_of_port(const TopologyPort *port)
{
    return (SimWide)port->payload_bytes_per_s * port->n_links;
}

/* Returns the rate of the slowest port if @topology has uneven links without
 * perturbations, or 0 if it has none. */
static SimWide rate_of_slowest_port(const Topology *topology)
{
    SimWide least = sum_of_link_rates_of_port(topology_get_port(topology, 0));
    gboolean any = topology_n_limits(topology) > 0 ||
                   topology_has_bandwidth_limited_adder(topology);

    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        any |= port->n_links > 1 || sum_of_link_rates_of_port(port) != least;
        least = MIN(least, sum_of_link_rates_of_port(port));
    }
    return any ? least : 0;
}

uint64_t shared_links_memory_per_link_bytes(const Topology *topology)
{
    return topology_n_ports(topology) > 0 && rate_of_slowest_port(topology) > 0
               ? sizeof(Share)
               : 0;
}

static guint8 link_may_have_uneven_rate(const Network *net, uint32_t p,
                                        SimWide least)
{
    const TopologyPort *port = topology_get_port(net->topology, p);

    return net->factors_ppm || net->limits ||
           topology_has_bandwidth_limited_adder(net->topology) ||
           port->n_links > 1 || sum_of_link_rates_of_port(port) > least;
}

/* Sets Link.is_uneven of all links.  Returns FALSE if no link is uneven. */
static gboolean mark_uneven_links(Network *net)
{
    SimWide least = net->n_ports > 0 ? rate_of_slowest_port(net->topology) : 0;

    if (least == 0 && !net->factors_ppm)
        return FALSE;
    for (gsize i = 0; i < (gsize)net->n_units * net->n_ports; i++)
        net->links[i].is_uneven =
            link_may_have_uneven_rate(net, (uint32_t)(i % net->n_ports), least);
    return TRUE;
}

SharedLinks *shared_links_new(Network *net)
{
    SharedLinks *shares;

    if (!mark_uneven_links(net))
        return NULL;
    shares = g_new0(SharedLinks, 1);
    shares->n_links = net->n_units * net->n_ports;
    shares->links = g_new0(Share, shares->n_links);
    shares->taken = g_array_new(FALSE, FALSE, sizeof(ServerPart));
    shares->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    for (guint i = 0; i < shares->n_links; i++)
        shares->links[i].server.bytes_per_s = rate_of_parallel_links(net, i);
    return shares;
}

void shared_links_free(SharedLinks *shares)
{
    if (!shares)
        return;
    for (guint i = 0; i < shares->n_links; i++)
        rate_server_clear(&shares->links[i].server);
    g_array_unref(shares->taken);
    g_array_unref(shares->steps);
    g_free(shares->links);
    g_free(shares);
}

void shared_links_update_rates(Network *net)
{
    if (!net->shares)
        net->shares = shared_links_new(net);
    (void)mark_uneven_links(net);
    for (guint i = 0; i < net->shares->n_links; i++)
        net->shares->links[i].server.bytes_per_s =
            rate_of_parallel_links(net, i);
}

static Share *share_state_of_link(const Network *net, const Link *link)
{
    return &net->shares->links[link - net->links];
}

RateServer *shared_link_rate_server(const Network *net, const Link *link)
{
    return &share_state_of_link(net, link)->server;
}

static SimTime decode_feed_time_ps(uint32_t feed)
{
    return (SimTime)(feed >> 6) << (feed & 63);
}

/* Returns the number of messages that share the residual rate of @link,
 * including @net_message: those with its key and hop count that arrive at the
 * same time. */
static uint32_t n_messages_sharing_link(const Network *net, const Link *link,
                                        const NetMessage *net_message)
{
    uint32_t n = 1, message = link->waiting.head;

    if (net_message->n_hops == 0 || net->flows)
        return 1;
    for (; message != MESSAGE_NONE && n < MAX_SHARERS;
         message = net->messages[message].link.next, n++) {
        const NetMessage *other = &net->messages[message];

        if (other->order_hi != net_message->order_hi ||
            other->order_lo != net_message->order_lo ||
            other->n_hops != net_message->n_hops ||
            other->tail_ps - decode_feed_time_ps(other->feed) >=
                net_message->tail_ps)
            break;
    }
    return n;
}

gboolean shared_link_is_idle(const Network *net, const Link *link,
                             SimTime now_ps)
{
    RateServer *server = shared_link_rate_server(net, link);

    rate_server_drop_past_segments(server, now_ps);
    return server->n == 0;
}

gboolean link_must_be_shared(const Network *net, Link *link,
                             const NetMessage *message, SimTime least_ps,
                             SimTime now_ps)
{
    const StripeTimes *takes = &net->classes[link->port].stripe_times;

    link->is_shared =
        link->is_shared && !shared_link_is_idle(net, link, now_ps);
    if (link->is_limited || link->is_shared)
        return TRUE;
    /* If all links but one cannot keep up with the message, it uses all of them
     * and leaves nothing to share. */
    return message->n_hops > 0 &&
           (least_ps > now_ps + (link->n_links == 1 ? takes->message_ps
                                                    : takes->fewer_ps) ||
            n_messages_sharing_link(net, link, message) > 1);
}

/* ---- one message ----------------------------------------------------- */

/* The state of a message that begins.  Amounts are in units of 1 byte /
 * SIM_PS_PER_SEC, the amount that one byte per second moves in one ps, so that
 * all sums are exact. */
typedef struct {
    SimWide backlog;   /* bytes that have arrived at the node and wait there */
    SimWide remaining; /* backlog and bytes that are yet to arrive */
    uint64_t feed;     /* arrival rate in bytes per second, until .fed_ps */
    SimTime fed_ps;
    uint64_t max_bytes_per_s; /* maximum rate in bytes per second */
} Transfer;

static Transfer init_transfer_of_message(const Network *net, const Link *link,
                                         const NetMessage *message,
                                         SimTime least_ps, SimTime now_ps)
{
    uint64_t packet_bytes = MIN(message->bytes, net->packet_bytes);
    uint64_t n_packets = (message->bytes - 1) / packet_bytes + 1;
    uint64_t bytes_per_s = shared_link_rate_server(net, link)->bytes_per_s;
    SimWide all = (SimWide)message->bytes * SIM_PS_PER_SEC, rate, to_come;
    Transfer transfer = { .backlog = all,
                          .remaining = all,
                          .fed_ps = least_ps,
                          .max_bytes_per_s = bytes_per_s };

    if (n_packets < link->n_links)
        transfer.max_bytes_per_s =
            MAX(1, bytes_per_s / link->n_links * n_packets);
    if (message->n_hops == 0 || least_ps <= now_ps || n_packets == 1 ||
        decode_feed_time_ps(message->feed) == 0)
        return transfer;
    rate = (SimWide)(message->bytes - packet_bytes) * SIM_PS_PER_SEC /
           decode_feed_time_ps(message->feed);
    to_come = (least_ps - now_ps) * MIN(rate, UINT64_MAX);
    if (to_come >= all) {
        rate = (all - 1) / (least_ps - now_ps) + 1;
        to_come = all;
    }
    transfer.feed = (uint64_t)MIN(rate, UINT64_MAX);
    transfer.backlog = all - to_come;
    return transfer;
}

/* Returns the smallest part of a residual rate at @at_ps, over all servers in
 * .taken.  Sets *@ret_until_ps to the time until which it is constant. */
static uint64_t residual_rate_of_servers(const SharedLinks *shares,
                                         SimTime at_ps, SimTime *ret_until_ps)
{
    uint64_t least = UINT64_MAX;

    *ret_until_ps = SIM_TIME_MAX;
    for (guint i = 0; i < shares->taken->len; i++) {
        const ServerPart *part = &g_array_index(shares->taken, ServerPart, i);
        SimTime until_ps;
        uint64_t rate =
            rate_server_residual_rate(part->server, at_ps, &until_ps);

        least = MIN(least, rate / part->n_sharers);
        *ret_until_ps = MIN(*ret_until_ps, until_ps);
    }
    return least;
}

/* Sets *@until_ps to the time at which @amount is used up at @rate, if that is
 * earlier. */
static void limit_time_to_end_of_amount(SimTime *until_ps, SimTime at_ps,
                                        SimWide amount, uint64_t rate)
{
    SimWide takes_ps = (amount - 1) / rate + 1;

    *until_ps =
        MIN(*until_ps, at_ps + (SimTime)MIN(takes_ps, SIM_ENGINE_MAX_PS));
}

/* Divides the transfer @t into steps of constant rate: the residual rate while
 * it has a backlog, then the feed rate.  Returns the end of the last step. */
static SimTime divide_transfer_into_rate_steps(SharedLinks *shares, Transfer t,
                                               SimTime now_ps)
{
    SimTime at_ps = now_ps;

    g_array_set_size(shares->steps, 0);
    while (t.remaining > 0 && at_ps - now_ps < SIM_ENGINE_MAX_PS) {
        Step step = { .from_ps = at_ps };
        uint64_t rate = residual_rate_of_servers(shares, at_ps, &step.until_ps),
                 feed = 0;
        SimWide moved;

        rate = MIN(rate, t.max_bytes_per_s);
        if (at_ps < t.fed_ps && t.backlog < t.remaining) {
            feed = t.feed;
            step.until_ps = MIN(step.until_ps, t.fed_ps);
        } else {
            t.backlog = t.remaining;
        }
        step.bytes_per_s = t.backlog > 0 ? rate : MIN(rate, feed);
        if (step.bytes_per_s > 0)
            limit_time_to_end_of_amount(&step.until_ps, at_ps, t.remaining,
                                        step.bytes_per_s);
        if (t.backlog > 0 && feed > 0 && rate > feed)
            limit_time_to_end_of_amount(&step.until_ps, at_ps, t.backlog,
                                        rate - feed);
        moved = (SimWide)step.bytes_per_s * (step.until_ps - at_ps);
        moved = MIN(moved, t.remaining);
        t.backlog += (SimWide)feed * (step.until_ps - at_ps);
        t.backlog -= MIN(t.backlog, moved);
        t.remaining -= moved;
        at_ps = step.until_ps;
        g_array_append_val(shares->steps, step);
    }
    return at_ps;
}

/* Enters parallel links that are busy with whole messages into the rate server,
 * each until the end of its message. */
static void reserve_rate_of_busy_links(Network *net, Link *link, SimTime now_ps)
{
    RateServer *server = shared_link_rate_server(net, link);

    if (server->n > 0)
        return;
    for (uint32_t i = 0; i < link->n_links; i++)
        if (link->free_ps[i] > now_ps)
            rate_server_reserve_rate(server, now_ps, link->free_ps[i],
                                     server->bytes_per_s / link->n_links);
}

/* Enters the rates of a message over time into each server that it uses. */
static void reserve_rate_of_servers(const SharedLinks *shares)
{
    for (guint s = 0; s < shares->taken->len; s++)
        for (guint i = 0; i < shares->steps->len; i++) {
            const Step *step = &g_array_index(shares->steps, Step, i);

            rate_server_reserve_rate(
                g_array_index(shares->taken, ServerPart, s).server,
                step->from_ps, step->until_ps, step->bytes_per_s);
        }
}

/* Returns the rate of the link that @message takes after @link, or 0 if it ends
 * here. */
static uint64_t rate_of_next_link(const Network *net, const Link *link,
                                  const NetMessage *message)
{
    uint32_t dst = message->dst, number;

    if (link->far_node == dst ||
        (message_needs_in_switch_reduction(message) &&
         topology_path_id_after_switch(net->topology, link->far_node,
                                       message->path_id) != message->path_id))
        return 0;
    number = link_number_of_representative(
        net,
        topology_next_link(net->topology, link->far_node, dst,
                           message->path_id),
        &dst);
    return shared_link_rate_server(net, &net->links[number])->bytes_per_s;
}

/* Returns when the head of @message is to leave @link: as late as that of an
 * evenly fed message with which the next link would end at the same time.
 * @message ends at
 * @end_ps. */
static SimTime message_head_begin_on_shared_link_ps(const Network *net,
                                                    const Link *link,
                                                    const NetMessage *message,
                                                    SimTime now_ps,
                                                    SimTime end_ps)
{
    const GArray *steps = net->shares->steps;
    uint64_t rate = steps->len > 1 ? rate_of_next_link(net, link, message) : 0;
    SimWide remaining = (SimWide)message->bytes * SIM_PS_PER_SEC, takes_ps;
    SimTime last_ps = end_ps;

    if (rate == 0)
        return now_ps;
    takes_ps = remaining / rate;
    for (guint i = 0; i < steps->len; i++) {
        const Step *step = &g_array_index(steps, Step, i);
        SimWide moved =
            (SimWide)step->bytes_per_s * (step->until_ps - step->from_ps);

        if (step->from_ps + remaining / rate > last_ps)
            last_ps = step->from_ps + (SimTime)(remaining / rate);
        remaining -= MIN(remaining, moved);
    }
    return last_ps > end_ps && last_ps > now_ps + takes_ps
               ? last_ps - (SimTime)takes_ps
               : now_ps;
}

/* Returns a lower bound on the end of a message on parallel links, which carry
 * whole packets.  The number of links follows from the rate if that is
 * constant; otherwise all links count. */
static SimTime lower_bound_on_message_end_ps(const SharedLinks *shares,
                                             const RateServer *server,
                                             const StripeTimes *takes,
                                             uint32_t n_links, SimTime now_ps)
{
    uint64_t each = server->bytes_per_s / n_links, n = n_links, n_turns;
    SimWide takes_ps;

    if (n_links == 1)
        return now_ps + takes->packet_ps;
    if (shares->steps->len == 1)
        n = (g_array_index(shares->steps, Step, 0).bytes_per_s - 1) / each + 1;
    n_turns = (takes->n_packets - 1) / n + 1;
    takes_ps = (SimWide)n_turns * takes->packet_ps;
    if (n_turns * n - takes->n_packets == n - 1)
        takes_ps -= takes->short_ps;
    return now_ps + (SimTime)MIN(takes_ps, SIM_ENGINE_MAX_PS);
}

Passage shared_link_begin_message(Network *net, Link *link,
                                  const NetMessage *message, SimTime least_ps,
                                  SimTime now_ps)
{
    SharedLinks *shares = net->shares;
    RateServer *server = shared_link_rate_server(net, link);
    const StripeTimes *takes = &net->classes[link->port].stripe_times;
    SimWide busy_ps = (SimWide)message->bytes * SIM_PS_PER_SEC * link->n_links /
                      server->bytes_per_s;
    ServerPart part = { server, n_messages_sharing_link(net, link, message) };
    Passage passage;
    SimTime free_ps;

    g_array_set_size(shares->taken, 0);
    g_array_append_val(shares->taken, part);
    if (link->is_limited)
        link_limits_append_rate_servers(net, link, message, shares->taken,
                                        now_ps);
    reserve_rate_of_busy_links(net, link, now_ps);
    passage.end_ps = divide_transfer_into_rate_steps(
        shares, init_transfer_of_message(net, link, message, least_ps, now_ps),
        now_ps);
    passage.end_ps = MAX(passage.end_ps, least_ps);
    passage.end_ps =
        MAX(passage.end_ps, lower_bound_on_message_end_ps(
                                shares, server, takes, link->n_links, now_ps));
    reserve_rate_of_servers(shares);
    passage.head_ps = message_head_begin_on_shared_link_ps(
                          net, link, message, now_ps, passage.end_ps) +
                      takes->packet_ps;
    passage.head_ps = MIN(passage.head_ps, passage.end_ps);
    passage.busy_ps = (SimTime)MIN(busy_ps, SIM_ENGINE_MAX_PS);
    free_ps = rate_server_next_begin_ps(server, now_ps);
    for (uint32_t i = 0; i < link->n_links && link->free_ps[i] < free_ps; i++)
        link->free_ps[i] = free_ps;
    link->is_shared = TRUE;
    return passage;
}

/* Reports the busy time as if the packets had no gaps: the number of links that
 * work at a time then never exceeds the number of links, and each works equally
 * long. */
void shared_link_report_busy(Network *net, const Link *link,
                             const Passage *passage, SimTime now_ps)
{
    Share *share = share_state_of_link(net, link);
    SimTime from_ps = MAX(MAX(share->reported_ps, now_ps),
                          net->free_before_ps[link->n_links - 1]);
    SimTime each_ps = passage->busy_ps / link->n_links;

    share->reported_ps = from_ps + each_ps + 1;
    for (uint32_t i = 0; i < link->n_links; i++) {
        SimTime until_ps =
            from_ps + each_ps + (i < passage->busy_ps % link->n_links ? 1 : 0);

        if (until_ps > from_ps)
            net->busy(net->listener, (uint32_t)(link - net->links), from_ps,
                      until_ps);
    }
}
