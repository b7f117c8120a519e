/*
 * network_state_impl.h - the representation of a network, for transport/ only
 *
 *   network_construction.c
 *       creates networks, allocates messages, and reads counters
 *   packet_trains.c
 *       moves messages as trains of packets
 *   flow_queues.c
 *       chooses which of several flows a link serves next
 *   link_limits.c
 *       admits messages on links under a common limit, one by one
 *   shared_links.c
 *       lets several messages share the rate of a link or a limit
 */
#ifndef NETWORK_TRANSPORT_NETWORK_STATE_IMPL_H
#define NETWORK_TRANSPORT_NETWORK_STATE_IMPL_H

#include "network/paths.h"
#include "network/transport/in_switch_reduction.h"
#include "network/transport/message_list.h"
#include "network/transport/packet_network.h"
#include "network/transport/parallel_link_striping.h"
#include "network/transport/partial_network.h"
#include "network/transport/path_cache.h"
#include "network/transport/rate_server.h"
#include "sim/core/cache_lines.h"

typedef struct LinkLimits LinkLimits;   /* link_limits.c */
typedef struct FlowQueues FlowQueues;   /* flow_queues.c */
typedef struct SharedLinks SharedLinks; /* shared_links.c */

/* Maximum number of parallel links whose times are stored in the Link
 * itself. */
#define LINK_OWN_TIMES 3

/* A link, that is, all parallel links, with its queues.  Sending touches only
 * the first cache line. */
typedef struct {
    MessageList waiting; /* messages that can be served now, by key */
    /* Time of the next service event; SIM_TIME_MAX: none. */
    SimTime armed_ps;
    /* When each link is free, ascending; points to .own_free_ps or is
     * borrowed. */
    SimTime *free_ps;
    SimTime own_free_ps[LINK_OWN_TIMES];
    /* Messages that will be ready later, ordered by .tail_ps, the time at which
     * they are ready.  The tail of a message that passes through follows
     * .link.child later. */
    CACHE_LINE_ALIGNED MessageList coming;
    NetPortStats stats;
    uint32_t n_links;
    uint32_t port;     /* number of the link within its unit */
    uint32_t far_node; /* the node at its far end; TOPOLOGY_NONE: absent */
    guint8 is_limited; /* the link has at least one limit (link_limits.c) */
    guint8 is_special; /* .is_limited, or there are several flows */
    guint8 is_uneven;  /* several messages may share it: see shared_links.c */
    guint8 is_shared;  /* its server may have segments of several messages */
} CACHE_LINE_ALIGNED Link;

G_STATIC_ASSERT(sizeof(Link) == 2 * CACHE_LINE_BYTES);

/* Properties that the links of one port have in common in all symmetric units
 * of the topology. */
typedef struct {
    SimTime latency_ps;
    uint64_t bytes;           /* size of the latest message */
    StripeTimes stripe_times; /* transmission times of the latest message */
} LinkClass;

struct Network {
    SimEngine *engine;        /* borrowed */
    const Topology *topology; /* borrowed */
    uint64_t packet_bytes;
    const SymmetryFold *fold; /* borrowed; NULL: all ends are simulated */
    NetworkDeliverFn deliver;
    NetworkEarlyDeliveryFn
        foresee;                  /* handles arrivals in advance; may be NULL */
    NetworkLeaveRegionFn leave;   /* NULL: no message leaves the network */
    NetworkOnDemandSendFn follow; /* NULL: no message is created on demand */
    NetworkLinkFn link;           /* listener of messages on links, or NULL */
    NetworkBusyFn busy;           /* listener of busy links; set with .link */
    /* Owned: copy of a link's .free_ps, for listeners. */
    SimTime *free_before_ps;
    gpointer listener;         /* borrowed: argument of .link and .busy */
    gpointer self;             /* borrowed: argument of the other functions */
    uint32_t n_ports, n_units; /* number of ports per unit, simulated units */
    Link *links;               /* owned: n_ports links per simulated unit */
    /* Owned: storage for Link.free_ps of many parallel links. */
    SimTime *free_ps;
    /* Owned: offset of each port within the part of .free_ps of a unit; n_ports
     * + 1. */
    uint32_t *first_free;
    PacketNetwork *packets;       /* owned; NULL: messages are trains */
    InSwitchReductions *meetings; /* owned; NULL: no switch reduces */
    LinkLimits *limits;           /* owned; NULL: there are no limits */
    FlowQueues *flows;            /* owned; NULL: there is one flow */
    SharedLinks *shares;          /* owned; NULL: no link is uneven */
    uint64_t *factors_ppm;        /* owned: one per link; NULL: all are 1 */
    LinkClass *classes; /* owned: the common properties of each port */
    /* Owned: cache of paths; NULL: paths are looked up each time. */
    PathCache *path_cache;
    NetMessage *messages; /* owned: the records of all messages */
    uint32_t n_messages, n_allocated, free_list, n_live;
};

/* ---- network_construction.c ---------------------------------------------- */

#define NETWORK_FACTOR_ONE 1000000 /* the factor 1 in parts per million */

/* Returns the payload rate of one of the parallel links of @link, with its
 * perturbation. */
uint64_t network_perturbed_bytes_per_s(const Network *net, uint32_t link);

/* ---- packet_trains.c ----------------------------------------------------- */

static inline gboolean link_has_waiting_trains(const Link *link)
{
    return link->waiting.head != MESSAGE_NONE;
}

/* Starts the waiting messages of link number @link, as far as the link and
 * link_limits_admit_message() allow. */
void packet_trains_serve_link(Network *net, uint32_t link, SimTime now_ps);
/* Schedules the service of link number @link at @at_ps. */
void packet_trains_schedule_link_service(Network *net, uint32_t link,
                                         SimTime at_ps);
/* Continues @message at node .next_node, which its head reaches at @head_ps,
 * now or later. */
void packet_trains_continue_message(Network *net, uint32_t message,
                                    SimTime head_ps);
/* Event: the head of @message has reached node .next_node now. */
void packet_trains_on_head_at_node(gpointer net, uint32_t message,
                                   uint64_t now_ps);
/* Event: all of @message has arrived at its destination. */
void packet_trains_on_tail_at_destination(gpointer net, uint32_t message,
                                          uint64_t now_ps);

/* ---- flow_queues.c ------------------------------------------------------- */

/* Returns the per-flow queues, which the caller owns.  Sets Link.is_special of
 * each link. */
FlowQueues *flow_queues_new(Network *net, uint32_t n_flows,
                            NetworkFlowFn flow_of, gpointer self);
void flow_queues_free(FlowQueues *flows);
/* Makes the message to be served next the head of @link->waiting.  A message
 * must be waiting, and the caller must remove the head before any message
 * joins. */
void flow_queues_choose_next_message(Network *net, Link *link);

/* ---- link_limits.c ------------------------------------------------------- */

/* Called to serve link number @link at @at_ps. */
typedef void (*LinkLimitsServeFn)(Network *net, uint32_t link, SimTime at_ps);

/* Returns the limits of @net, or NULL if its topology has none.  Sets
 * Link.is_limited and .is_special of the links concerned. */
LinkLimits *link_limits_new(Network *net, LinkLimitsServeFn serve,
                            LinkLimitsServeFn serve_at);
void link_limits_free(LinkLimits *limits);
/* Returns whether one message may begin on @link now.  If not, it waits for a
 * limit, or behind other messages that do, and the link will be served
 * later. */
gboolean link_limits_admit_message(Network *net, uint32_t link, SimTime now_ps);
/* A server that a message uses.  The message gets the residual rate divided by
 * .n_sharers. */
typedef struct {
    RateServer *server; /* borrowed */
    uint32_t n_sharers; /* messages that begin together, including this one */
} ServerPart;

/* Appends to @taken, an array of ServerPart, the limits of @link, on which
 * @message begins. */
void link_limits_append_rate_servers(Network *net, const Link *link,
                                     const NetMessage *message, GArray *taken,
                                     SimTime now_ps);

/* ---- shared_links.c ------------------------------------------------------ */

/* Returns the shared rates of @net, or NULL if no message can arrive more
 * slowly than any link can send it.  Sets Link.is_uneven. */
SharedLinks *shared_links_new(Network *net);
void shared_links_free(SharedLinks *shares);
/* Returns the memory per link, in bytes. */
uint64_t shared_links_memory_per_link_bytes(const Topology *topology);
/* Updates the rates and Link.is_uneven of all links after the bandwidth of a
 * link has been perturbed. */
void shared_links_update_rates(Network *net);

/* The transfer of a message over a link that it shares. */
typedef struct {
    SimTime head_ps; /* time at which the first packet has been sent */
    SimTime end_ps;  /* time at which the last packet has been sent */
    SimTime busy_ps; /* busy time, summed over all parallel links */
} Passage;

/* Returns whether @message, which begins on @link and cannot end before
 * @least_ps, must share the link with other messages or leave a part of it to
 * them. */
gboolean link_must_be_shared(const Network *net, Link *link,
                             const NetMessage *message, SimTime least_ps,
                             SimTime now_ps);
/* Begins a message for which link_must_be_shared() returned TRUE.  Replaces
 * stripe_message_over_links(). */
Passage shared_link_begin_message(Network *net, Link *link,
                                  const NetMessage *message, SimTime least_ps,
                                  SimTime now_ps);
/* Calls .busy for the time that the last passage uses on @link. */
void shared_link_report_busy(Network *net, const Link *link,
                             const Passage *passage, SimTime now_ps);
/* Returns the rate server of @link, which must be uneven. */
RateServer *shared_link_rate_server(const Network *net, const Link *link);
/* Returns whether no message is in progress on @link, which must be uneven. */
gboolean shared_link_is_idle(const Network *net, const Link *link,
                             SimTime now_ps);
/* Returns NetMessage.feed for a message whose tail arrives @ps after its head:
 * a floating-point number with a mantissa of 26 bits and an exponent of 6
 * bits. */
static inline uint32_t encode_feed_time_ps(SimTime ps)
{
    uint32_t shift = 0;

    while (ps >> shift >> 26 > 0)
        shift++;
    return (uint32_t)(ps >> shift) << 6 | shift;
}

/* Returns the number of the simulated link that represents link @id.  Maps
 * *@dst by the same translation. */
static inline uint32_t link_number_of_representative(const Network *net,
                                                     uint32_t id, uint32_t *dst)
{
    return net->fold ? symmetry_fold_translate_link(net->fold, id, dst) : id;
}

#endif
