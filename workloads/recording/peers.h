/*
 * peers.h - other ends of messages that are told by rank or by place in a group
 *
 * PyTorch writes the place of the other end within the process group, and other
 * tools the rank of the world.  All messages of a group in all files say which
 * it is: a rank of the world is a member of the group and not the rank itself,
 * a place is less than the size of the group and not the rank's own.  Where
 * both are possible it is a place.
 */
#ifndef WORKLOADS_RECORDING_PEERS_H
#define WORKLOADS_RECORDING_PEERS_H

#include "workloads/recording/recording.h"

/* Makes every .peer of @recording a rank of the world.  Does nothing the second
 * time. */
void record_resolve_peers(Recording *recording);

#endif
