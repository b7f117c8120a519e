/*
 * meeting.h - messages that meet in a switch which adds, or gathers
 *
 * Each NPU of a row of a dimension, whose switch adds, sends one message of a
 * meeting up to it, addressed to itself.  There it waits until those of all
 * NPUs of the row with the same (order_hi, order_lo) have come; then each goes
 * down again, with what is made of all of them: their sum, or all of them side
 * by side.  The bytes that come down may be other than those that went up.
 *
 * One adder takes the same bytes of all ports at once, packet by packet, at
 * its rate (0: as fast as links bring them), as if it were one more link.  With
 * t() the time for bytes at that rate, h the time at which the last head has
 * come, e the last tail, and s the later of h and the adder's being free,
 *
 *     adder is free again      f = max(s + t(up), e + t(packet))
 *     tail goes down           f + latency
 *     head goes down           s + t(packet) + latency; with the tail, where
 *                              another number of bytes comes down
 *
 * A sum that is scattered begins to go down when it is whole, since the blocks
 * of some ranks are the last to be added.  What is gathered is only copied: its
 * head goes down at h and its tail at e.
 *
 * Order    meetings that are complete at one instant take the adder by their
 *          key; those of several rows on one adder by the row
 * Units    bytes, ps
 * Owner    the caller owns the meetings, which borrow the network
 * Assumes  room in the switch for all that waits: there is no limit to how
 *          many meetings are open
 */
#ifndef NETWORK_TRANSPORT_MEETING_H
#define NETWORK_TRANSPORT_MEETING_H

#include "network/transport/network.h"

typedef struct Meetings Meetings;

static inline gboolean network_is_to_meet(const NetMessage *m)
{
    return m->meets == NET_MEETS_ADDING || m->meets == NET_MEETS_GATHERING;
}

/* Of the NPUs that differ in one dimension as many make a meeting as @fold
 * keeps; NULL: all.  NULL: nothing adds on @topology.  @leave(@network,
 * message, now_ps) is called with each of them when its head can take its way
 * down. */
Meetings *meetings_new(Network *network, SimEngine *engine,
                       const Topology *topology, const Fold *fold,
                       uint64_t packet_bytes, SimEventFn leave);
void meetings_free(Meetings *meetings);

/* The head of @message is there now. */
void meetings_come(Meetings *meetings, uint32_t message);

#endif
