/*
 * host_memory.c - an endpoint on CPU cores that work in host memory
 *
 * This models MPI and gRPC with tensors of a GPU of which they know nothing.  A
 * chunk of B bytes is copied out of the NPU, passes through its steps in host
 * memory, where cores add what arrives, and is copied back:
 *
 *     before the first step   out: staging_launch + B / staging_bandwidth
 *                             cores: B / buffer_bandwidth
 *     a message of b bytes    cores: b / reduce_bandwidth, if it is added
 *     after the last step     cores: B / scale_bandwidth, if it is a sum
 *                             back: copies_back x
 *                                   (staging_launch + B / staging_bandwidth)
 *
 * Copies of one direction are done one after the other; the two directions work
 * in parallel.  All cores are one resource that does one job at a time, the
 * smallest order first.  Chunks are staged one by one.  If the rules of a
 * library make one chunk of the payload, the payload is staged as a whole.
 *
 * At a parameter server, the root of a star, nothing is copied.
 *
 * The endpoint takes no SMs and no share of the HBM.  Staged bytes are counted
 * as HBM reads and writes.  Data that a rank only receives is not staged out,
 * and data that it only sends is not staged back.
 *
 * Assumes  a host has separate cores and PCIe lanes for each rank
 */
#include "models/endpoints/host_memory/host_memory_state_impl.h"

static void on_cores(gpointer self, uint32_t job, uint64_t now_ps);
static void on_out(gpointer self, uint32_t slot, uint64_t now_ps);
static void on_back(gpointer self, uint32_t slot, uint64_t now_ps);

static Endpoint *host_memory_new(const ConfigVariant *config,
                                 const EndpointSite *site, EndpointHost *host,
                                 GError **error)
{
    HostMemory *memory = g_new0(HostMemory, 1);
    SimEngine *engine = host->engine;

    (void)error;
    memory->params = config->params;
    memory->cores = sim_server_new(engine, 1, SIM_PS_PER_SEC, on_cores, memory);
    memory->out = sim_server_new(engine, 1, SIM_PS_PER_SEC, on_out, memory);
    memory->back = sim_server_new(engine, 1, SIM_PS_PER_SEC, on_back, memory);
    memory->is_done = g_byte_array_new();
    endpoint_set_costs(&memory->base, &memory->params->costs,
                       site->npu->clock_hz);
    return &memory->base;
}

static void host_memory_free(Endpoint *endpoint)
{
    HostMemory *memory = (HostMemory *)endpoint;

    sim_server_free(memory->cores);
    sim_server_free(memory->out);
    sim_server_free(memory->back);
    g_byte_array_unref(memory->is_done);
    g_free(memory);
}

static void host_memory_claim(gconstpointer params, EndpointClaim *ret)
{
    (void)params;
    (void)ret; /* the endpoint claims no resources of the NPU */
}

/* ---- durations --------------------------------------------------------- */

static SimTime transfer_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    return bytes_per_s == 0 ? 0 : sim_time_from_bytes(bytes, bytes_per_s);
}

static SimTime staging_ps(const HostMemoryParams *params, uint64_t bytes)
{
    if (params->staging_bytes_per_s == 0 || bytes == 0)
        return 0;
    return sim_time_add(params->staging_launch_ps,
                        transfer_ps(bytes, params->staging_bytes_per_s));
}

static SimTime back_ps(const HostMemoryParams *params, uint64_t bytes)
{
    return params->n_copies_back * staging_ps(params, bytes);
}

static SimTime scale_ps(const HostMemoryParams *params, const CollPlan *plan,
                        uint64_t bytes)
{
    return coll_contract(plan->kind)->adds
               ? transfer_ps(bytes, params->scale_bytes_per_s)
               : 0;
}

static gboolean host_memory_pace(gconstpointer params, const EndpointSite *site,
                                 const CollPlan *plan, uint64_t chunk_bytes,
                                 CutPace *ret)
{
    const HostMemoryParams *p = params;
    uint64_t read_bytes = endpoint_read_bytes(plan, chunk_bytes);
    uint64_t written_bytes = endpoint_written_bytes(plan, chunk_bytes);

    ret->message_ps = endpoint_message_ps(&p->costs, site->npu);
    ret->add_bytes_per_s = p->reduce_bytes_per_s;
    ret->n_adders = 1;
    ret->fetch_ps = staging_ps(p, read_bytes) +
                    transfer_ps(read_bytes, p->buffer_bytes_per_s);
    ret->store_ps =
        scale_ps(p, plan, written_bytes) + back_ps(p, written_bytes);
    return TRUE;
}

/* ---- chunks ------------------------------------------------------------ */

static Chunk *chunk_at(const HostMemory *memory, uint32_t slot)
{
    return host_chunk(memory->base.host, slot);
}

/* Returns whether this NPU is the parameter server of @chunk.  Its data is
 * already in host memory. */
static gboolean is_server(const HostMemory *memory, const Chunk *chunk)
{
    const CollPhase *phase = chunk_phase(chunk, 0);

    return phase->algorithm == &coll_star &&
           coll_rank(phase, memory->base.host->id) == phase->group.from;
}

static uint64_t bytes_before(const HostMemory *memory, const Chunk *chunk)
{
    return is_server(memory, chunk)
               ? 0
               : endpoint_tx_bytes(chunk, memory->base.host->id);
}

static uint64_t bytes_after(const HostMemory *memory, const Chunk *chunk)
{
    return is_server(memory, chunk)
               ? 0
               : endpoint_rx_bytes(chunk, memory->base.host->id);
}

/* Submits a job of @chunk to @server, in the same order as messages.  Returns
 * FALSE if the job takes no time; no callback follows then. */
static gboolean submit(const HostMemory *memory, SimServer *server,
                       const Chunk *chunk, SimTime takes_ps, uint32_t job)
{
    const EndpointHost *host = memory->base.host;

    if (takes_ps == 0)
        return FALSE;
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_submitted);
    sim_server_submit(server, host_memory_order(memory, chunk), takes_ps, job);
    return TRUE;
}

static void trace_job(const HostMemory *memory, const Chunk *chunk,
                      TraceResource own, SimTime takes_ps, SimTime now_ps)
{
    const EndpointHost *host = memory->base.host;

    TRACE(host->watch, served, host->id, RESOURCE_OWN + own, now_ps - takes_ps);
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_moved, RESOURCE_OWN + own,
                now_ps - takes_ps);
}

static SimTime cores_ps(const HostMemory *memory, const Chunk *chunk)
{
    if (memory->is_done->data[chunk->slot])
        return scale_ps(memory->params, chunk->plan,
                        bytes_after(memory, chunk));
    return transfer_ps(bytes_before(memory, chunk),
                       memory->params->buffer_bytes_per_s);
}

/* Lets the cores prepare @chunk in host memory for its first step. */
static void prepare_steps(HostMemory *memory, Chunk *chunk)
{
    if (!submit(memory, memory->cores, chunk, cores_ps(memory, chunk),
                chunk->slot | HOST_MEMORY_IS_CHUNK))
        host_enter(memory->base.host, chunk);
}

static void stage_back(HostMemory *memory, Chunk *chunk)
{
    uint64_t bytes = bytes_after(memory, chunk);

    if (memory->params->staging_bytes_per_s > 0)
        memory->written_bytes += memory->params->n_copies_back * bytes;
    if (!submit(memory, memory->back, chunk, back_ps(memory->params, bytes),
                chunk->slot))
        host_enter(memory->base.host, chunk);
}

static void on_out(gpointer self, uint32_t slot, uint64_t now_ps)
{
    HostMemory *memory = self;
    Chunk *chunk = chunk_at(memory, slot);

    trace_job(memory, chunk, HOST_STAGING,
              staging_ps(memory->params, bytes_before(memory, chunk)), now_ps);
    prepare_steps(memory, chunk);
}

static void on_back(gpointer self, uint32_t slot, uint64_t now_ps)
{
    HostMemory *memory = self;
    Chunk *chunk = chunk_at(memory, slot);

    trace_job(memory, chunk, HOST_STAGING,
              back_ps(memory->params, bytes_after(memory, chunk)), now_ps);
    host_enter(memory->base.host, chunk);
}

static void stage_out(HostMemory *memory, Chunk *chunk)
{
    uint64_t bytes = bytes_before(memory, chunk);

    if (memory->params->staging_bytes_per_s > 0)
        memory->read_bytes += bytes;
    if (!submit(memory, memory->out, chunk, staging_ps(memory->params, bytes),
                chunk->slot))
        prepare_steps(memory, chunk);
}

static void finish_steps(HostMemory *memory, Chunk *chunk)
{
    if (!submit(memory, memory->cores, chunk, cores_ps(memory, chunk),
                chunk->slot | HOST_MEMORY_IS_CHUNK))
        stage_back(memory, chunk);
}

static gboolean host_memory_may_start(Endpoint *endpoint, uint64_t bytes)
{
    (void)endpoint;
    (void)bytes;
    return TRUE;
}

static void host_memory_advance(Endpoint *endpoint, Chunk *chunk,
                                uint32_t phase)
{
    HostMemory *memory = (HostMemory *)endpoint;

    if (chunk->slot >= memory->is_done->len)
        g_byte_array_set_size(memory->is_done, chunk->slot + 1);
    memory->is_done->data[chunk->slot] = phase == chunk->plan->n_phases;
    if (phase == 0)
        stage_out(memory, chunk);
    else if (phase == chunk->plan->n_phases)
        finish_steps(memory, chunk);
    else
        host_enter(endpoint->host, chunk);
}

/* ---- messages ---------------------------------------------------------- */

static SimTime add_ps(const HostMemory *memory, uint32_t message)
{
    return transfer_ps(host_message(memory->base.host, message)->bytes,
                       memory->params->reduce_bytes_per_s);
}

static void on_added(HostMemory *memory, uint32_t message, uint64_t now_ps)
{
    EndpointHost *host = memory->base.host;
    SimTime from_ps = now_ps - add_ps(memory, message);

    TRACE(host->watch, served, host->id, RESOURCE_OWN + HOST_CORES, from_ps);
    TRACE(host->watch, message_done, host->id, message,
          RESOURCE_OWN + HOST_CORES, from_ps);
    host_handled(host, message, TRUE);
}

static void on_cores(gpointer self, uint32_t job, uint64_t now_ps)
{
    HostMemory *memory = self;
    Chunk *chunk;

    if ((job & HOST_MEMORY_IS_CHUNK) == 0) {
        on_added(memory, job, now_ps);
        return;
    }
    chunk = chunk_at(memory, job & ~HOST_MEMORY_IS_CHUNK);
    trace_job(memory, chunk, HOST_CORES, cores_ps(memory, chunk), now_ps);
    if (memory->is_done->data[chunk->slot])
        stage_back(memory, chunk);
    else
        host_enter(memory->base.host, chunk);
}

static void host_memory_receive(Endpoint *endpoint, uint32_t message)
{
    HostMemory *memory = (HostMemory *)endpoint;
    const NetMessage *m = host_message(endpoint->host, message);
    SimTime takes_ps = message_reduces(m) ? add_ps(memory, message) : 0;

    g_assert((message & HOST_MEMORY_IS_CHUNK) == 0);
    if (takes_ps == 0)
        host_handled(endpoint->host, message, message_reduces(m));
    else
        sim_server_submit(memory->cores, m->order_hi, takes_ps, message);
}

/* ---- statistics -------------------------------------------------------- */

static void host_memory_stats(const Endpoint *endpoint, EndpointStats *ret)
{
    const HostMemory *memory = (const HostMemory *)endpoint;

    *ret = (EndpointStats){ .hbm_read_bytes = memory->read_bytes,
                            .hbm_write_bytes = memory->written_bytes };
}

static void host_memory_uses(const Endpoint *endpoint, ResourceUse *ret)
{
    const HostMemory *memory = (const HostMemory *)endpoint;

    ret[HOST_CORES].capacity = 1;
    ret[HOST_CORES].busy_ps = sim_server_busy_ps(memory->cores);
    ret[HOST_STAGING].capacity = 2;
    ret[HOST_STAGING].busy_ps =
        sim_server_busy_ps(memory->out) + sim_server_busy_ps(memory->back);
}

static void host_memory_explain(const Endpoint *endpoint, GString *text)
{
    const HostMemory *memory = (const HostMemory *)endpoint;

    g_string_append_printf(text,
                           "  endpoint: %u wait for cores, %u chunks for the "
                           "copy to the host, %u for the copy back\n",
                           sim_server_n_waiting(memory->cores),
                           sim_server_n_waiting(memory->out),
                           sim_server_n_waiting(memory->back));
}

/* The endpoint reads no more of its NPU than endpoints/invariance.h allows. */
static const EndpointInvariance host_memory_invariance = { 0 };

const EndpointOps endpoint_host_memory = {
    .base = { .name = "host",
              .summary = "CPU cores in host memory: staged out, added there, "
                         "staged back; no SMs",
              .fields = host_memory_fields,
              .size = sizeof(HostMemoryParams) },
    .new = host_memory_new,
    .free = host_memory_free,
    .resources = host_memory_resources,
    .uses = host_memory_uses,
    .claim = host_memory_claim,
    .pace = host_memory_pace,
    .may_start = host_memory_may_start,
    .advance = host_memory_advance,
    .receive = host_memory_receive,
    .stats = host_memory_stats,
    .steady = host_memory_steady,
    .explain = host_memory_explain,
    .slack = &host_memory_invariance,
};
