/*
 * network.h - messages over links
 *
 * A link is a rate server.  One that is free takes the message with the least
 * order key, of those that pass through its node and those that set out there.
 * Links that have a limit together wait for that as well: see limits.c.  A
 * message that comes more slowly than a link sends leaves the rest of the link
 * to others: see shares.c.
 * Served first come, first served, many chunks under way would only delay
 * each other (docs in network/README.md).  Nothing waits for ever: whatever
 * goes before it is done some time, and there are finitely many messages.
 *
 * A message takes its links cut-through by packets.  On n parallel links,
 * started at s_i, with t() the time for bytes at one link's payload
 * rate, and a packet no larger than the message,
 *
 *     head at the next node    s_i + t_i(packet) + latency_i
 *     its links end by         e_i = max(stripe(s_i),
 *                                        tail here + t_i(packet))
 *     tail at the next node    e_i + latency_i
 *
 * where the packets go over all links as each gets free (stripe.h): on idle
 * ones stripe(s) is s + t(ceil(P / n) packets) for P packets, on a single one
 * s + t(message).  So one hop over a link takes t(message) + latency, and over
 * several hops the tail follows at the slowest link's rate.  The next message
 * begins when one of the parallel links is free; behind one that comes slowly,
 * when what has come of that is through.  A train of packets is one event a
 * hop, whatever its length, and one more where it ends.
 *
 * Order    by (order_hi, order_lo, hops made), which no NPU number enters;
 *          equals as they come
 * Units    bytes, ps
 * Owner    the network owns its messages; an index is valid from
 *          network_message_new() to network_message_free()
 * Assumes  nodes have room for every message that waits: no back-pressure
 *          from one link to another
 */
#ifndef NETWORK_TRANSPORT_NETWORK_H
#define NETWORK_TRANSPORT_NETWORK_H

#include "network/symmetry.h"
#include "network/transport/message.h"
#include "sim/core/engine.h"

typedef struct Network Network;

/* @message has arrived at end number @npu of those simulated, whole.  Called in
 * SIM_PHASE_DELIVER. */
typedef void (*NetworkDeliverFn)(gpointer self, uint32_t npu, uint32_t message,
                                 SimTime now_ps);

/* Asked when @message takes its last link, to arrive at @npu at @at_ps: TRUE
 * when @self has dealt with it, and whatever happens until then could not
 * have made a difference.  It is not delivered then. */
typedef gboolean (*NetworkForeseeFn)(gpointer self, uint32_t npu,
                                     uint32_t message, SimTime at_ps);

/* What follows @message, which begins on its first link: the sender's next
 * there, as ready, with a greater key; it may lead again. */
typedef uint32_t (*NetworkFollowFn)(gpointer self, uint32_t message);

/* The number of the flow that @message is of, while it is under way. */
typedef uint32_t (*NetworkFlowFn)(gpointer self, const NetMessage *message);

/* Link number @link takes @message from now on, the last of the parallel ones
 * until @end_ps; @wanted: others wait for them, and for no part of them may
 * begin before.  Its .tail_ps is still when it
 * was ready or, if it passes through, when its tail is here. */
typedef void (*NetworkLinkFn)(gpointer self, uint32_t link, uint32_t message,
                              SimTime end_ps, gboolean wanted);

/* Then, for some of the parallel links: one of @link works from @from_ps, now
 * or later, until @until_ps.  No more of them work at once than there are: the
 * gaps between packets that come slowly are told at the end. */
typedef void (*NetworkBusyFn)(gpointer self, uint32_t link, SimTime from_ps,
                              SimTime until_ps);

/* Simulates the links of the units that @fold keeps; NULL: of all.  Engine,
 * topology and fold are borrowed.  Ends are named by their ids, as the sender
 * has them, but in @deliver and @foresee by their place among those that are
 * kept: see fold_index().  Links are numbered as in topology.h, by the places
 * of the units that are kept: see fold_unit_index(). */
Network *network_new(SimEngine *engine, const Topology *topology,
                     uint64_t packet_bytes, const Fold *fold,
                     NetworkDeliverFn deliver, gpointer self);
void network_free(Network *network);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Network, network_free)

/* Bytes that each simulated NPU takes in a network, without messages. */
uint64_t network_npu_bytes(const Topology *topology);

/* Saves a delivery, and its event, where @foresee says so. */
void network_let_foresee(Network *network, NetworkForeseeFn foresee);
/* Messages may lead; trains only.  Keys of those that made no hop differ. */
void network_let_follow(Network *network, NetworkFollowFn follow);

/* @link is told of every message on every link, and @busy of what that means
 * for the parallel ones; trains only. */
void network_listen(Network *network, NetworkLinkFn link, NetworkBusyFn busy,
                    gpointer self);

/* Moves every packet hop by hop from now on, through buffers of
 * @buffer_bytes: see packet.h.  Before anything is sent, and not folded. */
void network_use_packets(Network *network, uint64_t buffer_bytes);

/* Messages are of @n_flows from now on, at most 64, that share links evenly,
 * and @flow_of says of which.  Before anything is sent; that packets are moved
 * is said before. */
void network_share(Network *network, uint32_t n_flows, NetworkFlowFn flow_of,
                   gpointer self);

/* Multiplies the bandwidth of @link.  Not when folded: such a link tells NPUs
 * apart. */
void network_set_bandwidth_factor(Network *network, uint32_t link,
                                  uint64_t factor_ppm);

/* Their array doubles until it has as many, 4 MiB, then grows by an eighth: it
 * is lengthened where it is. */
#define NETWORK_MANY_MESSAGES 65536

/* Meets nothing, unless it is said to. */
uint32_t network_message_new(Network *network);
NetMessage *network_message(Network *network, uint32_t message);
void network_message_free(Network *network, uint32_t message);

/* What to set .first_link to, at end @src. */
uint32_t network_first_link(const Network *network, uint32_t src, uint32_t dst,
                            uint32_t way);

/* What topology_reach() says of a way. */
TopologyReach network_reach(const Network *network, uint32_t src, uint32_t dst,
                            uint32_t way);

/* Starts @message at NPU @src, whole and ready to go. */
void network_send(Network *network, uint32_t src, uint32_t message);
/* Likewise, at @ready_ps >= now, with .first_link set. */
void network_send_at(Network *network, uint32_t src, uint32_t message,
                     SimTime ready_ps);

/* ---- counters --------------------------------------------------------- */

typedef struct {
    uint64_t sent_bytes;
    uint64_t n_messages;
    SimTime busy_ps; /* summed over the parallel links */
} NetPortStats;

NetPortStats network_link_stats(const Network *network, uint32_t link);
/* Of a limit of the unit that is number @unit of those simulated: how long its
 * messages would keep it one by one.  0 where packets are moved one by one. */
SimTime network_limit_busy_ps(const Network *network, uint32_t unit,
                              uint32_t limit);
/* TRUE when nothing is under way. */
gboolean network_is_empty(const Network *network);
/* Messages that have been created and not freed. */
uint32_t network_n_live(const Network *network);
uint64_t network_n_hops(const Network *network);

#endif
