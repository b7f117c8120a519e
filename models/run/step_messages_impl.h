/*
 * step_messages_impl.h - maps steps of a chunk's phases to messages, and
 * messages to steps
 */
#ifndef MODELS_RUN_STEP_MESSAGES_IMPL_H
#define MODELS_RUN_STEP_MESSAGES_IMPL_H

#include "models/run/chunk_impl.h"
#include "models/run/npu_impl.h"

/* Returns the upper half of the key that orders messages.  Both halves together
 * identify chunk, phase, step and lane. */
static inline uint64_t message_key_upper_half(const Npu *npu,
                                              const Chunk *chunk,
                                              uint32_t phase, uint32_t step,
                                              uint32_t lane)
{
    return chunk_priority_of_step(chunk, npu->index, phase, step, lane);
}

static inline uint64_t message_key_lower_half(uint32_t step, uint32_t lane)
{
    return (uint64_t)step << 16 | lane;
}

/* A reference to a parallel lane with its chunk and phase, looked up once per
 * message. */
typedef struct {
    Chunk *chunk;
    ChunkState *state;
    const CollPhase *phase;
    Lane *lane;
    uint32_t phase_index,
        lane_index; /* indices of the phase and the parallel lane */
} LaneRef;

static inline LaneRef lane_ref_of_chunk(const Npu *npu, Chunk *chunk,
                                        uint32_t phase, uint32_t lane)
{
    return (LaneRef){
        .chunk = chunk,
        .state = chunk_state_of_npu(chunk, npu->index),
        .phase = chunk_phase(chunk, phase),
        .lane = chunk_lanes(chunk, npu->index, phase) + lane,
        .phase_index = phase,
        .lane_index = lane,
    };
}

/* Returns the word that contains the arrival mark of @step. */
static inline uint64_t *lane_ref_arrival_word(const LaneRef *lane_ref,
                                              uint32_t step)
{
    if (G_LIKELY(lane_ref->phase->n_steps <= LANE_MASK_STEPS))
        return &lane_ref->lane->arrived_mask;
    return chunk_arrival_marks(lane_ref->chunk, lane_ref->lane,
                               lane_ref->phase_index) +
           step / LANE_MASK_STEPS;
}

/* Marks that the message of @step has arrived; used if senders differ by
 * step. */
static inline void lane_ref_mark_arrived(const LaneRef *lane_ref, uint32_t step)
{
    *lane_ref_arrival_word(lane_ref, step) |= UINT64_C(1)
                                              << step % LANE_MASK_STEPS;
}

static inline gboolean lane_ref_has_arrived(const LaneRef *lane_ref,
                                            uint32_t step)
{
    return *lane_ref_arrival_word(lane_ref, step) >> step % LANE_MASK_STEPS & 1;
}

/* Returns the parallel lane of a message; the inverse of
 * message_key_upper_half() and message_key_lower_half(). */
static inline LaneRef lane_ref_of_message(const Npu *npu,
                                          const NetMessage *message)
{
    Chunk *chunk = g_ptr_array_index(npu->system->state.chunks,
                                     message_chunk_slot(message));

    return lane_ref_of_chunk(npu, chunk, message->order_hi & 0xff,
                             message->order_lo & 0xffff);
}

static inline uint32_t step_number_of_message_key(const NetMessage *message)
{
    return (uint32_t)(message->order_lo >> 16);
}

/* Sets what the NPU sends and receives in step @step of a lane. */
void step_look_up_actions(const Npu *npu, const LaneRef *lane_ref,
                          uint32_t step, CollStep *ret);
/* Returns the first step from @from on in which the NPU sends or receives
 * something, or n_steps if there is none. */
uint32_t step_next_active(const Npu *npu, const LaneRef *lane_ref,
                          uint32_t from);

/* Returns whether each message may be the last that its parallel lane sends:
 * messages do not wait for each other, or the following steps may
 * send nothing. */
static inline gboolean phase_each_message_may_be_last(const CollPhase *phase)
{
    return phase->algorithm->independent || phase->algorithm->partial;
}

/* Sets all fields of @message for step @step except the destination.
 * @is_received: the message has arrived; else it will be sent. */
void fill_message_of_step(const Npu *npu, const LaneRef *lane_ref,
                          uint32_t step, gboolean is_received,
                          NetMessage *message);
/* Returns the NPU to which this NPU sends step @step. */
uint32_t step_receiver(const Npu *npu, const LaneRef *lane_ref, uint32_t step);

#endif
