/*
 * chunks.c - moves chunks through ACE from partition to partition
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
#include "models/endpoints/ace/held_bytes.h"
#include "models/endpoints/ace/params.h"

static SimTime now(const Ace *ace)
{
    return sim_engine_now(ace->base.host->engine);
}

static uint64_t order_of(const Ace *ace, const Chunk *chunk)
{
    return chunk_order(chunk, ace->base.host->place);
}

static uint64_t held_bytes(const Ace *ace, const Chunk *chunk, uint32_t phase)
{
    return ace_held_bytes(chunk, ace->base.host->id, phase);
}

static void trace_levels(const Ace *ace)
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
static Chunk *next_in_intake_order(Ace *ace, uint32_t partition)
{
    Chunk *chunk = g_queue_peek_head(&ace->partitions[partition].intake_order);

    return chunk && g_ptr_array_find(ace->partitions[partition].candidates,
                                     chunk, NULL)
               ? chunk
               : NULL;
}

/* Returns the candidate of @partition that the scheduler puts first. */
static Chunk *first_candidate(const Ace *ace, uint32_t partition)
{
    const GPtrArray *candidates = ace->partitions[partition].candidates;
    Chunk *first = NULL;

    for (guint i = 0; i < candidates->len; i++) {
        Chunk *chunk = g_ptr_array_index(candidates, i);

        if (!first || order_of(ace, chunk) < order_of(ace, first))
            first = chunk;
    }
    return first;
}

/* Returns the chunk that was decided to enter @partition next; NULL if it has
 * not arrived at this NPU, or if nothing has been decided. */
static Chunk *decided(const Ace *ace, uint32_t partition)
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
static void move_bytes(Ace *ace, const Chunk *chunk, uint32_t phase,
                       uint32_t partition)
{
    if (phase == 0)
        return;
    ace_sram_take(&ace->sram, now(ace), partition,
                  held_bytes(ace, chunk, phase));
    ace_sram_give(&ace->sram, now(ace), phase - 1,
                  held_bytes(ace, chunk, phase - 1));
}

/* Starts the phase of @chunk in @partition, which must have a free slot. */
static void enter(Ace *ace, Chunk *chunk, uint32_t partition)
{
    g_assert(ace_has_slot(ace, partition));
    ace->partitions[partition].n_used++;
    if (ace->notes)
        ace_notes_slots(ace->notes, partition,
                        ace->partitions[partition].n_used);
    trace_levels(ace);
    ace->slots_held_ps -=
        now(ace); /* leave_fsm() adds the later time, modulo 2^64 */
    host_enter(ace->base.host, chunk);
}

/* Writes @chunk back from the terminal partition. A rank that only sends has
 * nothing to write. */
static void write_back(Ace *ace, Chunk *chunk)
{
    EndpointHost *host = ace->base.host;
    uint64_t bytes = endpoint_rx_bytes(chunk, host->id);

    trace_levels(ace);
    if (bytes == 0) {
        host_enter(host, chunk);
        return;
    }
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_submitted);
    hbm_mover_submit(ace->rx, order_of(ace, chunk), bytes, chunk->slot);
}

/* Returns whether @chunk can enter @partition.  If not, reports the reason to
 * the trace. */
static gboolean may_enter(const Ace *ace, const Chunk *chunk,
                          uint32_t partition)
{
    const EndpointHost *host = ace->base.host;
    uint32_t phase =
        partition == ace->terminal ? ace_n_phases(chunk) : partition;

    if (ace_has_room(ace, chunk, phase, partition))
        return TRUE;
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_waits,
                RESOURCE_OWN +
                    (ace_has_slot(ace, partition) ? ACE_SRAM : ACE_FSMS));
    return FALSE;
}

static void reevaluate(Ace *ace, uint32_t partition);

/* Moves @chunk to @partition, which frees room in the partition before. */
static void admit(Ace *ace, Chunk *chunk, uint32_t partition)
{
    uint32_t phase =
        partition == ace->terminal ? ace_n_phases(chunk) : partition;

    g_ptr_array_remove(ace->partitions[partition].candidates, chunk);
    move_bytes(ace, chunk, phase, partition);
    if (partition == ace->terminal)
        write_back(ace, chunk);
    else
        enter(ace, chunk, partition);
    if (phase == 1)
        host_room_changed(ace->base.host);
    if (phase > 1)
        reevaluate(ace, phase - 1);
}

/* Admits chunks whose order does not depend on other NPUs. */
static void admit_in_own_order(Ace *ace, uint32_t partition)
{
    gboolean is_last = partition == ace->terminal;
    Chunk *chunk;

    while ((chunk = is_last ? first_candidate(ace, partition)
                            : next_in_intake_order(ace, partition)) &&
           may_enter(ace, chunk, partition)) {
        if (!is_last)
            (void)g_queue_pop_head(&ace->partitions[partition].intake_order);
        admit(ace, chunk, partition);
    }
}

static gboolean is_behind(const Ace *ace, uint32_t partition)
{
    return ace->partitions[partition].n_entered <
           __atomic_load_n(&ace->base.host->n_entries[partition],
                           __ATOMIC_ACQUIRE);
}

/* Admits decided chunks as far as possible, then requests the next decision. */
static void follow(Ace *ace, uint32_t partition)
{
    EndpointHost *host = ace->base.host;
    uint32_t stage = ADMISSION_PHASE(partition);

    do {
        while (is_behind(ace, partition)) {
            Chunk *chunk = decided(ace, partition);

            if (!chunk || !may_enter(ace, chunk, partition))
                return;
            ace->partitions[partition].n_entered++;
            admit(ace, chunk, partition);
        }
        if (ace->partitions[partition].candidates->len == 0)
            return;
    } while (admission_is_behind(host->consensus, &ace->asker, stage));
    admission_request(host->consensus, &ace->asker, stage);
}

/* Re-evaluates admission to @partition.  Decided chunks enter immediately; a
 * new decision waits for the end of the instant. */
static void reevaluate(Ace *ace, uint32_t partition)
{
    EndpointHost *host = ace->base.host;

    if (partition == ace->terminal || host->in_turn) {
        admit_in_own_order(ace, partition);
    } else if (ace->partitions[partition].candidates->len > 0) {
        TRACE(host->watch, asks, host->id, ADMISSION_PHASE(partition));
        follow(ace, partition);
    }
}

static gpointer propose_next_chunk(gpointer self, uint32_t stage)
{
    const Ace *ace = self;
    uint32_t partition = stage - ADMISSION_PHASE(0);
    Chunk *chunk;

    if (is_behind(ace, partition))
        return NULL;
    chunk = first_candidate(ace, partition);
    return chunk && may_enter(ace, chunk, partition) ? chunk : NULL;
}

static gboolean goes_before(gconstpointer a, gconstpointer b)
{
    return ((const Chunk *)a)->order < ((const Chunk *)b)->order;
}

static void decide(gpointer self, uint32_t stage, gpointer wish)
{
    const Ace *ace = self;
    uint32_t partition = stage - ADMISSION_PHASE(0);
    Chunk *chunk = wish;

    uint64_t *n_entries = &ace->base.host->n_entries[partition];

    g_assert(chunk->entry[partition] == 0);
    __atomic_store_n(&chunk->entry[partition], *n_entries + 1,
                     __ATOMIC_RELAXED);
    __atomic_store_n(n_entries, *n_entries + 1, __ATOMIC_RELEASE);
}

static void go_on(gpointer self, uint32_t stage)
{
    Ace *ace = self;
    uint32_t partition = stage - ADMISSION_PHASE(0);

    if (is_behind(ace, partition))
        follow(ace, partition);
}

static gboolean has_room(gpointer self, uint32_t stage)
{
    const Ace *ace = self;
    uint32_t partition = stage - ADMISSION_PHASE(0);
    const GPtrArray *candidates = ace->partitions[partition].candidates;

    for (guint i = 0; i < candidates->len; i++)
        if (ace_has_room(ace, g_ptr_array_index(candidates, i), partition,
                         partition))
            return TRUE;
    return FALSE;
}

static gboolean is_late(gpointer self, uint32_t stage)
{
    return is_behind(self, stage - ADMISSION_PHASE(0));
}

const AdmissionRequesterOps ace_requester_ops = {
    propose_next_chunk, goes_before, decide, go_on, has_room, is_late
};

static void leave_fsm(Ace *ace, uint32_t phase)
{
    ace->slots_held_ps += now(ace);
    ace->partitions[phase].n_used--;
    trace_levels(ace);
}

static void add_candidate(Ace *ace, Chunk *chunk, uint32_t partition)
{
    const EndpointHost *host = ace->base.host;

    if (partition < ace->terminal && !host->in_turn)
        TRACE_CHUNK(host->watch, host->id, chunk, chunk_eligible);
    g_ptr_array_add(ace->partitions[partition].candidates, chunk);
    reevaluate(ace, partition);
}

/* Reads @chunk into the first partition. A rank that only receives has nothing
 * to read. */
static void fetch(Ace *ace, Chunk *chunk)
{
    const EndpointHost *host = ace->base.host;
    uint64_t bytes = endpoint_tx_bytes(chunk, host->id);

    (void)ace_check_room(ace, 0,
                         held_bytes(ace, chunk, 0)); /* records the request */
    ace_sram_take(&ace->sram, now(ace), 0, held_bytes(ace, chunk, 0));
    trace_levels(ace);
    for (uint32_t p = 0; host->in_turn && p < ace_n_phases(chunk); p++)
        g_queue_push_tail(&ace->partitions[p].intake_order, chunk);
    if (bytes == 0) {
        add_candidate(ace, chunk, 0);
        return;
    }
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_submitted);
    ace->stats.hbm_read_bytes += bytes;
    hbm_mover_submit(ace->tx, order_of(ace, chunk), bytes, chunk->slot);
}

void ace_advance(Endpoint *endpoint, Chunk *chunk, uint32_t phase)
{
    Ace *ace = (gpointer)endpoint;
    uint32_t partition = phase == ace_n_phases(chunk) ? ace->terminal : phase;

    if (phase == 0) {
        fetch(ace, chunk);
        return;
    }
    leave_fsm(ace, phase - 1);
    add_candidate(ace, chunk, partition);
    reevaluate(ace, phase - 1);
}

/* Reports the end of a DMA transfer to the trace.  The rate of the DMA engine
 * is limited by the engine or by the bus. */
static void trace_moved(const Ace *ace, const Chunk *chunk,
                        const HbmMover *mover)
{
    const EndpointHost *host = ace->base.host;
    TraceResource own = ace->dma_is_bus ? RESOURCE_BUS : RESOURCE_HBM_SHARE;

    TRACE_CHUNK(host->watch, host->id, chunk, chunk_moved,
                endpoint_mover_bound(host->config, mover, own),
                hbm_mover_free_ps(mover));
}

void ace_on_tx(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    const EndpointHost *host = ace->base.host;
    Chunk *chunk = host_chunk(host, slot);

    /* Outward, the TX DMA crosses the bus while it reads. */
    bus_time_after_feed(&ace->bus, now_ps,
                        sim_time_from_bytes(endpoint_tx_bytes(chunk, host->id),
                                            host->config->bus_bytes_per_s));
    trace_moved(ace, chunk, ace->tx);
    add_candidate(ace, chunk, 0);
}

void ace_on_rx(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    Chunk *chunk = host_chunk(ace->base.host, slot);
    uint64_t bytes = endpoint_rx_bytes(chunk, ace->base.host->id);

    (void)now_ps;
    trace_moved(ace, chunk, ace->rx);
    ace->stats.hbm_write_bytes += bytes;
    ace_sram_give(&ace->sram, now(ace), ace->terminal, bytes);
    trace_levels(ace);
    reevaluate(ace, ace->terminal);
    host_enter(ace->base.host, chunk);
}
