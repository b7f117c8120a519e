/*
 * chunk_impl.h - chunks under way, with what each NPU has done of them
 *
 * A Chunk has a ChunkState on every NPU, and the messages of a step travel in
 * lanes side by side.  What all NPUs have of one phase stands together, since
 * they are mostly in the same: of thousands of NPUs little else is in the
 * cache then.
 *
 * Owner    the system owns its chunks; records of chunks that are done serve
 *          the next ones
 */
#ifndef MODELS_RUN_CHUNK_IMPL_H
#define MODELS_RUN_CHUNK_IMPL_H

#include "models/run/instance_impl.h"

/* Side-by-side messages of a step: lane l carries its part of each block. */
typedef struct {
    uint32_t n_ended : 31;     /* gone, of those that may be the last to go */
    uint32_t is_receiving : 1; /* try_receive() is at it */
    uint32_t n_arrived;        /* come in, */
    uint32_t n_received;       /* handed to the endpoint, */
    uint32_t n_done;           /* and taken in by it */
    uint64_t arrived_mask;     /* by step, where senders differ; of more than
                                  LANE_MASK_STEPS it is in words behind */
} Lane;

#define LANE_MASK_STEPS 64
#define LANE_MOST_ENDED INT32_MAX /* of .n_ended, all bits set */

typedef struct {
    uint32_t phase; /* the present one, or the one it waits to enter */
    uint8_t in_phase, started; /* gboolean */
    uint8_t pays; /* MESSAGE_PAYS() of the way to .peer; 0: there is none */
    uint8_t way;  /* to it: see topology_next() */
    uint32_t n_lanes_done;
    uint32_t peer; /* .single_source: NPU that this one sends to, */
    uint32_t link; /* and, if its way is one, by which link */
} ChunkState;

/* What simulated NPUs have of a phase, one after the other. */
typedef struct {
    guint8 *lanes;   /* Lanes, */
    uint32_t stride; /* so many bytes of each NPU; */
    uint32_t
        first_mark; /* where the phase has many steps, words of each lane */
} ChunkPhase;

/* A chunk as the run keeps it; .chunk is what others see. */
typedef struct {
    Chunk chunk;
    CollInstance *coll; /* borrowed */
    uint32_t n_npus_done;
    gsize capacity;     /* bytes at .states, with all behind them */
    ChunkState *states; /* owned: one for each simulated NPU, */
    ChunkPhase phases[COLL_MAX_PHASES]; /* then these, */
    uint64_t *marks;                    /* and behind them these */
} ChunkRecord;

static inline ChunkRecord *chunk_record(const Chunk *chunk)
{
    return (ChunkRecord *)(gpointer)chunk;
}

static inline ChunkState *chunk_state(const Chunk *chunk, uint32_t npu)
{
    return &chunk_record(chunk)->states[npu];
}

/* The first that simulated NPU @npu has in phase @p. */
static inline Lane *chunk_lanes(const Chunk *chunk, uint32_t npu, uint32_t p)
{
    const ChunkPhase *phase = &chunk_record(chunk)->phases[p];

    return (Lane *)(gpointer)(phase->lanes + (gsize)npu * phase->stride);
}

/* Words of marks for a lane of @phase; 0: its mask does. */
static inline uint32_t chunk_lane_words(const CollPhase *phase)
{
    return phase->n_steps <= LANE_MASK_STEPS ||
                   phase->algorithm->single_source ||
                   phase->algorithm->independent
               ? 0
               : (phase->n_steps - 1) / LANE_MASK_STEPS + 1;
}

/* Those of @lane in phase @p. */
static inline uint64_t *chunk_marks(const Chunk *chunk, const Lane *lane,
                                    uint32_t p)
{
    const ChunkPhase *phase = &chunk_record(chunk)->phases[p];

    return chunk_record(chunk)->marks + phase->first_mark +
           (gsize)(lane - (Lane *)(gpointer)phase->lanes) *

               chunk_lane_words(&chunk->plan->phases[p]);
}

/* What lies at .states, of @n_npus: whole words, no pointers. */
gsize chunk_states_bytes(const ChunkRecord *record, uint32_t n_npus);
/* The @index-th of @coll, in flight from when the first NPU asks for it. */
Chunk *chunk_get(System *system, CollInstance *coll, uint32_t index);
/* Which of the phases of one more chunk go backwards, a bit each; @ways then
 * have its bytes. */
uint32_t chunk_choose_ways(const CollPlan *plan, uint64_t bytes, Ways *ways);
/* Says in @m, of a phase that goes via a switch, what comes down for it. */
void chunk_fill_meeting(const Chunk *chunk, uint32_t phase, NetMessage *m);
/* @npu takes in its next chunk of @coll. */
void chunk_begin(Npu *npu, CollInstance *coll);
/* @chunk has been through its last phase there; after the last NPU it is gone.
 */
void chunk_end(Npu *npu, Chunk *chunk);
/* All records. */
void chunks_free(GPtrArray *chunks);

#endif
