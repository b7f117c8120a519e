/*
 * size_estimate.h - the messages in flight and the memory of a run, known
 * before it starts
 *
 * Units    bytes
 */
#ifndef MODELS_RUN_SIZE_ESTIMATE_H
#define MODELS_RUN_SIZE_ESTIMATE_H

#include "models/run/system.h"

/* The maximum that an NPU has in flight of one collective: its chunks, and for
 * each chunk the lanes of all phases and the messages that exist at one
 * time. */
typedef struct {
    uint64_t n_chunks, n_lanes, n_messages;
    /* Number of messages in flight, of all chunks together. */
    uint64_t n_inflight_messages;
} SystemFlight;

/* Returns what an NPU may have in flight of operation @op; all fields are 0 if
 * it is no collective. */
SystemFlight system_op_in_flight(const System *system, uint32_t op);

/* Returns the number of messages that exist now, for callers that poll a
 * run. */
uint32_t system_n_messages(const System *system);

/* Announces that a listener will be added to @system.  Messages are then not
 * created on demand, so the run needs more memory. */
void system_reserve_for_listeners(System *system);

/* Returns FALSE and sets @error if the run needs more memory than allowed
 * because of its listeners. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_check_listener_memory(const System *system, GError **error);

/* Returns the memory limit of the run; what listeners keep counts, too. */
uint64_t system_memory_limit_bytes(const System *system);

#endif
