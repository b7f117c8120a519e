/* host_threads.c - a toy endpoint with threads and pinned memory of the host */
#include "tests/models/endpoints/host_threads.h"

#include "sim/core/job_server.h"

typedef struct {
    EndpointCommon common;
    uint64_t n_threads, message_ps;
    uint64_t pinned_bytes;
} HostParams;

static const ConfigField host_fields[] = {
    ENDPOINT_COMMON_FIELDS(HostParams),
    { .key = "threads",
      .help = "of the host, that send",
      .type = CONFIG_COUNT,
      .offset = offsetof(HostParams, n_threads),
      .min = 1,
      .max = 1024,
      .fallback = "1",
      .source = "assumed: a toy" },
    { .key = "message_time",
      .help = "of a thread, for a message",
      .type = CONFIG_TIME,
      .offset = offsetof(HostParams, message_ps),
      .min = 1,
      .max = UINT64_C(1000000000000),
      .fallback = "20 us",
      .source = "assumed: a toy" },
    { .key = "pinned",
      .help = "memory for chunks under way",
      .type = CONFIG_BYTES,
      .offset = offsetof(HostParams, pinned_bytes),
      .min = 1,
      .max = UINT64_C(1) << 40,
      .fallback = "1 MiB",
      .source = "assumed: a toy" },
    CONFIG_END,
};

const ResourceKind host_resources[HOST_N_OWN + 1] = {
    [HOST_THREADS] = { .name = "host_threads",
                       .name_in_sentence = "the host threads",
                       .title = "host threads",
                       .doubles = "endpoint.threads",
                       .related_key = "endpoint.pinned",
                       .column = "host_threads_busy_us",
                       .help = "messages, before they go out" },
    [HOST_PINNED] = { .name = "pinned",
                      .name_in_sentence = "the pinned memory",
                      .title = "pinned memory",
                      .form = RESOURCE_CAPACITY,
                      .unit = CONFIG_BYTES,
                      .doubles = "endpoint.pinned",
                      .column = "pinned_peak_bytes",
                      .help = "chunks, before they come in" },
};

typedef struct {
    Endpoint base;
    const HostParams *params;
    SimServer *threads; /* The struct owns the work of each message in ps. */
    uint64_t used_bytes, peak_bytes;
    SimWide byte_ps; /* The integral of used memory over time. */
    SimTime since_ps;
} HostThreads;

static void on_message_sent(gpointer self, uint32_t message, uint64_t now_ps)
{
    const HostThreads *threads = self;
    EndpointHost *host = threads->base.host;
    SimTime from_ps = now_ps - threads->params->message_ps;

    TRACE(host->watch, served, host->id, RESOURCE_OWN + HOST_THREADS, from_ps);
    TRACE(host->watch, message_done, host->id, message,
          RESOURCE_OWN + HOST_THREADS, from_ps);
    host_report_message_ready(host, message, now_ps);
}

static Endpoint *host_threads_new(const ConfigVariant *config,
                                  const EndpointSite *site, EndpointHost *host,
                                  GError **error)
{
    HostThreads *threads = g_new0(HostThreads, 1);

    (void)site;
    (void)error;
    threads->params = config->params;
    threads->threads =
        sim_server_new(host->engine, (uint32_t)threads->params->n_threads,
                       SIM_PS_PER_SEC, on_message_sent, threads);
    return &threads->base;
}

static void host_threads_free(Endpoint *endpoint)
{
    HostThreads *threads = (gpointer)endpoint;

    sim_server_free(threads->threads);
    g_free(endpoint);
}

static void host_threads_claim(gconstpointer params, EndpointClaim *ret)
{
    (void)params;
    (void)ret; /* The endpoint takes no SMs and no memory bandwidth. */
}

static gboolean host_threads_may_start(Endpoint *endpoint, uint64_t bytes)
{
    const HostThreads *threads = (gpointer)endpoint;

    return threads->used_bytes + bytes <= threads->params->pinned_bytes;
}

static void set_used_memory(HostThreads *threads, uint64_t bytes)
{
    EndpointHost *host = threads->base.host;
    SimTime now_ps = sim_engine_now_ps(host->engine);

    threads->byte_ps +=
        (SimWide)threads->used_bytes * (now_ps - threads->since_ps);
    threads->since_ps = now_ps;
    threads->used_bytes = bytes;
    threads->peak_bytes = MAX(threads->peak_bytes, bytes);
    TRACE(host->watch, level, host->id, TRACE_LEVEL_OWN + HOST_PINNED, bytes);
}

static void host_threads_advance(Endpoint *endpoint, Chunk *chunk,
                                 uint32_t phase)
{
    HostThreads *threads = (gpointer)endpoint;
    gboolean is_out = phase == chunk->plan->n_phases;

    if (phase == 0)
        set_used_memory(threads, threads->used_bytes + chunk->bytes);
    else if (is_out)
        set_used_memory(threads, threads->used_bytes - chunk->bytes);
    host_report_chunk_enters_phase(endpoint->host, chunk);
    if (is_out)
        host_report_room_changed(endpoint->host);
}

static void host_threads_send(Endpoint *endpoint, uint32_t message)
{
    const HostThreads *threads = (gpointer)endpoint;

    sim_server_submit_job(threads->threads,
                          host_get_message(endpoint->host, message)->order_hi,
                          threads->params->message_ps, message);
}

static void host_threads_stats(const Endpoint *endpoint, EndpointStats *ret)
{
    (void)endpoint;
    *ret = (EndpointStats){ 0 };
}

static void host_threads_uses(const Endpoint *endpoint, ResourceUse *ret)
{
    const HostThreads *threads = (gconstpointer)endpoint;

    ret[HOST_THREADS].capacity = threads->params->n_threads;
    ret[HOST_THREADS].busy_ps = sim_server_busy_ps(threads->threads);
    ret[HOST_PINNED].capacity = threads->params->pinned_bytes;
    ret[HOST_PINNED].peak = threads->peak_bytes;
    ret[HOST_PINNED].unit_us = (uint64_t)(threads->byte_ps / 1000000);
}

const EndpointOps host_threads = {
    .base = { .name = "host-threads",
              .summary = "threads of the host send, out of pinned memory",
              .fields = host_fields,
              .size = sizeof(HostParams) },
    .new = host_threads_new,
    .free = host_threads_free,
    .resources = host_resources,
    .uses = host_threads_uses,
    .intake = HOST_PINNED,
    .claim = host_threads_claim,
    .may_start = host_threads_may_start,
    .advance = host_threads_advance,
    .send = host_threads_send,
    .stats = host_threads_stats,
};
