/*
 * link_limits.c - limits on the joint rate of several links
 *
 * A limit is an additional server for the messages on its links.  A message
 * begins when its link is free and a part of the rate of each limit of the link
 * is free (rate_server.h).  The message gets the smallest residual rate of its
 * link and limits, and uses that rate of each of them.  So a message on a link
 * that is slower than the limit leaves the rest of the limit to others.
 * Messages that wait for a limit begin in the order of
 * network_message_before(), as on a link.  To apply this order, all limited
 * links of a unit are examined together, once in each instant at which
 * something may have changed.
 *
 * Cost     for each message, examines all links of the unit that have a limit
 */
#include "network/transport/network_state_impl.h"

typedef struct {
    RateServer server;
    /* The total time that the messages under this limit would take one after
     * the other. */
    SimTime busy_ps;
} Limit;

struct LinkLimits {
    uint32_t n;       /* number of limits of a unit */
    uint32_t n_all;   /* number of limits of all units */
    Limit *limits;    /* owned: .n limits per simulated unit */
    GArray **of_port; /* owned: per port, the limits (uint32_t) of its links */
    GArray *ports;    /* owned: the ports (uint32_t) that have a limit */
    /* Borrowed: the link that on_limit_service_event() admits now; NULL at
     * other times. */
    const Link *admitted;
    /* Owned: per symmetric unit of the topology, the time of the next event;
     * SIM_TIME_MAX: none. */
    SimTime *armed_ps;
    LinkLimitsServeFn serve, serve_at;
};

static void flag_links_with_bandwidth_limits(Network *net, LinkLimits *limits)
{
    for (uint32_t p = 0; p < net->n_ports; p++) {
        if (limits->of_port[p]->len == 0)
            continue;
        g_array_append_val(limits->ports, p);
        for (uint32_t unit = 0; unit < net->n_units; unit++) {
            Link *link = &net->links[unit * net->n_ports + p];

            link->is_limited = link->is_special = TRUE;
        }
    }
}

LinkLimits *link_limits_new(Network *net, LinkLimitsServeFn serve,
                            LinkLimitsServeFn serve_at)
{
    LinkLimits *limits;
    uint32_t n = topology_n_limits(net->topology);

    if (n == 0)
        return NULL;
    limits = g_new0(LinkLimits, 1);
    limits->serve = serve;
    limits->serve_at = serve_at;
    limits->n = n;
    limits->limits = g_new0(Limit, (gsize)n * net->n_units);
    limits->armed_ps = g_new(SimTime, net->n_units);
    for (uint32_t unit = 0; unit < net->n_units; unit++)
        limits->armed_ps[unit] = SIM_TIME_MAX;
    limits->n_all = n * net->n_units;
    for (uint32_t i = 0; i < limits->n_all; i++)
        limits->limits[i].server.bytes_per_s =
            topology_get_limit(net->topology, i % n)->bytes_per_s;
    limits->ports = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    limits->of_port = g_new0(GArray *, net->n_ports + 1);
    for (uint32_t p = 0; p < net->n_ports; p++)
        limits->of_port[p] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t l = 0; l < n; l++) {
        const TopologyLimit *limit = topology_get_limit(net->topology, l);

        for (uint32_t i = 0; i < limit->n_ports; i++)
            g_array_append_val(limits->of_port[limit->ports[i]], l);
    }
    flag_links_with_bandwidth_limits(net, limits);
    return limits;
}

void link_limits_free(LinkLimits *limits)
{
    if (!limits)
        return;
    for (uint32_t p = 0; limits->of_port[p]; p++)
        g_array_unref(limits->of_port[p]);
    for (uint32_t i = 0; i < limits->n_all; i++)
        rate_server_clear(&limits->limits[i].server);
    g_array_unref(limits->ports);
    g_free(limits->of_port);
    g_free(limits->limits);
    g_free(limits->armed_ps);
    g_free(limits);
}

static Limit *bandwidth_limit_of_link(const Network *net, const Link *link,
                                      guint i)
{
    const LinkLimits *limits = net->limits;
    uint32_t unit = (uint32_t)(link - net->links) / net->n_ports;
    uint32_t l = g_array_index(limits->of_port[link->port], uint32_t, i);

    return &limits->limits[unit * limits->n + l];
}

/* Returns when a message may begin on @link and its limits, at @now_ps or
 * later. */
static SimTime earliest_begin_within_limits(const Network *net,
                                            const Link *link, SimTime now_ps)
{
    SimTime free_ps = link->free_ps[0];

    for (guint i = 0; i < net->limits->of_port[link->port]->len; i++)
        free_ps =
            MAX(free_ps,
                rate_server_next_begin_ps(
                    &bandwidth_limit_of_link(net, link, i)->server, now_ps));
    return free_ps;
}

/* Returns whether the next message of @a precedes that of @b. */
static gboolean next_message_precedes(const Network *net, const Link *a,
                                      const Link *b)
{
    return network_message_before(&net->messages[a->waiting.head],
                                  &net->messages[b->waiting.head]);
}

/* Returns the link whose first message begins now.  If there is none, returns
 * NULL and sets *@ret_next_ps to the earliest time at which one may begin. */
static Link *find_link_that_may_begin(const Network *net, uint32_t unit,
                                      SimTime now_ps, SimTime *ret_next_ps)
{
    Link *first = NULL;

    *ret_next_ps = SIM_TIME_MAX;
    for (guint i = 0; i < net->limits->ports->len; i++) {
        uint32_t p = g_array_index(net->limits->ports, uint32_t, i);
        Link *link = &net->links[unit * net->n_ports + p];
        SimTime free_ps;

        if (!link_has_waiting_trains(link))
            continue;
        free_ps = earliest_begin_within_limits(net, link, now_ps);
        if (free_ps > now_ps)
            *ret_next_ps = MIN(*ret_next_ps, free_ps);
        else if (!first || next_message_precedes(net, link, first))
            first = link;
    }
    return first;
}

static void on_limit_service_event(gpointer self, uint32_t unit,
                                   uint64_t now_ps);

/* Schedules an examination of the limited links of @unit at @at_ps, unless one
 * is due earlier. */
static void schedule_limit_service(Network *net, uint32_t unit, SimTime at_ps)
{
    if (net->limits->armed_ps[unit] <= at_ps)
        return;
    net->limits->armed_ps[unit] = at_ps;
    sim_engine_schedule(net->engine, at_ps, SIM_PHASE_LINK,
                        on_limit_service_event, net, unit);
}

/* Event: admits waiting messages of @unit.  All links that are served at this
 * instant have been examined before: this event was queued in the same instant
 * and runs after the earlier ones. */
static void on_limit_service_event(gpointer self, uint32_t unit,
                                   uint64_t now_ps)
{
    Network *net = self;
    SimTime next_ps;

    if (net->limits->armed_ps[unit] != now_ps)
        return;
    net->limits->armed_ps[unit] = SIM_TIME_MAX;
    for (;;) {
        Link *first = find_link_that_may_begin(net, unit, now_ps, &next_ps);

        if (!first)
            break;
        net->limits->admitted = first;
        net->limits->serve(net, (uint32_t)(first - net->links), now_ps);
        g_assert(!net->limits->admitted);
    }
    if (next_ps != SIM_TIME_MAX)
        schedule_limit_service(net, unit, next_ps);
}

gboolean link_limits_admit_message(Network *net, uint32_t number,
                                   SimTime now_ps)
{
    const Link *link = &net->links[number];

    if (net->limits->admitted == link) {
        net->limits->admitted = NULL;
        return TRUE;
    }
    schedule_limit_service(net, number / net->n_ports, now_ps);
    if (link->coming.head != MESSAGE_NONE)
        net->limits->serve_at(net, number,
                              net->messages[link->coming.head].tail_ps);
    return FALSE;
}

static gboolean uint32_arrays_are_equal(const NetMessage *first,
                                        const NetMessage *second)
{
    return first->order_hi == second->order_hi &&
           first->order_lo == second->order_lo;
}

/* Returns the number of messages that share limit @l of the unit of @link when
 * @message begins there, including @message: those with the same key that begin
 * now on other links. */
static uint32_t n_messages_sharing_limit(const Network *net, const Link *link,
                                         const NetMessage *message, uint32_t l,
                                         SimTime now_ps)
{
    const TopologyLimit *limit = topology_get_limit(net->topology, l);
    gsize first = (gsize)(link - net->links) / net->n_ports * net->n_ports;
    uint32_t n = 1;

    for (uint32_t i = 0; i < limit->n_ports; i++) {
        const Link *other = &net->links[first + limit->ports[i]];

        if (other != link && link_has_waiting_trains(other) &&
            uint32_arrays_are_equal(&net->messages[other->waiting.head],
                                    message) &&
            earliest_begin_within_limits(net, other, now_ps) <= now_ps)
            n++;
    }
    return n;
}

void link_limits_append_rate_servers(Network *net, const Link *link,
                                     const NetMessage *message, GArray *taken,
                                     SimTime now_ps)
{
    for (guint i = 0; i < net->limits->of_port[link->port]->len; i++) {
        Limit *limit = bandwidth_limit_of_link(net, link, i);
        uint32_t l =
            g_array_index(net->limits->of_port[link->port], uint32_t, i);
        ServerPart part = { &limit->server,
                            n_messages_sharing_limit(net, link, message, l,
                                                     now_ps) };
        SimWide takes_ps = (SimWide)message->bytes * SIM_PS_PER_SEC /
                           limit->server.bytes_per_s;

        rate_server_drop_past_segments(&limit->server, now_ps);
        g_array_append_val(taken, part);
        limit->busy_ps += (SimTime)MIN(takes_ps, SIM_ENGINE_MAX_PS);
    }
}

SimTime network_limit_busy_ps(const Network *net, uint32_t unit, uint32_t limit)
{
    const LinkLimits *limits = net->limits;

    if (!limits)
        return 0;
    g_assert(unit < net->n_units && limit < limits->n);
    return limits->limits[(gsize)unit * limits->n + limit].busy_ps;
}
