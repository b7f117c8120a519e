/*
 * split_ranks_by_device.h - makes a rank of each device of a file
 *
 * A process may drive several devices, as torch.nn.DataParallel does, and a
 * merged file may hold several processes.  Each device then becomes a rank with
 * its own streams and with the host threads that launch its work.  A thread
 * that launches work on several devices, or on none, or that has the marks of
 * steps, is in each of these ranks: its calls for other devices are work of the
 * host. A host wait for another device alone becomes host work of its recorded
 * time.
 *
 * Assumes  each rank of a shared thread runs the whole thread, since the
 * program has no host that several ranks share
 */
#ifndef WORKLOADS_RECORDING_SPLIT_RANKS_BY_DEVICE_H
#define WORKLOADS_RECORDING_SPLIT_RANKS_BY_DEVICE_H

#include "workloads/recording/recording.h"

/* Replaces @rank, the latest of @recording, by a rank for each of its devices
 * (RecordStream.device), in ascending order; their numbers are their places in
 * the recording.  Does nothing if there are fewer than two. */
void record_split_rank_by_device(Recording *recording, RecordRank *rank);

#endif
