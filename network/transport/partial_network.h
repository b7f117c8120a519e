/*
 * partial_network.h - a network whose other regions are simulated by other
 * threads
 *
 * Each region has a network with the links of the whole topology and its own
 * engine, but uses only some links.  A message whose next node belongs to
 * another region leaves this network and is created again in the network of
 * that region.
 *
 * Threads  each network belongs to one thread; between leaving and entering,
 *          the message belongs to the caller
 */
#ifndef NETWORK_TRANSPORT_PARTIAL_NETWORK_H
#define NETWORK_TRANSPORT_PARTIAL_NETWORK_H

#include "network/transport/network.h"

/* Called when @message continues at node .next_node, which its head reaches at
 * @at_ps. Returns TRUE if @self has removed the message from this network. */
typedef gboolean (*NetworkLeaveRegionFn)(gpointer self, uint32_t message,
                                         SimTime at_ps);

/* Sets the function that removes messages. Applies only to the message model,
 * which moves trains of packets. */
void network_set_leave_region_callback(Network *network,
                                       NetworkLeaveRegionFn leave);
/* Creates a copy of @message, which left another network.  If @is_there, all of
 * it arrives at .dst at @at_ps; otherwise its head reaches node .next_node at
 * @at_ps. */
void network_insert_message_from_region(Network *network,
                                        const NetMessage *message,
                                        gboolean is_there, SimTime at_ps);
/* Adds the counters of all links of @other, a network of the same topology. */
void network_add_stats(Network *network, const Network *other);

#endif
