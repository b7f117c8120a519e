/*
 * shares.c - several messages that share a link or a limit
 *
 * A message that comes from a slow link does not need all of a fast one: its
 * packets leave gaps, in which packets of others go.  So a message takes a link
 * only for as long as it has more bytes waiting than it gets new ones.  From
 * then on it uses the rate at which it comes, until its end, and the next
 * message may begin with what it leaves.
 *
 * A message of m bytes in packets of p, at a node from its head at h until its
 * tail at t, comes at the feed rate a = (m - p) / (t - h).  On a link of rate R
 * (of all parallel links together) it begins at s >= h, and goes at
 *
 *     c(t)            while some of it waits at the node: the least residual
 *                     rate of the link and of its limits (rate_server.h)
 *     min(a, c(t))    from when nothing waits any more
 *
 * and ends no sooner than its tail here + t(p), as on any link.  Of what it
 * takes the next message may use nothing, and begins when a part of the rate is
 * free.  Messages of one key that come at the same time have equal parts of the
 * residual rate, as their packets would.  A message that is all here when it
 * begins, on a link that it has for itself, goes at R, and the formula is that
 * of network.h.
 *
 * Where its rate grows, since others end, its head goes on later than its first
 * packet could: else the next link would take it for one that comes evenly, and
 * would not see how much comes at last.  With D(t) what has gone by t, and r
 * the rate of the next link, the head is that of a message that begins at max(t
 * - D(t) / r) of all times t at which the rate changes.
 *
 * A link is uneven if messages may come to it more slowly than it sends them:
 * if it is faster than some link, has parallel ones, is slower or faster than
 * its topology says, has limits, or gets what slow switches add.  On no other
 * does anything of this cost anything, nor for the first hop of a message.
 *
 * Differs  from packet.h, where packets of a lesser key go between those of a
 *          message: what has begun keeps its rate.  See
 *          tests/models/run/test_message_against_packet.c for how much that is.
 * Assumes  a message that passes comes evenly, and within a packet's time those
 *          that share a link do not delay each other
 */
#include "network/transport/trains_impl.h"

typedef struct {
    RateServer server;
    SimTime told_ps; /* until then all parallel links work, as is told */
} Share;

/* Of more nothing is seen: they would hardly move. */
#define MOST_SHARERS 64

/* A part of a message's transfer, at one rate. */
typedef struct {
    SimTime from_ps, until_ps;
    uint64_t bytes_per_s;
} Step;

struct Shares {
    Share *links;  /* owned: by link */
    guint n_links; /* all */
    /* Of one message: */
    GArray *taken; /* owned: of ServerPart, what it takes */
    GArray *steps; /* owned: of Step */
};

/* ---- which links ------------------------------------------------------ */

/* Returns the rate of all parallel links together. */
static uint64_t rate_of(const Network *net, uint32_t number)
{
    const TopologyPort *port =
        topology_port(net->topology, number % net->n_ports);
    uint64_t bytes_per_s = port->payload_bytes_per_s;

    if (net->factors_ppm)
        bytes_per_s = network_perturbed_bytes_per_s(net, number);
    return (uint64_t)MIN((SimWide)bytes_per_s * port->n_links, UINT64_MAX);
}

static gboolean some_switch_is_slow(const Topology *topology)
{
    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        const TopologyAdder *adder = topology_adder(topology, d);

        if (adder && adder->bytes_per_s > 0)
            return TRUE;
    }
    return FALSE;
}

static SimWide port_rate(const TopologyPort *port)
{
    return (SimWide)port->payload_bytes_per_s * port->n_links;
}

/* The slowest port, if links of some port are uneven on @topology as it is; 0:
 * of none. */
static SimWide least_rate(const Topology *topology)
{
    SimWide least = port_rate(topology_port(topology, 0));
    gboolean some =
        topology_n_limits(topology) > 0 || some_switch_is_slow(topology);

    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_port(topology, p);

        some |= port->n_links > 1 || port_rate(port) != least;
        least = MIN(least, port_rate(port));
    }
    return some ? least : 0;
}

uint64_t shares_link_bytes(const Topology *topology)
{
    return topology_n_ports(topology) > 0 && least_rate(topology) > 0
               ? sizeof(Share)
               : 0;
}

static guint8 is_uneven(const Network *net, uint32_t p, SimWide least)
{
    const TopologyPort *port = topology_port(net->topology, p);

    return net->factors_ppm || net->limits ||
           some_switch_is_slow(net->topology) || port->n_links > 1 ||
           port_rate(port) > least;
}

/* FALSE: no link is. */
static gboolean mark(Network *net)
{
    SimWide least = net->n_ports > 0 ? least_rate(net->topology) : 0;

    if (least == 0 && !net->factors_ppm)
        return FALSE;
    for (gsize i = 0; i < (gsize)net->n_units * net->n_ports; i++)
        net->links[i].is_uneven =
            is_uneven(net, (uint32_t)(i % net->n_ports), least);
    return TRUE;
}

Shares *shares_new(Network *net)
{
    Shares *shares;

    if (!mark(net))
        return NULL;
    shares = g_new0(Shares, 1);
    shares->n_links = net->n_units * net->n_ports;
    shares->links = g_new0(Share, shares->n_links);
    shares->taken = g_array_new(FALSE, FALSE, sizeof(ServerPart));
    shares->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    for (guint i = 0; i < shares->n_links; i++)
        shares->links[i].server.bytes_per_s = rate_of(net, i);
    return shares;
}

void shares_free(Shares *shares)
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

void shares_set_rates(Network *net)
{
    if (!net->shares)
        net->shares = shares_new(net);
    (void)mark(net);
    for (guint i = 0; i < net->shares->n_links; i++)
        net->shares->links[i].server.bytes_per_s = rate_of(net, i);
}

static Share *share_of(const Network *net, const Link *link)
{
    return &net->shares->links[link - net->links];
}

RateServer *shares_server(const Network *net, const Link *link)
{
    return &share_of(net, link)->server;
}

static SimTime feed_ps(uint32_t feed)
{
    return (SimTime)(feed >> 6) << (feed & 63);
}

/* With how many messages @m shares what is left of @link, itself included: with
 * those that have its key, and come at the same time from as far away. */
static uint32_t n_sharers_of(const Network *net, const Link *link,
                             const NetMessage *m)
{
    uint32_t n = 1, message = link->waiting.head;

    if (m->n_hops == 0 || net->flows)
        return 1;
    for (; message != MESSAGE_NONE && n < MOST_SHARERS;
         message = net->messages[message].link.next, n++) {
        const NetMessage *other = &net->messages[message];

        if (other->order_hi != m->order_hi || other->order_lo != m->order_lo ||
            other->n_hops != m->n_hops ||
            other->tail_ps - feed_ps(other->feed) >= m->tail_ps)
            break;
    }
    return n;
}

gboolean shares_is_idle(const Network *net, const Link *link, SimTime now_ps)
{
    RateServer *server = shares_server(net, link);

    rate_server_forget(server, now_ps);
    return server->n == 0;
}

gboolean shares_are_needed(const Network *net, Link *link, const NetMessage *m,
                           SimTime least_ps, SimTime now_ps)
{
    const StripeTimes *takes = &net->classes[link->port].takes;

    link->is_shared = link->is_shared && !shares_is_idle(net, link, now_ps);
    if (link->is_limited || link->is_shared)
        return TRUE;
    /* As long as all links but one could not keep up, it takes all of them. */
    return m->n_hops > 0 &&
           (least_ps > now_ps + (link->n_links == 1 ? takes->message_ps
                                                    : takes->fewer_ps) ||
            n_sharers_of(net, link, m) > 1);
}

/* ---- a message -------------------------------------------------------- */

/* What is known of a message that begins.  Of bytes there are as many as of
 * those that one byte per second brings in a ps: so all sums are exact. */
typedef struct {
    SimWide here;  /* waits at the node */
    SimWide left;  /* with what is yet to come */
    uint64_t feed; /* bytes per second, until */
    SimTime fed_ps;
    uint64_t most; /* bytes per second that it can take */
} Transfer;

static Transfer transfer_of(const Network *net, const Link *link,
                            const NetMessage *m, SimTime least_ps,
                            SimTime now_ps)
{
    uint64_t packet_bytes = MIN(m->bytes, net->packet_bytes);
    uint64_t n_packets = (m->bytes - 1) / packet_bytes + 1;
    uint64_t bytes_per_s = shares_server(net, link)->bytes_per_s;
    SimWide all = (SimWide)m->bytes * SIM_PS_PER_SEC, rate, to_come;
    Transfer transfer = {
        .here = all, .left = all, .fed_ps = least_ps, .most = bytes_per_s
    };

    if (n_packets < link->n_links)
        transfer.most = MAX(1, bytes_per_s / link->n_links * n_packets);
    if (m->n_hops == 0 || least_ps <= now_ps || n_packets == 1 ||
        feed_ps(m->feed) == 0)
        return transfer;
    rate =
        (SimWide)(m->bytes - packet_bytes) * SIM_PS_PER_SEC / feed_ps(m->feed);
    to_come = (least_ps - now_ps) * MIN(rate, UINT64_MAX);
    if (to_come >= all) {
        rate = (all - 1) / (least_ps - now_ps) + 1;
        to_come = all;
    }
    transfer.feed = (uint64_t)MIN(rate, UINT64_MAX);
    transfer.here = all - to_come;
    return transfer;
}

/* The least of its parts of the residual rates of what a message takes. */
static uint64_t residual(const Shares *shares, SimTime at_ps,
                         SimTime *ret_until_ps)
{
    uint64_t least = UINT64_MAX;

    *ret_until_ps = SIM_TIME_MAX;
    for (guint i = 0; i < shares->taken->len; i++) {
        const ServerPart *part = &g_array_index(shares->taken, ServerPart, i);
        SimTime until_ps;
        uint64_t rate = rate_server_residual(part->server, at_ps, &until_ps);

        least = MIN(least, rate / part->n_sharers);
        *ret_until_ps = MIN(*ret_until_ps, until_ps);
    }
    return least;
}

/* When @amount is gone at @rate, if that is before *@until_ps. */
static void end_with(SimTime *until_ps, SimTime at_ps, SimWide amount,
                     uint64_t rate)
{
    SimWide takes_ps = (amount - 1) / rate + 1;

    *until_ps =
        MIN(*until_ps, at_ps + (SimTime)MIN(takes_ps, SIM_ENGINE_MAX_PS));
}

/* Divides @t into the steps of the head comment.  Returns its end. */
static SimTime make_steps(Shares *shares, Transfer t, SimTime now_ps)
{
    SimTime at_ps = now_ps;

    g_array_set_size(shares->steps, 0);
    while (t.left > 0 && at_ps - now_ps < SIM_ENGINE_MAX_PS) {
        Step step = { .from_ps = at_ps };
        uint64_t rate = residual(shares, at_ps, &step.until_ps), feed = 0;
        SimWide goes;

        rate = MIN(rate, t.most);
        if (at_ps < t.fed_ps && t.here < t.left) {
            feed = t.feed;
            step.until_ps = MIN(step.until_ps, t.fed_ps);
        } else {
            t.here = t.left;
        }
        step.bytes_per_s = t.here > 0 ? rate : MIN(rate, feed);
        if (step.bytes_per_s > 0)
            end_with(&step.until_ps, at_ps, t.left, step.bytes_per_s);
        if (t.here > 0 && feed > 0 && rate > feed)
            end_with(&step.until_ps, at_ps, t.here, rate - feed);
        goes = (SimWide)step.bytes_per_s * (step.until_ps - at_ps);
        goes = MIN(goes, t.left);
        t.here += (SimWide)feed * (step.until_ps - at_ps);
        t.here -= MIN(t.here, goes);
        t.left -= goes;
        at_ps = step.until_ps;
        g_array_append_val(shares->steps, step);
    }
    return at_ps;
}

/* Where it takes all parallel links in turn, those that are busy are busy to
 * the end of their messages. */
static void use_busy_links(Network *net, Link *link, SimTime now_ps)
{
    RateServer *server = shares_server(net, link);

    if (server->n > 0)
        return;
    for (uint32_t i = 0; i < link->n_links; i++)
        if (link->free_ps[i] > now_ps)
            rate_server_use(server, now_ps, link->free_ps[i],
                            server->bytes_per_s / link->n_links);
}

static void use_servers(const Shares *shares)
{
    for (guint s = 0; s < shares->taken->len; s++)
        for (guint i = 0; i < shares->steps->len; i++) {
            const Step *step = &g_array_index(shares->steps, Step, i);

            rate_server_use(g_array_index(shares->taken, ServerPart, s).server,
                            step->from_ps, step->until_ps, step->bytes_per_s);
        }
}

/* The link that @m takes after @link is as fast; 0: it does not go on. */
static uint64_t next_rate(const Network *net, const Link *link,
                          const NetMessage *m)
{
    uint32_t dst = m->dst, number;

    if (link->far == dst ||
        (network_is_to_meet(m) &&
         topology_way_on(net->topology, link->far, m->way) != m->way))
        return 0;
    number = trains_number_of(
        net, topology_next(net->topology, link->far, dst, m->way), &dst);
    return shares_server(net, &net->links[number])->bytes_per_s;
}

/* When a message that comes evenly would begin, so that the next link ends as
 * it does with this one, which ends at @end_ps. */
static SimTime even_begin_ps(const Network *net, const Link *link,
                             const NetMessage *m, SimTime now_ps,
                             SimTime end_ps)
{
    const GArray *steps = net->shares->steps;
    uint64_t rate = steps->len > 1 ? next_rate(net, link, m) : 0;
    SimWide left = (SimWide)m->bytes * SIM_PS_PER_SEC, takes_ps;
    SimTime last_ps = end_ps;

    if (rate == 0)
        return now_ps;
    takes_ps = left / rate;
    for (guint i = 0; i < steps->len; i++) {
        const Step *step = &g_array_index(steps, Step, i);
        SimWide goes =
            (SimWide)step->bytes_per_s * (step->until_ps - step->from_ps);

        if (step->from_ps + left / rate > last_ps)
            last_ps = step->from_ps + (SimTime)(left / rate);
        left -= MIN(left, goes);
    }
    return last_ps > end_ps && last_ps > now_ps + takes_ps
               ? last_ps - (SimTime)takes_ps
               : now_ps;
}

/* When whole packets over parallel links have gone, where @shares says how many
 * links they find from begin to end: else over all of them. */
static SimTime least_end_ps(const Shares *shares, const RateServer *server,
                            const StripeTimes *takes, uint32_t n_links,
                            SimTime now_ps)
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

Passage shares_take(Network *net, Link *link, const NetMessage *m,
                    SimTime least_ps, SimTime now_ps)
{
    Shares *shares = net->shares;
    RateServer *server = shares_server(net, link);
    const StripeTimes *takes = &net->classes[link->port].takes;
    SimWide busy_ps = (SimWide)m->bytes * SIM_PS_PER_SEC * link->n_links /
                      server->bytes_per_s;
    ServerPart part = { server, n_sharers_of(net, link, m) };
    Passage passage;
    SimTime free_ps;

    g_array_set_size(shares->taken, 0);
    g_array_append_val(shares->taken, part);
    if (link->is_limited)
        limits_take(net, link, m, shares->taken, now_ps);
    use_busy_links(net, link, now_ps);
    passage.end_ps =
        make_steps(shares, transfer_of(net, link, m, least_ps, now_ps), now_ps);
    passage.end_ps = MAX(passage.end_ps, least_ps);
    passage.end_ps = MAX(passage.end_ps, least_end_ps(shares, server, takes,
                                                      link->n_links, now_ps));
    use_servers(shares);
    passage.head_ps =
        even_begin_ps(net, link, m, now_ps, passage.end_ps) + takes->packet_ps;
    passage.head_ps = MIN(passage.head_ps, passage.end_ps);
    passage.busy_ps = (SimTime)MIN(busy_ps, SIM_ENGINE_MAX_PS);
    free_ps = rate_server_free_ps(server, now_ps);
    for (uint32_t i = 0; i < link->n_links && link->free_ps[i] < free_ps; i++)
        link->free_ps[i] = free_ps;
    link->is_shared = TRUE;
    return passage;
}

/* As if its packets went without gaps: then no more links work at once than
 * there are, and each works as long. */
void shares_tell_busy(Network *net, const Link *link, const Passage *passage,
                      SimTime now_ps)
{
    Share *share = share_of(net, link);
    SimTime from_ps = MAX(MAX(share->told_ps, now_ps),
                          net->free_before_ps[link->n_links - 1]);
    SimTime each_ps = passage->busy_ps / link->n_links;

    share->told_ps = from_ps + each_ps + 1;
    for (uint32_t i = 0; i < link->n_links; i++) {
        SimTime until_ps =
            from_ps + each_ps + (i < passage->busy_ps % link->n_links ? 1 : 0);

        if (until_ps > from_ps)
            net->busy(net->listener, (uint32_t)(link - net->links), from_ps,
                      until_ps);
    }
}
