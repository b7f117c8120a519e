/*
 * ace.c - the endpoint ACE: a collectives engine beside the NPU that works out
 * of its own SRAM
 *
 * The TX DMA reads a chunk from HBM once, into the first partition.  The chunk
 * passes through its phases, each in the partition of that phase and driven by
 * an FSM of that phase.  It then moves to the terminal partition, from which
 * the RX DMA writes it back once.  In between, messages go from link to SRAM to
 * link; an ALU adds what a reduce-scatter step receives. chunk_admission.c
 * defines how chunks move between partitions.
 *
 * A collective with fewer phases (an all-to-all has one) uses the first ones.
 *
 * Assumes  SRAM ports and the internal switch are never a bottleneck
 * Sources  [ISCA21]
 */
#include "models/endpoints/ace/ace_impl.h"
#include "models/endpoints/ace/ace_invariance.h"
#include "models/endpoints/ace/ace_params.h"
#include "models/endpoints/ace/resource_division.h"

/* ---- construction ----------------------------------------------------- */

/* As ace_divide_resources(), unless the division is known. */
static gboolean find_or_make_division(const ConfigVariant *config,
                                      const EndpointSite *site,
                                      AceDivision *ret, GError **error)
{
    const AceDivision *known =
        site->known ? g_hash_table_lookup(site->known, config->params) : NULL;

    if (known) {
        *ret = *known;
        return TRUE;
    }
    if (!ace_divide_resources(config, site, ret, error))
        return FALSE;
    if (site->known)
        g_hash_table_insert(site->known, (gpointer)config->params,
                            g_memdup2(ret, sizeof *ret));
    return TRUE;
}

static gboolean divide_ace_sram_and_fsms(Ace *ace, const ConfigVariant *config,
                                         const EndpointSite *site,
                                         GError **error)
{
    AceDivision division;

    if (!find_or_make_division(config, site, &division, error))
        return FALSE;
    ace->terminal = division.n_phases;
    for (uint32_t p = 0; p < ACE_MAX_PARTITIONS; p++) {
        ace->sram.partitions[p].size_bytes = division.sram_bytes[p];
        ace->partitions[p].n_slots = division.n_slots[p];
    }
    return TRUE;
}

static void on_message_reduced(gpointer self, uint32_t message,
                               uint64_t now_ps);
static void ace_endpoint_free(Endpoint *endpoint);

static Endpoint *ace_endpoint_new(const ConfigVariant *config,
                                  const EndpointSite *site, EndpointHost *host,
                                  GError **error)
{
    const AceParams *params = config->params;
    const NpuConfig *npu = site->npu;
    SimEngine *engine = host->engine;
    uint64_t dma = MIN(params->memory_bytes_per_s, npu->bus_bytes_per_s);
    Ace *ace = cache_lines_alloc_zeroed(sizeof *ace);

    ace->tx = hbm_mover_new(host->hbm, engine,
                            hbm_comm_stream(HBM_COMM_READ, site->index), dma,
                            ace_on_chunk_read, ace);
    ace->rx = hbm_mover_new(host->hbm, engine,
                            hbm_comm_stream(HBM_COMM_WRITE, site->index), dma,
                            ace_on_chunk_written_back, ace);
    ace->alus = sim_server_new(engine, (uint32_t)params->n_alus, npu->clock_hz,
                               on_message_reduced, ace);
    ace->dma_is_bus = npu->bus_bytes_per_s < params->memory_bytes_per_s;
    ace->alu_bytes_per_cycle = params->alu_bytes_per_cycle;
    endpoint_set_costs(&ace->base, &params->costs, npu->clock_hz);
    ace->n_alus = params->n_alus;
    ace->n_all_slots = params->n_fsms * params->chunks_per_fsm;
    ace->sram_bytes = params->sram_bytes;
    ace->notes = host->notes;
    ace->asker = (AdmissionRequester){ .ops = &ace_requester_ops, .self = ace };
    for (uint32_t p = 0; p < ACE_MAX_PARTITIONS; p++) {
        ace->partitions[p].candidates = g_ptr_array_new();
        g_queue_init(&ace->partitions[p].intake_order);
    }
    if (!divide_ace_sram_and_fsms(ace, config, site, error)) {
        ace_endpoint_free(&ace->base);
        return NULL;
    }
    return &ace->base;
}

static void ace_endpoint_free(Endpoint *endpoint)
{
    Ace *ace = (gpointer)endpoint;

    for (uint32_t p = 0; p < ACE_MAX_PARTITIONS; p++) {
        g_ptr_array_unref(ace->partitions[p].candidates);
        g_queue_clear(&ace->partitions[p].intake_order);
    }
    hbm_mover_free(ace->tx);
    hbm_mover_free(ace->rx);
    sim_server_free(ace->alus);
    cache_lines_free(ace);
}

static void ace_claim_resources(gconstpointer params, EndpointClaim *ret)
{
    const AceParams *ace_params = params;

    *ret = (EndpointClaim){
        .read_bytes_per_s = ace_params->memory_bytes_per_s,
        .write_bytes_per_s = ace_params->memory_bytes_per_s,
        .only_while_communicating = ace_params->only_while_communicating,
    };
}

/* ---- messages --------------------------------------------------------- */

static uint64_t alu_cycles_of_message(const Ace *ace, uint32_t message)
{
    uint64_t bytes = host_get_message(ace->base.host, message)->bytes;

    return (bytes + ace->alu_bytes_per_cycle - 1) / ace->alu_bytes_per_cycle;
}

static G_GNUC_NO_INLINE void
trace_reduced_message(const Ace *ace, uint32_t message, SimTime now_ps)
{
    const EndpointHost *host = ace->base.host;
    SimTime from_ps =
        now_ps - sim_time_from_cycles(alu_cycles_of_message(ace, message),
                                      host->config->clock_hz);

    TRACE(host->watch, served, host->id, ace->base.first_resource + ACE_ALUS,
          from_ps);
    TRACE(host->watch, message_done, host->id, message,
          ace->base.first_resource + ACE_ALUS, from_ps);
}

static void on_message_reduced(gpointer self, uint32_t message, uint64_t now_ps)
{
    Ace *ace = self;
    EndpointHost *host = ace->base.host;

    if (G_UNLIKELY(host->watch->heard.served ||
                   host->watch->heard.message_done))
        trace_reduced_message(ace, message, now_ps);
    host_report_message_processed(host, message, TRUE);
}

static void ace_receive_message(Endpoint *endpoint, uint32_t message)
{
    Ace *ace = (gpointer)endpoint;
    const NetMessage *net_message = host_get_message(endpoint->host, message);

    sim_server_submit_job(ace->alus, net_message->order_hi,
                          alu_cycles_of_message(ace, message), message);
}

/* ---- rates and statistics ----------------------------------------------- */

static void ace_set_hbm_rate(Endpoint *endpoint, HbmStream stream,
                             uint64_t bytes_per_s)
{
    Ace *ace = (gpointer)endpoint;

    hbm_mover_set_rate(stream == HBM_COMM_READ ? ace->tx : ace->rx,
                       bytes_per_s);
}

static void ace_read_counters(const Endpoint *endpoint, EndpointStats *ret)
{
    const Ace *ace = (gconstpointer)endpoint;

    *ret = ace->stats;
    ret->bus_busy_ps = ace->bus.busy_ps;
    ret->hbm_busy_ps = sim_server_busy_ps(hbm_mover_server(ace->tx));
}

static void ace_report_resource_use(const Endpoint *endpoint, ResourceUse *ret)
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

static void ace_record_notes(const Endpoint *endpoint)
{
    const Ace *ace = (gconstpointer)endpoint;

    ace->notes->has_queued |= sim_server_has_queued(ace->alus);
}

static void ace_explain_stall(const Endpoint *endpoint, GString *text)
{
    const Ace *ace = (gconstpointer)endpoint;

    for (uint32_t p = 0; p <= ace->terminal; p++)
        g_string_append_printf(
            text,
            "  endpoint: %s %u: %u chunks to enter, %" G_GUINT64_FORMAT
            " of %" G_GUINT64_FORMAT " bytes and %" G_GUINT64_FORMAT
            " of %" G_GUINT64_FORMAT " FSM slots taken\n",
            p == ace->terminal ? "terminal partition" : "partition", p,
            ace->partitions[p].candidates->len,
            ace->sram.partitions[p].used_bytes,
            ace->sram.partitions[p].size_bytes, ace->partitions[p].n_used,
            ace->partitions[p].n_slots);
}

const EndpointOps endpoint_ace = {
    .base = { .name = "ace",
              .summary = "an engine next to the NPU: FSMs and ALUs on SRAM; "
                         "reads and writes each payload byte once",
              .fields = ace_fields,
              .size = sizeof(AceParams) },
    .new = ace_endpoint_new,
    .free = ace_endpoint_free,
    .resources = ace_resources,
    .uses = ace_report_resource_use,
    .intake = ACE_SRAM,
    .claim = ace_claim_resources,
    .pace = ace_estimate_chunk_costs,
    .may_start = ace_may_admit_chunk,
    .advance = ace_advance_chunk,
    .receive = ace_receive_message,
    .stores_at_once = TRUE,
    .set_rate = ace_set_hbm_rate,
    .stats = ace_read_counters,
    .steady = ace_visit_state,
    .explain = ace_explain_stall,
    .note = ace_record_notes,
    .invariance = &ace_invariance,
};
