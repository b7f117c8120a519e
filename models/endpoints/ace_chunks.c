/*
 * ace_chunks.c - chunks in ACE, from partition to partition
 *
 * Back-pressure: a chunk enters a phase only when its partition has room for
 * it and a FSM has a slot, and holds its old partition until then.  It is
 * taken in only when the first partition has room.
 *
 * Of the chunks that could enter a phase the one goes first that the scheduler
 * puts first, and all NPUs take them in in that order.  Which is the k-th is
 * decided at the end of the first instant at which some NPU that has taken in
 * the k-1 before it could let one in: each of those names the first it has, if
 * it has room for that, and the first of these it is (accord.h).  The others
 * follow, waiting for that chunk if they do not have it yet.
 *
 * Else NPUs out of step could fill their partitions with different chunks and
 * wait for each other for ever.  Following cannot: say an NPU waits for chunk
 * X, with the partition before full of others.  Whoever named X has room for as
 * much, and had X there too; so it had let one of those others go on before X,
 * and then so has this NPU.  That holds whichever of the NPUs that could have
 * decided has: so it may be the one whose chunk goes first, and not the one
 * whose event was scheduled first, which no NPU should be able to tell.  What
 * an NPU waits for is in flight, so something ends here that makes it look
 * again; but who has room for none but what others decide waits for that, and
 * is told (accord.h).
 *
 * Into the terminal partition each NPU lets what it likes, at once.
 *
 * (Entering in the order of intake is as safe, and as fast under fifo.  Under
 * lifo it cost up to 3 %, and more SRAM made one in fifty random systems
 * slower by more than 1 %: tests/README.md.)
 *
 * Where NPUs have several programs there is nobody who decides for all, and
 * where chunks in flight leave kernels nothing none may wait for one that is
 * yet to be issued: chunks enter each phase in the order in which the NPU took
 * them in, which is that of all (EndpointHost.in_turn).  A message is read by
 * who sends it and written by who receives it.
 *
 * An FSM keeps up to chunks_per_fsm chunks in flight.  The chunk leaves its
 * FSM when its phase is over, and its partition when the next has taken it.
 */
#include "models/endpoints/ace_chunk.h"
#include "models/endpoints/ace_impl.h"
#include "models/endpoints/ace_resources.h"

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

static void tell_levels(const Ace *ace)
{
    const EndpointHost *host = ace->base.host;
    uint64_t n_used = 0;

    for (uint32_t p = 0; host->watch->heard.level && p < ace->terminal; p++)
        n_used += ace->of[p].n_used;
    TRACE(host->watch, level, host->id, TRACE_LEVEL_OWN + ACE_SRAM,
          ace->sram.all_used_bytes);
    TRACE(host->watch, level, host->id, TRACE_LEVEL_OWN + ACE_FSMS, n_used);
}

/* NULL: it is yet to come here. */
static Chunk *first_in_turn(Ace *ace, uint32_t partition)
{
    Chunk *chunk = g_queue_peek_head(&ace->of[partition].turns);

    return chunk && g_ptr_array_find(ace->of[partition].line, chunk, NULL)
               ? chunk
               : NULL;
}

/* What the scheduler puts first of those that could enter. */
static Chunk *first_in_line(const Ace *ace, uint32_t partition)
{
    const GPtrArray *line = ace->of[partition].line;
    Chunk *first = NULL;

    for (guint i = 0; i < line->len; i++) {
        Chunk *chunk = g_ptr_array_index(line, i);

        if (!first || order_of(ace, chunk) < order_of(ace, first))
            first = chunk;
    }
    return first;
}

/* What was decided to be next, or NULL: it is yet to come here, or to be
 * decided. */
static Chunk *decided(const Ace *ace, uint32_t partition)
{
    const GPtrArray *line = ace->of[partition].line;
    uint64_t entry = ace->of[partition].n_entered + 1;

    for (guint i = 0; i < line->len; i++) {
        Chunk *chunk = g_ptr_array_index(line, i);

        if (__atomic_load_n(&chunk->entry[partition], __ATOMIC_RELAXED) ==
            entry)
            return chunk;
    }
    return NULL;
}

/* @chunk goes from the partition before to this one. */
static void move_on(Ace *ace, const Chunk *chunk, uint32_t phase,
                    uint32_t partition)
{
    if (phase == 0)
        return;
    ace_sram_take(&ace->sram, now(ace), partition,
                  held_bytes(ace, chunk, phase));
    ace_sram_give(&ace->sram, now(ace), phase - 1,
                  held_bytes(ace, chunk, phase - 1));
}

/* Of the phase in @partition, which has room for it. */
static void enter(Ace *ace, Chunk *chunk, uint32_t partition)
{
    g_assert(ace_has_slot(ace, partition));
    ace->of[partition].n_used++;
    if (ace->notes)
        ace_notes_slots(ace->notes, partition, ace->of[partition].n_used);
    tell_levels(ace);
    ace->slots_held_ps -= now(ace); /* and + when it leaves */
    host_enter(ace->base.host, chunk);
}

/* Out of the terminal partition: nothing is left of what was only sent. */
static void write_back(Ace *ace, Chunk *chunk)
{
    EndpointHost *host = ace->base.host;
    uint64_t bytes = endpoint_rx_bytes(chunk, host->id);

    tell_levels(ace);
    if (bytes == 0) {
        host_enter(host, chunk);
        return;
    }
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_handed);
    hbm_mover_submit(ace->rx, order_of(ace, chunk), bytes, chunk->slot);
}

/* TRUE: @chunk could go on to @partition; else it is told why not. */
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

static void look(Ace *ace, uint32_t partition);

/* @chunk goes on to @partition, which makes room in the one before. */
static void let_in(Ace *ace, Chunk *chunk, uint32_t partition)
{
    uint32_t phase =
        partition == ace->terminal ? ace_n_phases(chunk) : partition;

    g_ptr_array_remove(ace->of[partition].line, chunk);
    move_on(ace, chunk, phase, partition);
    if (partition == ace->terminal)
        write_back(ace, chunk);
    else
        enter(ace, chunk, partition);
    if (phase == 1)
        host_has_room(ace->base.host);
    if (phase > 1)
        look(ace, phase - 1);
}

/* What nobody else has a say in. */
static void let_all_in(Ace *ace, uint32_t partition)
{
    gboolean is_last = partition == ace->terminal;
    Chunk *chunk;

    while ((chunk = is_last ? first_in_line(ace, partition)
                            : first_in_turn(ace, partition)) &&
           may_enter(ace, chunk, partition)) {
        if (!is_last)
            (void)g_queue_pop_head(&ace->of[partition].turns);
        let_in(ace, chunk, partition);
    }
}

static gboolean is_behind(const Ace *ace, uint32_t partition)
{
    return ace->of[partition].n_entered <
           __atomic_load_n(&ace->base.host->n_entries[partition],
                           __ATOMIC_ACQUIRE);
}

/* What was decided to be next, as far as it can; then more may be decided. */
static void follow(Ace *ace, uint32_t partition)
{
    EndpointHost *host = ace->base.host;
    uint32_t stage = ACCORD_PHASE(partition);

    do {
        while (is_behind(ace, partition)) {
            Chunk *chunk = decided(ace, partition);

            if (!chunk || !may_enter(ace, chunk, partition))
                return;
            ace->of[partition].n_entered++;
            let_in(ace, chunk, partition);
        }
        if (ace->of[partition].line->len == 0)
            return;
    } while (accord_is_late(host->accord, &ace->asker, stage));
    accord_ask(host->accord, &ace->asker, stage);
}

/* Something may be able to enter @partition.  Who only follows need not wait
 * for the end of the instant. */
static void look(Ace *ace, uint32_t partition)
{
    EndpointHost *host = ace->base.host;

    if (partition == ace->terminal || host->in_turn) {
        let_all_in(ace, partition);
    } else if (ace->of[partition].line->len > 0) {
        TRACE(host->watch, asks, host->id, ACCORD_PHASE(partition));
        follow(ace, partition);
    }
}

static gpointer wish(gpointer self, uint32_t stage)
{
    const Ace *ace = self;
    uint32_t partition = stage - ACCORD_PHASE(0);
    Chunk *chunk;

    if (is_behind(ace, partition))
        return NULL;
    chunk = first_in_line(ace, partition);
    return chunk && may_enter(ace, chunk, partition) ? chunk : NULL;
}

static gboolean goes_before(gconstpointer a, gconstpointer b)
{
    return ((const Chunk *)a)->order < ((const Chunk *)b)->order;
}

static void decide(gpointer self, uint32_t stage, gpointer wish)
{
    const Ace *ace = self;
    uint32_t partition = stage - ACCORD_PHASE(0);
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
    uint32_t partition = stage - ACCORD_PHASE(0);

    if (is_behind(ace, partition))
        follow(ace, partition);
}

static gboolean has_room(gpointer self, uint32_t stage)
{
    const Ace *ace = self;
    uint32_t partition = stage - ACCORD_PHASE(0);
    const GPtrArray *line = ace->of[partition].line;

    for (guint i = 0; i < line->len; i++)
        if (ace_has_room(ace, g_ptr_array_index(line, i), partition, partition))
            return TRUE;
    return FALSE;
}

static gboolean is_late(gpointer self, uint32_t stage)
{
    return is_behind(self, stage - ACCORD_PHASE(0));
}

const AccordOps ace_accord = { wish,  goes_before, decide,
                               go_on, has_room,    is_late };

static void leave_fsm(Ace *ace, uint32_t phase)
{
    ace->slots_held_ps += now(ace);
    ace->of[phase].n_used--;
    tell_levels(ace);
}

static void line_up(Ace *ace, Chunk *chunk, uint32_t partition)
{
    const EndpointHost *host = ace->base.host;

    if (partition < ace->terminal && !host->in_turn)
        TRACE_CHUNK(host->watch, host->id, chunk, chunk_asks);
    g_ptr_array_add(ace->of[partition].line, chunk);
    look(ace, partition);
}

/* Into the first partition: there is nothing to read of what will only come. */
static void fetch(Ace *ace, Chunk *chunk)
{
    const EndpointHost *host = ace->base.host;
    uint64_t bytes = endpoint_tx_bytes(chunk, host->id);

    (void)ace_find_room(ace, 0, held_bytes(ace, chunk, 0)); /* noted */
    ace_sram_take(&ace->sram, now(ace), 0, held_bytes(ace, chunk, 0));
    tell_levels(ace);
    for (uint32_t p = 0; host->in_turn && p < ace_n_phases(chunk); p++)
        g_queue_push_tail(&ace->of[p].turns, chunk);
    if (bytes == 0) {
        line_up(ace, chunk, 0);
        return;
    }
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_handed);
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
    line_up(ace, chunk, partition);
    look(ace, phase - 1);
}

/* A DMA engine is no faster than its own rate or the bus. */
static void tell_moved(const Ace *ace, const Chunk *chunk,
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

    /* Outward, the TX DMA is what crosses the bus, in step with it. */
    bus_time_fed(&ace->bus, now_ps,
                 sim_time_from_bytes(endpoint_tx_bytes(chunk, host->id),
                                     host->config->bus_bytes_per_s));
    tell_moved(ace, chunk, ace->tx);
    line_up(ace, chunk, 0);
}

void ace_on_rx(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    Chunk *chunk = host_chunk(ace->base.host, slot);
    uint64_t bytes = endpoint_rx_bytes(chunk, ace->base.host->id);

    (void)now_ps;
    tell_moved(ace, chunk, ace->rx);
    ace->stats.hbm_write_bytes += bytes;
    ace_sram_give(&ace->sram, now(ace), ace->terminal, bytes);
    tell_levels(ace);
    look(ace, ace->terminal);
    host_enter(ace->base.host, chunk);
}
