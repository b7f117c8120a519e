/*
 * chunk_admission.c - moves chunks through ACE from partition to partition
 *
 * Back-pressure: a chunk enters a phase only when its partition has room and an
 * FSM has a free slot; until then it occupies its old partition.  A chunk is
 * taken in only when the first partition has room.
 *
 * Entry order
 *   All NPUs admit chunks to a phase in one order.  The k-th entry is decided
 *   at the end of the first instant at which some NPU that has admitted the k-1
 *   entries before it could admit one more.  Each such NPU proposes the chunk
 *   that the scheduler puts first, if it has room for it; the first proposal
 *   wins (admission_consensus.h).  The other NPUs follow: they wait for that
 * chunk, even if they do not have it yet.
 *
 * Why there is no deadlock
 *   Without a common order, NPUs that are not synchronised could fill their
 *   partitions with different chunks and wait for each other forever.
 *   Followers cannot.  Suppose that an NPU waits for chunk X while other chunks
 *   fill the partition before.  The NPU that proposed X has as much room, and
 *   had X in that partition too.  It therefore admitted one of the other chunks
 *   before X, and this NPU has done the same.  The argument holds for every
 *   choice among the NPUs that could decide.  So the first proposal may win,
 *   instead of the NPU whose event happened to be scheduled first, which would
 *   depend on the order of events in an instant.  The chunk that an NPU waits
 *   for is in flight, so a later event makes the NPU check again.  An NPU whose
 *   room fits only chunks that others decide waits for that decision, and
 *   admission_consensus.h wakes it.
 *
 * Terminal partition: each NPU admits chunks in its own order, immediately.
 *
 * Alternative: entry in the order of intake is as safe, and as fast under fifo.
 * Under lifo it cost up to 3 %, and more SRAM made one in fifty random systems
 * slower by more than 1 % (tests/README.md).
 *
 * Order of intake (EndpointHost.in_turn): if NPUs run several programs, no NPU
 * can decide for all.  If chunks in flight leave kernels no resources, no NPU
 * may wait for a chunk that is yet to be issued.  In both cases chunks enter
 * each phase in the order in which the NPU took them in, which is the same on
 * all NPUs.  A message is then read by its sender and written by its receiver.
 *
 * FSMs: an FSM keeps up to chunks_per_fsm chunks in flight.  A chunk leaves its
 * FSM when its phase is over, and its partition when the next one admits it.
 */
#include "models/endpoints/ace/ace_impl.h"
#include "models/endpoints/ace/ace_params.h"
#include "models/endpoints/ace/held_chunk_bytes.h"

static SimTime ace_now_ps(const Ace *ace)
{
    return sim_engine_now_ps(ace->base.host->engine);
}

static uint64_t admission_order_of_chunk(const Ace *ace, const Chunk *chunk)
{
    return chunk_priority(chunk, ace->base.host->place);
}

static uint64_t bytes_held_in_partition(const Ace *ace, const Chunk *chunk,
                                        uint32_t phase)
{
    return ace_bytes_held_in_partition(chunk, ace->base.host->id, phase);
}

static void trace_sram_and_fsm_levels(const Ace *ace)
{
    const EndpointHost *host = ace->base.host;
    uint64_t n_used = 0;

    for (uint32_t p = 0; host->watch->heard.level && p < ace->terminal; p++)
        n_used += ace->partitions[p].n_used;
    TRACE(host->watch, level, host->id, TRACE_LEVEL_OWN + ACE_SRAM,
          ace->sram.all_used_bytes);
    TRACE(host->watch, level, host->id, TRACE_LEVEL_OWN + ACE_FSMS, n_used);
}

/* Returns the next chunk in the order of intake; NULL if it has not reached
 * @partition yet. */
static Chunk *next_chunk_in_intake_order(Ace *ace, uint32_t partition)
{
    Chunk *chunk = g_queue_peek_head(&ace->partitions[partition].intake_order);

    return chunk && g_ptr_array_find(ace->partitions[partition].candidates,
                                     chunk, NULL)
               ? chunk
               : NULL;
}

/* Returns the candidate of @partition that the scheduler puts first. */
static Chunk *first_candidate_by_scheduler(const Ace *ace, uint32_t partition)
{
    const GPtrArray *candidates = ace->partitions[partition].candidates;
    Chunk *first = NULL;

    for (guint i = 0; i < candidates->len; i++) {
        Chunk *chunk = g_ptr_array_index(candidates, i);

        if (!first || admission_order_of_chunk(ace, chunk) <
                          admission_order_of_chunk(ace, first))
            first = chunk;
    }
    return first;
}

/* Returns the chunk that was decided to enter @partition next; NULL if it has
 * not arrived at this NPU, or if nothing has been decided. */
static Chunk *find_decided_chunk(const Ace *ace, uint32_t partition)
{
    const GPtrArray *candidates = ace->partitions[partition].candidates;
    uint64_t entry = ace->partitions[partition].n_entered + 1;

    for (guint i = 0; i < candidates->len; i++) {
        Chunk *chunk = g_ptr_array_index(candidates, i);

        if (__atomic_load_n(&chunk->entry[partition], __ATOMIC_RELAXED) ==
            entry)
            return chunk;
    }
    return NULL;
}

/* Moves the bytes of @chunk from the partition of the phase before to
 * @partition. */
static void move_chunk_bytes_to_partition(Ace *ace, const Chunk *chunk,
                                          uint32_t phase, uint32_t partition)
{
    if (phase == 0)
        return;
    ace_sram_allocate_bytes(&ace->sram, ace_now_ps(ace), partition,
                            bytes_held_in_partition(ace, chunk, phase));
    ace_sram_free_bytes(&ace->sram, ace_now_ps(ace), phase - 1,
                        bytes_held_in_partition(ace, chunk, phase - 1));
}

/* Starts the phase of @chunk in @partition, which must have a free slot. */
static void start_phase_in_partition(Ace *ace, Chunk *chunk, uint32_t partition)
{
    g_assert(ace_partition_has_free_slot(ace, partition));
    ace->partitions[partition].n_used++;
    if (ace->notes)
        ace_notes_record_slots_in_use(ace->notes, partition,
                                      ace->partitions[partition].n_used);
    trace_sram_and_fsm_levels(ace);
    ace->slots_held_ps -= ace_now_ps(
        ace); /* release_fsm_slot() adds the later time, modulo 2^64 */
    host_report_chunk_enters_phase(ace->base.host, chunk);
}

/* Writes @chunk back from the terminal partition. A rank that only sends has
 * nothing to write. */
static void write_chunk_back_to_hbm(Ace *ace, Chunk *chunk)
{
    EndpointHost *host = ace->base.host;
    uint64_t bytes = endpoint_bytes_written_of_chunk(chunk, host->id);

    trace_sram_and_fsm_levels(ace);
    if (bytes == 0) {
        host_report_chunk_enters_phase(host, chunk);
        return;
    }
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_submitted);
    hbm_mover_submit_transfer(ace->rx, admission_order_of_chunk(ace, chunk),
                              bytes, chunk->slot);
}

/* Returns whether @chunk can enter @partition.  If not, reports the reason to
 * the trace. */
static gboolean chunk_may_enter_partition(const Ace *ace, const Chunk *chunk,
                                          uint32_t partition)
{
    const EndpointHost *host = ace->base.host;
    uint32_t phase =
        partition == ace->terminal ? ace_n_phases_of_chunk(chunk) : partition;

    if (ace_partition_has_room(ace, chunk, phase, partition))
        return TRUE;
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_waits,
                ace->base.first_resource +
                    (ace_partition_has_free_slot(ace, partition) ? ACE_SRAM
                                                                 : ACE_FSMS));
    return FALSE;
}

static void reevaluate_admission(Ace *ace, uint32_t partition);

/* Moves @chunk to @partition, which frees room in the partition before. */
static void admit_chunk_to_partition(Ace *ace, Chunk *chunk, uint32_t partition)
{
    uint32_t phase =
        partition == ace->terminal ? ace_n_phases_of_chunk(chunk) : partition;

    g_ptr_array_remove(ace->partitions[partition].candidates, chunk);
    move_chunk_bytes_to_partition(ace, chunk, phase, partition);
    if (partition == ace->terminal)
        write_chunk_back_to_hbm(ace, chunk);
    else
        start_phase_in_partition(ace, chunk, partition);
    if (phase == 1)
        host_report_room_changed(ace->base.host);
    if (phase > 1)
        reevaluate_admission(ace, phase - 1);
}

/* Admits chunks whose order does not depend on other NPUs. */
static void admit_chunks_in_own_order(Ace *ace, uint32_t partition)
{
    gboolean is_last = partition == ace->terminal;
    Chunk *chunk;

    while ((chunk = is_last ? first_candidate_by_scheduler(ace, partition)
                            : next_chunk_in_intake_order(ace, partition)) &&
           chunk_may_enter_partition(ace, chunk, partition)) {
        if (!is_last)
            (void)g_queue_pop_head(&ace->partitions[partition].intake_order);
        admit_chunk_to_partition(ace, chunk, partition);
    }
}

static gboolean partition_has_unapplied_decisions(const Ace *ace,
                                                  uint32_t partition)
{
    return ace->partitions[partition].n_entered <
           __atomic_load_n(&ace->base.host->n_entries[partition],
                           __ATOMIC_ACQUIRE);
}

/* Admits decided chunks as far as possible, then requests the next decision. */
static void admit_decided_chunks(Ace *ace, uint32_t partition)
{
    EndpointHost *host = ace->base.host;
    uint32_t stage = ADMISSION_PHASE(partition);

    do {
        while (partition_has_unapplied_decisions(ace, partition)) {
            Chunk *chunk = find_decided_chunk(ace, partition);

            if (!chunk || !chunk_may_enter_partition(ace, chunk, partition))
                return;
            ace->partitions[partition].n_entered++;
            admit_chunk_to_partition(ace, chunk, partition);
        }
        if (ace->partitions[partition].candidates->len == 0)
            return;
    } while (
        admission_is_behind_other_regions(host->consensus, &ace->asker, stage));
    admission_request_decision(host->consensus, &ace->asker, stage);
}

/* Re-evaluates admission to @partition.  Decided chunks enter immediately; a
 * new decision waits for the end of the instant. */
static void reevaluate_admission(Ace *ace, uint32_t partition)
{
    EndpointHost *host = ace->base.host;

    if (partition == ace->terminal || host->in_turn) {
        admit_chunks_in_own_order(ace, partition);
    } else if (ace->partitions[partition].candidates->len > 0) {
        TRACE(host->watch, may_admit, host->id, ADMISSION_PHASE(partition));
        admit_decided_chunks(ace, partition);
    }
}

static gpointer propose_next_chunk(gpointer self, uint32_t stage)
{
    const Ace *ace = self;
    uint32_t partition = stage - ADMISSION_PHASE(0);
    Chunk *chunk;

    if (partition_has_unapplied_decisions(ace, partition))
        return NULL;
    chunk = first_candidate_by_scheduler(ace, partition);
    return chunk && chunk_may_enter_partition(ace, chunk, partition) ? chunk
                                                                     : NULL;
}

static gboolean chunk_proposal_precedes(gconstpointer a, gconstpointer b)
{
    return ((const Chunk *)a)->order < ((const Chunk *)b)->order;
}

static void record_admission_decision(gpointer self, uint32_t stage,
                                      gpointer proposal)
{
    const Ace *ace = self;
    uint32_t partition = stage - ADMISSION_PHASE(0);
    Chunk *chunk = proposal;

    uint64_t *n_entries = &ace->base.host->n_entries[partition];

    g_assert(chunk->entry[partition] == 0);
    __atomic_store_n(&chunk->entry[partition], *n_entries + 1,
                     __ATOMIC_RELAXED);
    __atomic_store_n(n_entries, *n_entries + 1, __ATOMIC_RELEASE);
}

static void on_admission_decided(gpointer self, uint32_t stage)
{
    Ace *ace = self;
    uint32_t partition = stage - ADMISSION_PHASE(0);

    if (partition_has_unapplied_decisions(ace, partition))
        admit_decided_chunks(ace, partition);
}

static gboolean partition_has_room_for_a_candidate(gpointer self,
                                                   uint32_t stage)
{
    const Ace *ace = self;
    uint32_t partition = stage - ADMISSION_PHASE(0);
    const GPtrArray *candidates = ace->partitions[partition].candidates;

    for (guint i = 0; i < candidates->len; i++)
        if (ace_partition_has_room(ace, g_ptr_array_index(candidates, i),
                                   partition, partition))
            return TRUE;
    return FALSE;
}

static gboolean stage_has_unapplied_decisions(gpointer self, uint32_t stage)
{
    return partition_has_unapplied_decisions(self, stage - ADMISSION_PHASE(0));
}

const AdmissionRequesterOps ace_requester_ops = {
    propose_next_chunk,
    chunk_proposal_precedes,
    record_admission_decision,
    on_admission_decided,
    partition_has_room_for_a_candidate,
    stage_has_unapplied_decisions
};

static void release_fsm_slot(Ace *ace, uint32_t phase)
{
    ace->slots_held_ps += ace_now_ps(ace);
    ace->partitions[phase].n_used--;
    trace_sram_and_fsm_levels(ace);
}

static void add_candidate_to_partition(Ace *ace, Chunk *chunk,
                                       uint32_t partition)
{
    const EndpointHost *host = ace->base.host;

    if (partition < ace->terminal && !host->in_turn)
        TRACE_CHUNK(host->watch, host->id, chunk, chunk_eligible);
    g_ptr_array_add(ace->partitions[partition].candidates, chunk);
    reevaluate_admission(ace, partition);
}

/* Reads @chunk into the first partition. A rank that only receives has nothing
 * to read. */
static void read_chunk_from_hbm(Ace *ace, Chunk *chunk)
{
    const EndpointHost *host = ace->base.host;
    uint64_t bytes = endpoint_bytes_read_of_chunk(chunk, host->id);

    (void)ace_check_and_record_room(
        ace, 0,
        bytes_held_in_partition(ace, chunk, 0)); /* records the request */
    ace_sram_allocate_bytes(&ace->sram, ace_now_ps(ace), 0,
                            bytes_held_in_partition(ace, chunk, 0));
    trace_sram_and_fsm_levels(ace);
    for (uint32_t p = 0; host->in_turn && p < ace_n_phases_of_chunk(chunk); p++)
        g_queue_push_tail(&ace->partitions[p].intake_order, chunk);
    if (bytes == 0) {
        add_candidate_to_partition(ace, chunk, 0);
        return;
    }
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_submitted);
    ace->stats.hbm_read_bytes += bytes;
    hbm_mover_submit_transfer(ace->tx, admission_order_of_chunk(ace, chunk),
                              bytes, chunk->slot);
}

void ace_advance_chunk(Endpoint *endpoint, Chunk *chunk, uint32_t phase)
{
    Ace *ace = (gpointer)endpoint;
    uint32_t partition =
        phase == ace_n_phases_of_chunk(chunk) ? ace->terminal : phase;

    if (phase == 0) {
        read_chunk_from_hbm(ace, chunk);
        return;
    }
    release_fsm_slot(ace, phase - 1);
    add_candidate_to_partition(ace, chunk, partition);
    reevaluate_admission(ace, phase - 1);
}

/* Reports the end of a DMA transfer to the trace.  The rate of the DMA engine
 * is limited by the engine or by the bus. */
static void trace_dma_transfer_end(const Ace *ace, const Chunk *chunk,
                                   const HbmMover *mover)
{
    const EndpointHost *host = ace->base.host;
    TraceResource own = ace->dma_is_bus ? RESOURCE_BUS : RESOURCE_HBM_SHARE;

    TRACE_CHUNK(host->watch, host->id, chunk, chunk_moved,
                endpoint_resource_that_delayed_mover(host->config, mover, own),
                hbm_mover_next_free_time_ps(mover));
}

void ace_on_chunk_read(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    const EndpointHost *host = ace->base.host;
    Chunk *chunk = host_get_chunk(host, slot);

    /* Outward, the TX DMA crosses the bus while it reads. */
    bus_time_remaining_after_feed(
        &ace->bus, now_ps,
        sim_time_from_bytes(endpoint_bytes_read_of_chunk(chunk, host->id),
                            host->config->bus_bytes_per_s));
    trace_dma_transfer_end(ace, chunk, ace->tx);
    add_candidate_to_partition(ace, chunk, 0);
}

void ace_on_chunk_written_back(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    Chunk *chunk = host_get_chunk(ace->base.host, slot);
    uint64_t bytes = endpoint_bytes_written_of_chunk(chunk, ace->base.host->id);

    (void)now_ps;
    trace_dma_transfer_end(ace, chunk, ace->rx);
    ace->stats.hbm_write_bytes += bytes;
    ace_sram_free_bytes(&ace->sram, ace_now_ps(ace), ace->terminal, bytes);
    trace_sram_and_fsm_levels(ace);
    reevaluate_admission(ace, ace->terminal);
    host_report_chunk_enters_phase(ace->base.host, chunk);
}
