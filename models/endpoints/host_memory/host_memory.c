/*
 * host_memory.c - an endpoint on CPU cores that work in host memory
 *
 * This models MPI and gRPC with tensors of a GPU of which they know nothing.  A
 * chunk of B bytes is copied out of the NPU, passes through its steps in host
 * memory, where cores add what arrives, and is copied back:
 *
 *     before the first step   out: staging_launch + B / staging_bandwidth
 *                             cores: B / buffer_bandwidth
 *     a message of b bytes    leaving: b / message_bandwidth
 *     once it has come        coming: b / message_bandwidth
 *                             cores: b / reduce_bandwidth, if it is added
 *     after the last step     cores: B / scale_bandwidth, if it is a sum
 *                             back: copies_back x
 *                                   (staging_launch + B / staging_bandwidth)
 *
 * Copies of one direction are done one after the other; the two directions work
 * in parallel.  The same holds for messages: a process has one thread that
 * gives them to the network and one that takes them from it, and the rate of a
 * thread does not depend on the network.  All cores are one resource that does
 * one job at a time, the smallest order first.  Chunks are staged one by one.
 * If the rules of a library make one chunk of the payload, the payload is
 * staged as a whole.
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

static void on_core_job_done(gpointer self, uint32_t job, uint64_t now_ps);
static void on_chunk_copied_out(gpointer self, uint32_t slot, uint64_t now_ps);
static void on_chunk_copied_back(gpointer self, uint32_t slot, uint64_t now_ps);
static void on_message_given_out(gpointer self, uint32_t message,
                                 uint64_t now_ps);
static void on_message_taken_in(gpointer self, uint32_t message,
                                uint64_t now_ps);

static Endpoint *host_memory_new(const ConfigVariant *config,
                                 const EndpointSite *site, EndpointHost *host,
                                 GError **error)
{
    HostMemory *memory = g_new0(HostMemory, 1);
    SimEngine *engine = host->engine;

    (void)error;
    memory->params = config->params;
    memory->cores =
        sim_server_new(engine, 1, SIM_PS_PER_SEC, on_core_job_done, memory);
    memory->out =
        sim_server_new(engine, 1, SIM_PS_PER_SEC, on_chunk_copied_out, memory);
    memory->back =
        sim_server_new(engine, 1, SIM_PS_PER_SEC, on_chunk_copied_back, memory);
    memory->leaving =
        sim_server_new(engine, 1, SIM_PS_PER_SEC, on_message_given_out, memory);
    memory->coming =
        sim_server_new(engine, 1, SIM_PS_PER_SEC, on_message_taken_in, memory);
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
    sim_server_free(memory->leaving);
    sim_server_free(memory->coming);
    g_byte_array_unref(memory->is_done);
    g_free(memory);
}

static void host_memory_claim_resources(gconstpointer params,
                                        EndpointClaim *ret)
{
    (void)params;
    (void)ret; /* the endpoint claims no resources of the NPU */
}

/* ---- durations --------------------------------------------------------- */

static SimTime transfer_time_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    return bytes_per_s == 0 ? 0 : sim_time_from_bytes(bytes, bytes_per_s);
}

static SimTime staging_copy_time_ps(const HostMemoryParams *params,
                                    uint64_t bytes)
{
    if (params->staging_bytes_per_s == 0 || bytes == 0)
        return 0;
    return sim_time_add(params->staging_launch_ps,
                        transfer_time_ps(bytes, params->staging_bytes_per_s));
}

static SimTime copy_back_time_ps(const HostMemoryParams *params, uint64_t bytes)
{
    return params->n_copies_back * staging_copy_time_ps(params, bytes);
}

static SimTime scale_time_of_sum_ps(const HostMemoryParams *params,
                                    const CollPlan *plan, uint64_t bytes)
{
    return coll_contract(plan->kind)->adds
               ? transfer_time_ps(bytes, params->scale_bytes_per_s)
               : 0;
}

/* Returns the rate at which a message passes the threads of its sender and of
 * its receiver, whose cores then add it; 0: that takes no time. */
static uint64_t rate_of_message_bytes(const HostMemoryParams *params)
{
    double s_per_byte = 0;

    if (params->message_bytes_per_s > 0)
        s_per_byte += 2 / (double)params->message_bytes_per_s;
    if (params->reduce_bytes_per_s > 0)
        s_per_byte += 1 / (double)params->reduce_bytes_per_s;
    return s_per_byte > 0 ? (uint64_t)MAX(1 / s_per_byte + .5, 1) : 0;
}

static gboolean host_memory_estimate_chunk_costs(gconstpointer params,
                                                 const EndpointSite *site,
                                                 const CollPlan *plan,
                                                 uint64_t chunk_bytes,
                                                 CutPace *ret)
{
    const HostMemoryParams *host_memory_params = params;
    uint64_t read_bytes = endpoint_max_bytes_read_of_chunk(plan, chunk_bytes);
    uint64_t written_bytes =
        endpoint_max_bytes_written_of_chunk(plan, chunk_bytes);

    ret->message_ps =
        endpoint_message_time_ps(&host_memory_params->costs, site->npu);
    ret->add_bytes_per_s = rate_of_message_bytes(host_memory_params);
    ret->n_adders = 1;
    ret->fetch_ps =
        staging_copy_time_ps(host_memory_params, read_bytes) +
        transfer_time_ps(read_bytes, host_memory_params->buffer_bytes_per_s);
    ret->store_ps =
        scale_time_of_sum_ps(host_memory_params, plan, written_bytes) +
        copy_back_time_ps(host_memory_params, written_bytes);
    return TRUE;
}

/* ---- chunks ------------------------------------------------------------ */

static Chunk *host_chunk_in_slot(const HostMemory *memory, uint32_t slot)
{
    return host_get_chunk(memory->base.host, slot);
}

/* Returns whether this NPU is the parameter server of @chunk.  Its data is
 * already in host memory. */
static gboolean npu_is_parameter_server(const HostMemory *memory,
                                        const Chunk *chunk)
{
    const CollPhase *phase = chunk_phase(chunk, 0);

    return phase->algorithm == &coll_star &&
           coll_rank_of_npu(phase, memory->base.host->id) == phase->group.from;
}

static uint64_t bytes_to_copy_out(const HostMemory *memory, const Chunk *chunk)
{
    return npu_is_parameter_server(memory, chunk)
               ? 0
               : endpoint_bytes_read_of_chunk(chunk, memory->base.host->id);
}

static uint64_t bytes_to_copy_back(const HostMemory *memory, const Chunk *chunk)
{
    return npu_is_parameter_server(memory, chunk)
               ? 0
               : endpoint_bytes_written_of_chunk(chunk, memory->base.host->id);
}

/* Submits a job of @chunk to @server, in the same order as messages.  Returns
 * FALSE if the job takes no time; no callback follows then. */
static gboolean submit_chunk_job(const HostMemory *memory, SimServer *server,
                                 const Chunk *chunk, SimTime takes_ps,
                                 uint32_t job)
{
    const EndpointHost *host = memory->base.host;

    if (takes_ps == 0)
        return FALSE;
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_submitted);
    sim_server_submit_job(server, host_memory_order_of_chunk_job(memory, chunk),
                          takes_ps, job);
    return TRUE;
}

static void trace_chunk_job_end(const HostMemory *memory, const Chunk *chunk,
                                TraceResource own, SimTime takes_ps,
                                SimTime now_ps)
{
    const EndpointHost *host = memory->base.host;

    TRACE(host->watch, served, host->id, memory->base.first_resource + own,
          now_ps - takes_ps);
    TRACE_CHUNK(host->watch, host->id, chunk, chunk_moved,
                memory->base.first_resource + own, now_ps - takes_ps);
}

static SimTime core_time_of_chunk_ps(const HostMemory *memory,
                                     const Chunk *chunk)
{
    if (memory->is_done->data[chunk->slot])
        return scale_time_of_sum_ps(memory->params, chunk->plan,
                                    bytes_to_copy_back(memory, chunk));
    return transfer_time_ps(bytes_to_copy_out(memory, chunk),
                            memory->params->buffer_bytes_per_s);
}

/* Lets the cores prepare @chunk in host memory for its first step. */
static void prepare_chunk_on_cores(HostMemory *memory, Chunk *chunk)
{
    if (!submit_chunk_job(memory, memory->cores, chunk,
                          core_time_of_chunk_ps(memory, chunk),
                          chunk->slot | HOST_MEMORY_IS_CHUNK))
        host_report_chunk_enters_phase(memory->base.host, chunk);
}

static void copy_chunk_back_to_npu(HostMemory *memory, Chunk *chunk)
{
    uint64_t bytes = bytes_to_copy_back(memory, chunk);

    if (memory->params->staging_bytes_per_s > 0)
        memory->written_bytes += memory->params->n_copies_back * bytes;
    if (!submit_chunk_job(memory, memory->back, chunk,
                          copy_back_time_ps(memory->params, bytes),
                          chunk->slot))
        host_report_chunk_enters_phase(memory->base.host, chunk);
}

static void on_chunk_copied_out(gpointer self, uint32_t slot, uint64_t now_ps)
{
    HostMemory *memory = self;
    Chunk *chunk = host_chunk_in_slot(memory, slot);

    trace_chunk_job_end(
        memory, chunk, HOST_STAGING,
        staging_copy_time_ps(memory->params, bytes_to_copy_out(memory, chunk)),
        now_ps);
    prepare_chunk_on_cores(memory, chunk);
}

static void on_chunk_copied_back(gpointer self, uint32_t slot, uint64_t now_ps)
{
    HostMemory *memory = self;
    Chunk *chunk = host_chunk_in_slot(memory, slot);

    trace_chunk_job_end(
        memory, chunk, HOST_STAGING,
        copy_back_time_ps(memory->params, bytes_to_copy_back(memory, chunk)),
        now_ps);
    host_report_chunk_enters_phase(memory->base.host, chunk);
}

static void copy_chunk_out_of_npu(HostMemory *memory, Chunk *chunk)
{
    uint64_t bytes = bytes_to_copy_out(memory, chunk);

    if (memory->params->staging_bytes_per_s > 0)
        memory->read_bytes += bytes;
    if (!submit_chunk_job(memory, memory->out, chunk,
                          staging_copy_time_ps(memory->params, bytes),
                          chunk->slot))
        prepare_chunk_on_cores(memory, chunk);
}

static void finish_chunk_on_cores(HostMemory *memory, Chunk *chunk)
{
    if (!submit_chunk_job(memory, memory->cores, chunk,
                          core_time_of_chunk_ps(memory, chunk),
                          chunk->slot | HOST_MEMORY_IS_CHUNK))
        copy_chunk_back_to_npu(memory, chunk);
}

static gboolean host_memory_may_admit_chunk(Endpoint *endpoint, uint64_t bytes)
{
    (void)endpoint;
    (void)bytes;
    return TRUE;
}

static void host_memory_advance_chunk(Endpoint *endpoint, Chunk *chunk,
                                      uint32_t phase)
{
    HostMemory *memory = (HostMemory *)endpoint;

    if (chunk->slot >= memory->is_done->len)
        g_byte_array_set_size(memory->is_done, chunk->slot + 1);
    memory->is_done->data[chunk->slot] = phase == chunk->plan->n_phases;
    if (phase == 0)
        copy_chunk_out_of_npu(memory, chunk);
    else if (phase == chunk->plan->n_phases)
        finish_chunk_on_cores(memory, chunk);
    else
        host_report_chunk_enters_phase(endpoint->host, chunk);
}

/* ---- messages ---------------------------------------------------------- */

static SimTime add_time_of_message_ps(const HostMemory *memory,
                                      uint32_t message)
{
    return transfer_time_ps(host_get_message(memory->base.host, message)->bytes,
                            memory->params->reduce_bytes_per_s);
}

static void on_message_added_by_cores(HostMemory *memory, uint32_t message,
                                      uint64_t now_ps)
{
    EndpointHost *host = memory->base.host;
    SimTime from_ps = now_ps - add_time_of_message_ps(memory, message);

    TRACE(host->watch, served, host->id,
          memory->base.first_resource + HOST_CORES, from_ps);
    TRACE(host->watch, message_done, host->id, message,
          memory->base.first_resource + HOST_CORES, from_ps);
    host_report_message_processed(host, message, TRUE);
}

static void on_core_job_done(gpointer self, uint32_t job, uint64_t now_ps)
{
    HostMemory *memory = self;
    Chunk *chunk;

    if ((job & HOST_MEMORY_IS_CHUNK) == 0) {
        on_message_added_by_cores(memory, job, now_ps);
        return;
    }
    chunk = host_chunk_in_slot(memory, job & ~HOST_MEMORY_IS_CHUNK);
    trace_chunk_job_end(memory, chunk, HOST_CORES,
                        core_time_of_chunk_ps(memory, chunk), now_ps);
    if (memory->is_done->data[chunk->slot])
        copy_chunk_back_to_npu(memory, chunk);
    else
        host_report_chunk_enters_phase(memory->base.host, chunk);
}

/* Lets the cores add @message if it is to be added. */
static void add_message_on_cores(HostMemory *memory, uint32_t message)
{
    EndpointHost *host = memory->base.host;
    const NetMessage *net_message = host_get_message(host, message);
    gboolean is_added = message_is_added_to_buffer(net_message);
    SimTime takes_ps = is_added ? add_time_of_message_ps(memory, message) : 0;

    if (takes_ps == 0)
        host_report_message_processed(host, message, is_added);
    else
        sim_server_submit_job(memory->cores, net_message->order_hi, takes_ps,
                              message);
}

static SimTime pass_time_of_message_ps(const HostMemory *memory,
                                       uint32_t message)
{
    return transfer_time_ps(host_get_message(memory->base.host, message)->bytes,
                            memory->params->message_bytes_per_s);
}

static void trace_message_passed(const HostMemory *memory, uint32_t message,
                                 SimTime now_ps)
{
    const EndpointHost *host = memory->base.host;
    TraceResource threads = memory->base.first_resource + HOST_MESSAGES;
    SimTime from_ps = now_ps - pass_time_of_message_ps(memory, message);

    TRACE(host->watch, served, host->id, threads, from_ps);
    TRACE(host->watch, message_done, host->id, message, threads, from_ps);
}

static void on_message_given_out(gpointer self, uint32_t message,
                                 uint64_t now_ps)
{
    HostMemory *memory = self;

    trace_message_passed(memory, message, now_ps);
    host_report_message_ready(memory->base.host, message,
                              sim_time_add(now_ps, memory->base.message_ps));
}

static void on_message_taken_in(gpointer self, uint32_t message,
                                uint64_t now_ps)
{
    HostMemory *memory = self;

    trace_message_passed(memory, message, now_ps);
    add_message_on_cores(memory, message);
}

static void host_memory_send_message(Endpoint *endpoint, uint32_t message)
{
    HostMemory *memory = (HostMemory *)endpoint;
    EndpointHost *host = endpoint->host;
    SimTime takes_ps = pass_time_of_message_ps(memory, message);

    if (takes_ps == 0)
        host_report_message_ready(host, message,
                                  sim_time_add(sim_engine_now_ps(host->engine),
                                               endpoint->message_ps));
    else
        sim_server_submit_job(memory->leaving,
                              host_get_message(host, message)->order_hi,
                              takes_ps, message);
}

static void host_memory_receive_message(Endpoint *endpoint, uint32_t message)
{
    HostMemory *memory = (HostMemory *)endpoint;
    SimTime takes_ps = pass_time_of_message_ps(memory, message);

    g_assert((message & HOST_MEMORY_IS_CHUNK) == 0);
    if (takes_ps == 0)
        add_message_on_cores(memory, message);
    else
        sim_server_submit_job(
            memory->coming, host_get_message(endpoint->host, message)->order_hi,
            takes_ps, message);
}

/* ---- statistics -------------------------------------------------------- */

static void host_memory_read_counters(const Endpoint *endpoint,
                                      EndpointStats *ret)
{
    const HostMemory *memory = (const HostMemory *)endpoint;

    *ret = (EndpointStats){ .hbm_read_bytes = memory->read_bytes,
                            .hbm_write_bytes = memory->written_bytes };
}

static void host_memory_report_resource_use(const Endpoint *endpoint,
                                            ResourceUse *ret)
{
    const HostMemory *memory = (const HostMemory *)endpoint;

    ret[HOST_CORES].capacity = 1;
    ret[HOST_CORES].busy_ps = sim_server_busy_ps(memory->cores);
    ret[HOST_STAGING].capacity = 2;
    ret[HOST_STAGING].busy_ps =
        sim_server_busy_ps(memory->out) + sim_server_busy_ps(memory->back);
    ret[HOST_MESSAGES].capacity = 2;
    ret[HOST_MESSAGES].busy_ps = sim_server_busy_ps(memory->leaving) +
                                 sim_server_busy_ps(memory->coming);
}

static void host_memory_explain_stall(const Endpoint *endpoint, GString *text)
{
    const HostMemory *memory = (const HostMemory *)endpoint;

    g_string_append_printf(text,
                           "  endpoint: %u wait for cores, %u chunks for the "
                           "copy to the host, %u for the copy back; %u "
                           "messages wait to leave, %u to be taken in\n",
                           sim_server_count_waiting(memory->cores),
                           sim_server_count_waiting(memory->out),
                           sim_server_count_waiting(memory->back),
                           sim_server_count_waiting(memory->leaving),
                           sim_server_count_waiting(memory->coming));
}

/* The endpoint reads no more of its NPU than
 * endpoints/endpoints_with_same_results.h allows. */
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
    .uses = host_memory_report_resource_use,
    .claim = host_memory_claim_resources,
    .pace = host_memory_estimate_chunk_costs,
    .may_start = host_memory_may_admit_chunk,
    .advance = host_memory_advance_chunk,
    .send = host_memory_send_message,
    .receive = host_memory_receive_message,
    .stats = host_memory_read_counters,
    .steady = host_memory_visit_state,
    .explain = host_memory_explain_stall,
    .invariance = &host_memory_invariance,
};
