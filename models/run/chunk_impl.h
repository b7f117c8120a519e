/*
 * chunk_impl.h - chunks in flight, with the progress of each NPU
 *
 * A Chunk has a ChunkState on every simulated NPU.  The messages of a step use
 * parallel lanes.  The lanes of one phase are stored together for all NPUs,
 * since NPUs are mostly in the same phase: with thousands of NPUs the cache
 * then holds little else.
 *
 * Owner    the system owns its chunks.  Records of finished chunks are reused.
 */
#ifndef MODELS_RUN_CHUNK_IMPL_H
#define MODELS_RUN_CHUNK_IMPL_H

#include "models/run/collective_instance_impl.h"

/* One of the parallel messages of a step.  Lane l carries part l of each
 * block. */
typedef struct {
    /* Number of sent messages among those that may be the last of the lane. */
    uint32_t n_ended : 31;
    uint32_t is_receiving : 1; /* receive_arrived_steps() is running */
    uint32_t n_arrived;        /* messages of this lane that have arrived */
    uint32_t n_received;       /* messages that were passed to the endpoint */
    uint32_t n_done;           /* steps that are done: received and processed */
    /* Bit s: step s has arrived; used if the sender differs from step to
     * step.  With more than LANE_MASK_STEPS steps, the marks are in
     * ChunkRecord.marks. */
    uint64_t arrived_mask;
} Lane;

#define LANE_MASK_STEPS 64
/* The maximum of .n_ended, with all its bits set. */
#define LANE_MAX_ENDED INT32_MAX

typedef struct {
    /* The phase in which the chunk is on this NPU, or which it waits to
     * enter. */
    uint32_t phase;
    /* gboolean values: whether the chunk is in .phase, and whether it has
     * started. */
    uint8_t in_phase, started;
    /* MESSAGE_PAYS() of the path to .peer; 0: no protocol charges a step
     * time. */
    uint8_t protocol_reach;
    uint8_t path_id; /* path to .peer, as topology_next_link() numbers paths */
    uint32_t n_lanes_done;
    /* For .single_source algorithms: the NPU to which this NPU sends. */
    uint32_t peer;
    uint32_t link; /* the first link of the path, if there is only one */
} ChunkState;

/* The parallel lanes of a phase on all simulated NPUs, one NPU after
 * the other. */
typedef struct {
    guint8 *lanes;   /* the parallel lanes; the elements are Lane */
    uint32_t stride; /* bytes that the parallel lanes of one NPU take */
    /* For a phase of many steps: index in ChunkRecord.marks of the first
     * parallel lane's marks. */
    uint32_t first_mark;
} ChunkPhase;

/* A chunk with the data that only models/run uses; other folders see .chunk. */
typedef struct {
    Chunk chunk;
    CollInstance *coll; /* borrowed */
    uint32_t n_npus_done;
    /* Number of bytes allocated at .states, including parallel lanes
     * and marks. */
    gsize capacity;
    /* Owned: the state of each simulated NPU, followed by parallel lanes and
     * marks. */
    ChunkState *states;
    /* The parallel lanes of each phase, which are stored after .states. */
    ChunkPhase phases[COLL_MAX_PHASES];
    /* The arrival marks of steps, which are stored after the lanes. */
    uint64_t *marks;
} ChunkRecord;

static inline ChunkRecord *chunk_record_around(const Chunk *chunk)
{
    return (ChunkRecord *)(gpointer)chunk;
}

static inline ChunkState *chunk_state_of_npu(const Chunk *chunk, uint32_t npu)
{
    return &chunk_record_around(chunk)->states[npu];
}

/* Returns the first parallel lane of NPU @npu in phase @phase_index. */
static inline Lane *chunk_lanes(const Chunk *chunk, uint32_t npu,
                                uint32_t phase_index)
{
    const ChunkPhase *phase = &chunk_record_around(chunk)->phases[phase_index];

    return (Lane *)(gpointer)(phase->lanes + (gsize)npu * phase->stride);
}

/* Returns the number of 64-bit words of arrival marks for a parallel lane of
 * @phase; 0 if Lane.arrived_mask is enough. */
static inline uint32_t chunk_mark_words_per_lane(const CollPhase *phase)
{
    return phase->n_steps <= LANE_MASK_STEPS ||
                   phase->algorithm->single_source ||
                   phase->algorithm->independent
               ? 0
               : (phase->n_steps - 1) / LANE_MASK_STEPS + 1;
}

/* Returns the arrival marks of @lane in phase @phase_index. */
static inline uint64_t *
chunk_arrival_marks(const Chunk *chunk, const Lane *lane, uint32_t phase_index)
{
    const ChunkPhase *phase = &chunk_record_around(chunk)->phases[phase_index];

    return chunk_record_around(chunk)->marks + phase->first_mark +
           (gsize)(lane - (Lane *)(gpointer)phase->lanes) *

               chunk_mark_words_per_lane(&chunk->plan->phases[phase_index]);
}

/* Returns the size of .states for @n_npus: whole words without pointers. */
gsize chunk_states_bytes(const ChunkRecord *record, uint32_t n_npus);
/* Returns chunk @index of @coll.  The first NPU that asks for it creates it. */
Chunk *chunk_get_or_create(System *system, CollInstance *coll, uint32_t index);
/* Returns the phases of a new chunk that go in negative direction, one bit
 * each, and adds its bytes to @directions. */
uint32_t chunk_choose_directions(const CollPlan *plan, uint64_t bytes,
                                 RingBytes *directions);
/* Sets in @message what a switch sends down in return, for a phase that goes
 * through a switch. */
void chunk_fill_switch_reply(const Chunk *chunk, uint32_t phase,
                             NetMessage *message);
/* Starts the next chunk of @coll on @npu. */
void chunk_begin(Npu *npu, CollInstance *coll);
/* Ends @chunk on @npu, after its last phase there.  The last NPU frees the
 * chunk. */
void chunk_end(Npu *npu, Chunk *chunk);
/* Frees all chunk records. */
void chunks_free(GPtrArray *chunks);

#endif
