/*
 * copy_engine.c - an endpoint whose DMA engines move data; few SMs reduce
 *
 * A message of B bytes waits for one of the engines, oldest chunk first.  The
 * engine takes `copy_launch` to begin and B / `engine_bandwidth` to move it,
 * so small messages are slow:
 *
 *     sending              engine: launch + B / engine_bandwidth, HBM: read B
 *     arriving             HBM: write B, by the sender's engine
 *     reducing, once it    SMs: reduce_launch + 2 B / (k x SM bandwidth),
 *     has arrived          HBM: read 2 B, write B
 *
 * An engine cannot add.  The data of a reduce-scatter step first lands in a
 * buffer and a kernel adds it: 3 bytes read and 2 written per byte sent.  The
 * SMs of a baseline add in passing: 2 read and 1 written.  With `sms: 0` a plan
 * that reduces is refused; copies, and reductions in the switch, need no SMs.
 *
 * The memory works in parallel with engines and SMs.  A copy or a reduction
 * ends when both have finished: the memory at its share (oldest chunk first,
 * for copies and reductions together) and the engine or the SMs at their own
 * rate.  Writes are counted, and charged under `shared` only, as for a
 * baseline; a send is then also charged for the B bytes that arrive in return.
 *
 * The SMs are held while chunks of collectives that reduce are active.  The
 * share is held while any chunks are active, unless `only_while_communicating`
 * is false.
 *
 * Assumes  engines reach any peer; no engine is dedicated to one link
 * Sources  [NCCLCE] no SMs, no reductions; [DMACOLL] slow when small
 */
#include "models/endpoints/buses_with_same_results.h"
#include "models/endpoints/copy_engine/copy_engine_impl.h"

/* The rate cap of the memory in bytes per second while no job needs it. */
#define IDLE_CAP 1

/* ---- construction ----------------------------------------------------- */

static void on_hbm_transfer_done(gpointer self, uint32_t message,
                                 uint64_t now_ps);
static void on_engine_done(gpointer self, uint32_t message, uint64_t now_ps);
static void on_sms_done(gpointer self, uint32_t message, uint64_t now_ps);
static void on_message_sent_over_bus(gpointer self, uint32_t message,
                                     uint64_t now_ps);
static void on_message_arrived_over_bus(gpointer self, uint32_t message,
                                        uint64_t now_ps);

static gboolean check_sms_for_reductions(const ConfigVariant *config,
                                         const EndpointSite *site,
                                         GError **error)
{
    const CopyEngineParams *params = config->params;
    uint64_t n_sms = site->npu->n_sms;

    if (params->n_sms > n_sms) {
        config_set_error(error, config->node, CONFIG_ERROR_CONFLICT,
                         "sms: %" G_GUINT64_FORMAT
                         " for reductions, but the NPU has %" G_GUINT64_FORMAT,
                         params->n_sms, n_sms);
        return FALSE;
    }
    for (uint32_t t = 0; t < site->n_tasks && params->n_sms == 0; t++) {
        if (!site->tasks[t].orders->plans[0].reduces)
            continue;
        config_set_error(error, config->node, CONFIG_ERROR_CONFLICT,
                         "sms: 0 cannot reduce, and %s does here; give SMs "
                         "for it (sms: 1), let a switch add (reduces: true "
                         "there, algorithm: in-switch), or name the endpoint "
                         "that reduces (kind: by-collective, reductions: ...)",
                         coll_kind_names[site->tasks[t].kind]);
        return FALSE;
    }
    return TRUE;
}

static Endpoint *copy_engine_new(const ConfigVariant *config,
                                 const EndpointSite *site, EndpointHost *host,
                                 GError **error)
{
    const CopyEngineParams *params = config->params;
    const NpuConfig *npu = site->npu;
    SimEngine *engine = host->engine;
    CopyEngine *copy;

    if (!check_sms_for_reductions(config, site, error))
        return NULL;
    copy = g_new0(CopyEngine, 1);
    copy->params = params;
    copy->memory = hbm_mover_new(host->hbm, engine,
                                 hbm_comm_stream(HBM_COMM_READ, site->index),
                                 IDLE_CAP, on_hbm_transfer_done, copy);
    copy->engines = sim_server_new(engine, (uint32_t)params->n_engines,
                                   SIM_PS_PER_SEC, on_engine_done, copy);
    if (params->n_sms > 0) {
        copy->sm_bytes_per_s = npu_sms_max_bytes_per_s(npu, params->n_sms);
        copy->sms =
            sim_server_new(engine, 1, SIM_PS_PER_SEC, on_sms_done, copy);
    }
    copy->charges_writes = npu->hbm.policy == HBM_SHARED;
    copy->out = endpoint_bus_new(host, on_message_sent_over_bus, copy);
    copy->in = endpoint_bus_new(host, on_message_arrived_over_bus, copy);
    copy->work = g_array_new(FALSE, TRUE, sizeof(Work));
    endpoint_set_costs(&copy->base, &params->costs, npu->clock_hz);
    return &copy->base;
}

static void copy_engine_free(Endpoint *endpoint)
{
    CopyEngine *copy = (CopyEngine *)endpoint;

    hbm_mover_free(copy->memory);
    sim_server_free(copy->engines);
    sim_server_free(copy->sms);
    endpoint_bus_free(copy->out);
    endpoint_bus_free(copy->in);
    g_array_unref(copy->work);
    g_free(copy);
}

static void copy_engine_claim_resources(gconstpointer params,
                                        EndpointClaim *ret)
{
    const CopyEngineParams *copy_engine_params = params;

    *ret = (EndpointClaim){
        .n_sms = copy_engine_params->n_sms,
        .read_bytes_per_s = copy_engine_params->memory_bytes_per_s,
        .only_while_communicating =
            copy_engine_params->only_while_communicating,
        .sms_only_while_reducing = copy_engine_params->only_while_communicating,
        .is_share_only = TRUE,
    };
}

/* Implements EndpointOps.pace().  Each message is moved by one of several
 * engines; data to be added is read and written again. */
static gboolean copy_engine_estimate_chunk_costs(gconstpointer params,
                                                 const EndpointSite *site,
                                                 const CollPlan *plan,
                                                 uint64_t chunk_bytes,
                                                 CutPace *ret)
{
    const CopyEngineParams *copy_engine_params = params;
    const NpuConfig *npu = site->npu;
    uint64_t memory = npu->hbm.policy == HBM_SHARED
                          ? hbm_usable_bytes_per_s(&npu->hbm) / 2
                          : copy_engine_params->memory_bytes_per_s;
    uint64_t engines =
        copy_engine_params->n_engines * copy_engine_params->engine_bytes_per_s;
    uint64_t adds =
        MIN(memory, npu_sms_max_bytes_per_s(npu, copy_engine_params->n_sms)) /
        3;

    (void)plan;
    (void)chunk_bytes;
    ret->message_ps = sim_time_add(
        copy_engine_params->copy_launch_ps,
        endpoint_message_time_ps(&copy_engine_params->costs, site->npu));
    ret->message_gap_ps =
        copy_engine_params->copy_launch_ps / copy_engine_params->n_engines;
    ret->store_bytes_per_s = MAX(1, MIN(memory, engines));
    ret->bus_bytes_per_s = npu->bus_bytes_per_s;
    ret->reduce_bytes_per_s = MAX(1, MIN(adds, engines));
    return TRUE;
}

static gboolean copy_engine_may_admit_chunk(Endpoint *endpoint, uint64_t bytes)
{
    (void)endpoint;
    (void)bytes;
    return TRUE;
}

static void copy_engine_advance_chunk(Endpoint *endpoint, Chunk *chunk,
                                      uint32_t phase)
{
    (void)phase;
    host_report_chunk_enters_phase(endpoint->host, chunk);
}

/* ---- memory in parallel with engines and SMs --------------------------- */

static Work *remaining_work_of_message(CopyEngine *copy, uint32_t message)
{
    if (message >= copy->work->len)
        g_array_set_size(copy->work, message + 1);
    return &g_array_index(copy->work, Work, message);
}

/* Caps the rate of the memory at the sum of the rates that active copies and
 * reductions can use, or at the initial value if none is active. */
static void update_hbm_rate_cap(CopyEngine *copy)
{
    const CopyEngineParams *params = copy->params;
    SimWide cap = 0;

    if (copy->n_copies > 0)
        cap += (SimWide)params->n_engines * params->engine_bytes_per_s;
    if (copy->n_reductions > 0)
        cap += copy->sm_bytes_per_s;
    hbm_mover_set_cap(copy->memory,
                      cap > 0 ? (uint64_t)MIN(cap, UINT64_MAX) : IDLE_CAP);
}

static SimTime copy_time_ps(const CopyEngine *copy, uint64_t bytes)
{
    return sim_time_add(
        copy->params->copy_launch_ps,
        sim_time_from_bytes(bytes, copy->params->engine_bytes_per_s));
}

static void begin_copy_or_reduction(CopyEngine *copy, uint32_t message,
                                    SimServer *server, SimTime takes_ps,
                                    uint64_t charged_bytes)
{
    const NetMessage *net_message = host_get_message(copy->base.host, message);
    gboolean is_reducing = server == copy->sms;
    uint32_t *n = is_reducing ? &copy->n_reductions : &copy->n_copies;

    g_assert(remaining_work_of_message(copy, message)->n_left == 0);
    *remaining_work_of_message(copy, message) =
        (Work){ .n_left = 2, .is_reducing = (uint8_t)is_reducing };
    if ((*n)++ == 0)
        update_hbm_rate_cap(copy);
    hbm_mover_submit_transfer(copy->memory, net_message->order_hi,
                              charged_bytes, message);
    sim_server_submit_job(server, net_message->order_hi, MAX(takes_ps, 1),
                          message);
}

static void on_message_sent_over_bus(gpointer self, uint32_t message,
                                     uint64_t now_ps)
{
    const Endpoint *copy = &((CopyEngine *)self)->base;
    EndpointHost *host = copy->host;

    TRACE(host->watch, message_done, host->id, message, RESOURCE_BUS, now_ps);
    host_report_message_ready(host, message,
                              sim_time_add(now_ps, copy->message_ps));
}

/* Ends one of the two parallel parts of @message.  If the other part was done
 * before, @by is the resource that delayed the message. */
static void finish_transfer_or_computation_part(CopyEngine *copy,
                                                uint32_t message,
                                                TraceResource by,
                                                SimTime free_ps)
{
    EndpointHost *host = copy->base.host;
    Work *work = remaining_work_of_message(copy, message);
    uint32_t *n = work->is_reducing ? &copy->n_reductions : &copy->n_copies;

    g_assert(work->n_left > 0 && *n > 0);
    if (--work->n_left > 0)
        return;
    if (--*n == 0)
        update_hbm_rate_cap(copy);
    TRACE(host->watch, message_done, host->id, message, by, free_ps);
    if (work->is_reducing)
        host_report_message_processed(host, message, TRUE);
    else
        endpoint_bus_pass_message(copy->out, message);
}

static void on_hbm_transfer_done(gpointer self, uint32_t message,
                                 uint64_t now_ps)
{
    CopyEngine *copy = self;
    TraceResource own = remaining_work_of_message(copy, message)->is_reducing
                            ? RESOURCE_SMS
                            : copy->base.first_resource + COPY_ENGINES;

    (void)now_ps;
    finish_transfer_or_computation_part(
        copy, message,
        endpoint_resource_that_delayed_mover(copy->base.host->config,
                                             copy->memory, own),
        hbm_mover_next_free_time_ps(copy->memory));
}

static void on_engine_done(gpointer self, uint32_t message, uint64_t now_ps)
{
    const CopyEngine *copy = self;
    const EndpointHost *host = copy->base.host;
    uint64_t bytes = host_get_message(host, message)->bytes;

    TRACE(host->watch, served, host->id,
          copy->base.first_resource + COPY_ENGINES,
          now_ps - MAX(copy_time_ps(copy, bytes), 1));
    finish_transfer_or_computation_part(
        self, message, copy->base.first_resource + COPY_ENGINES, 0);
}

static void on_sms_done(gpointer self, uint32_t message, uint64_t now_ps)
{
    (void)now_ps;
    finish_transfer_or_computation_part(self, message, RESOURCE_SMS, 0);
}

/* ---- messages --------------------------------------------------------- */

static void copy_engine_send_message(Endpoint *endpoint, uint32_t message)
{
    CopyEngine *copy = (CopyEngine *)endpoint;
    const NetMessage *net_message = host_get_message(endpoint->host, message);

    copy->read_bytes += net_message->bytes;
    begin_copy_or_reduction(
        copy, message, copy->engines, copy_time_ps(copy, net_message->bytes),
        net_message->bytes +
            (copy->charges_writes
                 ? message_bytes_of_opposite_direction(net_message)
                 : 0));
}

static void reduce_message_on_sms(CopyEngine *copy, uint32_t message,
                                  uint64_t bytes)
{
    uint64_t charged_bytes = copy->charges_writes ? 3 * bytes : 2 * bytes;
    SimTime takes_ps = sim_time_from_bytes(charged_bytes, copy->sm_bytes_per_s);

    copy->read_bytes += 2 * bytes;
    copy->write_bytes += bytes;
    begin_copy_or_reduction(
        copy, message, copy->sms,
        sim_time_add(copy->params->reduce_launch_ps, takes_ps), charged_bytes);
}

static void on_message_arrived_over_bus(gpointer self, uint32_t message,
                                        uint64_t now_ps)
{
    CopyEngine *copy = self;
    EndpointHost *host = copy->base.host;
    const NetMessage *net_message = host_get_message(host, message);

    TRACE(host->watch, message_done, host->id, message, RESOURCE_BUS, now_ps);
    copy->write_bytes += net_message->bytes;
    if (message_is_added_to_buffer(net_message))
        reduce_message_on_sms(copy, message, net_message->bytes);
    else
        host_report_message_processed(host, message, FALSE);
}

static void copy_engine_receive_message(Endpoint *endpoint, uint32_t message)
{
    endpoint_bus_pass_message(((CopyEngine *)endpoint)->in, message);
}

static void copy_engine_set_hbm_rate(Endpoint *endpoint, HbmStream stream,
                                     uint64_t bytes_per_s)
{
    if (stream == HBM_COMM_READ)
        hbm_mover_set_rate(((CopyEngine *)endpoint)->memory, bytes_per_s);
}

static void copy_engine_read_counters(const Endpoint *endpoint,
                                      EndpointStats *ret)
{
    const CopyEngine *copy = (const CopyEngine *)endpoint;

    *ret = (EndpointStats){
        .hbm_read_bytes = copy->read_bytes,
        .hbm_write_bytes = copy->write_bytes,
        .hbm_busy_ps = sim_server_busy_ps(hbm_mover_server(copy->memory)),
        .bus_busy_ps = endpoint_bus_busy_ps(copy->out),
    };
}

static void copy_engine_report_resource_use(const Endpoint *endpoint,
                                            ResourceUse *ret)
{
    const CopyEngine *copy = (const CopyEngine *)endpoint;

    ret[COPY_ENGINES].capacity = copy->params->n_engines;
    ret[COPY_ENGINES].busy_ps = sim_server_busy_ps(copy->engines);
}

static void copy_engine_explain_stall(const Endpoint *endpoint, GString *text)
{
    const CopyEngine *copy = (const CopyEngine *)endpoint;

    g_string_append_printf(
        text,
        "  endpoint: %u copies and %u reductions are under "
        "way, %u wait for HBM\n",
        copy->n_copies, copy->n_reductions,
        sim_server_count_waiting(hbm_mover_server(copy->memory)));
}

const EndpointOps endpoint_copy_engine = {
    .base = { .name = "copy-engine",
              .summary = "DMA engines move, few SMs or none reduce; slow on "
                         "small messages",
              .fields = copy_engine_fields,
              .size = sizeof(CopyEngineParams) },
    .new = copy_engine_new,
    .is_one_per_npu = TRUE,
    .free = copy_engine_free,
    .resources = copy_engine_resources,
    .uses = copy_engine_report_resource_use,
    .claim = copy_engine_claim_resources,
    .pace = copy_engine_estimate_chunk_costs,
    .may_start = copy_engine_may_admit_chunk,
    .advance = copy_engine_advance_chunk,
    .send = copy_engine_send_message,
    .receive = copy_engine_receive_message,
    .set_rate = copy_engine_set_hbm_rate,
    .stats = copy_engine_read_counters,
    .steady = copy_engine_visit_state,
    .explain = copy_engine_explain_stall,
    .invariance = &bus_invariance,
};
