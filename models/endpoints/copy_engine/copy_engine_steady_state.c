/*
 * copy_engine_steady_state.c - visits the state of copy engines: see
 * sim/core/state_walk.h
 *
 * A message may be at two places at the same time: the memory, and an engine or
 * the SMs.  If several messages look the same, the snapshot must record which
 * of them at the memory is which of them at the engine.  Each one is therefore
 * identified at the engine by its position at the memory.
 */
#include "models/endpoints/copy_engine/copy_engine_impl.h"
#include "network/transport/network_steady_state.h"

static Work *remaining_work_of_message(const CopyEngine *copy, uint32_t message)
{
    return &g_array_index(copy->work, Work, message);
}

static void visit_copy_engine_message(const CopyEngine *copy, SteadyWalk *walk,
                                      uint64_t order, uint32_t message)
{
    const Work *work = remaining_work_of_message(copy, message);
    Network *network = copy->base.host->network;

    g_assert(work->n_left > 0);
    steady_visit_constant(walk, work->n_left);
    steady_visit_constant(walk, work->is_reducing);
    if (work->is_reducing)
        network_visit_arrived_message(network, walk, order, message);
    else
        network_visit_held_message(network, walk, order, message);
}

static void visit_message_at_hbm(gpointer self, SteadyWalk *walk,
                                 uint64_t order, uint32_t message)
{
    CopyEngine *copy = self;

    remaining_work_of_message(copy, message)->place = copy->n_placed++;
    visit_copy_engine_message(copy, walk, order, message);
}

/* Visits a message at an engine or the SMs.  The memory, which was visited
 * before, still has the message or has finished with it. */
static void visit_message_at_engine_or_sms(gpointer self, SteadyWalk *walk,
                                           uint64_t order, uint32_t message)
{
    const CopyEngine *copy = self;
    const Work *work = remaining_work_of_message(copy, message);

    visit_copy_engine_message(copy, walk, order, message);
    steady_visit_constant(walk, work->n_left == 2 ? work->place : UINT32_MAX);
}

void copy_engine_visit_state(Endpoint *endpoint, SteadyWalk *walk)
{
    CopyEngine *copy = (CopyEngine *)endpoint;
    const EndpointHost *host = endpoint->host;

    copy->n_placed = 0;
    hbm_mover_visit_state(copy->memory, walk, visit_message_at_hbm, copy);
    sim_server_visit_state(copy->engines, walk, visit_message_at_engine_or_sms,
                           copy);
    if (copy->sms)
        sim_server_visit_state(copy->sms, walk, visit_message_at_engine_or_sms,
                               copy);
    steady_visit_constant(walk, copy->n_copies);
    steady_visit_constant(walk, copy->n_reductions);
    /* One engine feeds a message to the bus, so the highest rate of the feed is
     * that of one engine. */
    endpoint_bus_visit_state(copy->out, walk, copy->params->engine_bytes_per_s,
                             network_visit_held_message);
    endpoint_bus_visit_state(copy->in, walk,
                             network_max_bytes_per_s(host->network),
                             network_visit_arrived_message);
    steady_visit_counter(walk, &copy->read_bytes);
    steady_visit_counter(walk, &copy->write_bytes);
}
