/*
 * step_impl.h - steps of a chunk's phases as messages, and messages as steps
 */
#ifndef MODELS_RUN_STEP_IMPL_H
#define MODELS_RUN_STEP_IMPL_H

#include "models/run/chunk_impl.h"
#include "models/run/npu_impl.h"

/* Everything a message says about its step is in the key that breaks ties. */
static inline uint64_t step_order_hi(const Npu *npu, const Chunk *chunk,
                                     uint32_t phase, uint32_t step,
                                     uint32_t lane)
{
    return chunk_order_of_step(chunk, npu->index, phase, step, lane);
}

static inline uint64_t step_order_lo(uint32_t step, uint32_t lane)
{
    return (uint64_t)step << 16 | lane;
}

/* What a message is about, looked up once. */
typedef struct {
    Chunk *chunk;
    ChunkState *state;
    const CollPhase *phase;
    Lane *lane;
    uint32_t p, l; /* numbers of the phase and the lane */
} Place;

static inline Place place_of_lane(const Npu *npu, Chunk *chunk, uint32_t p,
                                  uint32_t l)
{
    return (Place){
        .chunk = chunk,
        .state = chunk_state(chunk, npu->index),
        .phase = chunk_phase(chunk, p),
        .lane = chunk_lanes(chunk, npu->index, p) + l,
        .p = p,
        .l = l,
    };
}

/* The word of marks that @step is in. */
static inline uint64_t *place_word(const Place *at, uint32_t step)
{
    if (G_LIKELY(at->phase->n_steps <= LANE_MASK_STEPS))
        return &at->lane->arrived_mask;
    return chunk_marks(at->chunk, at->lane, at->p) + step / LANE_MASK_STEPS;
}

/* What has come for @step, where senders differ. */
static inline void place_mark(const Place *at, uint32_t step)
{
    *place_word(at, step) |= UINT64_C(1) << step % LANE_MASK_STEPS;
}

static inline gboolean place_is_marked(const Place *at, uint32_t step)
{
    return *place_word(at, step) >> step % LANE_MASK_STEPS & 1;
}

/* Takes apart what step_order_hi() and step_order_lo() have put together. */
static inline Place place_of(const Npu *npu, const NetMessage *m)
{
    Chunk *chunk = g_ptr_array_index(npu->system->chunks, message_chunk(m));

    return place_of_lane(npu, chunk, m->order_hi & 0xff, m->order_lo & 0xffff);
}

static inline uint32_t step_of(const NetMessage *m)
{
    return (uint32_t)(m->order_lo >> 16);
}

/* What the NPU does in @step. */
void step_look_up(const Npu *npu, const Place *at, uint32_t step,
                  CollStep *ret);
/* The first step from @from on in which the NPU has anything to send or to
 * receive; n_steps where there is none. */
uint32_t step_next(const Npu *npu, const Place *at, uint32_t from);

/* Each message may be the last that its lane sends: none waits for another, or
 * what follows may be nothing. */
static inline gboolean step_each_may_end(const CollPhase *phase)
{
    return phase->algorithm->independent || phase->algorithm->partial;
}

/* Says in @m all of step @step but where it goes; it is being sent, or has come
 * and @is_received. */
void step_fill(const Npu *npu, const Place *at, uint32_t step,
               gboolean is_received, NetMessage *m);
/* Whom the NPU sends step @step to. */
uint32_t step_peer(const Npu *npu, const Place *at, uint32_t step);

#endif
