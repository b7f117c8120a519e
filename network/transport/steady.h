/*
 * steady.h - the state of a network, visited: see sim/core/steady.h
 *
 * A message is visited where it is: in a link's lists, by the event that moves
 * it, or by who has it.  What is left in its record of where it was before is
 * no state.
 */
#ifndef NETWORK_TRANSPORT_STEADY_H
#define NETWORK_TRANSPORT_STEADY_H

#include "network/transport/network.h"
#include "sim/core/steady.h"

/* FALSE: some of its state is not visited. */
gboolean network_can_be_steady(const Network *network);
void network_steady(Network *network, SteadyWalk *walk);
/* What the links have counted, so many each, in the order in which
 * network_steady() visits it in the end; is added to @counts (of SimWide). */
#define NETWORK_N_STEADY_COUNTS 3
void network_steady_counts(Network *network, GArray *counts);
/* What any link brings. */
uint64_t network_most_bytes_per_s(const Network *network);
/* No message is anywhere, and no link is busy or waits for anything. */
gboolean network_is_at_rest(const Network *network);
/* Messages that an endpoint has: to go out, or come in.  @network is a Network.
 * They have to be served by their own order; 0: it does not matter. */
void network_steady_out(gpointer network, SteadyWalk *walk, uint64_t order,
                        uint32_t message);
void network_steady_in(gpointer network, SteadyWalk *walk, uint64_t order,
                       uint32_t message);
/* An event of the network's. */
void network_steady_event(Network *network, SteadyWalk *walk, SimEventFn fn,
                          uint32_t arg);

#endif
