/* host_memory_steady_state.c - visits the state of the host endpoint: see
 * sim/core/state_walk.h */
#include "models/endpoints/host_memory/host_memory_state_impl.h"
#include "network/transport/network_steady_state.h"

/* Visits the chunk in @slot.  @order must be the order of the job, or 0 if the
 * caller has none. */
static void visit_staged_chunk(gpointer self, SteadyWalk *walk, uint64_t order,
                               uint32_t slot)
{
    const HostMemory *memory = self;
    const Chunk *chunk = host_get_chunk(memory->base.host, slot);

    walk->is_lost |=
        order != 0 && order != host_memory_order_of_chunk_job(memory, chunk);
    steady_visit_constant(walk, memory->is_done->data[slot]);
    walk->about(walk->self, walk, chunk->order, slot);
}

static void visit_core_job(gpointer self, SteadyWalk *walk, uint64_t order,
                           uint32_t job)
{
    const HostMemory *memory = self;

    steady_visit_constant(walk, job & HOST_MEMORY_IS_CHUNK);
    if (job & HOST_MEMORY_IS_CHUNK)
        visit_staged_chunk(self, walk, order, job & ~HOST_MEMORY_IS_CHUNK);
    else
        network_visit_arrived_message(memory->base.host->network, walk, order,
                                      job);
}

void host_memory_visit_state(Endpoint *endpoint, SteadyWalk *walk)
{
    HostMemory *memory = (HostMemory *)endpoint;

    sim_server_visit_state(memory->cores, walk, visit_core_job, memory);
    sim_server_visit_state(memory->out, walk, visit_staged_chunk, memory);
    sim_server_visit_state(memory->back, walk, visit_staged_chunk, memory);
    sim_server_visit_state(memory->leaving, walk, network_visit_held_message,
                           memory->base.host->network);
    sim_server_visit_state(memory->coming, walk, network_visit_arrived_message,
                           memory->base.host->network);
    steady_visit_counter(walk, &memory->read_bytes);
    steady_visit_counter(walk, &memory->written_bytes);
}
