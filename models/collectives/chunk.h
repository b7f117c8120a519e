/*
 * chunk.h - a part of a payload that passes through all phases as a unit
 *
 * A Chunk describes the chunk on all NPUs; endpoints, listeners and the run
 * share it.
 *
 * Units    bytes
 * Owner    the run.  Others borrow a chunk until all NPUs have finished it;
 *          then its record and its slot are reused.
 */
#ifndef MODELS_COLLECTIVES_CHUNK_H
#define MODELS_COLLECTIVES_CHUNK_H

#include "models/collectives/collective_plan.h"

typedef struct {
    const CollPlan *plan; /* borrowed: the plan of its dimension order */
    uint32_t op;          /* index of the collective in the graph */
    uint32_t index;       /* index of the chunk within the collective */
    uint64_t iteration;
    uint64_t bytes;
    uint32_t slot;      /* number by which messages refer to the chunk */
    uint32_t backwards; /* bit p: phase p goes round the ring in the negative
                           direction */
    uint64_t seq;       /* number of the chunk in the order of creation */
    uint64_t order; /* priority: among chunks that can be served, the smallest
                       goes first */
    /* Owned by the run: one priority per NPU, by its index among those
     * simulated.  NULL: .order is valid for all NPUs. */
    uint64_t *orders;
    /* If .orders is set: by how much the priority of messages drops from the
     * chunk to the first message of each phase, from step to step, and from
     * lane to lane. 0: not at all. */
    uint64_t later[COLL_MAX_PHASES], step_later[COLL_MAX_PHASES],
        lane_later[COLL_MAX_PHASES];
    /* Position of the chunk in the order of entry to each phase, from 1; 0: not
     * decided yet. */
    uint64_t entry[COLL_MAX_PHASES];
    uint32_t first_lane[COLL_MAX_PHASES + 1];
    /* For each phase, bytes on the wire of a message of one block. */
    uint64_t lane_bytes[COLL_MAX_PHASES];
} Chunk;

/* Returns the number of messages that a step sends in parallel. */
static inline uint32_t chunk_n_lanes_of_phase(const Chunk *chunk,
                                              uint32_t phase)
{
    return chunk->first_lane[phase + 1] - chunk->first_lane[phase];
}

static inline const CollPhase *chunk_phase(const Chunk *chunk, uint32_t phase)
{
    return &chunk->plan->phases[phase];
}

/* Returns the priority of the chunk at simulated NPU number @place; the
 * smallest is served first. */
static inline uint64_t chunk_priority(const Chunk *chunk, uint32_t place)
{
    return G_UNLIKELY(chunk->orders) ? chunk->orders[place] : chunk->order;
}

/* Returns the priority of work on the chunk in @phase; if @phase is the number
 * of phases, of work after the last one. */
static inline uint64_t chunk_priority_in_phase(const Chunk *chunk,
                                               uint32_t place, uint32_t phase)
{
    return chunk_priority(chunk, place) << 8 | phase;
}

/* Returns the priority of a message of @step in @lane of the phase. */
static inline uint64_t chunk_priority_of_step(const Chunk *chunk,
                                              uint32_t place, uint32_t phase,
                                              uint32_t step, uint32_t lane)
{
    uint64_t order = chunk_priority_in_phase(chunk, place, phase);

    if (G_UNLIKELY(chunk->orders))
        order += chunk->later[phase] + step * chunk->step_later[phase] +
                 lane * chunk->lane_later[phase];
    return order;
}

/* Sets *@ret to what @rank of phase @phase sends and receives in @step, which
 * must be in range. */
static inline void chunk_look_up_step(const Chunk *chunk, uint32_t phase,
                                      uint32_t rank, uint32_t step,
                                      CollStep *ret)
{
    const CollPhase *coll_phase = chunk_phase(chunk, phase);

    coll_phase->algorithm->step(chunk->backwards >> phase & 1
                                    ? &coll_phase->mirrored
                                    : &coll_phase->group,
                                rank, step, ret);
}

/* Returns the first step, from @from on, in which @rank is active in phase
 * @phase. */
static inline uint32_t chunk_next_step(const Chunk *chunk, uint32_t phase,
                                       uint32_t rank, uint32_t from)
{
    const CollPhase *coll_phase = chunk_phase(chunk, phase);

    return coll_next_active_step(coll_phase->algorithm,
                                 chunk->backwards >> phase & 1
                                     ? &coll_phase->mirrored
                                     : &coll_phase->group,
                                 rank, from);
}

#endif
