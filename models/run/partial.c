/* partial.c - phases in which a rank has steps with nothing to send, or nothing
 * to receive */
#include "models/run/follow/follow.h"
#include "models/run/lane_impl.h"

void partial_go_on(Npu *npu, const Place *at, const LaneOps *ops)
{
    const CollPhase *p = at->phase;
    Lane *lane = at->lane;
    CollStep what;

    while (lane->n_done < p->n_steps) {
        step_look_up(npu, at, lane->n_done, &what);
        if (what.n_blocks > 0)
            ops->send(npu, at, lane->n_done,
                      network_message_new(npu->system->network));
        if (!what.recv_none)
            break;
        /* One source's messages are counted, each as the next that is due. */
        if (p->algorithm->single_source)
            lane->n_arrived++;
        lane->n_received++;
        lane->n_done++;
    }
    if (lane->n_done < p->n_steps)
        ops->try_receive(npu, at);
    else
        ops->check(npu, at);
}

/* None waits for another: all go as they can, and those that are nothing are
 * done and gone. */
static void send_all(Npu *npu, const Place *at, const LaneOps *ops)
{
    const CollPhase *p = at->phase;
    uint32_t n_none = 0;
    CollStep what;

    for (uint32_t s = 0; s < p->n_steps; s++) {
        step_look_up(npu, at, s, &what);
        if (what.recv_none)
            n_none++;
    }
    follow_send_all(npu, at, ops);
    at->lane->n_done += n_none;
    if (at->lane->n_done < p->n_steps)
        ops->try_receive(npu, at);
    else
        ops->check(npu, at);
}

/* What is not sent counts as gone from the beginning, so that the last that is
 * ends the lane when it goes. */
void partial_enter(Npu *npu, Chunk *chunk, uint32_t phase, const LaneOps *ops)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    uint32_t n_lanes = chunk_n_lanes(chunk, phase);
    CollStep what;

    for (uint32_t l = 0; l < n_lanes; l++) {
        Place at = place_of_lane(npu, chunk, phase, l);

        for (uint32_t s = 0; s < p->n_steps; s++) {
            step_look_up(npu, &at, s, &what);
            if (what.n_blocks == 0)
                at.lane->n_ended++;
        }
    }
    /* The last lane may end the phase, even the chunk, and nothing is looked at
     * afterwards. */
    for (uint32_t l = 0; l < n_lanes; l++) {
        Place at = place_of_lane(npu, chunk, phase, l);

        if (p->algorithm->independent)
            send_all(npu, &at, ops);
        else
            partial_go_on(npu, &at, ops);
    }
}
