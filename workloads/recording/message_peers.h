/*
 * message_peers.h - resolves the peers of messages, which are ranks or indices
 * in a group
 *
 * PyTorch writes the index of the peer within the process group, other tools
 * write its rank in the world.  The messages of a group, in all files, decide
 * which it is. A rank is a member of the group and not the rank itself; an
 * index is smaller than the size of the group and not the rank's own.  If both
 * are possible, it is an index.
 */
#ifndef WORKLOADS_RECORDING_MESSAGE_PEERS_H
#define WORKLOADS_RECORDING_MESSAGE_PEERS_H

#include "workloads/recording/recording.h"

/* Makes every .peer of @recording a rank of the world.  A second call has no
 * effect. */
void record_resolve_peers(Recording *recording);

#endif
