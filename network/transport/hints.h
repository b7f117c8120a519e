/*
 * hints.h - what soon happens in a network is fetched into the cache
 *
 * Nothing that is simulated hangs on it.  See sim_queue_let_hint().
 */
#ifndef NETWORK_TRANSPORT_HINTS_H
#define NETWORK_TRANSPORT_HINTS_H

#include "network/transport/network.h"

/* Told of what is soon delivered to end @npu, a round after the message itself
 * was fetched. */
typedef void (*NetworkHintFn)(gpointer self, uint32_t npu, uint32_t message,
                              guint round);

void network_let_hint(Network *network, NetworkHintFn hint);
/* Fetches a message, or a link. */
void network_fetch(const Network *network, uint32_t message);
void network_fetch_link(const Network *network, uint32_t link);

#endif
