/* network_oracle.h - network.h by looking at all messages and links each time
 */
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
    uint32_t chunk; /* a number of its own among all that come to dst */
} Send;

typedef struct {
    Send send;
    uint32_t link; /* that it waits for */
    uint32_t n_hops, has_come;
    SimTime head_ps, tail_ps; /* here */
} Flight;

typedef struct {
    const Topology *topology;
    Flight flights[MAX_SENDS];
    SimTime free_ps[MAX_NPUS * MAX_PORTS][MAX_LINKS];
    NetPortStats stats[MAX_NPUS * MAX_PORTS];
    SimTime arrival_ps[MAX_NPUS][MAX_CHUNKS];
} Oracle;

static inline SimTime *first_free_link(Oracle *o, const Flight *m)
{
    SimTime *free_ps = o->free_ps[m->link], *first = free_ps;

    for (guint l = 1; l < port_of(o->topology, m->link)->n_links; l++)
        if (free_ps[l] < *first)
            first = &free_ps[l];
    return first;
}

static inline SimTime start_ps(Oracle *o, const Flight *m)
{
    return MAX(m->head_ps, *first_free_link(o, m));
}

static inline gboolean starts_before(Oracle *o, const Flight *a,
                                     const Flight *b)
{
    if (start_ps(o, a) != start_ps(o, b))
        return start_ps(o, a) < start_ps(o, b);
    if (a->send.order_hi != b->send.order_hi)
        return a->send.order_hi < b->send.order_hi;
    if (a->send.order_lo != b->send.order_lo)
        return a->send.order_lo < b->send.order_lo;
    return a->n_hops < b->n_hops;
}

static inline void take_links(Oracle *o, Flight *m)
{
    const TopologyPort *port = port_of(o->topology, m->link);
    NetPortStats *stats = &o->stats[m->link];
    SimTime packet_ps = sim_time_from_bytes(MIN(m->send.bytes, PACKET_BYTES),
                                            port->payload_bytes_per_s);
    SimTime s_ps = start_ps(o, m);
    Stripe stripe =
        stripe_oracle(o->free_ps[m->link], port->n_links, m->send.bytes,
                      PACKET_BYTES, port->payload_bytes_per_s, s_ps,
                      m->n_hops ? m->tail_ps + packet_ps : 0);

    stats->n_messages++;
    stats->sent_bytes += m->send.bytes;
    stats->busy_ps += stripe.busy_ps;
    m->head_ps = s_ps + packet_ps + port->latency_ps;
    m->tail_ps = stripe.end_ps + port->latency_ps;
    m->n_hops++;
}

static inline void reach(Oracle *o, Flight *m, uint32_t node)
{
    m->has_come = node == m->send.dst;
    if (m->has_come)
        o->arrival_ps[node][m->send.chunk] = m->tail_ps;
    else
        m->link = topology_next(o->topology, node, m->send.dst, m->send.way);
}

static inline Oracle *oracle_new(const Topology *topology, const Send *sends,
                                 guint n)
{
    Oracle *o = g_new0(Oracle, 1);

    o->topology = topology;
    for (guint i = 0; i < n; i++) {
        o->flights[i] = (Flight){ .send = sends[i], .head_ps = sends[i].at_ps };
        reach(o, &o->flights[i], sends[i].src);
    }
    for (;;) {
        Flight *first = NULL;

        for (Flight *m = o->flights; m < o->flights + n; m++)
            if (!m->has_come && (!first || starts_before(o, m, first)))
                first = m;
        if (!first)
            return o;
        take_links(o, first);
        reach(o, first, topology_to(topology, first->link));
    }
}

#endif
