/*
 * trains_impl.h - what the parts of a network share; for transport/ only
 *
 *   assemble.c  puts it together, keeps its messages, and counts
 *   trains.c    moves messages as trains of packets
 *   flows.c     says which of several flows a link serves next
 *   limits.c    lets links that have a limit together begin, one by one
 *   shares.c    lets several messages share a link or a limit
 */
#ifndef NETWORK_TRANSPORT_TRAINS_IMPL_H
#define NETWORK_TRANSPORT_TRAINS_IMPL_H

#include "network/transport/known_ways.h"
#include "network/transport/meeting.h"
#include "network/transport/message_list.h"
#include "network/transport/packet.h"
#include "network/transport/part.h"
#include "network/transport/rate_server.h"
#include "network/transport/stripe.h"
#include "network/way.h"
#include "sim/core/lines.h"

typedef struct Limits Limits; /* limits.c */
typedef struct Flows Flows;   /* flows.c */
typedef struct Shares Shares; /* shares.c */

/* Parallel links whose times lie in the record itself. */
#define LINK_OWN_TIMES 3

/* A link, that is, all parallel ones, and what waits for them.  Who sends finds
 * what it needs in the first line. */
typedef struct {
    MessageList waiting; /* by key */
    SimTime armed_ps;    /* a service event is due then; SIM_TIME_MAX: none */
    SimTime *free_ps;    /* when they are free, ascending: these, or borrowed */
    SimTime own_free_ps[LINK_OWN_TIMES];
    /* Yet to be ready, at .tail_ps, by which they are in order.  The tail of
     * one that passes through comes .link.child later. */
    LINE_ALIGNED MessageList coming;
    NetPortStats stats;
    uint32_t n_links;
    uint32_t port;     /* its number in its unit */
    uint32_t far;      /* the node where it leads; TOPOLOGY_NONE: absent */
    guint8 is_limited; /* together with others */
    guint8 is_special; /* that, or of several flows */
    guint8 is_uneven;  /* several messages may share it: see shares.c */
    guint8 is_shared;  /* perhaps some do: its server may have segments */
} LINE_ALIGNED Link;

G_STATIC_ASSERT(sizeof(Link) == 2 * LINE_BYTES);

/* What links of a number have in common in every unit. */
typedef struct {
    SimTime latency_ps;
    uint64_t bytes;    /* of the message looked at last, */
    StripeTimes takes; /* and what it takes */
} Class;

struct Network {
    SimEngine *engine;        /* borrowed */
    const Topology *topology; /* borrowed */
    uint64_t packet_bytes;
    const Fold *fold; /* borrowed; NULL: full */
    NetworkDeliverFn deliver;
    NetworkForeseeFn foresee;  /* may be NULL */
    NetworkLeaveFn leave;      /* NULL: none does */
    NetworkFollowFn follow;    /* NULL: none leads */
    NetworkLinkFn link;        /* may be NULL */
    NetworkBusyFn busy;        /* with it */
    SimTime *free_before_ps;   /* owned: of one link's, with .link */
    gpointer listener;         /* borrowed */
    gpointer self;             /* borrowed */
    uint32_t n_ports, n_units; /* simulated */
    Link *links;               /* owned: n_ports for each simulated unit */
    SimTime *free_ps;     /* owned: when those of many parallel ones are free */
    uint32_t *first_free; /* owned: of each port, in a unit's part of free_ps;
                             n_ports + 1 */
    PacketNetwork *packets; /* owned; NULL: messages are trains */
    Meetings *meetings;     /* owned; NULL: no node adds anything */
    Limits *limits;         /* owned; NULL: there are none */
    Flows *flows;           /* owned; NULL: all messages are of one */
    Shares *shares;         /* owned; NULL: no link is uneven */
    uint64_t *factors_ppm;  /* owned: one a link; NULL: all 1 */
    Class *classes;         /* owned: n_ports */
    KnownWays *known;       /* owned; NULL: ways are looked up each time */
    NetMessage *messages;   /* owned */
    uint32_t n_messages, n_allocated, free_list, n_live;
};

/* ---- messages.c ------------------------------------------------------- */

#define NETWORK_FACTOR_ONE 1000000 /* parts per million */

/* The rate of a link that is not like the others. */
uint64_t network_perturbed_bytes_per_s(const Network *net, uint32_t link);

/* ---- trains.c --------------------------------------------------------- */

static inline gboolean trains_are_waiting(const Link *link)
{
    return link->waiting.head != MESSAGE_NONE;
}

/* What waits for link number @link begins, as far as the
 * link and limits_let() allow. */
void trains_serve(Network *net, uint32_t link, SimTime now_ps);
/* Likewise, then. */
void trains_serve_at(Network *net, uint32_t link, SimTime at_ps);
/* @message goes on at .at, where its head is at @head_ps, now or later. */
void trains_go_on(Network *net, uint32_t message, SimTime head_ps);
/* The same now. */
void trains_on_hop(gpointer net, uint32_t message, uint64_t now_ps);
/* @message is there. */
void trains_on_deliver(gpointer net, uint32_t message, uint64_t now_ps);
/* What waits for link number @link is looked at. */
void trains_on_service(gpointer net, uint32_t link, uint64_t now_ps);

/* ---- flows.c ---------------------------------------------------------- */

/* Marks all links. */
Flows *flows_new(Network *net, uint32_t n_flows, NetworkFlowFn flow_of,
                 gpointer self);
void flows_free(Flows *flows);
/* What goes first becomes the head of what waits, and is about to be taken.
 */
void flows_choose(Network *net, Link *link);

/* ---- limits.c --------------------------------------------------------- */

/* Lets what waits for a link begin, now or then. */
typedef void (*LimitsServeFn)(Network *net, uint32_t link, SimTime at_ps);

/* NULL where @net's topology has no limits; marks the links that have one. */
Limits *limits_new(Network *net, LimitsServeFn serve, LimitsServeFn serve_at);
void limits_free(Limits *limits);
/* TRUE: one message may begin on @link now.  FALSE: it waits for a limit, or
 * for others that wait for one, and will be served. */
gboolean limits_let(Network *net, uint32_t link, SimTime now_ps);
/* A server that a message takes: it has an equal part of what is left. */
typedef struct {
    RateServer *server; /* borrowed */
    uint32_t n_sharers; /* that begin with it, itself included */
} ServerPart;

/* Adds to @taken (of ServerPart) the limits of @link, on which @m begins. */
void limits_take(Network *net, const Link *link, const NetMessage *m,
                 GArray *taken, SimTime now_ps);

/* ---- shares.c --------------------------------------------------------- */

/* NULL where no message can come more slowly than any link can send it.  Marks
 * the links where messages can. */
Shares *shares_new(Network *net);
void shares_free(Shares *shares);
/* Bytes that it takes of each link. */
uint64_t shares_link_bytes(const Topology *topology);
/* Marks all links, whose rates are no longer those of the topology. */
void shares_set_rates(Network *net);

/* How a message goes over a link that it shares. */
typedef struct {
    SimTime head_ps; /* its first packet has been sent */
    SimTime end_ps;  /* and its last */
    SimTime busy_ps; /* of all parallel links, in all */
} Passage;

/* TRUE where @m, which begins on @link and cannot end before @least_ps, shares
 * it with others, or leaves some of it to others. */
gboolean shares_are_needed(const Network *net, Link *link, const NetMessage *m,
                           SimTime least_ps, SimTime now_ps);
/* Then, instead of stripe_take(). */
Passage shares_take(Network *net, Link *link, const NetMessage *m,
                    SimTime least_ps, SimTime now_ps);
/* Calls .busy for what the last passage took of @link. */
void shares_tell_busy(Network *net, const Link *link, const Passage *passage,
                      SimTime now_ps);
/* What is left of @link, which is uneven. */
RateServer *shares_server(const Network *net, const Link *link);
/* No message is in progress on @link, which is uneven. */
gboolean shares_is_idle(const Network *net, const Link *link, SimTime now_ps);
/* What .feed says of a message whose tail comes @ps after its head. */
static inline uint32_t shares_feed(SimTime ps)
{
    uint32_t shift = 0;

    while (ps >> shift >> 26 > 0)
        shift++;
    return (uint32_t)(ps >> shift) << 6 | shift;
}

/* The simulated link for link @id; *@dst as it is seen from there. */
static inline uint32_t trains_number_of(const Network *net, uint32_t id,
                                        uint32_t *dst)
{
    uint32_t unit = id / net->n_ports;

    if (!net->fold)
        return id;
    *dst = fold_seen_from_unit(net->fold, unit, *dst);
    return fold_unit_index(net->fold, unit) * net->n_ports + id % net->n_ports;
}

#endif
