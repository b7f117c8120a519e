/*
 * network_steady_state.h - visits the state of a network: see
 * sim/core/state_walk.h
 *
 * A message is visited where it is: in the lists of a link, by the event that
 * moves it, or by its holder.  Outdated values in its record are not part of
 * the state.
 */
#ifndef NETWORK_TRANSPORT_NETWORK_STEADY_STATE_H
#define NETWORK_TRANSPORT_NETWORK_STEADY_STATE_H

#include "network/transport/network.h"
#include "sim/core/state_walk.h"

/* Returns FALSE if a part of the state of @network cannot be visited. */
gboolean network_supports_steady_state(const Network *network);
/* Visits the whole state of @network, and its counters last. */
void network_visit_state(Network *network, SteadyWalk *walk);
/* Appends the counters of all links to @counts (of SimWide),
 * NETWORK_N_STEADY_COUNTS per link, in the order in which network_visit_state()
 * visits them last. */
#define NETWORK_N_STEADY_COUNTS 3
void network_append_link_counters(Network *network, GArray *counts);
/* Returns the highest rate of any port. */
uint64_t network_max_bytes_per_s(const Network *network);
/* Returns whether no message exists, and no link is busy or has an event. */
gboolean network_is_idle(const Network *network);
/* Returns whether link number @link, which has no limit, is idle and has
 * neither messages nor an event.  The state of such a link does not affect
 * later messages. */
gboolean network_link_is_at_rest(const Network *net, uint32_t link);
/* Visits messages that an endpoint holds, before sending or after arrival.
 * @network is a Network.  @order is the order_hi of the message, if the
 * messages must be served in that order, or 0. */
void network_visit_held_message(gpointer network, SteadyWalk *walk,
                                uint64_t order, uint32_t message);
void network_visit_arrived_message(gpointer network, SteadyWalk *walk,
                                   uint64_t order, uint32_t message);
/* Visits an event of the network. */
void network_visit_event(Network *network, SteadyWalk *walk, SimEventFn fn,
                         uint32_t arg);

#endif
