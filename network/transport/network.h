/*
 * network.h - sends messages as trains of packets over links
 *
 * A link is a rate server.  A free link serves the waiting message with the
 * smallest order key; messages that pass through its node and messages that
 * start there compete equally.  Links under a common limit also wait for the
 * limit (link_limits.c). A message that arrives more slowly than a link could
 * send it leaves the remaining rate to others (shared_links.c). In
 * first-come-first-served order, many active chunks would delay each other
 * (network/README.md). Starvation is impossible, as each message is overtaken
 * only by the finitely many messages that precede it in the order.
 *
 * Messages are forwarded cut-through, at the granularity of packets.  On n
 * parallel links, started at s_i, where t() is the time for bytes at the
 * payload rate of one link, and a packet is no larger than the message,
 *
 *     head at the next node    s_i + t_i(packet) + latency_i
 *     its links end by         e_i = max(stripe(s_i),
 *                                        tail here + t_i(packet))
 *     tail at the next node    e_i + latency_i
 *
 * The packets go over all parallel links, each as it becomes free
 * (parallel_link_striping.h). On idle links, stripe(s) is s + t(ceil(P / n)
 * packets) for P packets; on a single link it is s + t(message). So one hop
 * over a link takes t(message) + latency; over several hops, the tail follows
 * at the rate of the slowest link. The next message begins when one of the
 * parallel links is free; after a message that arrives slowly, it begins when
 * the packets that have arrived are sent. Such a train of packets costs one
 * event per hop, whatever its length, and one at its end.
 *
 * Order    by (order_hi, order_lo, hops made), which depend on no NPU number;
 *          equal messages in the order of arrival
 * Units    bytes, ps
 * Owner    the network owns its messages; an index is valid from
 *          network_message_new() to network_message_free()
 * Assumes  nodes have space for every waiting message: there is no
 *          back-pressure from one link to another
 */
#ifndef NETWORK_TRANSPORT_NETWORK_H
#define NETWORK_TRANSPORT_NETWORK_H

#include "network/symmetry_classes.h"
#include "network/transport/message.h"
#include "sim/core/engine.h"

typedef struct Network Network;

/* Called in SIM_PHASE_DELIVER when all of @message has arrived at end number
 * @npu of the simulated ends. */
typedef void (*NetworkDeliverFn)(gpointer self, uint32_t npu, uint32_t message,
                                 SimTime now_ps);

/* Called when @message takes its last link, to arrive at @npu at @at_ps.
 * Returns TRUE if @self has handled the arrival in advance, because no event
 * before @at_ps can change its effect.  The message is then not delivered. */
typedef gboolean (*NetworkEarlyDeliveryFn)(gpointer self, uint32_t npu,
                                           uint32_t message, SimTime at_ps);

/* Called when @message, whose .sends_next_on_demand is set, begins on its first
 * link.  Returns the sender's next message on that link, which is ready and has
 * a greater key.  That message may have .sends_next_on_demand set, too. */
typedef uint32_t (*NetworkOnDemandSendFn)(gpointer self, uint32_t message);

/* Returns the number of the flow to which the in-flight @message belongs. */
typedef uint32_t (*NetworkFlowFn)(gpointer self, const NetMessage *message);

/* Called when link number @link begins to transmit @message, which occupies the
 * last of the parallel links until @end_ps.  @wanted is TRUE if other messages
 * wait for the link and none of them may begin before @end_ps.  The message's
 * .tail_ps is still the time at which it was ready or, if it passes through, at
 * which its tail arrives here. */
typedef void (*NetworkLinkFn)(gpointer self, uint32_t link, uint32_t message,
                              SimTime end_ps, gboolean wanted);

/* Called after NetworkLinkFn for some of the parallel links: one of the links
 * of @link works from @from_ps, now or later, until @until_ps.  The number of
 * links that work at a time never exceeds the number of links: gaps between
 * packets that arrive slowly are reported as if they were at the end. */
typedef void (*NetworkBusyFn)(gpointer self, uint32_t link, SimTime from_ps,
                              SimTime until_ps);

/* Creates a network that simulates the links of the units that @fold keeps, or
 * of all units if @fold is NULL.  @engine, @topology and @fold are borrowed.
 * Ends are named by their ids as the sender sees them, but @deliver and foresee
 * functions get an index among the simulated ends: see
 * symmetry_fold_class_of_end(). Links are numbered as in topology.h, with the
 * index of a unit that has simulated ends for the unit: see
 * symmetry_fold_translate_link(). */
Network *network_new(SimEngine *engine, const Topology *topology,
                     uint64_t packet_bytes, const SymmetryFold *fold,
                     NetworkDeliverFn deliver, gpointer self);
void network_free(Network *network);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Network, network_free)

/* Returns the memory of a network for each unit that has simulated NPUs, in
 * bytes, without messages. */
uint64_t network_memory_per_unit_bytes(const Topology *topology);

/* Sets a function that may handle arrivals in advance, which saves their
 * events. */
void network_set_early_delivery_callback(Network *network,
                                         NetworkEarlyDeliveryFn foresee);
/* Sets the function that creates messages on demand, for messages with
 * .sends_next_on_demand.  Applies only to the message model, which moves trains
 * of packets, and not to the packet model. Keys of messages that have made no
 * hop must differ. */
void network_set_on_demand_sender(Network *network,
                                  NetworkOnDemandSendFn follow);

/* Sets listeners. @link is called for every message on every link, and @busy
 * for the resulting activity of the parallel links. The packet model does not
 * call them. */
void network_set_link_listeners(Network *network, NetworkLinkFn link,
                                NetworkBusyFn busy, gpointer self);

/* From now on, moves every packet individually, through buffers of
 * @buffer_bytes: see packet_network.h. Must be called before the first message
 * is sent. The network must not be folded. */
void network_move_packets_individually(Network *network, uint64_t buffer_bytes);

/* Declares that messages belong to @n_flows flows, at most 64, which share
 * links fairly.  @flow_of returns the flow of a message.  Must be called before
 * the first message is sent, and after network_move_packets_individually() if
 * that is called. */
void network_set_flows(Network *network, uint32_t n_flows,
                       NetworkFlowFn flow_of, gpointer self);

/* Multiplies the bandwidth of @link.  If the network is folded, all links that
 * one simulated link represents must get the same factor. */
void network_set_bandwidth_factor(Network *network, uint32_t link,
                                  uint64_t factor_ppm);

/* A full array of up to this many messages (4 MiB) doubles in size.  A larger
 * array grows by an eighth, which the allocator does in place. */
#define NETWORK_MANY_MESSAGES 65536

/* Returns a new message.  Its .reduction_role is NET_REDUCTION_NONE, and its
 * .sends_next_on_demand is FALSE. */
uint32_t network_message_new(Network *network);
/* Returns the record of @message.  The pointer is invalid after the next call
 * of network_message_new(). */
NetMessage *network_get_message(Network *network, uint32_t message);
void network_message_free(Network *network, uint32_t message);

/* Returns the value of .first_link for a message from end @src to @dst. */
uint32_t network_first_link_of_path(const Network *network, uint32_t src,
                                    uint32_t dst, uint32_t path_id);

/* Same as topology_path_reach(), with a cache. */
TopologyReach network_path_reach(const Network *network, uint32_t src,
                                 uint32_t dst, uint32_t path_id);

/* Calls @fn(@self, link, node) for each link, in their order, of the path from
 * end @src to end @dst, or up to a switch that reduces and down again; @node is
 * at the far end of @link.  Links are those that are simulated.  Calls nothing
 * if there is no such path. */
typedef void (*NetworkPathFn)(gpointer self, uint32_t link, uint32_t node);
void network_visit_path(const Network *network, uint32_t src, uint32_t dst,
                        uint32_t path_id, NetworkPathFn fn, gpointer self);

/* Sends @message from NPU @src.  All of it is ready now. */
void network_send_message(Network *network, uint32_t src, uint32_t message);
/* Sends @message from NPU @src.  All of it is ready at @ready_ps >= now, and
 * its .first_link is set. */
void network_send_message_at(Network *network, uint32_t src, uint32_t message,
                             SimTime ready_ps);

/* ---- counters --------------------------------------------------------- */

typedef struct {
    uint64_t sent_bytes;
    uint64_t n_messages;
    SimTime busy_ps; /* busy time, summed over the parallel links */
} NetPortStats;

/* Counters of link number @link, over the whole run. */
NetPortStats network_link_stats(const Network *network, uint32_t link);
/* Adds @more to the counters of @link, for messages that were not simulated. */
void network_add_link_stats(Network *network, uint32_t link,
                            const NetPortStats *more);
/* Returns the total time that the messages of a limit would take one after the
 * other.  @unit is an index among the simulated units.  Returns 0 if packets
 * are moved individually. */
SimTime network_limit_busy_ps(const Network *network, uint32_t unit,
                              uint32_t limit);
/* Returns whether no message is in flight. */
gboolean network_is_empty(const Network *network);
/* Returns the number of messages that have been created and not freed. */
uint32_t network_n_allocated_messages(const Network *network);
/* Returns the number of hops that all messages have made. */
uint64_t network_n_hops(const Network *network);

#endif
