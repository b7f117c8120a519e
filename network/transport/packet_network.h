/*
 * packet_network.h - a network that moves every packet of a message
 * individually
 *
 * This is the slow and simple model by which the error of the trains of
 * network.h is measured, on the same topologies and routes.  Each link carries
 * one packet at a time, for sim_time_from_bytes(packet), plus the latency.  A
 * node forwards a packet when all of it has arrived (store-and-forward); a hop
 * therefore costs t(packet) in both models.  A packet is sent only if the
 * buffer at the far end has space for it, and frees its own buffer when all of
 * it has left.  The destination accepts packets immediately.
 *
 * Buffers  There is one buffer of buffer_bytes per link and virtual channel, at
 *          the far end; parallel links share theirs.  An output may serve any
 *          packet in a buffer, but a full buffer stops all packets of its link.
 *          Credits return immediately: of the round trip that real credits must
 *          cover, only the forward direction counts.  In a switch, a buffer
 *          holds the packets from the up-links of one NPU; the crossbar causes
 *          no contention.
 * Limits   of several links also take one packet at a time: packet_limits.c.
 * Order    at an output, for packets that pass and messages that start there:
 *          (order_hi, order_lo) of the message, then hops, arrival, position of
 *          the source relative to the destination, and packet.  No NPU number
 *          matters unless the topology distinguishes NPUs, nor the order of
 *          send calls.  A message that has started continues before another
 *          message starts, as in trains (interrupting it changes times by 3 %).
 * Differs  from network.h, apart from buffers: the packets of passing messages
 *          interleave with each other and with a starting message, whereas a
 *          train occupies its links until it ends; times are rounded up per
 *          packet.
 *
 * Deadlock is impossible on a grid.  A packet in a buffer waits for the next
 * link of its route and for space in the buffer there.  These buffers can be
 * ordered such that each waits only for later ones:
 *   - by dimension, as routes are.  Within a dimension, the switch of a row has
 *     one buffer up and one down, the NPUs of a full connection have none, and
 *     on a line + and - are never on one route.  The destination never waits.
 *   - within a ring of links l_0 .. l_(n-1), where l_(n-1) is the dateline, a
 *     packet uses channel 0 before the dateline, and channel 1 on it and after
 *     it.  A path in a ring has fewer than n links, so it crosses the dateline
 *     once and never reaches l_(n-2) on channel 1.  The order is (l_0, 0) ..
 *     (l_(n-2), 0), (l_(n-1), 1), (l_0, 1) .. (l_(n-3), 1).
 * The choice of the next packet does not matter: any packet in the last buffer
 * that is not empty can move.  Starvation is impossible, as the number of
 * messages is finite.  A starting message occupies no buffer at its source.
 * Once buffers fill up, the datelines make NPUs slightly different.
 *
 * Units    bytes, ps
 * Owner    the caller owns the PacketNetwork; it borrows engine and topology
 * Assumes topology_check_no_packet_deadlock() has returned TRUE. The network is
 * not
 *          folded.
 * Cost     two events per packet and hop; memory grows with packets in flight
 */
#ifndef NETWORK_TRANSPORT_PACKET_NETWORK_H
#define NETWORK_TRANSPORT_PACKET_NETWORK_H

#include "network/transport/network.h"

typedef struct PacketNetwork PacketNetwork;

/* Called in SIM_PHASE_DELIVER when the last packet of @message has arrived. */
typedef void (*PacketDeliverFn)(gpointer self, uint32_t message,
                                SimTime now_ps);

/* Creates a network with @buffer_bytes >= @packet_bytes > 0. */
PacketNetwork *packet_network_new(SimEngine *engine, const Topology *topology,
                                  uint64_t packet_bytes, uint64_t buffer_bytes,
                                  PacketDeliverFn deliver, gpointer self);
void packet_network_free(PacketNetwork *net);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PacketNetwork, packet_network_free)

/* Sets the payload rate of each parallel link of @link, instead of the
 * topology's, for packets that have not been sent. */
void packet_network_set_rate(PacketNetwork *net, uint32_t link,
                             uint64_t bytes_per_s);

/* Declares that messages belong to @n_flows flows, same as
 * network_set_flows(). */
void packet_network_set_flows(PacketNetwork *net, uint32_t n_flows,
                              NetworkFlowFn flow_of, gpointer self);

/* Sends message number @message from NPU @src.  The number must be unused, and
 * must not be reused before the delivery.  @net_message is borrowed during the
 * call; its dst, bytes, way and order are read. */
void packet_network_send(PacketNetwork *net, uint32_t src, uint32_t message,
                         const NetMessage *net_message);

/* The functions below return counters.  A message, or a hop of a message, is
 * counted when its first packet is sent. */
NetPortStats packet_network_link_stats(const PacketNetwork *net, uint32_t link);
uint64_t packet_network_n_hops(const PacketNetwork *net);

/* Returns whether all messages have been delivered.  If so, asserts that no
 * packet waits and that all buffers are empty. */
gboolean packet_network_is_empty(const PacketNetwork *net);

#endif
