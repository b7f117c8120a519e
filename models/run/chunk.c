/* chunk.c - chunks are cut from collectives, and their records used again */
#include "models/run/chunk_impl.h"

#include "models/run/admit/order.h"

static Chunk *take_chunk(System *system)
{
    ChunkRecord *record;

    if (system->free_chunks->len > 0)
        return g_ptr_array_steal_index_fast(system->free_chunks,
                                            system->free_chunks->len - 1);
    record = g_new0(ChunkRecord, 1);
    record->chunk.slot = system->chunks->len;
    g_ptr_array_add(system->chunks, record);
    return &record->chunk;
}

/* A chunk goes round the way that has had fewer bytes so far, + when they are
 * even, of those that are for NPUs of the same roles.  Chunks are made in the
 * order of admission, which is the same for all NPUs; so all agree, and
 * nobody's being early or late matters. */
static void choose_ways(System *system, Chunk *chunk)
{
    Ways *ways = &system->ways[system->schemes.of[chunk->op]->audience];

    for (uint32_t p = 0; p < chunk->plan->n_phases; p++) {
        const CollPhase *phase = chunk_phase(chunk, p);
        uint64_t *bytes = ways->bytes[phase->dim];
        uint32_t way = bytes[1] < bytes[0];

        if (!phase->may_reverse)
            continue;
        chunk->backwards |= way << p;
        bytes[way] += coll_sent_bytes(phase, chunk->bytes);
    }
}

static void cut_lanes(Chunk *chunk, uint64_t message_bytes)
{
    uint32_t *first_word = chunk_record(chunk)->first_word;

    for (uint32_t p = 0; p < chunk->plan->n_phases; p++) {
        const CollPhase *phase = chunk_phase(chunk, p);
        uint32_t n = coll_n_lanes(phase, chunk->bytes, message_bytes);

        chunk->first_lane[p + 1] = chunk->first_lane[p] + n;
        first_word[p + 1] = first_word[p] + n * chunk_lane_words(phase);
        chunk->lane_bytes[p] = coll_wire_bytes(
            chunk->plan->recipe, coll_lane_bytes(phase, chunk->bytes, 1, n));
    }
}

static void clear_states(ChunkRecord *record, uint32_t n_npus)
{
    uint32_t n_lanes = record->chunk.first_lane[record->chunk.plan->n_phases];
    gsize size;

    record->n_npus_done = 0;
    record->stride =
        sizeof(ChunkState) + n_lanes * sizeof(Lane) +
        record->first_word[record->chunk.plan->n_phases] * sizeof(uint64_t);
    size = record->stride * n_npus;
    if (record->capacity < size) {
        g_free(record->states);
        record->states = g_malloc(size);
        record->capacity = size;
    }
    memset(record->states, 0, size);
}

Chunk *chunk_new(System *system, CollInstance *coll, uint32_t index)
{
    const Cut *cut = coll->cut;
    Chunk *chunk = take_chunk(system);
    uint64_t offset_bytes = index * cut->chunk_bytes;

    chunk_record(chunk)->coll = coll;
    chunk->op = coll->op;
    chunk->iteration = coll->iteration;
    chunk->plan = coll_orders_plan(&coll->scheme->planned->orders,
                                   system->n_chunks_before[coll->op] + index);
    g_assert(chunk->plan->n_phases > 0);
    chunk->index = index;
    chunk->seq = system->n_chunks_made++;
    chunk->order = order_of_chunk(coll, index, chunk->seq);
    chunk->bytes = MIN(cut->chunk_bytes, coll->payload_bytes - offset_bytes);
    chunk->backwards = 0;
    memset(chunk->entry, 0, sizeof chunk->entry);
    cut_lanes(chunk, cut->message_bytes);
    choose_ways(system, chunk);
    clear_states(chunk_record(chunk), system->n_sim);
    coll->chunks[index] = chunk;
    system->n_chunks_live++;
    TRACE(&system->watch, chunk_made, chunk);
    return chunk;
}

void chunk_fill_meeting(const Chunk *chunk, uint32_t phase, NetMessage *m)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    CollStep step; /* of any rank: all receive as many blocks */

    p->algorithm->step(&p->group, 0, 0, &step);
    m->meets = p->group.kind == COLL_ALL_GATHER ? NET_MEETS_GATHERING
                                                : NET_MEETS_ADDING;
    m->other_bytes = (uint32_t)coll_wire_bytes(
        chunk->plan->recipe,
        coll_lane_bytes(p, chunk->bytes, coll_n_received(&step),
                        chunk_n_lanes(chunk, phase)));
}

void chunk_part_done(System *system, Chunk *chunk)
{
    ChunkRecord *record = chunk_record(chunk);

    record->n_npus_done++;
    if (record->n_npus_done < record->coll->scheme->n_parts)
        return;
    TRACE(&system->watch, chunk_gone, chunk);
    record->coll->chunks[chunk->index] = NULL;
    g_ptr_array_add(system->free_chunks, chunk);
    system->n_chunks_live--;
}

void chunks_free(GPtrArray *chunks)
{
    for (guint i = 0; i < chunks->len; i++) {
        ChunkRecord *record = g_ptr_array_index(chunks, i);

        g_free(record->states);
        g_free(record);
    }
    g_ptr_array_unref(chunks);
}
