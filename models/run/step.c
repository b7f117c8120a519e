/* step.c - what the message of a step says */
#include "models/run/step_impl.h"

static void look_up(const Npu *npu, const Chunk *chunk, uint32_t phase,
                    uint32_t step, CollStep *ret)
{
    const CollPhase *p = chunk_phase(chunk, phase);

    chunk_step(chunk, phase, coll_rank(p, npu->host.id), step, ret);
}

static uint64_t message_bytes(const Npu *npu, const Chunk *chunk,
                              uint32_t phase, uint32_t step)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    CollStep what;

    if (p->max_blocks == 1)
        return chunk->lane_bytes[phase];
    look_up(npu, chunk, phase, step, &what);
    return coll_lane_bytes(p, chunk->bytes, what.n_blocks,
                           chunk_n_lanes(chunk, phase));
}

uint32_t step_peer(const Npu *npu, const Place *at, uint32_t step)
{
    CollStep what;

    if (step > 0 && at->phase->algorithm->single_source)
        return at->state->peer;
    look_up(npu, at->chunk, at->p, step, &what);
    return coll_peer(at->phase, npu->host.id, what.send_to);
}

void step_fill(const Npu *npu, const Place *at, uint32_t step, NetMessage *m)
{
    const CollPhase *p = at->phase;

    m->order_hi = step_order_hi(at->chunk, at->p);
    m->order_lo = step_order_lo(step, at->l);
    m->bytes = message_bytes(npu, at->chunk, at->p, step);
    m->cookie = at->chunk->slot;
    message_set_flags(m, step < p->n_reducing,
                      p->algorithm->independent || step + 1 == p->n_steps);
    if (G_UNLIKELY(p->algorithm->via_switch))
        chunk_fill_meeting(at->chunk, at->p, m);
}
