/*
 * host_threads.c - an example of an endpoint with its own resource: threads of
 * the host
 *
 * A thread of the host takes `post_time` to post a message.  There are
 * `threads` of them, and messages of the oldest chunk are posted first.
 * Received data is accepted immediately, as by an ideal endpoint.
 *
 * Assumes: data is where the network reads it, so neither HBM nor the bus is
 * used.
 */
#include "models/endpoints/endpoint_impl.h"
#include "sim/core/job_server.h"

enum { OWN_THREADS };

static const ResourceKind host_threads_own[] = {
    [OWN_THREADS] = { .name = "host_threads",
                      .name_in_sentence = "the endpoint's host threads",
                      .title = "host threads",
                      .doubles = "endpoint.threads",
                      .column = "host_threads_busy_us",
                      .help = "messages before they go out" },
    { 0 },
};

typedef struct {
    EndpointCommon common;
    uint64_t n_threads, post_ps;
    EndpointCosts costs;
} HostThreadsParams;

typedef struct {
    Endpoint base;
    const HostThreadsParams *params; /* Another object owns this memory. */
    /* The struct owns this server, whose units of work are picoseconds. */
    SimServer *threads;
} HostThreads;

static const ConfigField host_threads_fields[] = {
    ENDPOINT_COMMON_FIELDS(HostThreadsParams),
    { .key = "threads",
      .help = "of the host, that post messages",
      .type = CONFIG_COUNT,
      .offset = offsetof(HostThreadsParams, n_threads),
      .min = 1,
      .max = 4096,
      .fallback = "2",
      .source = "assumed: a toy" },
    { .key = "post_time",
      .help = "that a thread takes for a message",
      .type = CONFIG_TIME,
      .offset = offsetof(HostThreadsParams, post_ps),
      .min = 1,
      .max = UINT64_C(1000000000000),
      .fallback = "3 us",
      .source = "assumed: a toy" },
    ENDPOINT_COST_FIELDS(HostThreadsParams, "0 ns", "assumed: a toy", "0 ns",
                         "assumed: a toy"),
    CONFIG_END,
};

static void on_message_posted(gpointer self, uint32_t message, uint64_t now_ps)
{
    const HostThreads *threads = self;
    EndpointHost *host = threads->base.host;
    SimTime from_ps = now_ps - threads->params->post_ps;

    TRACE(host->watch, served, host->id, RESOURCE_OWN + OWN_THREADS, from_ps);
    TRACE(host->watch, message_done, host->id, message,
          RESOURCE_OWN + OWN_THREADS, from_ps);
    host_report_message_ready(host, message,
                              sim_time_add(now_ps, threads->base.message_ps));
}

static Endpoint *host_threads_new(const ConfigVariant *config,
                                  const EndpointSite *site, EndpointHost *host,
                                  GError **error)
{
    HostThreads *threads = g_new0(HostThreads, 1);

    (void)error; /* The function refuses no configuration. */
    threads->params = config->params;
    threads->threads =
        sim_server_new(host->engine, (uint32_t)threads->params->n_threads,
                       SIM_PS_PER_SEC, on_message_posted, threads);
    endpoint_set_costs(&threads->base, &threads->params->costs,
                       site->npu->clock_hz);
    return &threads->base;
}

static void host_threads_free(Endpoint *endpoint)
{
    HostThreads *threads = (HostThreads *)endpoint;

    sim_server_free(threads->threads);
    g_free(threads);
}

static void host_threads_claim(gconstpointer params, EndpointClaim *ret)
{
    (void)params;
    (void)ret; /* The endpoint takes no resources of the NPU. */
}

static gboolean host_threads_may_start(Endpoint *endpoint, uint64_t bytes)
{
    (void)endpoint;
    (void)bytes;
    return TRUE;
}

static void host_threads_advance(Endpoint *endpoint, Chunk *chunk,
                                 uint32_t phase)
{
    (void)phase;
    host_report_chunk_enters_phase(endpoint->host, chunk);
}

static void host_threads_send(Endpoint *endpoint, uint32_t message)
{
    HostThreads *threads = (HostThreads *)endpoint;
    const NetMessage *m = host_get_message(endpoint->host, message);

    sim_server_submit_job(threads->threads, m->order_hi,
                          threads->params->post_ps, message);
}

static void host_threads_stats(const Endpoint *endpoint, EndpointStats *ret)
{
    (void)endpoint;
    *ret = (EndpointStats){ 0 };
}

static void host_threads_uses(const Endpoint *endpoint, ResourceUse *ret)
{
    const HostThreads *threads = (const HostThreads *)endpoint;

    ret[OWN_THREADS].capacity = threads->params->n_threads;
    ret[OWN_THREADS].busy_ps = sim_server_busy_ps(threads->threads);
}

const EndpointOps endpoint_host_threads = {
    .base = { .name = "host-threads",
              .summary = "a toy: threads of the host post messages",
              .fields = host_threads_fields,
              .size = sizeof(HostThreadsParams) },
    .resources = host_threads_own,
    .uses = host_threads_uses,
    .new = host_threads_new,
    .free = host_threads_free,
    .claim = host_threads_claim,
    .may_start = host_threads_may_start,
    .advance = host_threads_advance,
    .send = host_threads_send,
    .stats = host_threads_stats,
};
