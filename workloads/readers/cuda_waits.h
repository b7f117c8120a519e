/*
 * cuda_waits.h - calls of CUDA and HIP that wait for the device; private to
 * readers/
 *
 * A blocking copy makes the call that starts it wait.  Blocking copies are
 * those of the blocking copy calls, and all copies from the device to pageable
 * memory.  A call that synchronises with the device waits for all of its
 * streams.  Records of synchronisation say what other calls wait for; without
 * such records, later passes infer it.
 *
 * Assumes  launches of nodes are known (RecordNode.launch), and only these
 *          functions have added dependencies to the nodes of the rank
 */
#ifndef WORKLOADS_READERS_CUDA_WAITS_H
#define WORKLOADS_READERS_CUDA_WAITS_H

#include "workloads/recording/recording.h"

/* A record of synchronisation: what a call waits for. */
typedef struct {
    uint32_t call; /* node of the call that waits */
    /* Node that recorded the CUDA event; RECORD_NONE: there is no event. */
    uint32_t record;
    /* Index in .streams of the event's or the call's stream; RECORD_NONE:
     * none. */
    uint32_t stream;
} ReadSync;

/* Returns RECORD_WAIT if a call of this name waits for the device, else
 * RECORD_HOST. Adds its flags to @flags. */
RecordKind reader_kind_of_runtime_call(const char *name, uint8_t *flags);

/* Makes calls wait for their own blocking copies, which are recognised by names
 * such as "Memcpy DtoH (Device -> Pageable)". */
void reader_add_blocking_copy_dependencies(RecordRank *rank);
/* Adds the dependencies of @syncs, an array of ReadSync.  Calls that
 * synchronise with the device wait for all of its streams. */
void reader_add_synchronisation_dependencies(RecordRank *rank,
                                             const GArray *syncs);

#endif
