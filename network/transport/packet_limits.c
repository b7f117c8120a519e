/*
 * packet_limits.c - limits on the joint rate of several links, per packet
 *
 * A limit is an additional server that takes one packet at a time, for the
 * bytes of the packet at the rate of the limit.  A packet is sent when its link
 * and all limits of the link are free.  If several links wait for a limit, the
 * message with the smallest key goes first.
 *
 * Cost     for each packet, examines all links of the unit that have a limit
 */
#include "network/transport/packet_network_impl.h"

struct PacketLimits {
    uint32_t n;        /* number of limits of a unit */
    SimTime *free_ps;  /* owned: when each limit is free; .n per unit */
    GArray **of_port;  /* owned: per port, the limits (uint32_t) of its links */
    GArray *ports;     /* owned: the ports (uint32_t) that have a limit */
    SimTime *armed_ps; /* owned: per unit, the time of the next event */
    PacketTransmitFn transmit_first;
};

PacketLimits *packet_limits_new(PacketNetwork *net,
                                PacketTransmitFn transmit_first)
{
    uint32_t n = topology_n_limits(net->topology), n_units;
    PacketLimits *limits;

    if (n == 0)
        return NULL;
    limits = g_new0(PacketLimits, 1);
    n_units = topology_n_links(net->topology) / net->n_ports;
    limits->n = n;
    limits->transmit_first = transmit_first;
    limits->free_ps = g_new0(SimTime, (gsize)n * n_units);
    limits->armed_ps = g_new(SimTime, n_units);
    for (uint32_t unit = 0; unit < n_units; unit++)
        limits->armed_ps[unit] = SIM_TIME_MAX;
    limits->ports = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    limits->of_port = g_new0(GArray *, net->n_ports + 1);
    for (uint32_t p = 0; p < net->n_ports; p++)
        limits->of_port[p] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t l = 0; l < n; l++) {
        const TopologyLimit *limit = topology_get_limit(net->topology, l);

        for (uint32_t i = 0; i < limit->n_ports; i++)
            g_array_append_val(limits->of_port[limit->ports[i]], l);
    }
    for (uint32_t p = 0; p < net->n_ports; p++)
        if (limits->of_port[p]->len > 0)
            g_array_append_val(limits->ports, p);
    return limits;
}

void packet_limits_free(PacketLimits *limits)
{
    if (!limits)
        return;
    for (uint32_t p = 0; limits->of_port[p]; p++)
        g_array_unref(limits->of_port[p]);
    g_array_unref(limits->ports);
    g_free(limits->of_port);
    g_free(limits->free_ps);
    g_free(limits->armed_ps);
    g_free(limits);
}

/* Returns the @i-th limit of link number @link. */
static uint32_t bandwidth_limit_of_link(const PacketNetwork *net, uint32_t link,
                                        guint i)
{
    return g_array_index(net->limits->of_port[link % net->n_ports], uint32_t,
                         i);
}

static SimTime *free_time_of_limit(const PacketNetwork *net, uint32_t link,
                                   guint i)
{
    const PacketLimits *limits = net->limits;

    return &limits->free_ps[(gsize)(link / net->n_ports) * limits->n +
                            bandwidth_limit_of_link(net, link, i)];
}

static SimTime link_limits_free_at_ps(const PacketNetwork *net, uint32_t link)
{
    SimTime free_ps = 0;

    for (guint i = 0; i < net->limits->of_port[link % net->n_ports]->len; i++)
        free_ps = MAX(free_ps, *free_time_of_limit(net, link, i));
    return free_ps;
}

/* Returns the link whose first packet is sent now.  If there is none, returns
 * NULL and sets *@ret_next_ps to the time at which the limits of a waiting link
 * are free. */
static Link *find_link_that_may_send_packet(PacketNetwork *net, uint32_t unit,
                                            SimTime now_ps,
                                            SimTime *ret_next_ps)
{
    uint32_t first_message = NONE;
    Link *first = NULL;

    *ret_next_ps = SIM_TIME_MAX;
    for (guint i = 0; i < net->limits->ports->len; i++) {
        uint32_t number = unit * net->n_ports +
                          g_array_index(net->limits->ports, uint32_t, i);
        Link *link = &net->links[number];
        SimTime free_ps = link_limits_free_at_ps(net, number);
        uint32_t message;

        if (link->n_idle == 0)
            continue;
        message = packet_next_message_for_link(net, link);
        if (message == NONE)
            continue;
        if (free_ps > now_ps) {
            *ret_next_ps = MIN(*ret_next_ps, free_ps);
        } else if (!first ||
                   packet_message_precedes(net, message, first_message)) {
            first = link;
            first_message = message;
        }
    }
    return first;
}

static void on_packet_limit_service_event(gpointer self, uint32_t unit,
                                          SimTime now_ps);

static void schedule_packet_limit_service(PacketNetwork *net, uint32_t unit,
                                          SimTime at_ps)
{
    if (net->limits->armed_ps[unit] <= at_ps)
        return;
    net->limits->armed_ps[unit] = at_ps;
    sim_engine_schedule(net->engine, at_ps, SIM_PHASE_LINK,
                        on_packet_limit_service_event, net, unit);
}

/* Event: serves the limited links of @unit.  It runs after all events of this
 * instant that can make a link ready. */
static void on_packet_limit_service_event(gpointer self, uint32_t unit,
                                          SimTime now_ps)
{
    PacketNetwork *net = self;
    SimTime next_ps;
    Link *first;

    if (net->limits->armed_ps[unit] != now_ps)
        return;
    net->limits->armed_ps[unit] = SIM_TIME_MAX;
    while (
        (first = find_link_that_may_send_packet(net, unit, now_ps, &next_ps)))
        net->limits->transmit_first(net, first, now_ps);
    if (next_ps != SIM_TIME_MAX)
        schedule_packet_limit_service(net, unit, next_ps);
}

gboolean packet_limits_serve_link(PacketNetwork *net, uint32_t link)
{
    if (!net->limits || net->limits->of_port[link % net->n_ports]->len == 0)
        return FALSE;
    schedule_packet_limit_service(net, link / net->n_ports,
                                  sim_engine_now_ps(net->engine));
    return TRUE;
}

void packet_limits_occupy(PacketNetwork *net, uint32_t link, uint64_t bytes,
                          SimTime now_ps)
{
    for (guint i = 0;
         net->limits && i < net->limits->of_port[link % net->n_ports]->len;
         i++) {
        const TopologyLimit *limit = topology_get_limit(
            net->topology, bandwidth_limit_of_link(net, link, i));
        SimTime takes_ps = sim_time_from_bytes(bytes, limit->bytes_per_s);

        g_assert(*free_time_of_limit(net, link, i) <= now_ps);
        *free_time_of_limit(net, link, i) =
            now_ps + MIN(takes_ps, SIM_ENGINE_MAX_PS);
    }
}
