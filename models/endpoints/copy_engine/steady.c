/*
 * steady.c - visits the state of copy engines: see sim/core/steady.h
 *
 * A message may be at two places at the same time: the memory, and an engine or
 * the SMs.  If several messages look the same, the snapshot must record which
 * of them at the memory is which of them at the engine.  Each one is therefore
 * identified at the engine by its position at the memory.
 */
#include "network/transport/steady.h"
#include "models/endpoints/copy_engine/copy_engine_impl.h"

static Work *work_of(const CopyEngine *copy, uint32_t message)
{
    return &g_array_index(copy->work, Work, message);
}

static void visit(const CopyEngine *copy, SteadyWalk *walk, uint64_t order,
                  uint32_t message)
{
    const Work *work = work_of(copy, message);
    Network *network = copy->base.host->network;

    g_assert(work->n_left > 0);
    steady_same(walk, work->n_left);
    steady_same(walk, work->is_reducing);
    if (work->is_reducing)
        network_steady_in(network, walk, order, message);
    else
        network_steady_out(network, walk, order, message);
}

static void visit_at_memory(gpointer self, SteadyWalk *walk, uint64_t order,
                            uint32_t message)
{
    CopyEngine *copy = self;

    work_of(copy, message)->place = copy->n_placed++;
    visit(copy, walk, order, message);
}

/* Visits a message at an engine or the SMs.  The memory, which was visited
 * before, still has the message or has finished with it. */
static void visit_in_step(gpointer self, SteadyWalk *walk, uint64_t order,
                          uint32_t message)
{
    const CopyEngine *copy = self;
    const Work *work = work_of(copy, message);

    visit(copy, walk, order, message);
    steady_same(walk, work->n_left == 2 ? work->place : UINT32_MAX);
}

void copy_engine_steady(Endpoint *endpoint, SteadyWalk *walk)
{
    CopyEngine *copy = (CopyEngine *)endpoint;
    const EndpointHost *host = endpoint->host;

    copy->n_placed = 0;
    hbm_mover_steady(copy->memory, walk, visit_at_memory, copy);
    sim_server_steady(copy->engines, walk, visit_in_step, copy);
    if (copy->sms)
        sim_server_steady(copy->sms, walk, visit_in_step, copy);
    steady_same(walk, copy->n_copies);
    steady_same(walk, copy->n_reductions);
    /* One engine feeds a message to the bus, so the highest rate of the feed is
     * that of one engine. */
    endpoint_bus_steady(copy->out, walk, copy->params->engine_bytes_per_s,
                        network_steady_out);
    endpoint_bus_steady(copy->in, walk, network_max_bytes_per_s(host->network),
                        network_steady_in);
    steady_count(walk, &copy->read_bytes);
    steady_count(walk, &copy->write_bytes);
}
