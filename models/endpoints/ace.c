/*
 * ace.c - a collectives engine beside the NPU, working out of its own SRAM
 *
 * A chunk is read from HBM once by the TX DMA into the first partition, goes
 * through its phases, each in the partition of that phase and driven by an
 * FSM of that phase, moves to the terminal partition and is written back once
 * by the RX DMA.  In between messages go from link to SRAM to link; what a
 * reduce-scatter step brings is added by an ALU.
 *
 * Back-pressure: a chunk enters a phase only when its partition has room for
 * it and a FSM has a slot, and holds its old partition until then.  It is
 * taken in only when the first partition has room.
 *
 * Of the chunks that could enter a phase the one goes first that the scheduler
 * puts first, and all NPUs take them in in that order: the first to take its
 * k-th into a phase decides, the others follow, waiting for that chunk if they
 * do not have it yet.  Else NPUs out of step could fill their partitions with
 * different chunks and wait for each other for ever.  Following cannot: say an
 * NPU waits for chunk X, with the partition before full of others.  Whoever
 * decided for X has room for as much, and had X there too; so it had let one
 * of those others go on before X, and then so has this NPU.
 *
 * (Entering in the order of intake is as safe, and as fast under fifo.  Under
 * lifo it cost up to 3 %, and more SRAM made one in fifty random systems
 * slower by more than 1 %: tests/README.md.)
 *
 * An FSM keeps up to chunks_per_fsm chunks in flight.  The chunk leaves its
 * FSM when its phase is over, and its partition when the next has taken it.
 *
 * Collectives of fewer phases (an all-to-all has one) use the first of each.
 *
 * Assumes  SRAM ports and the switch inside are never in the way
 * Sources  [ISCA21]
 */
#include <string.h>

#include "models/endpoints/ace_chunk.h"
#include "models/endpoints/ace_divide.h"
#include "models/endpoints/ace_params.h"

typedef struct {
    Endpoint base;
    HbmMover *tx, *rx;
    SimServer *alus;
    gboolean dma_is_bus; /* the bus is what limits the DMA engines */
    uint64_t alu_bytes_per_cycle;
    uint32_t terminal; /* index of that partition */
    AceSram sram;
    uint64_t n_slots[ACE_MAX_PARTITIONS],
        n_used[ACE_MAX_PARTITIONS]; /* of FSMs */
    uint64_t n_entered[ACE_MAX_PARTITIONS];
    GPtrArray *lines[ACE_MAX_PARTITIONS]; /* of Chunk that could enter */
    EndpointStats stats;
} Ace;

/* ---- construction ----------------------------------------------------- */

static gboolean divide(Ace *ace, const ConfigVariant *config,
                       const System *system, GError **error)
{
    AceDivision division;

    if (!ace_divide(config, system, &division, error))
        return FALSE;
    ace->terminal = division.n_phases;
    memcpy(ace->sram.size_bytes, division.sram_bytes,
           sizeof(division.sram_bytes));
    memcpy(ace->n_slots, division.n_slots, sizeof(division.n_slots));
    return TRUE;
}

static void on_tx(gpointer self, uint32_t slot, uint64_t now_ps);
static void on_rx(gpointer self, uint32_t slot, uint64_t now_ps);
static void on_reduced(gpointer self, uint32_t message, uint64_t now_ps);
static void ace_free(Endpoint *endpoint);

static Endpoint *ace_new(const ConfigVariant *config, Npu *npu, GError **error)
{
    const AceParams *params = config->params;
    const NpuConfig *npu_config = &npu->system->config->platform.npu;
    SimEngine *engine = npu->system->engine;
    uint64_t dma = MIN(params->memory_bytes_per_s, npu_config->bus_bytes_per_s);
    Ace *ace = g_new0(Ace, 1);

    ace->tx = hbm_mover_new(npu->hbm, engine, HBM_COMM_READ, dma, on_tx, ace);
    ace->rx = hbm_mover_new(npu->hbm, engine, HBM_COMM_WRITE, dma, on_rx, ace);
    ace->alus = sim_server_new(engine, (uint32_t)params->n_alus,
                               npu_config->clock_hz, on_reduced, ace);
    ace->dma_is_bus = npu_config->bus_bytes_per_s < params->memory_bytes_per_s;
    ace->alu_bytes_per_cycle = params->alu_bytes_per_cycle;
    endpoint_set_costs(&ace->base, &params->costs, npu_config->clock_hz);
    ace->stats.n_alus = params->n_alus;
    ace->stats.n_fsm_slots = params->n_fsms * params->chunks_per_fsm;
    ace->stats.sram_bytes = params->sram_bytes;
    for (uint32_t p = 0; p < ACE_MAX_PARTITIONS; p++)
        ace->lines[p] = g_ptr_array_new();
    if (!divide(ace, config, npu->system, error)) {
        ace_free(&ace->base);
        return NULL;
    }
    return &ace->base;
}

static void ace_free(Endpoint *endpoint)
{
    Ace *ace = (gpointer)endpoint;

    for (uint32_t p = 0; p < ACE_MAX_PARTITIONS; p++)
        g_ptr_array_unref(ace->lines[p]);
    hbm_mover_free(ace->tx);
    hbm_mover_free(ace->rx);
    sim_server_free(ace->alus);
    g_free(ace);
}

static void ace_claim(gconstpointer params, EndpointClaim *ret)
{
    const AceParams *p = params;

    *ret = (EndpointClaim){
        .read_bytes_per_s = p->memory_bytes_per_s,
        .write_bytes_per_s = p->memory_bytes_per_s,
        .only_while_communicating = p->only_while_communicating,
    };
}

/* ---- chunks through phases -------------------------------------------- */

static SimTime now(const Ace *ace)
{
    return sim_engine_now(ace->base.npu->system->engine);
}

static void tell_levels(const Ace *ace)
{
    const Npu *npu = ace->base.npu;
    uint64_t n_used = 0;

    for (uint32_t p = 0; npu->system->listeners && p < ace->terminal; p++)
        n_used += ace->n_used[p];
    TRACE(npu->system, level, npu->id, TRACE_LEVEL_SRAM,
          ace->sram.all_used_bytes);
    TRACE(npu->system, level, npu->id, TRACE_LEVEL_FSM_SLOTS, n_used);
}

static gboolean has_slot(const Ace *ace, uint32_t partition)
{
    return partition == ace->terminal ||
           ace->n_used[partition] < ace->n_slots[partition];
}

static gboolean has_room(const Ace *ace, const Chunk *chunk, uint32_t phase,
                         uint32_t partition)
{
    if (!has_slot(ace, partition))
        return FALSE;
    return phase == 0 || ace_sram_has_room(&ace->sram, partition,
                                           ace_held_bytes(chunk, phase));
}

/* What enters next; NULL: nobody, or another NPU has taken in one that is yet
 * to come here. */
static Chunk *first_in_line(const Ace *ace, uint32_t partition)
{
    const System *system = ace->base.npu->system;
    const GPtrArray *line = ace->lines[partition];
    uint64_t entry = ace->n_entered[partition] + 1;
    gboolean is_said =
        partition != ace->terminal && entry <= system->n_entries[partition];
    Chunk *first = NULL;

    for (guint i = 0; i < line->len; i++) {
        Chunk *chunk = g_ptr_array_index(line, i);

        if (is_said && chunk->entry[partition] == entry)
            return chunk;
        if (!is_said && (!first || chunk->order < first->order))
            first = chunk;
    }
    return first;
}

/* The next entry is @chunk's, at all NPUs. */
static void note_entry(Ace *ace, Chunk *chunk, uint32_t partition)
{
    System *system = ace->base.npu->system;

    ace->n_entered[partition]++;
    if (chunk->entry[partition] == 0)
        chunk->entry[partition] = ++system->n_entries[partition];
    g_assert(chunk->entry[partition] == ace->n_entered[partition]);
}

/* @chunk goes from the partition before to this one. */
static void move_on(Ace *ace, const Chunk *chunk, uint32_t phase,
                    uint32_t partition)
{
    if (phase == 0)
        return;
    ace_sram_take(&ace->sram, now(ace), partition,
                  ace_held_bytes(chunk, phase));
    ace_sram_give(&ace->sram, now(ace), phase - 1,
                  ace_held_bytes(chunk, phase - 1));
}

static void try_enter(Ace *ace, uint32_t partition)
{
    Npu *npu = ace->base.npu;
    Chunk *chunk;

    while ((chunk = first_in_line(ace, partition))) {
        ChunkState *state = chunk_state(chunk, npu->id);
        uint32_t phase = state->phase;

        if (!has_room(ace, chunk, phase, partition)) {
            TRACE_CHUNK(npu, chunk, chunk_waits,
                        has_slot(ace, partition) ? TRACE_SRAM : TRACE_FSMS);
            return;
        }
        g_ptr_array_remove(ace->lines[partition], chunk);
        move_on(ace, chunk, phase, partition);
        if (partition == ace->terminal) {
            tell_levels(ace);
            TRACE_CHUNK(npu, chunk, chunk_handed);
            hbm_mover_submit(ace->rx, chunk->order, ace_rx_bytes(chunk),
                             chunk->slot);
        } else {
            g_assert(has_slot(ace, partition));
            note_entry(ace, chunk, partition);
            ace->n_used[partition]++;
            tell_levels(ace);
            state->entered_ps = now(ace);
            pipeline_enter(npu, chunk);
        }
        if (phase == 1)
            scheduler_pump(npu);
        if (phase > 1)
            try_enter(ace, phase - 1);
    }
}

static gboolean ace_may_start(Endpoint *endpoint, uint64_t bytes)
{
    const Ace *ace = (gconstpointer)endpoint;

    return ace_sram_has_room(&ace->sram, 0, bytes);
}

static void leave_fsm(Ace *ace, Chunk *chunk, uint32_t phase)
{
    ace->stats.fsm_busy_ps +=
        now(ace) - chunk_state(chunk, ace->base.npu->id)->entered_ps;
    ace->n_used[phase]--;
    tell_levels(ace);
}

static void ace_advance(Endpoint *endpoint, Chunk *chunk, uint32_t phase)
{
    Ace *ace = (gpointer)endpoint;
    uint32_t partition = phase == ace_n_phases(chunk) ? ace->terminal : phase;

    if (phase == 0) {
        ace_sram_take(&ace->sram, now(ace), 0, ace_held_bytes(chunk, 0));
        tell_levels(ace);
        TRACE_CHUNK(ace->base.npu, chunk, chunk_handed);
        ace->stats.hbm_read_bytes += ace_tx_bytes(chunk);
        hbm_mover_submit(ace->tx, chunk->order, ace_tx_bytes(chunk),
                         chunk->slot);
        return;
    }
    leave_fsm(ace, chunk, phase - 1);
    g_ptr_array_add(ace->lines[partition], chunk);
    try_enter(ace, partition);
    try_enter(ace, phase - 1);
}

/* A DMA engine is no faster than its own rate or the bus. */
static void tell_moved(const Ace *ace, const Chunk *chunk,
                       const HbmMover *mover)
{
    TraceResource own = ace->dma_is_bus ? TRACE_BUS : TRACE_HBM_SHARE;

    TRACE_CHUNK(ace->base.npu, chunk, chunk_moved,
                endpoint_mover_bound(ace->base.npu, mover, own),
                hbm_mover_free_ps(mover));
}

static void on_tx(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    Chunk *chunk = g_ptr_array_index(ace->base.npu->system->chunks, slot);

    (void)now_ps;
    tell_moved(ace, chunk, ace->tx);
    g_ptr_array_add(ace->lines[0], chunk);
    try_enter(ace, 0);
}

static void on_rx(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    Chunk *chunk = g_ptr_array_index(ace->base.npu->system->chunks, slot);

    (void)now_ps;
    tell_moved(ace, chunk, ace->rx);
    ace->stats.hbm_write_bytes += ace_rx_bytes(chunk);
    ace_sram_give(&ace->sram, now(ace), ace->terminal, ace_rx_bytes(chunk));
    tell_levels(ace);
    try_enter(ace, ace->terminal);
    pipeline_enter(ace->base.npu, chunk);
}

/* ---- messages --------------------------------------------------------- */

static uint64_t alu_cycles(const Ace *ace, uint32_t message)
{
    Network *network = ace->base.npu->system->network;
    uint64_t bytes = network_message(network, message)->bytes;

    return (bytes + ace->alu_bytes_per_cycle - 1) / ace->alu_bytes_per_cycle;
}

static void on_reduced(gpointer self, uint32_t message, uint64_t now_ps)
{
    Ace *ace = self;
    Npu *npu = ace->base.npu;
    uint64_t hz = npu->system->config->platform.npu.clock_hz;

    TRACE(npu->system, message_done, npu->id, message, TRACE_ALUS,
          now_ps - sim_time_from_cycles(alu_cycles(self, message), hz));
    pipeline_handled(npu, message, TRUE);
}

static void ace_receive(Endpoint *endpoint, uint32_t message)
{
    Ace *ace = (gpointer)endpoint;
    const NetMessage *m =
        network_message(endpoint->npu->system->network, message);

    if (message_reduces(m))
        sim_server_submit(ace->alus, m->order_hi, alu_cycles(ace, message),
                          message);
    else
        pipeline_handled(endpoint->npu, message, FALSE);
}

/* ---- the rest --------------------------------------------------------- */

static void ace_set_rate(Endpoint *endpoint, HbmStream stream,
                         uint64_t bytes_per_s)
{
    Ace *ace = (gpointer)endpoint;

    hbm_mover_set_rate(stream == HBM_COMM_READ ? ace->tx : ace->rx,
                       bytes_per_s);
}

static void ace_stats(const Endpoint *endpoint, EndpointStats *ret)
{
    const Ace *ace = (gconstpointer)endpoint;

    *ret = ace->stats;
    ret->hbm_busy_ps = sim_server_busy_ps(hbm_mover_server(ace->tx));
    /* Outward, the TX DMA is what crosses the bus. */
    ret->bus_busy_ps = sim_time_from_bytes(
        ret->hbm_read_bytes,
        ace->base.npu->system->config->platform.npu.bus_bytes_per_s);
    ret->alu_busy_ps = sim_server_busy_ps(ace->alus);
    ret->sram_peak_bytes = ace->sram.peak_bytes;
    ret->sram_byte_us = (uint64_t)(ace->sram.byte_ns / 1000);
}

static void ace_explain(const Endpoint *endpoint, GString *text)
{
    const Ace *ace = (gconstpointer)endpoint;

    for (uint32_t p = 0; p <= ace->terminal; p++)
        g_string_append_printf(
            text,
            "  endpoint: %s %u: %u chunks to enter, %" G_GUINT64_FORMAT
            " of %" G_GUINT64_FORMAT " bytes and %" G_GUINT64_FORMAT
            " of %" G_GUINT64_FORMAT " FSM slots taken\n",
            p == ace->terminal ? "terminal partition" : "partition", p,
            ace->lines[p]->len, ace->sram.used_bytes[p],
            ace->sram.size_bytes[p], ace->n_used[p], ace->n_slots[p]);
}

const EndpointOps endpoint_ace = {
    .base = { .name = "ace",
              .summary = "an engine beside the NPU: FSMs and ALUs out of SRAM; "
                         "reads and writes each payload byte once",
              .fields = ace_fields,
              .size = sizeof(AceParams) },
    .new = ace_new,
    .free = ace_free,
    .claim = ace_claim,
    .pace = ace_pace,
    .may_start = ace_may_start,
    .advance = ace_advance,
    .receive = ace_receive,
    .set_rate = ace_set_rate,
    .stats = ace_stats,
    .explain = ace_explain,
};
