/* step_messages.c - maps steps of a chunk's phases to messages, and messages to
 * steps; see step_messages_impl.h */
#include "models/run/step_messages_impl.h"

void step_look_up_actions(const Npu *npu, const LaneRef *lane_ref,
                          uint32_t step, CollStep *ret)
{
    chunk_look_up_step(lane_ref->chunk, lane_ref->phase_index,
                       coll_rank_of_npu(lane_ref->phase, npu->host.id), step,
                       ret);
}

uint32_t step_next_active(const Npu *npu, const LaneRef *lane_ref,
                          uint32_t from)
{
    return chunk_next_step(lane_ref->chunk, lane_ref->phase_index,
                           coll_rank_of_npu(lane_ref->phase, npu->host.id),
                           from);
}

/* Returns the bytes of a message if the ranks have different weights: a rank
 * receives the same number of bytes from every sender. */
static uint64_t uneven_message_bytes(const Npu *npu, const LaneRef *lane_ref,
                                     uint32_t step, gboolean is_received)
{
    uint32_t to = coll_rank_of_npu(lane_ref->phase, npu->host.id);
    CollStep what;

    if (!is_received) {
        step_look_up_actions(npu, lane_ref, step, &what);
        to = what.send_to;
    }
    return coll_wire_bytes(
        lane_ref->chunk->plan->recipe,
        coll_lane_bytes_for_rank(
            lane_ref->phase, lane_ref->chunk->bytes, to,
            chunk_n_lanes_of_phase(lane_ref->chunk, lane_ref->phase_index)));
}

/* Returns the bytes of the message of @step.  A received message has the size
 * that its sender used. */
static uint64_t step_message_bytes(const Npu *npu, const LaneRef *lane_ref,
                                   uint32_t step, gboolean is_received)
{
    const CollPhase *phase = lane_ref->phase;
    CollStep what;

    if (phase->is_even)
        return lane_ref->chunk->lane_bytes[lane_ref->phase_index];
    if (phase->group.weights)
        return uneven_message_bytes(npu, lane_ref, step, is_received);
    step_look_up_actions(npu, lane_ref, step, &what);
    if (is_received && phase->algorithm->partial)
        what.n_blocks = coll_step_n_received_blocks(&what);
    return coll_wire_bytes(
        lane_ref->chunk->plan->recipe,
        coll_lane_bytes(
            phase, lane_ref->chunk->bytes, what.n_blocks,
            chunk_n_lanes_of_phase(lane_ref->chunk, lane_ref->phase_index)));
}

uint32_t step_receiver(const Npu *npu, const LaneRef *lane_ref, uint32_t step)
{
    const CollAlgorithm *algorithm = lane_ref->phase->algorithm;
    CollStep what;

    if (step > 0 && algorithm->single_source && !algorithm->partial)
        return lane_ref->state->peer;
    step_look_up_actions(npu, lane_ref, step, &what);
    return coll_npu_of_rank(lane_ref->phase, npu->host.id, what.send_to);
}

void fill_message_of_step(const Npu *npu, const LaneRef *lane_ref,
                          uint32_t step, gboolean is_received,
                          NetMessage *message)
{
    const CollPhase *phase = lane_ref->phase;

    message->order_hi =
        message_key_upper_half(npu, lane_ref->chunk, lane_ref->phase_index,
                               step, lane_ref->lane_index);
    message->order_lo = message_key_lower_half(step, lane_ref->lane_index);
    message->bytes = step_message_bytes(npu, lane_ref, step, is_received);
    message->cookie = lane_ref->chunk->slot;
    message_set_flags(message, step < phase->n_reducing,
                      phase_each_message_may_be_last(phase) ||
                          step + 1 == phase->n_steps);
    if (G_UNLIKELY(phase->algorithm->via_switch))
        chunk_fill_switch_reply(lane_ref->chunk, lane_ref->phase_index,
                                message);
}
