/*
 * packet.h - every packet of a message, hop by hop
 *
 * The slow and simple model that the trains of network.h are measured
 * against, on the same topologies and routes.  Each link of a port carries a
 * packet at a time, for sim_time_from_bytes(packet) and then the latency.  A
 * node forwards a packet once it has all of it: that is the t(packet) that a
 * hop costs in both models.  A packet sets out only when the buffer at the
 * far end has room for it, and frees its room when it has left whole.  The
 * destination takes packets at once.
 *
 * Buffers  one of buffer_bytes for each link and virtual channel, at its far
 *          end; parallel links share theirs.  An output takes what waits for it
 *          from anywhere in a buffer, but a full buffer stops all who come
 *          that way.  Credits come back at once: of the round trip that real
 *          ones must cover, only the way there counts.  In a switch a buffer
 *          holds what one NPU's up-links brought; the crossbar is never in
 *          the way.
 * Limits   of several links take a packet at a time, too: packet_limits.c.
 * Order    at an output, whether a packet passes or sets out, by its message's
 *          (order_hi, order_lo), then hops, arrival, place of the source seen
 *          from the destination, and packet: no NPU number but where the
 *          topology tells NPUs apart, no order of sends.
 *          Of what sets out, a message that has begun goes before the next (as
 *          trains do: interrupting it costs or gains 3 %).
 * Differs  from network.h, besides the buffers: what passes interleaves by
 *          packets and gets between those of a message that sets out, where
 *          a train holds its links to their ends; times round up per packet.
 * Deadlock is impossible on a grid: a packet that waits in a buffer waits for
 * the link of its route and for room behind it, and these buffers can be put in
 * an order in which each waits for later ones only:
 *            - by dimension, as routes are; within one a row's switch has a
 *              buffer up and one down, each NPU of a full connection none, and
 *              on a line + and - are never on one route; the destination never
 *              waits;
 *            - within a ring of links l_0 .. l_(n-1), l_(n-1) the dateline, a
 *              packet takes channel 0 before it and 1 on and after it.  A way
 *              in a ring has fewer than n links, so it crosses the dateline
 *              once and never reaches l_(n-2) on channel 1.  The order is
 *              (l_0, 0) .. (l_(n-2), 0), (l_(n-1), 1), (l_0, 1) and so on to
 *              (l_(n-3), 1).
 *          Which packet goes first does not matter: of those that wait in the
 *          last buffer that holds any, whichever it is finds room.  Nor is one
 *          overtaken for ever: there are finitely many messages.
 *          What starts at a node occupies no buffer there.  Once buffers bind,
 *          the datelines tell NPUs apart by a little.
 * Units    bytes, ps
 * Owner    the caller owns the PacketNetwork; it borrows engine and topology
 * Assumes  topology_check_packets() had nothing against it.  Runs in full: no
 *          folding.
 * Cost     two events a packet and hop; memory grows with packets in flight
 */
#ifndef NETWORK_TRANSPORT_PACKET_H
#define NETWORK_TRANSPORT_PACKET_H

#include "network/transport/network.h"

typedef struct PacketNetwork PacketNetwork;

/* The last of @message's packets has arrived.  In SIM_PHASE_DELIVER. */
typedef void (*PacketDeliverFn)(gpointer self, uint32_t message,
                                SimTime now_ps);

/* @buffer_bytes >= @packet_bytes > 0. */
PacketNetwork *packet_network_new(SimEngine *engine, const Topology *topology,
                                  uint64_t packet_bytes, uint64_t buffer_bytes,
                                  PacketDeliverFn deliver, gpointer self);
void packet_network_free(PacketNetwork *net);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PacketNetwork, packet_network_free)

/* Payload rate of each of the parallel links @link, in place of the topology's;
 * for packets that have not set out. */
void packet_network_set_rate(PacketNetwork *net, uint32_t link,
                             uint64_t bytes_per_s);

/* See network_share(). */
void packet_network_share(PacketNetwork *net, uint32_t n_flows,
                          NetworkFlowFn flow_of, gpointer self);

/* Starts message number @message, unused until its delivery, at NPU @src.
 * @m is borrowed during the call: dst, bytes, way and the order are read. */
void packet_network_send(PacketNetwork *net, uint32_t src, uint32_t message,
                         const NetMessage *m);

/* Messages, and hops of messages, count with their first packet. */
NetPortStats packet_network_link_stats(const PacketNetwork *net, uint32_t link);
uint64_t packet_network_n_hops(const PacketNetwork *net);

/* All that was sent has been delivered.  Asserts that then nothing waits and
 * no buffer holds anything. */
gboolean packet_network_is_empty(const PacketNetwork *net);

#endif
