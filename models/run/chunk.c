/*
 * chunk.c - creates chunks of collectives, begins and ends them on each NPU,
 * and reuses their records
 */
#include "models/run/chunk_impl.h"

#include "models/run/admit/collective_precedence.h"
#include "models/run/npu_impl.h"
#include "models/run/regions/region_locks.h"
#include "sim/core/cache_lines.h"

static Chunk *take_chunk_record(System *system)
{
    ChunkRecord *record;

    if (system->state.free_chunks->len > 0)
        return g_ptr_array_steal_index_fast(system->state.free_chunks,
                                            system->state.free_chunks->len - 1);
    regions_check_chunk_slot_left(system);
    record = g_new0(ChunkRecord, 1);
    record->chunk.slot = system->state.chunks->len;
    g_ptr_array_add(system->state.chunks, record);
    return &record->chunk;
}

/* Each chunk goes in the ring direction that has had fewer bytes so far, or in
 * + direction if both are equal.  Only chunks of the same roles count together.
 * The direction is chosen when the chunk is created, in the order of admission.
 * This order is the same on all NPUs, so it does not depend on arrival
 * times. */
uint32_t chunk_choose_directions(const CollPlan *plan, uint64_t bytes,
                                 RingBytes *directions)
{
    uint32_t backwards = 0;

    for (uint32_t phase_index = 0; phase_index < plan->n_phases;
         phase_index++) {
        const CollPhase *phase = &plan->phases[phase_index];
        uint64_t *had_bytes = directions->bytes[phase->dim];
        uint32_t way = had_bytes[1] < had_bytes[0];

        if (!phase->may_reverse)
            continue;
        backwards |= way << phase_index;
        had_bytes[way] += coll_sent_bytes(phase, bytes);
    }
    return backwards;
}

static void set_lane_sizes_of_chunk(Chunk *chunk, uint64_t message_bytes)
{
    for (uint32_t phase_index = 0; phase_index < chunk->plan->n_phases;
         phase_index++) {
        const CollPhase *phase = chunk_phase(chunk, phase_index);
        uint32_t n = coll_n_lanes(phase, chunk->bytes, message_bytes);

        chunk->first_lane[phase_index + 1] = chunk->first_lane[phase_index] + n;
        chunk->lane_bytes[phase_index] = coll_wire_bytes(
            chunk->plan->recipe, coll_lane_bytes(phase, chunk->bytes, 1, n));
    }
}

/* Returns the bytes of all parallel lanes and marks of one NPU. */
static gsize bytes_of_chunk_lanes_per_npu(const ChunkRecord *record)
{
    const Chunk *chunk = &record->chunk;
    gsize size = 0;

    for (uint32_t phase = 0; phase < chunk->plan->n_phases; phase++)
        size += chunk_n_lanes_of_phase(chunk, phase) *
                (sizeof(Lane) +
                 chunk_mark_words_per_lane(chunk_phase(chunk, phase)) *
                     sizeof(uint64_t));
    return size;
}

/* Returns the bytes of the states of @n_npus, rounded up to the alignment of
 * lanes. */
static gsize aligned_bytes_of_chunk_states(uint32_t n_npus)
{
    gsize size = n_npus * sizeof(ChunkState);

    return (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
}

/* Places parallel lanes and marks after the states of @n_npus. */
static void place_lanes_in_record(ChunkRecord *record, uint32_t n_npus)
{
    const Chunk *chunk = &record->chunk;
    Lane *lanes = (Lane *)(gpointer)((guint8 *)record->states +
                                     aligned_bytes_of_chunk_states(n_npus));
    uint64_t n_marks = 0;

    for (uint32_t phase = 0; phase < chunk->plan->n_phases; phase++) {
        gsize n = (gsize)n_npus * chunk_n_lanes_of_phase(chunk, phase);

        record->phases[phase] = (ChunkPhase){
            .lanes = (guint8 *)lanes,
            .stride =
                chunk_n_lanes_of_phase(chunk, phase) * (uint32_t)sizeof(Lane),
            .first_mark = (uint32_t)n_marks,
        };
        lanes += n;
        n_marks += n * chunk_mark_words_per_lane(chunk_phase(chunk, phase));
        g_assert(n_marks <= UINT32_MAX); /* the marks take at most 32 GiB */
    }
    record->marks = (uint64_t *)(gpointer)lanes;
}

gsize chunk_states_bytes(const ChunkRecord *record, uint32_t n_npus)
{
    return aligned_bytes_of_chunk_states(n_npus) +
           n_npus * bytes_of_chunk_lanes_per_npu(record);
}

static void clear_chunk_states(ChunkRecord *record, uint32_t n_npus)
{
    gsize size = chunk_states_bytes(record, n_npus);

    record->n_npus_done = 0;
    if (record->capacity < size) {
        cache_lines_free(record->states);
        record->states = cache_lines_alloc(size);
        record->capacity = size;
    }
    place_lanes_in_record(record, n_npus);
    memset(record->states, 0, size);
}

static Chunk *chunk_new(System *system, CollInstance *coll, uint32_t index)
{
    const Cut *cut = coll->cut;
    Chunk *chunk = take_chunk_record(system);
    uint64_t offset_bytes = index * cut->chunk_bytes;

    chunk_record_around(chunk)->coll = coll;
    chunk->op = coll->op;
    chunk->iteration = coll->iteration;
    chunk->plan = coll_orders_plan_of_chunk(
        &coll->coll_class->planned->orders,
        system->plan.n_chunks_before[coll->op] + index);
    g_assert(chunk->plan->n_phases > 0);
    chunk->index = index;
    chunk->seq = system->whole->state.n_chunks_made++;
    chunk->order = priority_of_chunk(coll, index, chunk->seq);
    chunk->bytes = MIN(cut->chunk_bytes, coll->payload_bytes - offset_bytes);
    memset(chunk->entry, 0, sizeof chunk->entry);
    set_lane_sizes_of_chunk(chunk, cut->message_bytes);
    chunk->backwards = chunk_choose_directions(
        chunk->plan, chunk->bytes,
        &system->state.ring_bytes[coll->coll_class->audience]);
    clear_chunk_states(chunk_record_around(chunk), system->plan.n_sim);
    coll->chunks[index] = chunk;
    if (system->state.steady)
        system->state.period_listener->chunk_made(system->state.steady, chunk);
    system->whole->state.n_chunks_live++;
    TRACE(&system->state.watch, chunk_made, chunk);
    return chunk;
}

void chunk_fill_switch_reply(const Chunk *chunk, uint32_t phase,
                             NetMessage *message)
{
    const CollPhase *coll_phase = chunk_phase(chunk, phase);
    /* The step of any rank will do: all ranks receive the same number of
     * blocks. */
    CollStep step;

    coll_phase->algorithm->step(&coll_phase->group, 0, 0, &step);
    message->reduction_role = coll_phase->group.kind == COLL_ALL_GATHER
                                  ? NET_REDUCTION_GATHERS
                                  : NET_REDUCTION_ADDS;
    message->other_bytes = (uint32_t)coll_wire_bytes(
        chunk->plan->recipe,
        coll_lane_bytes(coll_phase, chunk->bytes,
                        coll_step_n_received_blocks(&step),
                        chunk_n_lanes_of_phase(chunk, phase)));
}

static void recycle_chunk(System *system, Chunk *chunk)
{
    TRACE(&system->state.watch, chunk_gone, chunk);
    chunk_record_around(chunk)->coll->chunks[chunk->index] = NULL;
    g_ptr_array_add(system->state.free_chunks, chunk);
    system->whole->state.n_chunks_live--;
}

static inline void count_finished_npu(System *system, Chunk *chunk)
{
    ChunkRecord *record = chunk_record_around(chunk);

    record->n_npus_done++;
    if (record->n_npus_done == record->coll->coll_class->n_parts)
        recycle_chunk(system, chunk);
}

static inline Chunk *get_or_create_chunk(System *system, CollInstance *coll,
                                         uint32_t index)
{
    Chunk *chunk = coll->chunks[index];

    return chunk ? chunk : chunk_new(system, coll, index);
}

static G_GNUC_NO_INLINE void count_finished_npu_locked(System *system,
                                                       Chunk *chunk)
{
    regions_lock(system);
    count_finished_npu(system, chunk);
    regions_unlock(system);
}

static G_GNUC_NO_INLINE Chunk *
get_or_create_chunk_locked(System *system, CollInstance *coll, uint32_t index)
{
    Chunk *chunk;

    regions_lock(system);
    chunk = get_or_create_chunk(system, coll, index);
    regions_unlock(system);
    return chunk;
}

/* Counts one more NPU that has finished the chunk; the last one frees it. */
static void finish_chunk_on_npu(System *system, Chunk *chunk)
{
    if (G_UNLIKELY(system->regions))
        count_finished_npu_locked(system, chunk);
    else
        count_finished_npu(system, chunk);
}

Chunk *chunk_get_or_create(System *system, CollInstance *coll, uint32_t index)
{
    return G_UNLIKELY(system->regions)
               ? get_or_create_chunk_locked(system, coll, index)
               : get_or_create_chunk(system, coll, index);
}

void chunks_free(GPtrArray *chunks)
{
    for (guint i = 0; i < chunks->len; i++) {
        ChunkRecord *record = g_ptr_array_index(chunks, i);

        cache_lines_free(record->states);
        g_free(record->chunk.orders);
        g_free(record);
    }
    g_ptr_array_unref(chunks);
}

/* ---- at an NPU --------------------------------------------------------- */

void chunk_begin(Npu *npu, CollInstance *coll)
{
    CollPart *part = &coll->parts[npu->index];
    uint32_t index = part->next_chunk++;
    Chunk *chunk = chunk_get_or_create(npu->system, coll, index);
    EndpointUse *use = npu_endpoint_use_of_op(npu, coll->op);

    npu->n_in_flight++;
    npu->system->counters.most_in_flight =
        MAX(npu->system->counters.most_in_flight, npu->n_in_flight);
    use->n_in_flight++;
    use->n_reducing += coll->plan->reduces;
    chunk_state_of_npu(chunk, npu->index)->started = TRUE;
    if (G_UNLIKELY(index == 0))
        npu->callbacks->first_chunk(npu, coll);
    TRACE_CHUNK(npu->host.watch, npu->host.id, chunk, chunk_begins);
    if (G_UNLIKELY(npu->quiescent) &&
        npu->system->state.quiescent_callbacks->is_replayed(npu, coll))
        return;
    npu->endpoint->ops->advance(npu->endpoint, chunk, 0);
}

void chunk_end(Npu *npu, Chunk *chunk)
{
    CollInstance *coll = chunk_record_around(chunk)->coll;
    CollPart *part = &coll->parts[npu->index];
    EndpointUse *use = npu_endpoint_use_of_op(npu, coll->op);

    TRACE_CHUNK(npu->host.watch, npu->host.id, chunk, chunk_ends);
    if (G_UNLIKELY(npu->quiescent))
        npu->system->state.quiescent_callbacks->chunk_ends(npu, chunk);
    npu->n_in_flight--;
    use->n_in_flight--;
    use->n_reducing -= coll->plan->reduces;
    if (npu->index == 0 && npu->system->state.steady)
        npu->system->state.period_listener->chunk_ends(
            npu->system->state.steady, coll);
    if (G_UNLIKELY(npu->system->state.communicators))
        npu->callbacks->chunk_complete(npu, chunk);
    finish_chunk_on_npu(npu->system, chunk);
    part->n_chunks_done++;
    if (part->n_chunks_done == coll->n_chunks)
        npu->callbacks->collective(npu, coll);
    npu->callbacks->chunk(npu);
}
