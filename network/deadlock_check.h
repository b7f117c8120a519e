/*
 * deadlock_check.h - checks that packets cannot deadlock
 *
 * Each link has two virtual channels, each with its own buffers at the far end
 * of the link.  Packets that have passed the dateline of a ring use the second
 * channel (transport/packet_network.h).
 *
 * Errors   CONFIG_ERROR
 */
#ifndef NETWORK_DEADLOCK_CHECK_H
#define NETWORK_DEADLOCK_CHECK_H

#include "network/topology.h"

#define TOPOLOGY_N_CHANNELS 2

/* Returns the channel of @link for a packet that arrives from channel @channel
 * of link @before.  @before is TOPOLOGY_NONE if the packet starts here. */
uint32_t topology_next_virtual_channel(const Topology *topology,
                                       uint32_t before, uint32_t channel,
                                       uint32_t link);

/* Returns FALSE and sets @error at @where if packets could deadlock, that is,
 * wait for each other in a cycle of buffers. */
G_GNUC_WARN_UNUSED_RESULT
gboolean topology_check_no_packet_deadlock(const Topology *topology,
                                           const ConfigNode *where,
                                           GError **error);

#endif
