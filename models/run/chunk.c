/* chunk.c - chunks are cut from collectives, and their records used again */
#include "models/run/npu_impl.h"

static Chunk *take_chunk(System *system)
{
    Chunk *chunk = system->free_chunks;

    if (chunk) {
        system->free_chunks = chunk->next_free;
        return chunk;
    }
    chunk = g_new0(Chunk, 1);
    chunk->slot = system->chunks->len;
    g_ptr_array_add(system->chunks, chunk);
    return chunk;
}

/* A chunk goes round the way that has had fewer bytes so far, + when they are
 * even.  Chunks are made in the order of admission, which is the same for all
 * NPUs; so all agree, and nobody's being early or late matters. */
static void choose_ways(System *system, Chunk *chunk)
{
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++) {
        const CollPhase *phase = chunk_phase(chunk, p);
        uint64_t *bytes = system->way_bytes[phase->dim];
        uint32_t way = bytes[1] < bytes[0];

        if (!phase->may_reverse)
            continue;
        chunk->backwards |= way << p;
        bytes[way] += coll_sent_bytes(phase, chunk->bytes);
    }
}

Chunk *chunk_new(System *system, CollInstance *coll, uint32_t index)
{
    const Cut *cut = coll->cut;
    Chunk *chunk = take_chunk(system);
    uint64_t offset_bytes = index * cut->chunk_bytes;
    gsize size;

    chunk->coll = coll;
    chunk->plan = coll_orders_plan(&system->orders[coll->plan->kind],
                                   system->n_chunks_before[coll->op] + index);
    g_assert(chunk->plan->n_phases == coll->plan->n_phases);
    chunk->index = index;
    chunk->seq = system->n_chunks_made++;
    chunk->order = scheduler_order(system, chunk);
    chunk->bytes = MIN(cut->chunk_bytes, coll->payload_bytes - offset_bytes);
    chunk->n_npus_done = 0;
    chunk->backwards = 0;
    memset(chunk->entry, 0, sizeof chunk->entry);
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++) {
        const CollPhase *phase = chunk_phase(chunk, p);
        uint32_t n = coll_n_lanes(phase, chunk->bytes, cut->message_bytes);

        chunk->first_lane[p + 1] = chunk->first_lane[p] + n;
        chunk->lane_bytes[p] = coll_lane_bytes(phase, chunk->bytes, 1, n);
    }
    choose_ways(system, chunk);
    chunk->stride = sizeof(ChunkState) +
                    chunk->first_lane[chunk->plan->n_phases] * sizeof(Lane);
    size = chunk->stride * system->n_sim;
    if (chunk->capacity < size) {
        g_free(chunk->states);
        chunk->states = g_malloc(size);
        chunk->capacity = size;
    }
    memset(chunk->states, 0, size);
    coll->chunks[index] = chunk;
    system->n_chunks_live++;
    VERIFY(system, begin, chunk);
    return chunk;
}

void chunk_fill_meeting(const Chunk *chunk, uint32_t phase, NetMessage *m)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    CollStep step; /* of any rank: all receive as many blocks */

    p->algorithm->step(&p->group, 0, 0, &step);
    m->meets = p->group.kind == COLL_ALL_GATHER ? NET_MEETS_GATHERING
                                                : NET_MEETS_ADDING;
    m->other_bytes = (uint32_t)coll_lane_bytes(
        p, chunk->bytes, coll_n_received(&step), chunk_n_lanes(chunk, phase));
}

void chunk_free(System *system, Chunk *chunk)
{
    VERIFY(system, end, chunk);
    chunk->coll->chunks[chunk->index] = NULL;
    chunk->next_free = system->free_chunks;
    system->free_chunks = chunk;
    system->n_chunks_live--;
}
