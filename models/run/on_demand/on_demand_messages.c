/* on_demand_messages.c - creates the messages of direct collectives on demand;
 * see on_demand_messages.h */
#include "models/run/on_demand/on_demand_messages.h"

#include <string.h>

static const StepLinks *find_step_links(const Npu *npu, const LaneRef *at)
{
    const System *system = npu->system;
    const CollRecipe *recipe = at->chunk->plan->recipe;

    if (npu->send || system->state.watch.listeners ||
        (recipe && recipe->protocol) ||
        system->plan.config->collectives.fidelity == FIDELITY_PACKET ||
        at->phase->may_reverse || at->phase->algorithm->via_switch)
        return NULL;
    return step_links_for_phase(system->state.step_links, npu, at->chunk,
                                at->p);
}

static void send_each_message(Npu *npu, const LaneRef *at, const LaneOps *ops)
{
    CollStep what;

    for (uint32_t s = step_next_active(npu, at, 0); s < at->phase->n_steps;
         s = step_next_active(npu, at, s + 1)) {
        step_look_up_actions(npu, at, s, &what);
        if (what.n_blocks > 0)
            ops->send(npu, at, s,
                      network_message_new(npu->system->state.network));
    }
}

static uint32_t create_step_message(Npu *npu, const LaneRef *at,
                                    const StepLinks *exits, uint32_t step)
{
    Network *network = npu->system->state.network;
    uint32_t message = network_message_new(network);
    NetMessage *m = network_get_message(network, message);
    uint32_t exit = exits->link_of_step[step];

    fill_message_of_step(npu, at, step, FALSE, m);
    m->dst = step_receiver(npu, at, step);
    m->way = step_links_first_link(at->chunk, at->phase, step);
    m->first_link = exits->links[exit];
    m->sends_next_on_demand = step < exits->last_steps[exit];
    m->sender = npu->index;
    npu->sent_bytes += m->bytes;
    return message;
}

void on_demand_send_all(Npu *npu, const LaneRef *at, const LaneOps *ops)
{
    const StepLinks *exits = find_step_links(npu, at);
    System *system = npu->system;
    SimTime ready_ps =
        sim_engine_now_ps(system->state.engine) + npu->message_ps;

    if (!exits || !exits->link_of_step) {
        send_each_message(npu, at, ops);
        return;
    }
    if (exits->n_sent == 0)
        return;
    for (uint32_t i = 0; i < exits->n; i++)
        if (exits->first_steps[i] != exits->last)
            network_send_message_at(
                system->state.network, npu->index,
                create_step_message(npu, at, exits, exits->first_steps[i]),
                ready_ps);
    at->lane->n_ended =
        (at->lane->n_ended + exits->n_sent - 1) & LANE_MAX_ENDED;
    ops->send(npu, at, exits->last, network_message_new(system->state.network));
}

uint32_t on_demand_next(gpointer self, uint32_t message)
{
    System *system = self;
    const NetMessage *m = network_get_message(system->state.network, message);
    Npu *npu = &system->state.npus[m->sender];
    const LaneRef at = lane_ref_of_message(npu, m);
    const StepLinks *exits =
        step_links_for_phase(system->state.step_links, npu, at.chunk, at.p);
    uint32_t step = step_number_of_message_key(m);
    uint8_t exit = exits->link_of_step[step];
    const guint8 *next = memchr(exits->link_of_step + step + 1, exit,
                                exits->last_steps[exit] - step);
    uint32_t next_step = (uint32_t)(next - exits->link_of_step), created;
    uint64_t order_hi = m->order_hi;

    created = create_step_message(npu, &at, exits, next_step);
    /* All messages of the phase have the tag that the chunk had when the phase
     * began, even if the tags of this NPU have been shifted since. */
    if (at.chunk->orders)
        network_get_message(system->state.network, created)->order_hi =
            order_hi + (next_step - step) * at.chunk->step_later[at.p];
    return created;
}
