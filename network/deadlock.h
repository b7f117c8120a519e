/*
 * deadlock.h - packets must not wait for each other for ever
 *
 * Each link has two channels of buffers at its far end: packets that have come
 * over the dateline of a ring take the second one (transport/packet.h).
 *
 * Errors   CONFIG_ERROR
 */
#ifndef NETWORK_DEADLOCK_H
#define NETWORK_DEADLOCK_H

#include "network/topology.h"

#define TOPOLOGY_N_CHANNELS 2

/* The channel of @link that a packet takes which has come over @before and lay
 * in @channel there; TOPOLOGY_NONE: it sets out. */
uint32_t topology_channel(const Topology *topology, uint32_t before,
                          uint32_t channel, uint32_t link);

/* FALSE, with what is wrong at @where: packets could wait for each other in a
 * ring, or there is something that they do not know. */
G_GNUC_WARN_UNUSED_RESULT
gboolean topology_check_packets(const Topology *topology,
                                const ConfigNode *where, GError **error);

#endif
