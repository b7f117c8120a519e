/* ace_steady_state.c - visits the state of ACE: see sim/core/state_walk.h */
#include "models/endpoints/ace/ace_impl.h"
#include "network/transport/network_steady_state.h"

/* Visits the chunk in @slot.  @order must be the order of the chunk, or 0 if
 * the caller has none. */
static void visit_ace_chunk(gpointer self, SteadyWalk *walk, uint64_t order,
                            uint32_t slot)
{
    const Ace *ace = self;
    const Chunk *chunk = host_get_chunk(ace->base.host, slot);

    walk->is_lost |= order != 0 && order != chunk->order;
    walk->about(walk->self, walk, chunk->order, slot);
}

static void visit_ace_partition(Ace *ace, SteadyWalk *walk, uint32_t partition)
{
    const GPtrArray *candidates = ace->partitions[partition].candidates;

    steady_visit_constant(walk, ace->partitions[partition].n_used);
    if (partition < ace->terminal)
        steady_visit_constant(walk, ace->base.host->n_entries[partition] -
                                        ace->partitions[partition].n_entered);
    steady_visit_constant(walk, candidates->len);
    for (guint i = 0; i < candidates->len; i++) {
        const Chunk *chunk = g_ptr_array_index(candidates, i);

        visit_ace_chunk(ace, walk, 0, chunk->slot);
    }
}

void ace_visit_state(Endpoint *endpoint, SteadyWalk *walk)
{
    Ace *ace = (gpointer)endpoint;

    walk->is_lost |= endpoint->host->in_turn;
    hbm_mover_visit_state(ace->tx, walk, visit_ace_chunk, ace);
    hbm_mover_visit_state(ace->rx, walk, visit_ace_chunk, ace);
    sim_server_visit_state(ace->alus, walk, network_visit_arrived_message,
                           endpoint->host->network);
    ace_sram_visit_state(&ace->sram, walk);
    admission_requester_visit_state(&ace->asker, walk);
    for (uint32_t p = 0; p <= ace->terminal; p++)
        visit_ace_partition(ace, walk, p);
    /* No DMA engine is faster than the bus, so the idle time of the bus makes
     * no difference. */
    bus_time_visit_state(&ace->bus, walk,
                         endpoint->host->config->bus_bytes_per_s, 0);
    steady_visit_counter(walk, &ace->stats.hbm_read_bytes);
    steady_visit_counter(walk, &ace->stats.hbm_write_bytes);
    steady_visit_counter(walk, &ace->slots_held_ps);
}
