/*
 * chunk.h - a part of a collective's payload that takes its phases as one
 *
 * What a chunk is on all NPUs: endpoints, listeners and the run see the same.
 *
 * Units    bytes
 * Owner    the run; who is handed one borrows it until all NPUs are done with
 *          it, when its record and its slot serve another
 */
#ifndef MODELS_COLLECTIVES_CHUNK_H
#define MODELS_COLLECTIVES_CHUNK_H

#include "models/collectives/plan.h"

typedef struct {
    const CollPlan *plan; /* borrowed: of its order of dimensions */
    uint32_t op;          /* the collective, */
    uint32_t index;       /* and which of its chunks this is */
    uint64_t iteration;
    uint64_t bytes;
    uint32_t slot;      /* what messages carry */
    uint32_t backwards; /* bit p: phase p goes round the - way */
    uint64_t seq;       /* order of creation */
    uint64_t order;     /* the least is served first, where several can be */
    /* Owned by the run: that of each NPU, by its place among those simulated;
     * NULL: .order is that of all. */
    uint64_t *orders;
    /* Likewise what is done in each phase: how much later than the chunk its
     * first message stands, than each step the next, and than each lane the
     * next; 0: no later. */
    uint64_t later[COLL_MAX_PHASES], step_later[COLL_MAX_PHASES],
        lane_later[COLL_MAX_PHASES];
    uint64_t entry[COLL_MAX_PHASES]; /* its place among those that enter the
                                      * phase, from 1; 0: for the endpoint to
                                      * say */
    uint32_t first_lane[COLL_MAX_PHASES + 1];
    uint64_t lane_bytes[COLL_MAX_PHASES]; /* of a message of one block, as it
                                           * is sent */
} Chunk;

/* Messages of a step that go side by side. */
static inline uint32_t chunk_n_lanes(const Chunk *chunk, uint32_t phase)
{
    return chunk->first_lane[phase + 1] - chunk->first_lane[phase];
}

static inline const CollPhase *chunk_phase(const Chunk *chunk, uint32_t phase)
{
    return &chunk->plan->phases[phase];
}

/* Where the chunk stands among all that the NPU at @place does, the least
 * first. */
static inline uint64_t chunk_order(const Chunk *chunk, uint32_t place)
{
    return G_UNLIKELY(chunk->orders) ? chunk->orders[place] : chunk->order;
}

/* Likewise what is done with it in @phase; a @phase of n_phases is after the
 * last. */
static inline uint64_t chunk_order_in(const Chunk *chunk, uint32_t place,
                                      uint32_t phase)
{
    return chunk_order(chunk, place) << 8 | phase;
}

/* Likewise what is done in a step of a lane of the phase. */
static inline uint64_t chunk_order_of_step(const Chunk *chunk, uint32_t place,
                                           uint32_t phase, uint32_t step,
                                           uint32_t lane)
{
    uint64_t order = chunk_order_in(chunk, place, phase);

    if (G_UNLIKELY(chunk->orders))
        order += chunk->later[phase] + step * chunk->step_later[phase] +
                 lane * chunk->lane_later[phase];
    return order;
}

/* What @rank of @phase does in @step, whose number has to be in range. */
static inline void chunk_step(const Chunk *chunk, uint32_t phase, uint32_t rank,
                              uint32_t step, CollStep *ret)
{
    const CollPhase *p = chunk_phase(chunk, phase);

    p->algorithm->step(chunk->backwards >> phase & 1 ? &p->mirrored : &p->group,
                       rank, step, ret);
}

/* The first step from @from on in which @rank of @phase has anything to do. */
static inline uint32_t chunk_next_step(const Chunk *chunk, uint32_t phase,
                                       uint32_t rank, uint32_t from)
{
    const CollPhase *p = chunk_phase(chunk, phase);

    return coll_next_step(
        p->algorithm, chunk->backwards >> phase & 1 ? &p->mirrored : &p->group,
        rank, from);
}

#endif
