/*
 * quiescent_collectives.h - simulates an undisturbed collective once, and
 * replays its outcome when it is repeated
 *
 * A collective begins quiescent if nothing is under way on its NPUs and links,
 * and nothing is about to begin there that it would have to share them with.
 * Then it depends only on its key (collective_outcome.h).  The first one of a
 * key is simulated and its outcome recorded.  A later one is replayed: its
 * chunks are admitted and begin as always, but send no messages, and one event
 * at its end applies the outcome.
 *
 * A collective is disturbed if a collective is admitted, before its end, for a
 * set with one of its NPUs.  A record is then given up.  A replay is taken
 * back: the engine returns to its begin, and simulates it, and nothing else, up
 * to now.  So every figure is bit for bit that of a run in which everything is
 * simulated.  The reasons are in sim/README.md.
 *
 * Replayed are only collectives
 *
 *   in runs with communicators (admit/communicators.h) and without lanes,
 *   stages, several jobs, packets, or a single thread's regions
 *   whose listeners, if any, hear of operations only
 *   with an endpoint that has EndpointOps.is_final_at_chunk_end
 *   whose chunks cannot choose between the directions of a ring
 *   that begin while none of their NPUs runs a kernel.  Then no kernel can
 *   begin there before the collective ends
 *   whose NPUs have no operations that take their recorded or no time
 *   whose links are private (private_links.h) and have no limits
 *
 * SKIP_CHECK simulates all and asserts that each outcome is as known.
 *
 * Owner    the system owns its QuiescentCollectives
 */
#ifndef MODELS_RUN_QUIESCENT_QUIESCENT_COLLECTIVES_H
#define MODELS_RUN_QUIESCENT_QUIESCENT_COLLECTIVES_H

#include "models/run/run_state_impl.h"

/* Returns NULL if no collectives of a run of @system can be replayed.  The run
 * is about to begin.  Otherwise sets system->state.quiescent_callbacks. */
QuiescentCollectives *quiescent_collectives_new(System *system);
void quiescent_collectives_free(QuiescentCollectives *collectives);

#endif
