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
#include "models/endpoints/ace_resources.h"
#include "models/endpoints/endpoint_impl.h"

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
    GArray *entered_ps; /* owned, of SimTime, by slot: its present phase */
    EndpointStats stats;
    SimTime slots_held_ps; /* summed over slots of FSMs, */
    uint64_t n_all_slots;  /* of which there are as many */
    uint64_t n_alus, sram_bytes;
} Ace;

/* ---- construction ----------------------------------------------------- */

static gboolean divide(Ace *ace, const ConfigVariant *config,
                       const EndpointSite *site, GError **error)
{
    AceDivision division;

    if (!ace_divide(config, site, &division, error))
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

static Endpoint *ace_new(const ConfigVariant *config, const EndpointSite *site,
                         EndpointHost *host, GError **error)
{
    const AceParams *params = config->params;
    const NpuConfig *npu = site->npu;
    SimEngine *engine = host->engine;
    uint64_t dma = MIN(params->memory_bytes_per_s, npu->bus_bytes_per_s);
    Ace *ace = g_new0(Ace, 1);

    ace->tx = hbm_mover_new(host->hbm, engine, HBM_COMM_READ, dma, on_tx, ace);
    ace->rx = hbm_mover_new(host->hbm, engine, HBM_COMM_WRITE, dma, on_rx, ace);
    ace->alus = sim_server_new(engine, (uint32_t)params->n_alus, npu->clock_hz,
                               on_reduced, ace);
    ace->dma_is_bus = npu->bus_bytes_per_s < params->memory_bytes_per_s;
    ace->alu_bytes_per_cycle = params->alu_bytes_per_cycle;
    endpoint_set_costs(&ace->base, &params->costs, npu->clock_hz);
    ace->n_alus = params->n_alus;
    ace->n_all_slots = params->n_fsms * params->chunks_per_fsm;
    ace->sram_bytes = params->sram_bytes;
    for (uint32_t p = 0; p < ACE_MAX_PARTITIONS; p++)
        ace->lines[p] = g_ptr_array_new();
    ace->entered_ps = g_array_new(FALSE, TRUE, sizeof(SimTime));
    if (!divide(ace, config, site, error)) {
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
    g_array_unref(ace->entered_ps);
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
    return sim_engine_now(ace->base.host->engine);
}

static void tell_levels(const Ace *ace)
{
    const EndpointHost *host = ace->base.host;
    uint64_t n_used = 0;

    for (uint32_t p = 0; host->watch->listeners && p < ace->terminal; p++)
        n_used += ace->n_used[p];
    TRACE(host->watch, level, host->id, TRACE_LEVEL_OWN + ACE_SRAM,
          ace->sram.all_used_bytes);
    TRACE(host->watch, level, host->id, TRACE_LEVEL_OWN + ACE_FSMS, n_used);
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
    const uint64_t *n_entries = ace->base.host->n_entries;
    const GPtrArray *line = ace->lines[partition];
    uint64_t entry = ace->n_entered[partition] + 1;
    gboolean is_said =
        partition != ace->terminal && entry <= n_entries[partition];
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
    uint64_t *n_entries = ace->base.host->n_entries;

    ace->n_entered[partition]++;
    if (chunk->entry[partition] == 0)
        chunk->entry[partition] = ++n_entries[partition];
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

static SimTime *entered_at(Ace *ace, const Chunk *chunk)
{
    if (chunk->slot >= ace->entered_ps->len)
        g_array_set_size(ace->entered_ps, chunk->slot + 1);
    return &g_array_index(ace->entered_ps, SimTime, chunk->slot);
}

/* Of the phase in @partition, which has room for it. */
static void enter(Ace *ace, Chunk *chunk, uint32_t partition)
{
    g_assert(has_slot(ace, partition));
    note_entry(ace, chunk, partition);
    ace->n_used[partition]++;
    tell_levels(ace);
    *entered_at(ace, chunk) = now(ace);
    host_enter(ace->base.host, chunk);
}

static void write_back(Ace *ace, const Chunk *chunk)
{
    const EndpointHost *host = ace->base.host;

    tell_levels(ace);
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_handed);
    hbm_mover_submit(ace->rx, chunk->order, ace_rx_bytes(chunk), chunk->slot);
}

static void try_enter(Ace *ace, uint32_t partition)
{
    EndpointHost *host = ace->base.host;
    Chunk *chunk;

    while ((chunk = first_in_line(ace, partition))) {
        uint32_t phase =
            partition == ace->terminal ? ace_n_phases(chunk) : partition;

        if (!has_room(ace, chunk, phase, partition)) {
            TRACE_CHUNK(host->watch, host->id, chunk, chunk_waits,
                        RESOURCE_OWN +
                            (has_slot(ace, partition) ? ACE_SRAM : ACE_FSMS));
            return;
        }
        g_ptr_array_remove(ace->lines[partition], chunk);
        move_on(ace, chunk, phase, partition);
        if (partition == ace->terminal)
            write_back(ace, chunk);
        else
            enter(ace, chunk, partition);
        if (phase == 1)
            host_has_room(host);
        if (phase > 1)
            try_enter(ace, phase - 1);
    }
}

static gboolean ace_may_start(Endpoint *endpoint, uint64_t bytes)
{
    const Ace *ace = (gconstpointer)endpoint;

    return ace_sram_has_room(&ace->sram, 0, bytes);
}

static void leave_fsm(Ace *ace, const Chunk *chunk, uint32_t phase)
{
    ace->slots_held_ps += now(ace) - *entered_at(ace, chunk);
    ace->n_used[phase]--;
    tell_levels(ace);
}

static void ace_advance(Endpoint *endpoint, Chunk *chunk, uint32_t phase)
{
    Ace *ace = (gpointer)endpoint;
    const EndpointHost *host = endpoint->host;
    uint32_t partition = phase == ace_n_phases(chunk) ? ace->terminal : phase;

    if (phase == 0) {
        ace_sram_take(&ace->sram, now(ace), 0, ace_held_bytes(chunk, 0));
        tell_levels(ace);
        TRACE_CHUNK(host->watch, host->id, chunk, chunk_handed);
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
    const EndpointHost *host = ace->base.host;
    TraceResource own = ace->dma_is_bus ? RESOURCE_BUS : RESOURCE_HBM_SHARE;

    TRACE_CHUNK(host->watch, host->id, chunk, chunk_moved,
                endpoint_mover_bound(host->config, mover, own),
                hbm_mover_free_ps(mover));
}

static void on_tx(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    Chunk *chunk = host_chunk(ace->base.host, slot);

    (void)now_ps;
    /* Outward, the TX DMA is what crosses the bus. */
    ace->stats.bus_busy_ps += sim_time_from_bytes(
        ace_tx_bytes(chunk), ace->base.host->config->bus_bytes_per_s);
    tell_moved(ace, chunk, ace->tx);
    g_ptr_array_add(ace->lines[0], chunk);
    try_enter(ace, 0);
}

static void on_rx(gpointer self, uint32_t slot, uint64_t now_ps)
{
    Ace *ace = self;
    Chunk *chunk = host_chunk(ace->base.host, slot);

    (void)now_ps;
    tell_moved(ace, chunk, ace->rx);
    ace->stats.hbm_write_bytes += ace_rx_bytes(chunk);
    ace_sram_give(&ace->sram, now(ace), ace->terminal, ace_rx_bytes(chunk));
    tell_levels(ace);
    try_enter(ace, ace->terminal);
    host_enter(ace->base.host, chunk);
}

/* ---- messages --------------------------------------------------------- */

static uint64_t alu_cycles(const Ace *ace, uint32_t message)
{
    uint64_t bytes = host_message(ace->base.host, message)->bytes;

    return (bytes + ace->alu_bytes_per_cycle - 1) / ace->alu_bytes_per_cycle;
}

static void on_reduced(gpointer self, uint32_t message, uint64_t now_ps)
{
    Ace *ace = self;
    EndpointHost *host = ace->base.host;
    SimTime from_ps = now_ps - sim_time_from_cycles(alu_cycles(self, message),
                                                    host->config->clock_hz);

    TRACE(host->watch, served, host->id, RESOURCE_OWN + ACE_ALUS, from_ps);
    TRACE(host->watch, message_done, host->id, message, RESOURCE_OWN + ACE_ALUS,
          from_ps);
    host_handled(host, message, TRUE);
}

static void ace_receive(Endpoint *endpoint, uint32_t message)
{
    Ace *ace = (gpointer)endpoint;
    const NetMessage *m = host_message(endpoint->host, message);

    if (message_reduces(m))
        sim_server_submit(ace->alus, m->order_hi, alu_cycles(ace, message),
                          message);
    else
        host_handled(endpoint->host, message, FALSE);
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
}

static void ace_uses(const Endpoint *endpoint, ResourceUse *ret)
{
    const Ace *ace = (gconstpointer)endpoint;

    ret[ACE_ALUS].capacity = ace->n_alus;
    ret[ACE_ALUS].busy_ps = sim_server_busy_ps(ace->alus);
    ret[ACE_SRAM].capacity = ace->sram_bytes;
    ret[ACE_SRAM].peak = ace->sram.peak_bytes;
    ret[ACE_SRAM].unit_us = (uint64_t)(ace->sram.byte_ns / 1000);
    ret[ACE_FSMS].capacity = ace->n_all_slots;
    ret[ACE_FSMS].busy_ps = ace->slots_held_ps;
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
    .resources = ace_resources,
    .uses = ace_uses,
    .intake = ACE_SRAM,
    .claim = ace_claim,
    .pace = ace_pace,
    .may_start = ace_may_start,
    .advance = ace_advance,
    .receive = ace_receive,
    .set_rate = ace_set_rate,
    .stats = ace_stats,
    .explain = ace_explain,
};
