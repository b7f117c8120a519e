/*
 * chunk_progress.c - moves chunks through phases, phases through steps, and
 * steps as messages
 *
 * A chunk that enters a phase sends the first step of every lane. A message
 * that arrives is passed to the endpoint when it is the turn of its step. When
 * the endpoint has processed it, the next step of the parallel lane is sent. A
 * lane is done when all its steps are sent and processed, a phase when all its
 * lanes are done. A message that arrives before its receiver is ready is freed,
 * and a mark in its lane represents it. If a rank sends or receives nothing in
 * a step (a .partial algorithm), its lane advances immediately.
 */
#include "models/run/chunk_progress_impl.h"

#include "models/run/on_demand/on_demand_messages.h"
#include "models/run/phase_lane_impl.h"
#include "models/run/protocol_costs_impl.h"
#include "models/run/trace_emit_impl.h"

static void transmit_by_message_flags(Npu *npu, uint32_t message,
                                      SimTime ready_ps);

/* Submits @message, whose fields are complete, to the endpoint or to the
 * network. */
static inline void submit_message(Npu *npu, const LaneRef *lane_ref,
                                  uint32_t step, uint32_t message,
                                  SimTime now_ps)
{
    TRACE_STEP(npu, sent, trace_record_of_step(npu, lane_ref, step), message);
    if (npu->send)
        npu->send(npu->endpoint, message);
    else
        transmit_by_message_flags(npu, message, now_ps + npu->message_ps);
}

/* Sets the path of a message.  If both directions of a ring are equally long,
 * the phase's direction is used, or the directions alternate. */
static void set_message_path(const Npu *npu, const LaneRef *lane_ref,
                             uint32_t step, NetMessage *message)
{
    const Chunk *chunk = lane_ref->chunk;
    ChunkState *state = lane_ref->state;
    gboolean keeps_way = lane_ref->phase->may_reverse;
    /* Steps that wait for each other use one path; on another path, the message
     * of a later step could arrive first. */
    uint32_t turn =
        chunk->index + (lane_ref->phase->algorithm->independent ? step : 0);

    if (keeps_way)
        turn = chunk->backwards >> lane_ref->phase_index;
    message->dst = step_receiver(npu, lane_ref, step);
    message->path_id = (uint8_t)coll_path_id(lane_ref->phase, turn);
    if (step == 0 || !keeps_way) {
        state->peer = message->dst;
        state->path_id = message->path_id;
        state->link =
            network_first_link_of_path(npu->system->state.network, npu->host.id,
                                       message->dst, message->path_id);
        if (G_UNLIKELY(chunk->plan->recipe))
            state->protocol_reach =
                protocol_reach_of_message(npu, chunk, message);
    }
    message->first_link = state->link;
    message->flags |= state->protocol_reach;
}

static void send_lane_step(Npu *npu, const LaneRef *lane_ref, uint32_t step,
                           uint32_t message)
{
    NetMessage *net_message =
        network_get_message(npu->system->state.network, message);

    fill_message_of_step(npu, lane_ref, step, FALSE, net_message);
    set_message_path(npu, lane_ref, step, net_message);
    submit_message(npu, lane_ref, step, message,
                   sim_engine_now_ps(npu->system->state.engine));
}

/* Sets the order of @message, a message of @step, by the tags of this NPU.  Not
 * inlined: only chunks with tags need it. */
static G_GNUC_NO_INLINE void
set_message_order_by_communicator_tag(const Npu *npu, const LaneRef *lane_ref,
                                      uint32_t step, NetMessage *message)
{
    message->order_hi =
        message_key_upper_half(npu, lane_ref->chunk, lane_ref->phase_index,
                               step, lane_ref->lane_index);
}

/* Sends the next step of a phase whose steps are uniform.  @message, with
 * contents @net_message, belonged to the step before, and was processed at
 * @now_ps. The new message takes the path of all messages that this NPU sends
 * in the phase. */
static inline void send_next_step(Npu *npu, const LaneRef *lane_ref,
                                  uint32_t step, uint32_t message,
                                  NetMessage *net_message, SimTime now_ps)
{
    const CollPhase *phase = lane_ref->phase;
    const ChunkState *state = lane_ref->state;

    /* The message may have come from an NPU whose tags differ. */
    if (G_UNLIKELY(lane_ref->chunk->orders))
        set_message_order_by_communicator_tag(npu, lane_ref, step, net_message);
    net_message->order_lo += message_key_lower_half(1, 0);
    message_set_flags(net_message, step < phase->n_reducing,
                      step + 1 == phase->n_steps);
    net_message->flags |= state->protocol_reach;
    net_message->dst = state->peer;
    /* A message that comes from an arrival mark never had a path. */
    net_message->path_id = state->path_id;
    net_message->first_link = state->link;
    submit_message(npu, lane_ref, step, message, now_ps);
}

static inline gboolean next_lane_step_has_arrived(const LaneRef *lane_ref)
{
    const Lane *lane = lane_ref->lane;
    const CollAlgorithm *algorithm = lane_ref->phase->algorithm;

    if (algorithm->independent)
        return lane->n_received < lane->n_arrived;
    if (lane->n_received != lane->n_done)
        /* The message of the step before is still being processed. */
        return FALSE;
    if (algorithm->single_source)
        return lane->n_received < lane->n_arrived;
    return lane_ref_has_arrived(lane_ref, lane->n_received);
}

static inline gboolean chunk_is_in_phase(const LaneRef *lane_ref)
{
    return lane_ref->state->in_phase &&
           lane_ref->state->phase == lane_ref->phase_index;
}

static void finish_step(Npu *npu, const LaneRef *lane_ref, uint32_t message);

/* Returns whether the endpoint takes time to process @message. */
static inline gboolean message_needs_endpoint(const Npu *npu, uint32_t message)
{
    return npu->receive && (!npu->system->plan.stores_at_once ||
                            message_is_added_to_buffer(network_get_message(
                                npu->system->state.network, message)));
}

static inline void process_message(Npu *npu, const LaneRef *lane_ref,
                                   uint32_t message)
{
    if (message_needs_endpoint(npu, message))
        npu->receive(npu->endpoint, message);
    else
        finish_step(npu, lane_ref, message);
}

/* Reports the message to listeners, then processes it.  Not inlined, so that no
 * registers are saved if there is no listener. */
static G_GNUC_NO_INLINE void
trace_and_process_message(Npu *npu, const LaneRef *lane_ref, uint32_t message)
{
    TRACE_STEP(npu, received, trace_record_of_message(npu, lane_ref, message),
               message);
    if (!message_needs_endpoint(npu, message))
        TRACE_STEP(npu, processed,
                   trace_record_of_message(npu, lane_ref, message),
                   message_is_added_to_buffer(network_get_message(
                       npu->system->state.network, message)));
    process_message(npu, lane_ref, message);
}

static inline void receive_step_message(Npu *npu, const LaneRef *lane_ref,
                                        uint32_t message)
{
    if (G_UNLIKELY(npu->system->state.watch.listeners))
        trace_and_process_message(npu, lane_ref, message);
    else
        process_message(npu, lane_ref, message);
}

static void receive_arrived_steps(Npu *npu, const LaneRef *lane_ref)
{
    Network *network = npu->system->state.network;
    Lane *lane = lane_ref->lane;
    uint64_t seq = lane_ref->chunk->seq;

    /* An endpoint that takes no time calls back from within
     * receive_step_message().  The loop that is already running then continues,
     * so that early messages cause no deep recursion. */
    if (lane->is_receiving)
        return;
    lane->is_receiving = TRUE;
    /* When receive_step_message() returns, the chunk may have ended and its
     * record may have been reused. */
    while (lane_ref->chunk->seq == seq && chunk_is_in_phase(lane_ref) &&
           next_lane_step_has_arrived(lane_ref)) {
        uint32_t message = network_message_new(network);

        fill_message_of_step(npu, lane_ref, lane->n_received, TRUE,
                             network_get_message(network, message));
        lane->n_received++;
        receive_step_message(npu, lane_ref, message);
    }
    if (lane_ref->chunk->seq == seq)
        lane->is_receiving = FALSE;
}

static void leave_phase_of_chunk(Npu *npu, Chunk *chunk)
{
    ChunkState *state = chunk_state_of_npu(chunk, npu->index);

    TRACE_CHUNK(npu->host.watch, npu->host.id, chunk, phase_ends, state->phase);
    state->in_phase = FALSE;
    state->n_lanes_done = 0;
    state->phase++;
    npu->endpoint->ops->advance(npu->endpoint, chunk, state->phase);
}

/* Returns the number of messages of a parallel lane that may be its last: all
 * if messages do not wait for each other, or if the following steps may send
 * nothing. */
static uint32_t count_possible_last_messages(const CollPhase *phase)
{
    return phase_each_message_may_be_last(phase) ? phase->n_steps : 1;
}

static void end_phase_if_all_lanes_done(Npu *npu, const LaneRef *lane_ref)
{
    if (lane_ref->lane->n_done < lane_ref->phase->n_steps ||
        lane_ref->lane->n_ended < count_possible_last_messages(lane_ref->phase))
        return;
    lane_ref->state->n_lanes_done++;
    if (lane_ref->state->n_lanes_done ==
        chunk_n_lanes_of_phase(lane_ref->chunk, lane_ref->phase_index))
        leave_phase_of_chunk(npu, lane_ref->chunk);
}

static void transmit_message_that_may_end_lane(Npu *npu, uint32_t message,
                                               SimTime ready_ps);

void chunk_progress_on_last_ready(gpointer self, uint32_t message,
                                  uint64_t now_ps)
{
    Npu *npu = self;

    TRACE(npu->host.watch, message_done, npu->host.id, message, RESOURCE_CYCLES,
          0);
    transmit_message_that_may_end_lane(npu, message, now_ps);
}

static void transmit_message(Npu *npu, uint32_t message, SimTime ready_ps)
{
    Network *network = npu->system->state.network;

    npu->sent_bytes += network_get_message(network, message)->bytes;
    /* Index and id are equal when packets are simulated: nothing is folded. */
    network_send_message_at(network, npu->index, message, ready_ps);
}

/* Sends a message that may be the last one of its parallel lane. The last
 * message of a lane ends the phase at the moment when it is sent. */
static G_GNUC_NO_INLINE void
transmit_message_that_may_end_lane(Npu *npu, uint32_t message, SimTime ready_ps)
{
    System *system = npu->system;
    LaneRef lane_ref = lane_ref_of_message(
        npu, network_get_message(system->state.network, message));
    gboolean is_last = lane_ref.lane->n_ended + 1U ==
                       count_possible_last_messages(lane_ref.phase);

    if (is_last && ready_ps > sim_engine_now_ps(system->state.engine)) {
        sim_engine_schedule(system->state.engine, ready_ps, SIM_PHASE_ACT,
                            chunk_progress_on_last_ready, npu, message);
        return;
    }
    lane_ref.lane->n_ended++;
    transmit_message(npu, message, ready_ps);
    if (is_last)
        end_phase_if_all_lanes_done(npu, &lane_ref);
}

/* Sends a message that may end its parallel lane, or for which a protocol
 * charges time. Not inlined: other messages would save registers for it. */
static G_GNUC_NO_INLINE void transmit_marked_message(Npu *npu, uint32_t message,
                                                     SimTime ready_ps)
{
    const NetMessage *net_message =
        network_get_message(npu->system->state.network, message);

    if (net_message->flags >> MESSAGE_PAYS_SHIFT)
        ready_ps = protocol_ready_ps(npu, net_message, ready_ps);
    if (message_may_be_last_of_lane(net_message))
        transmit_message_that_may_end_lane(npu, message, ready_ps);
    else
        transmit_message(npu, message, ready_ps);
}

static void transmit_by_message_flags(Npu *npu, uint32_t message,
                                      SimTime ready_ps)
{
    const NetMessage *net_message =
        network_get_message(npu->system->state.network, message);

    if (G_LIKELY(net_message->flags <= MESSAGE_REDUCES))
        transmit_message(npu, message, ready_ps);
    else
        transmit_marked_message(npu, message, ready_ps);
}

void chunk_progress_transmit_message(EndpointHost *host, uint32_t message,
                                     SimTime ready_ps)
{
    transmit_by_message_flags(npu_of_endpoint_host(host), message, ready_ps);
}

static const LaneOps lane_ops = { send_lane_step, receive_arrived_steps,
                                  end_phase_if_all_lanes_done };

static void finish_step(Npu *npu, const LaneRef *lane_ref, uint32_t message)
{
    const CollPhase *phase = lane_ref->phase;
    Lane *lane = lane_ref->lane;

    lane->n_done++;
    if (!phase->algorithm->independent && lane->n_done < phase->n_steps) {
        if (phase->is_uniform) {
            send_next_step(
                npu, lane_ref, lane->n_done, message,
                network_get_message(npu->system->state.network, message),
                sim_engine_now_ps(npu->system->state.engine));
        } else if (phase->algorithm->partial) {
            network_message_free(npu->system->state.network, message);
            partial_phase_advance(npu, lane_ref, &lane_ops);
            return;
        } else {
            send_lane_step(npu, lane_ref, lane->n_done, message);
        }
        if (next_lane_step_has_arrived(lane_ref))
            receive_arrived_steps(npu, lane_ref);
        return;
    }
    network_message_free(npu->system->state.network, message);
    end_phase_if_all_lanes_done(npu, lane_ref);
}

void chunk_progress_on_message_handled(EndpointHost *host, uint32_t message,
                                       gboolean added)
{
    Npu *npu = npu_of_endpoint_host(host);
    LaneRef lane_ref = lane_ref_of_message(
        npu, network_get_message(npu->system->state.network, message));

    TRACE_STEP(npu, processed, trace_record_of_message(npu, &lane_ref, message),
               added);
    finish_step(npu, &lane_ref, message);
}

void chunk_progress_enter_phase(EndpointHost *host, Chunk *chunk)
{
    Npu *npu = npu_of_endpoint_host(host);
    ChunkState *state = chunk_state_of_npu(chunk, npu->index);
    const CollPhase *coll_phase;
    uint32_t phase = state->phase;

    if (phase == chunk->plan->n_phases) {
        chunk_end(npu, chunk);
        return;
    }
    coll_phase = chunk_phase(chunk, phase);
    TRACE_CHUNK(host->watch, host->id, chunk, phase_begins, phase);
    state->in_phase = TRUE;
    if (G_UNLIKELY(coll_phase->algorithm->partial)) {
        partial_phase_enter(npu, chunk, phase, &lane_ops);
        return;
    }
    for (uint32_t lane = 0; lane < chunk_n_lanes_of_phase(chunk, phase);
         lane++) {
        LaneRef lane_ref = lane_ref_of_chunk(npu, chunk, phase, lane);

        if (coll_phase->algorithm->independent)
            on_demand_send_all(npu, &lane_ref, &lane_ops);
        else
            send_lane_step(npu, &lane_ref, 0,
                           network_message_new(npu->system->state.network));
    }
    for (uint32_t lane = 0; lane < chunk_n_lanes_of_phase(chunk, phase);
         lane++) {
        LaneRef lane_ref = lane_ref_of_chunk(npu, chunk, phase, lane);

        receive_arrived_steps(npu, &lane_ref);
    }
}

void chunk_progress_receive_arrived(Npu *npu, uint32_t message)
{
    const NetMessage *net_message =
        network_get_message(npu->system->state.network, message);
    LaneRef lane_ref = lane_ref_of_message(npu, net_message);
    const CollAlgorithm *algorithm = lane_ref.phase->algorithm;
    uint32_t step = step_number_of_message_key(net_message);

    TRACE_STEP(npu, arrived, trace_record_of_step(npu, &lane_ref, step),
               message);
    /* An NPU receives as many bytes as it sent. */
    npu->received_bytes += message_bytes_of_opposite_direction(net_message);
    lane_ref.lane->n_arrived++;
    if (!algorithm->single_source && !algorithm->independent)
        lane_ref_mark_arrived(&lane_ref, step);
    if (!chunk_is_in_phase(&lane_ref) ||
        !next_lane_step_has_arrived(&lane_ref) ||
        (lane_ref.lane->n_received != step && !algorithm->independent)) {
        network_message_free(npu->system->state.network, message);
        return;
    }
    lane_ref.lane->n_received++;
    receive_step_message(npu, &lane_ref, message);
}

/* Receives @message before it arrives, and sends the next step at @at_ps. This
 * is exact in the middle of a ring if the endpoint takes a known time: the
 * parallel lane is at this step, and nothing else can advance it. */
gboolean chunk_progress_receive_early(gpointer self, uint32_t id,
                                      uint32_t message, SimTime at_ps)
{
    System *system = self;
    Npu *npu = &system->state.npus[id];
    NetMessage *net_message =
        network_get_message(system->state.network, message);
    LaneRef lane_ref = lane_ref_of_message(npu, net_message);
    Lane *lane = lane_ref.lane;
    uint32_t step = step_number_of_message_key(net_message);

    if (!lane_ref.phase->is_uniform || !chunk_is_in_phase(&lane_ref) ||
        lane->n_done != step || lane->n_arrived != step ||
        step + 1 == lane_ref.phase->n_steps)
        return FALSE;
    TRACE_STEP(npu, arrived, trace_record_of_step(npu, &lane_ref, step),
               message);
    TRACE_STEP(npu, processed, trace_record_of_step(npu, &lane_ref, step),
               message_is_added_to_buffer(net_message));
    npu->received_bytes += net_message->bytes;
    lane->n_arrived = lane->n_received = lane->n_done = step + 1;
    send_next_step(npu, &lane_ref, step + 1, message, net_message, at_ps);
    return TRUE;
}
