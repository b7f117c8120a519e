/*
 * size.h - what a run has in flight, for who keeps something of it besides
 *
 * Units    bytes
 */
#ifndef MODELS_RUN_SIZE_H
#define MODELS_RUN_SIZE_H

#include "models/run/system.h"

/* Chunks of a collective that an NPU has in flight at most; and of each, over
 * all its phases, lanes, and messages that are under way at once. */
typedef struct {
    uint64_t n_chunks, n_lanes, n_messages;
    uint64_t n_under_way; /* of all chunks, messages that there are */
} SystemFlight;

/* All 0 where @op is no collective. */
SystemFlight system_flight(const System *system, uint32_t op);

/* Messages that there are now, for who looks while it runs. */
uint32_t system_n_messages(const System *system);

/* Somebody will listen to @system: then no message waits to be made. */
void system_expect_listeners(System *system);

/* FALSE: with who listens to it the run takes more than it may. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_check_told(const System *system, GError **error);

/* The memory that the run may have, with what others keep of it. */
uint64_t system_most_bytes(const System *system);

#endif
