/* network_oracle.h - a slow, simple model of network.h for comparison
 *
 * In each step, it examines all messages and all links. */
#ifndef TESTS_NETWORK_NETWORK_ORACLE_H
#define TESTS_NETWORK_NETWORK_ORACLE_H

#include "network/transport/network.h"
#include "tests/network/stripe_oracle.h"
#include "tests/network/topology_walk.h"

#define MAX_NPUS     24
#define MAX_PORTS    6
#define MAX_LINKS    5
#define MAX_CHUNKS   40
#define MAX_SENDS    (MAX_CHUNKS * MAX_NPUS)
#define PACKET_BYTES 470

typedef struct {
    uint32_t src, dst;
    uint64_t bytes, order_hi, order_lo;
    SimTime at_ps;
    uint8_t way;
    uint32_t chunk; /* The chunk number is unique among all messages to .dst. */
} Send;

typedef struct {
    Send send;
    uint32_t link; /* The link for which the message waits. */
    uint32_t n_hops, has_arrived;
    /* The arrival times of the first and the last packet at the current
     * node. */
    SimTime head_ps, tail_ps;
} MessageInFlight;

/* A part of a link's rate that a message occupies, if several messages share
 * the link; see network/transport/shared_links.c. */
typedef struct {
    SimTime from_ps, until_ps;
    uint64_t bytes_per_s;
} RateUse;

typedef struct {
    const Topology *topology;
    MessageInFlight flights[MAX_SENDS];
    SimTime free_ps[MAX_NPUS * MAX_PORTS][MAX_LINKS];
    /* The struct owns these arrays of Use; NULL if a link has none. */
    GArray *uses[MAX_NPUS * MAX_PORTS];
    NetPortStats stats[MAX_NPUS * MAX_PORTS];
    SimTime arrival_ps[MAX_NPUS][MAX_CHUNKS];
} Oracle;

static inline SimTime *oracle_first_free_link(Oracle *o,
                                              const MessageInFlight *m)
{
    SimTime *free_ps = o->free_ps[m->link], *first = free_ps;

    for (guint l = 1; l < port_of_link(o->topology, m->link)->n_links; l++)
        if (free_ps[l] < *first)
            first = &free_ps[l];
    return first;
}

static inline SimTime oracle_start_time_ps(Oracle *o, const MessageInFlight *m)
{
    return MAX(m->head_ps, *oracle_first_free_link(o, m));
}

static inline gboolean oracle_starts_before(Oracle *o, const MessageInFlight *a,
                                            const MessageInFlight *b)
{
    if (oracle_start_time_ps(o, a) != oracle_start_time_ps(o, b))
        return oracle_start_time_ps(o, a) < oracle_start_time_ps(o, b);
    if (a->send.order_hi != b->send.order_hi)
        return a->send.order_hi < b->send.order_hi;
    if (a->send.order_lo != b->send.order_lo)
        return a->send.order_lo < b->send.order_lo;
    return a->n_hops < b->n_hops;
}

/* ---- oracle of links that messages share --------------------------------- */

static inline uint64_t oracle_link_rate(const Oracle *o, uint32_t link)
{
    const TopologyPort *port = port_of_link(o->topology, link);

    return port->payload_bytes_per_s * port->n_links;
}

static inline void oracle_record_use(Oracle *o, uint32_t link, RateUse use)
{
    if (!o->uses[link])
        o->uses[link] = g_array_new(FALSE, FALSE, sizeof(RateUse));
    if (use.bytes_per_s > 0 && use.from_ps < use.until_ps)
        g_array_append_val(o->uses[link], use);
}

/* Returns the rate that all uses leave at @at_ps, and sets the time until which
 * this rate is certain. */
static inline uint64_t oracle_unused_rate(const Oracle *o, uint32_t link,
                                          SimTime at_ps, SimTime *ret_until_ps)
{
    uint64_t left = oracle_link_rate(o, link);

    *ret_until_ps = SIM_TIME_MAX;
    for (guint i = 0; o->uses[link] && i < o->uses[link]->len; i++) {
        const RateUse *use = &g_array_index(o->uses[link], RateUse, i);

        if (use->from_ps > at_ps)
            *ret_until_ps = MIN(*ret_until_ps, use->from_ps);
        if (use->until_ps > at_ps)
            *ret_until_ps = MIN(*ret_until_ps, use->until_ps);
        if (use->from_ps <= at_ps && at_ps < use->until_ps)
            left -= use->bytes_per_s;
    }
    return left;
}

static inline gboolean oracle_message_may_share(Oracle *o,
                                                const MessageInFlight *m,
                                                SimTime s_ps, SimTime full_ps,
                                                SimTime least_ps)
{
    for (guint i = 0; o->uses[m->link] && i < o->uses[m->link]->len; i++)
        if (g_array_index(o->uses[m->link], RateUse, i).until_ps > s_ps)
            return TRUE;
    return m->n_hops > 0 && least_ps > s_ps + full_ps;
}

/* Amounts are in units of bytes / PER_BYTE. One byte per second moves one unit
 * per picosecond. */
#define PER_BYTE ((SimWide)SIM_PS_PER_SEC)

/* Simulates the transfer of @m over its link. Sets the time at which its last
 * packet has passed. Also sets the time at which a message of constant rate
 * would have to begin, in order to end equally late on the next link. */
static inline void oracle_share_link_rate(Oracle *o, const MessageInFlight *m,
                                          SimTime s_ps, SimTime packet_ps,
                                          SimTime least_ps, uint64_t next_rate,
                                          SimTime *ret_end_ps,
                                          SimTime *ret_begin_ps)
{
    const TopologyPort *port = port_of_link(o->topology, m->link);
    uint64_t packet = MIN(m->send.bytes, PACKET_BYTES), each;
    uint64_t n_packets = (m->send.bytes - 1) / packet + 1, feed = 0, n_used;
    SimWide all = PER_BYTE * m->send.bytes, left = all, arrived = all;
    SimTime at_ps = s_ps, late_ps = 0, end_ps;
    guint n_steps = 0;

    each = port->payload_bytes_per_s;
    n_used = port->n_links;
    if (m->n_hops > 0 && m->tail_ps > m->head_ps && n_packets > 1 &&
        least_ps > s_ps) {
        SimWide to_come;

        feed = (uint64_t)(PER_BYTE * (m->send.bytes - packet) /
                          (m->tail_ps - m->head_ps));
        to_come = (SimWide)feed * (least_ps - s_ps);
        if (to_come >= all) {
            feed = (uint64_t)((all - 1) / (least_ps - s_ps) + 1);
            to_come = all;
        }
        arrived = all - to_come;
    }
    while (left > 0) {
        SimTime until_ps;
        uint64_t rate = oracle_unused_rate(o, m->link, at_ps, &until_ps),
                 now_feed = 0;
        SimWide moved;

        rate = MIN(rate, each * MIN(n_packets, port->n_links));
        if (at_ps >= least_ps || arrived >= left)
            arrived = left;
        else {
            now_feed = feed;
            until_ps = MIN(until_ps, least_ps);
        }
        if (arrived == 0)
            rate = MIN(rate, now_feed);
        if (rate > 0)
            until_ps = MIN(until_ps, at_ps + (SimTime)((left - 1) / rate + 1));
        if (arrived > 0 && now_feed > 0 && rate > now_feed)
            until_ps =
                MIN(until_ps,
                    at_ps + (SimTime)((arrived - 1) / (rate - now_feed) + 1));
        if (next_rate > 0)
            late_ps = MAX(late_ps, at_ps + (SimTime)(left / next_rate));
        if (n_steps++ == 0)
            n_used = (rate - 1) / each + 1;
        moved = MIN(left, (SimWide)rate * (until_ps - at_ps));
        arrived += (SimWide)now_feed * (until_ps - at_ps);
        arrived -= MIN(arrived, moved);
        left -= moved;
        /* The remaining rate at @at_ps is computed above, before this use is
         * added. */
        oracle_record_use(o, m->link, (RateUse){ at_ps, until_ps, rate });
        at_ps = until_ps;
    }
    if (n_steps > 1)
        n_used = port->n_links;
    end_ps = MAX(at_ps, least_ps);
    if (port->n_links > 1) {
        uint64_t turns = (n_packets - 1) / n_used + 1;
        uint64_t last = m->send.bytes - (n_packets - 1) * packet;
        SimTime idle_ps = s_ps + turns * packet_ps;

        if (turns * n_used - n_packets == n_used - 1)
            idle_ps -= packet_ps - sim_time_from_bytes(last, each);
        end_ps = MAX(end_ps, idle_ps);
    }
    *ret_end_ps = end_ps = MAX(end_ps, s_ps + packet_ps);
    *ret_begin_ps = s_ps;
    if (n_steps > 1 && late_ps > end_ps &&
        late_ps > s_ps + (SimTime)(all / MAX(1, next_rate)))
        *ret_begin_ps = late_ps - (SimTime)(all / next_rate);
}

/* Returns the first time from @at_ps on at which at least 1/128 of the rate of
 * @link is free. */
static inline SimTime oracle_link_free_ps(const Oracle *o, uint32_t link,
                                          SimTime at_ps)
{
    SimTime until_ps;

    while (oracle_unused_rate(o, link, at_ps, &until_ps) * 128 <
           oracle_link_rate(o, link))
        at_ps = until_ps;
    return at_ps;
}

static inline uint64_t oracle_rate_of_next_hop(const Oracle *o,
                                               const MessageInFlight *m)
{
    uint32_t node = topology_link_target(o->topology, m->link);

    if (node == m->send.dst)
        return 0;
    return oracle_link_rate(
        o, topology_next_link(o->topology, node, m->send.dst, m->send.way));
}

static inline void oracle_share_link(Oracle *o, MessageInFlight *m,
                                     SimTime s_ps, SimTime packet_ps,
                                     SimTime least_ps)
{
    const TopologyPort *port = port_of_link(o->topology, m->link);
    SimTime *free_ps = o->free_ps[m->link], begin_ps, end_ps, free_at_ps;
    gboolean idle = TRUE;

    for (guint i = 0; o->uses[m->link] && i < o->uses[m->link]->len; i++)
        idle &= g_array_index(o->uses[m->link], RateUse, i).until_ps <= s_ps;
    for (guint l = 0; idle && l < port->n_links; l++)
        oracle_record_use(
            o, m->link,
            (RateUse){ s_ps, free_ps[l], port->payload_bytes_per_s });
    oracle_share_link_rate(o, m, s_ps, packet_ps, least_ps,
                           oracle_rate_of_next_hop(o, m), &end_ps, &begin_ps);
    free_at_ps = oracle_link_free_ps(o, m->link, s_ps);
    for (guint l = 0; l < port->n_links; l++)
        free_ps[l] = MAX(free_ps[l], free_at_ps);
    o->stats[m->link].busy_ps +=
        (SimTime)(PER_BYTE * m->send.bytes / port->payload_bytes_per_s);
    m->head_ps = MIN(begin_ps + packet_ps, end_ps) + port->latency_ps;
    m->tail_ps = end_ps + port->latency_ps;
}

/* ---- oracle of message arrivals ------------------------------------------ */

static inline void oracle_take_links(Oracle *o, MessageInFlight *m)
{
    const TopologyPort *port = port_of_link(o->topology, m->link);
    uint64_t rate = port->payload_bytes_per_s;
    uint64_t packet = MIN(m->send.bytes, PACKET_BYTES);
    uint64_t n_packets = (m->send.bytes - 1) / packet + 1;
    NetPortStats *stats = &o->stats[m->link];
    SimTime packet_ps = sim_time_from_bytes(packet, rate);
    SimTime full_ps = sim_time_from_bytes(m->send.bytes, rate);
    SimTime s_ps = oracle_start_time_ps(o, m);
    SimTime least_ps = m->n_hops ? m->tail_ps + packet_ps : 0;

    if (port->n_links > 1)
        full_ps = ((n_packets - 1) / (port->n_links - 1) + 1) * packet_ps;
    stats->n_messages++;
    stats->sent_bytes += m->send.bytes;
    if (oracle_message_may_share(o, m, s_ps, full_ps, least_ps)) {
        oracle_share_link(o, m, s_ps, packet_ps, least_ps);
    } else {
        Stripe stripe =
            stripe_oracle(o->free_ps[m->link], port->n_links, m->send.bytes,
                          PACKET_BYTES, rate, s_ps, least_ps);

        stats->busy_ps += stripe.busy_ps;
        m->head_ps = s_ps + packet_ps + port->latency_ps;
        m->tail_ps = stripe.end_ps + port->latency_ps;
    }
    m->n_hops++;
}

static inline void oracle_message_reaches_node(Oracle *o, MessageInFlight *m,
                                               uint32_t node)
{
    m->has_arrived = node == m->send.dst;
    if (m->has_arrived)
        o->arrival_ps[node][m->send.chunk] = m->tail_ps;
    else
        m->link =
            topology_next_link(o->topology, node, m->send.dst, m->send.way);
}

static inline Oracle *oracle_new(const Topology *topology, const Send *sends,
                                 guint n)
{
    Oracle *o = g_new0(Oracle, 1);

    o->topology = topology;
    for (guint i = 0; i < n; i++) {
        o->flights[i] =
            (MessageInFlight){ .send = sends[i], .head_ps = sends[i].at_ps };
        oracle_message_reaches_node(o, &o->flights[i], sends[i].src);
    }
    for (;;) {
        MessageInFlight *first = NULL;

        for (MessageInFlight *m = o->flights; m < o->flights + n; m++)
            if (!m->has_arrived &&
                (!first || oracle_starts_before(o, m, first)))
                first = m;
        if (!first)
            break;
        oracle_take_links(o, first);
        oracle_message_reaches_node(
            o, first, topology_link_target(topology, first->link));
    }
    for (guint i = 0; i < G_N_ELEMENTS(o->uses); i++)
        if (o->uses[i])
            g_array_unref(o->uses[i]);
    return o;
}

#endif
