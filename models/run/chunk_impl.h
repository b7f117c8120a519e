/*
 * chunk_impl.h - collectives under way; for models/ only
 *
 * A CollInstance is one collective of one iteration on all NPUs, cut into
 * Chunks; a Chunk has a ChunkState on every NPU, and the messages of a step
 * travel in lanes side by side.
 *
 * Owner    the System owns instances and chunks; records of chunks that are
 *          done serve the next ones
 */
#ifndef MODELS_RUN_CHUNK_IMPL_H
#define MODELS_RUN_CHUNK_IMPL_H

#include "models/collectives/cut.h"
#include "models/collectives/orders.h"
#include "sim/core/time.h"

typedef struct Chunk Chunk;

/* One NPU's part in a collective. */
typedef struct {
    gboolean issued; /* and launched */
    uint32_t next_chunk, n_chunks_done;
} CollPart;

typedef struct {
    uint32_t op;
    uint64_t iteration;
    uint64_t seq;         /* order of creation */
    const CollPlan *plan; /* borrowed: in the order of the platform */
    const Cut *cut;       /* borrowed */
    uint32_t priority;
    uint64_t payload_bytes;
    uint32_t n_chunks;
    uint32_t n_parts_done;
    Chunk **chunks;  /* owned: n_chunks, NULL while not in flight */
    CollPart *parts; /* owned: one for each simulated NPU */
} CollInstance;

/* Side-by-side messages of a step: lane l carries its part of each block. */
typedef struct {
    uint32_t n_ended;      /* gone, of those that may be the last to go */
    uint32_t n_arrived;    /* come in, */
    uint32_t n_received;   /* handed to the endpoint, */
    uint32_t n_done;       /* and taken in by it */
    gboolean is_receiving; /* try_receive() is at it */
    uint64_t arrived_mask; /* by step, where senders differ */
} Lane;

typedef struct {
    uint32_t phase; /* the present one, or the one it waits to enter */
    gboolean in_phase;
    gboolean started;
    uint32_t n_lanes_done;
    uint32_t peer;      /* .single_source: NPU that this one sends to, */
    uint32_t link;      /* and, if its way is one, by which link */
    SimTime entered_ps; /* the present phase; for the endpoint */
    Lane lanes[];       /* of all phases */
} ChunkState;

struct Chunk {
    CollInstance *coll; /* borrowed */
    const CollPlan
        *plan;      /* borrowed: of its order, phases as many as .coll's */
    uint32_t slot;  /* in System.chunks: what messages carry */
    uint32_t index; /* within its collective */
    uint64_t seq;   /* order of creation: the oldest is served first */
    uint64_t order; /* the least is served first, where several can be */
    uint64_t bytes;
    uint32_t n_npus_done;
    uint32_t backwards;              /* bit p: phase p goes round the - way */
    uint64_t entry[COLL_MAX_PHASES]; /* its place among those that enter the
                                      * phase, from 1; 0: for the endpoint to
                                      * say */
    uint32_t first_lane[COLL_MAX_PHASES + 1];
    uint64_t lane_bytes[COLL_MAX_PHASES]; /* of a message of one block */
    gsize stride;   /* bytes of one ChunkState with its lanes */
    gsize capacity; /* bytes at .states */
    guint8 *states; /* owned: one for each simulated NPU */
    Chunk *next_free;
};

static inline ChunkState *chunk_state(const Chunk *chunk, uint32_t npu)
{
    return (ChunkState *)(gpointer)(chunk->states + npu * chunk->stride);
}

static inline uint32_t chunk_n_lanes(const Chunk *chunk, uint32_t phase)
{
    return chunk->first_lane[phase + 1] - chunk->first_lane[phase];
}

static inline const CollPhase *chunk_phase(const Chunk *chunk, uint32_t phase)
{
    return &chunk->plan->phases[phase];
}

#endif
