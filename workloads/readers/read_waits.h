/*
 * read_waits.h - for readers/ only: calls of CUDA and HIP that wait for the
 * device, and what for
 *
 * A copy that blocks is waited for by the call that starts it: one of the
 * blocking calls, and one from the device to memory that is not pinned,
 * whichever call it is; who synchronises with the device waits for all of
 * its streams.  Beyond that only records of synchronisation say what
 * is waited for; where there are none the passes infer it.
 *
 * Assumes  launches of nodes are known (RecordNode.launch), and no node of the
 *          rank has dependencies but by these functions
 */
#ifndef WORKLOADS_READERS_READ_WAITS_H
#define WORKLOADS_READERS_READ_WAITS_H

#include "workloads/recording/recording.h"

/* What a call waits for, as a record of it says. */
typedef struct {
    uint32_t call;   /* node */
    uint32_t record; /* of an event: node that recorded it; RECORD_NONE */
    uint32_t stream; /* of .streams: of the event or of the call; RECORD_NONE */
} ReadSync;

/* RECORD_WAIT of a call of this name, RECORD_HOST of any other; adds flags. */
RecordKind read_call_kind(const char *name, uint8_t *flags);

/* Lets calls wait for their own copies, which are known by their names:
 * "Memcpy DtoH (Device -> Pageable)". */
void read_set_copies(RecordRank *rank);
/* And as @syncs say, an array of ReadSync; who synchronises with the device
 * waits for all of its streams. */
void read_set_syncs(RecordRank *rank, const GArray *syncs);

#endif
