/*
 * part.h - a network of which others have the rest, each on its own engine
 *
 * All of them have the links of a whole topology; each uses some, and messages
 * that go on along others leave it, and are taken in where those are.
 *
 * Threads  each network is one thread's; between leaving and being taken in a
 *          message is the caller's
 */
#ifndef NETWORK_TRANSPORT_PART_H
#define NETWORK_TRANSPORT_PART_H

#include "network/transport/network.h"

/* Asked when @message, whose way leads on, goes to node .at, where its head is
 * at @at_ps: TRUE when @self has taken it out of this network. */
typedef gboolean (*NetworkLeaveFn)(gpointer self, uint32_t message,
                                   SimTime at_ps);

/* Some messages go on in another network; trains only. */
void network_let_leave(Network *network, NetworkLeaveFn leave);
/* A message like @message, which left another network: at .dst, whole, at
 * @at_ps, or else with its head at .at. */
void network_take_in(Network *network, const NetMessage *message,
                     gboolean is_there, SimTime at_ps);
/* Adds what was counted of each link of @other, another of the same topology.
 */
void network_add_stats(Network *network, const Network *other);

#endif
