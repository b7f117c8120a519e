/*
 * under_way.h - how many messages there are at once, told before a run
 *
 * Where none waits for another an NPU sends its whole phase at once, but where
 * messages are made as they can go (follow.h) only those are there that have
 * begun, and the first on each link.  These are on links, of which it is known
 * what they hold, or wait in the midst of their way, of which it is measured
 * where every link is as fast as the first.  Elsewhere all are counted.
 *
 * Units    messages of one NPU
 * Range    saturated
 * Assumes  NPUs are much alike: what a straggler holds up is not counted
 */
#ifndef MODELS_RUN_PREPARE_UNDER_WAY_H
#define MODELS_RUN_PREPARE_UNDER_WAY_H

#include "models/run/state_impl.h"

/* The most of any phase of a chunk. */
typedef struct {
    uint64_t n_all;      /* if they were all there */
    uint64_t n_first;    /* of the chunk that goes first, */
    uint64_t n_behind;   /* of each behind it, */
    uint64_t n_on_links; /* and on links, of all */
} UnderWay;

/* Raises @most to what @phase has in @n_lanes of a chunk. */
void under_way_add(UnderWay *most, const System *system, const CollPlan *plan,
                   const CollPhase *phase, uint64_t chunk_bytes,
                   uint64_t n_lanes);
/* Raises @most to @other. */
void under_way_raise(UnderWay *most, const UnderWay *other);
/* Of @n_chunks of them. */
uint64_t under_way_n(const UnderWay *most, uint64_t n_chunks);

#endif
