/* on_demand_messages.c - creates the messages of direct collectives on demand;
 * see on_demand_messages.h */
#include "models/run/on_demand/on_demand_messages.h"

#include <string.h>

static const StepLinks *find_step_links(const Npu *npu, const LaneRef *lane_ref)
{
    const System *system = npu->system;
    const CollRecipe *recipe = lane_ref->chunk->plan->recipe;

    if (npu->send || system->state.watch.listeners ||
        (recipe && recipe->protocol) ||
        system->plan.config->collectives.fidelity == FIDELITY_PACKET ||
        lane_ref->phase->may_reverse || lane_ref->phase->algorithm->via_switch)
        return NULL;
    return step_links_for_phase(system->state.step_links, npu, lane_ref->chunk,
                                lane_ref->phase_index);
}

static void send_each_message(Npu *npu, const LaneRef *lane_ref,
                              const LaneOps *ops)
{
    CollStep what;

    for (uint32_t s = step_next_active(npu, lane_ref, 0);
         s < lane_ref->phase->n_steps;
         s = step_next_active(npu, lane_ref, s + 1)) {
        step_look_up_actions(npu, lane_ref, s, &what);
        if (what.n_blocks > 0)
            ops->send(npu, lane_ref, s,
                      network_message_new(npu->system->state.network));
    }
}

static uint32_t create_step_message(Npu *npu, const LaneRef *lane_ref,
                                    const StepLinks *step_links, uint32_t step)
{
    Network *network = npu->system->state.network;
    uint32_t message = network_message_new(network);
    NetMessage *net_message = network_get_message(network, message);
    uint32_t exit = step_links->link_of_step[step];

    fill_message_of_step(npu, lane_ref, step, FALSE, net_message);
    net_message->dst = step_receiver(npu, lane_ref, step);
    net_message->path_id =
        step_links_first_link(lane_ref->chunk, lane_ref->phase, step);
    net_message->first_link = step_links->links[exit];
    net_message->sends_next_on_demand = step < step_links->last_steps[exit];
    net_message->sender = npu->index;
    npu->sent_bytes += net_message->bytes;
    return message;
}

void on_demand_send_all(Npu *npu, const LaneRef *lane_ref, const LaneOps *ops)
{
    const StepLinks *step_links = find_step_links(npu, lane_ref);
    System *system = npu->system;
    SimTime ready_ps =
        sim_engine_now_ps(system->state.engine) + npu->message_ps;

    if (!step_links || !step_links->link_of_step) {
        send_each_message(npu, lane_ref, ops);
        return;
    }
    if (step_links->n_sent == 0)
        return;
    for (uint32_t i = 0; i < step_links->n; i++)
        if (step_links->first_steps[i] != step_links->last)
            network_send_message_at(
                system->state.network, npu->index,
                create_step_message(npu, lane_ref, step_links,
                                    step_links->first_steps[i]),
                ready_ps);
    lane_ref->lane->n_ended =
        (lane_ref->lane->n_ended + step_links->n_sent - 1) & LANE_MAX_ENDED;
    ops->send(npu, lane_ref, step_links->last,
              network_message_new(system->state.network));
}

uint32_t on_demand_send_next_message(gpointer self, uint32_t message)
{
    System *system = self;
    const NetMessage *net_message =
        network_get_message(system->state.network, message);
    Npu *npu = &system->state.npus[net_message->sender];
    const LaneRef lane_ref = lane_ref_of_message(npu, net_message);
    const StepLinks *step_links = step_links_for_phase(
        system->state.step_links, npu, lane_ref.chunk, lane_ref.phase_index);
    uint32_t step = step_number_of_message_key(net_message);
    uint8_t exit = step_links->link_of_step[step];
    const guint8 *next = memchr(step_links->link_of_step + step + 1, exit,
                                step_links->last_steps[exit] - step);
    uint32_t next_step = (uint32_t)(next - step_links->link_of_step), created;
    uint64_t order_hi = net_message->order_hi;

    created = create_step_message(npu, &lane_ref, step_links, next_step);
    /* All messages of the phase have the tag that the chunk had when the phase
     * began, even if the tags of this NPU have been shifted since. */
    if (lane_ref.chunk->orders)
        network_get_message(system->state.network, created)->order_hi =
            order_hi + (next_step - step) *
                           lane_ref.chunk->step_later[lane_ref.phase_index];
    return created;
}
