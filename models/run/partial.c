/*
 * partial.c - phases in which a rank has steps with nothing to send, or nothing
 * to receive
 *
 * Steps in which it has neither are not looked at: of a chain there are n, and
 * of them two or three of a rank.
 *
 * Cost     of a chunk at a rank, with the steps in which that has anything to
 * do
 */
#include "models/run/follow/follow.h"
#include "models/run/lane_impl.h"

/* The lane is at step @step: those before are done with, since there was
 * nothing to receive in them.  One source's messages are counted, each as the
 * next that is due. */
static void move_to(const Place *at, uint32_t step)
{
    Lane *lane = at->lane;
    uint32_t n = step - lane->n_done;

    if (at->phase->algorithm->single_source)
        lane->n_arrived += n;
    lane->n_received += n;
    lane->n_done = step;
}

void partial_go_on(Npu *npu, const Place *at, const LaneOps *ops)
{
    const CollPhase *p = at->phase;
    Lane *lane = at->lane;
    CollStep what;

    for (;;) {
        move_to(at, step_next(npu, at, lane->n_done));
        if (lane->n_done == p->n_steps)
            break;
        step_look_up(npu, at, lane->n_done, &what);
        if (what.n_blocks > 0)
            ops->send(npu, at, lane->n_done,
                      network_message_new(npu->system->network));
        if (!what.recv_none)
            break;
        move_to(at, lane->n_done + 1);
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
    uint32_t n_received = 0;
    CollStep what;

    for (uint32_t s = step_next(npu, at, 0); s < p->n_steps;
         s = step_next(npu, at, s + 1)) {
        step_look_up(npu, at, s, &what);
        if (!what.recv_none)
            n_received++;
    }
    follow_send_all(npu, at, ops);
    at->lane->n_done += p->n_steps - n_received;
    if (at->lane->n_done < p->n_steps)
        ops->try_receive(npu, at);
    else
        ops->check(npu, at);
}

static uint32_t n_sends(const Npu *npu, const Place *at)
{
    uint32_t n_steps = at->phase->n_steps, n = 0;
    CollStep what;

    for (uint32_t s = step_next(npu, at, 0); s < n_steps;
         s = step_next(npu, at, s + 1)) {
        step_look_up(npu, at, s, &what);
        if (what.n_blocks > 0)
            n++;
    }
    return n;
}

/* What is not sent counts as gone from the beginning, so that the last that is
 * ends the lane when it goes. */
void partial_enter(Npu *npu, Chunk *chunk, uint32_t phase, const LaneOps *ops)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    uint32_t n_lanes = chunk_n_lanes(chunk, phase);

    /* Steps of all lanes are alike. */
    for (uint32_t l = 0, n_none = 0; l < n_lanes; l++) {
        Place at = place_of_lane(npu, chunk, phase, l);

        if (l == 0)
            n_none = p->n_steps - n_sends(npu, &at);
        g_assert(at.lane->n_ended == 0);
        at.lane->n_ended = n_none & INT32_MAX;
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
