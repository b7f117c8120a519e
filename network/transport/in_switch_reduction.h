/*
 * in_switch_reduction.h - in-switch reduction: messages that meet in a switch
 *
 * The switch of a row of NPUs adds or gathers their messages.  Each NPU of the
 * row sends one message up, addressed to itself.  It waits in the switch until
 * the messages of all NPUs of the row with the same .cookie and .order_lo have
 * arrived. Then each message goes down again with the result: the sum, or all
 * messages side by side.  The number of bytes may differ between up and down.
 * An NPU sends another message with these values only after the result.
 *
 * The adder of a switch takes the same bytes of all ports simultaneously,
 * packet by packet.  It acts like one more link with its own rate (0: as fast
 * as the links).  Let t() be the time for bytes at that rate, h the time at
 * which the last head has arrived, e the time of the last tail, and s the later
 * of h and the time at which the adder becomes free.  Then
 *
 *     adder is free again      f = max(s + t(up), e + t(packet))
 *     tail goes down           f + latency
 *     head goes down           s + t(packet) + latency; with the tail, if
 *                              the number of bytes differs
 *
 * A scattered sum begins to go down when it is complete, since the blocks of
 * some ranks are added last.  A gather is a mere copy: its head goes down at h
 * and its tail at e.
 *
 * Order    reductions that become complete at the same instant take the adder
 *          by the greatest key of their messages; those of several rows by the
 *          row
 * Units    bytes, ps
 * Owner    the caller owns the Reductions, which borrow the network
 * Assumes  the switch has space for any number of open reductions
 */
#ifndef NETWORK_TRANSPORT_IN_SWITCH_REDUCTION_H
#define NETWORK_TRANSPORT_IN_SWITCH_REDUCTION_H

#include "network/transport/network.h"

typedef struct InSwitchReductions InSwitchReductions;

/* Returns whether @message goes up to a switch that adds or gathers. */
static inline gboolean
message_needs_in_switch_reduction(const NetMessage *message)
{
    return message->reduction_role == NET_REDUCTION_ADDS ||
           message->reduction_role == NET_REDUCTION_GATHERS;
}

/* Returns the reductions of @network, or NULL if no switch of @topology
 * reduces. Only the NPUs that @fold keeps take part; NULL means all.  Calls
 * @leave(@network, message, now_ps) for each message when its head may start
 * its path down. */
InSwitchReductions *
in_switch_reductions_new(Network *network, SimEngine *engine,
                         const Topology *topology, const SymmetryFold *fold,
                         uint64_t packet_bytes, SimEventFn leave);
void in_switch_reductions_free(InSwitchReductions *meetings);

/* Handles the arrival of the head of @message at a switch that reduces. */
void in_switch_reductions_on_message_arrival(InSwitchReductions *meetings,
                                             uint32_t message);

#endif
