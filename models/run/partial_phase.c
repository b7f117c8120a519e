/*
 * partial_phase.c - phases in which a rank sends nothing, or receives nothing,
 * in some steps
 *
 * A step in which a rank neither sends nor receives is skipped for it.  A chain
 * has n steps, of which a rank takes part in two or three.
 *
 * Cost     per chunk and rank: the steps in which the rank takes part
 */
#include "models/run/on_demand/on_demand_messages.h"
#include "models/run/phase_lane_impl.h"

/* Advances the parallel lane to step @step. The steps in between are done,
 * since they receive nothing. Messages of a single source are counted as they
 * are due. */
static void skip_lane_to_step(const LaneRef *lane_ref, uint32_t step)
{
    Lane *lane = lane_ref->lane;
    uint32_t n = step - lane->n_done;

    if (lane_ref->phase->algorithm->single_source)
        lane->n_arrived += n;
    lane->n_received += n;
    lane->n_done = step;
}

void partial_phase_advance(Npu *npu, const LaneRef *lane_ref,
                           const LaneOps *ops)
{
    const CollPhase *phase = lane_ref->phase;
    Lane *lane = lane_ref->lane;
    CollStep what;

    for (;;) {
        skip_lane_to_step(lane_ref,
                          step_next_active(npu, lane_ref, lane->n_done));
        if (lane->n_done == phase->n_steps)
            break;
        step_look_up_actions(npu, lane_ref, lane->n_done, &what);
        if (what.n_blocks > 0)
            ops->send(npu, lane_ref, lane->n_done,
                      network_message_new(npu->system->state.network));
        if (!what.recv_none)
            break;
        skip_lane_to_step(lane_ref, lane->n_done + 1);
    }
    if (lane->n_done < phase->n_steps)
        ops->try_receive(npu, lane_ref);
    else
        ops->check(npu, lane_ref);
}

/* Sends the messages of all steps, which do not wait for each other.  Steps
 * that send nothing count as done. */
static void send_all_steps(Npu *npu, const LaneRef *lane_ref,
                           const LaneOps *ops)
{
    const CollPhase *phase = lane_ref->phase;
    uint32_t n_received = 0;
    CollStep what;

    for (uint32_t s = step_next_active(npu, lane_ref, 0); s < phase->n_steps;
         s = step_next_active(npu, lane_ref, s + 1)) {
        step_look_up_actions(npu, lane_ref, s, &what);
        if (!what.recv_none)
            n_received++;
    }
    on_demand_send_all(npu, lane_ref, ops);
    lane_ref->lane->n_done += phase->n_steps - n_received;
    if (lane_ref->lane->n_done < phase->n_steps)
        ops->try_receive(npu, lane_ref);
    else
        ops->check(npu, lane_ref);
}

static uint32_t count_sending_steps(const Npu *npu, const LaneRef *lane_ref)
{
    uint32_t n_steps = lane_ref->phase->n_steps, n = 0;
    CollStep what;

    for (uint32_t s = step_next_active(npu, lane_ref, 0); s < n_steps;
         s = step_next_active(npu, lane_ref, s + 1)) {
        step_look_up_actions(npu, lane_ref, s, &what);
        if (what.n_blocks > 0)
            n++;
    }
    return n;
}

/* Enters a phase.  Steps that send nothing count as sent from the start, so
 * that the last message ends the lane. */
void partial_phase_enter(Npu *npu, Chunk *chunk, uint32_t phase,
                         const LaneOps *ops)
{
    const CollPhase *coll_phase = chunk_phase(chunk, phase);
    uint32_t n_lanes = chunk_n_lanes_of_phase(chunk, phase);

    /* All parallel lanes have the same steps, so they are counted only for the
     * first lane. */
    for (uint32_t lane = 0, n_none = 0; lane < n_lanes; lane++) {
        LaneRef lane_ref = lane_ref_of_chunk(npu, chunk, phase, lane);

        if (lane == 0)
            n_none = coll_phase->n_steps - count_sending_steps(npu, &lane_ref);
        g_assert(lane_ref.lane->n_ended == 0);
        lane_ref.lane->n_ended = n_none & INT32_MAX;
    }
    /* Advancing the last parallel lane may end the phase, and even the chunk,
     * so it is the last access. */
    for (uint32_t lane = 0; lane < n_lanes; lane++) {
        LaneRef lane_ref = lane_ref_of_chunk(npu, chunk, phase, lane);

        if (coll_phase->algorithm->independent)
            send_all_steps(npu, &lane_ref, ops);
        else
            partial_phase_advance(npu, &lane_ref, ops);
    }
}
