/*
 * reach.h - how many periods can be skipped
 *
 * As many as leave two more chunks to take in, since the last may be smaller,
 * and NPUs look at the size of the next; and as end before something beside
 * communication could be seen by it.
 */
#ifndef MODELS_RUN_STEADY_REACH_H
#define MODELS_RUN_STEADY_REACH_H

#include "models/run/steady/beside.h"
#include "models/run/steady/periods.h"

/* Chunks of @coll that some NPU has taken in. */
uint32_t reach_taken(const System *system, const CollInstance *coll);
/* By the chunks that @coll has yet to take in, and their plans. */
uint64_t reach_by_chunks(const Looker *looker, const Period *period,
                         const CollInstance *coll);
/* Of those, @n at most, while events are out.  What is beside has then run on
 * up to the end of as many as it returns; @stays: it has not. */
uint64_t reach_beside(Looker *looker, Beside *beside, const Period *period,
                      uint64_t n, gboolean stays);

#endif
