/* follow.c - see follow.h */
#include "models/run/follow/follow.h"

#include <string.h>

static const Exits *find_exits(const Npu *npu, const Place *at)
{
    const System *system = npu->system;
    const CollRecipe *recipe = at->chunk->plan->recipe;

    if (npu->send || system->watch.listeners || (recipe && recipe->protocol) ||
        system->config->collectives.fidelity == FIDELITY_PACKET ||
        at->phase->may_reverse || at->phase->algorithm->via_switch)
        return NULL;
    return exits_of(system->exits, npu, at->chunk, at->p);
}

static void send_each(Npu *npu, const Place *at, const LaneOps *ops)
{
    CollStep what;

    for (uint32_t s = step_next(npu, at, 0); s < at->phase->n_steps;
         s = step_next(npu, at, s + 1)) {
        step_look_up(npu, at, s, &what);
        if (what.n_blocks > 0)
            ops->send(npu, at, s, network_message_new(npu->system->network));
    }
}

static uint32_t make(Npu *npu, const Place *at, const Exits *exits,
                     uint32_t step)
{
    Network *network = npu->system->network;
    uint32_t message = network_message_new(network);
    NetMessage *m = network_message(network, message);
    uint32_t exit = exits->of_steps[step];

    step_fill(npu, at, step, FALSE, m);
    m->dst = step_peer(npu, at, step);
    m->way = exits_way(at->chunk, at->phase, step);
    m->first_link = exits->links[exit];
    m->leads = step < exits->befores[exit];
    m->sender = npu->index;
    npu->sent_bytes += m->bytes;
    return message;
}

void follow_send_all(Npu *npu, const Place *at, const LaneOps *ops)
{
    const Exits *exits = find_exits(npu, at);
    System *system = npu->system;
    SimTime ready_ps = sim_engine_now(system->engine) + npu->message_ps;

    if (!exits || !exits->of_steps) {
        send_each(npu, at, ops);
        return;
    }
    if (exits->n_sent == 0)
        return;
    for (uint32_t i = 0; i < exits->n; i++)
        if (exits->firsts[i] != exits->last)
            network_send_at(system->network, npu->index,
                            make(npu, at, exits, exits->firsts[i]), ready_ps);
    at->lane->n_ended =
        (at->lane->n_ended + exits->n_sent - 1) & LANE_MOST_ENDED;
    ops->send(npu, at, exits->last, network_message_new(system->network));
}

uint32_t follow_next(gpointer self, uint32_t message)
{
    System *system = self;
    const NetMessage *m = network_message(system->network, message);
    Npu *npu = &system->npus[m->sender];
    const Place at = place_of(npu, m);
    const Exits *exits = exits_of(system->exits, npu, at.chunk, at.p);
    uint32_t step = step_of(m);
    uint8_t exit = exits->of_steps[step];
    const guint8 *next =
        memchr(exits->of_steps + step + 1, exit, exits->befores[exit] - step);

    return make(npu, &at, exits, (uint32_t)(next - exits->of_steps));
}
