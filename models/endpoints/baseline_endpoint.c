/*
 * baseline_endpoint.c - an endpoint whose steps are done by the NPU's own SMs
 *
 * To send a message of B bytes, the SMs read 2 B from HBM in a reduce-scatter
 * step (the received block and the local block to which it is added), and B
 * otherwise.  A message that arrives is written, B.  Reads proceed at
 *
 *     min(share of HBM, k x SM bandwidth)
 *
 * oldest chunk first, then over the bus to the fabric in the same order.  In
 * reality the first send of a rank reads one block only and its last reduction
 * sends nothing.  Counting 2 B for each send gives the same sum: 3(n-1) blocks
 * for an all-reduce.
 *
 * HBM policy
 *   shared       Every byte is charged.
 *   partitioned  Writes are counted, but not charged to the share: if they
 *                were, the published 450 GB/s could not drive the published
 *                network bandwidth.  The exception is a total above the HBM
 *                bandwidth.  As many bytes are written as sent, so a message
 *                that reads R takes
 *
 *       max(R / read rate, (R + B) / what the side stream leaves of the HBM)
 *
 *                which is R / read rate for a share of up to half of the HBM.
 *
 * Launch and step: a collective is a kernel that is launched, and its steps
 * wait for flags of other ranks.  A ring all-reduce of 8 B has 2 steps on 2
 * GPUs and 6 on 4; it takes 8.93 and 17.1 us [NCCLSMALL], so
 *
 *     launch = 8.93 - 2 x 2.04 = 4.85 us,  step = (17.1 - 8.93) / 4 = 2.04 us
 *
 * Half of the step is assumed to be the latency of the link, which the network
 * models.  Launch and step are pure latency: they hold no SM, and chunks do not
 * wait for those of other chunks.
 *
 * Choice of `auto`: if both `sms` and `memory_bandwidth` are `auto`, a step of
 * the ladder is one more SM with the full rate of its SMs.  A larger share
 * would be useless, and a share that fewer SMs can use wastes an SM.  So each
 * share goes with the smallest number of SMs that can use it, and the two
 * parameters become one.
 *
 * Sources  [ISCA21] memory rule: 1.5 reads per byte sent in an all-reduce
 */
#include "models/endpoints/buses_with_same_results.h"
#include "models/endpoints/endpoint_bus.h"
#include "models/endpoints/endpoint_impl.h"
#include "network/transport/network_steady_state.h"

typedef struct {
    EndpointCommon common;
    uint64_t n_sms;
    uint64_t memory_bytes_per_s;
    uint64_t sms_ppm,
        memory_ppm; /* shares of the NPU's SMs and HBM: see resource_shares.h */
    gboolean only_while_communicating;
    EndpointCosts costs;
} BaselineParams;

typedef struct {
    Endpoint base;
    HbmMover *reader;
    EndpointBus *out, *in; /* owned */
    gboolean charges_writes;
    uint64_t sms_bytes_per_s;
    uint64_t
        most_bytes_per_s; /* maximum of reads plus writes if `partitioned` */
    uint64_t read_bytes, write_bytes;
} Baseline;

/* The range of a share of the HBM bandwidth, in bytes per second. */
#define MIN_SHARE UINT64_C(1000000)
#define MAX_SHARE UINT64_C(1000000000000000)

static const ConfigField baseline_fields[] = {
    ENDPOINT_COMMON_FIELDS(BaselineParams),
    { .key = "sms",
      .help = "SMs that drive communication",
      .type = CONFIG_COUNT,
      .offset = offsetof(BaselineParams, n_sms),
      .share_offset = offsetof(BaselineParams, sms_ppm),
      .whole = "the NPU's SMs",
      .min = 1,
      .max = 100000,
      .may_be_auto = TRUE },
    { .key = "memory_bandwidth",
      .help = "share of HBM for communication, under `partitioned`",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(BaselineParams, memory_bytes_per_s),
      .share_offset = offsetof(BaselineParams, memory_ppm),
      .whole = "the NPU's HBM bandwidth",
      .min = MIN_SHARE,
      .max = MAX_SHARE,
      .may_be_auto = TRUE },
    ENDPOINT_RELEASE_FIELD(BaselineParams, "SMs and share"),
    ENDPOINT_COST_FIELDS(
        BaselineParams, "4.85 us",
        "derived: NCCLSMALL, ring all-reduces of 2 and 4 ranks", "1.02 us",
        "derived: NCCLSMALL, as launch_time; assumed: half of a step is its "
        "link"),
    CONFIG_END,
};

static void on_message_read_from_hbm(gpointer self, uint32_t message,
                                     uint64_t now_ps);
static void on_message_sent_over_bus(gpointer self, uint32_t message,
                                     uint64_t now_ps);
static void on_message_arrived_over_bus(gpointer self, uint32_t message,
                                        uint64_t now_ps);

/* Returns the number of bytes that the reader is charged for a message, such
 * that it is occupied for as long as the message occupies the HBM. */
static uint64_t hbm_bytes_charged_to_reader(const Baseline *baseline,
                                            uint64_t read_bytes,
                                            uint64_t write_bytes)
{
    uint64_t all_bytes = read_bytes + write_bytes;
    uint64_t rate_bytes_per_s =
        MIN(hbm_rate_of_stream(baseline->base.host->hbm,
                               baseline->base.read_stream),
            baseline->sms_bytes_per_s);
    uint64_t kept_bytes;

    if (baseline->charges_writes)
        return all_bytes;
    kept_bytes = (uint64_t)(((SimWide)all_bytes * rate_bytes_per_s +
                             (baseline->most_bytes_per_s - 1)) /
                            baseline->most_bytes_per_s);
    return MAX(read_bytes, kept_bytes);
}

static Endpoint *baseline_endpoint_new(const ConfigVariant *config,
                                       const EndpointSite *site,
                                       EndpointHost *host, GError **error)
{
    const BaselineParams *params = config->params;
    const NpuConfig *npu = site->npu;
    HbmStream stream = hbm_comm_stream(HBM_COMM_READ, site->index);
    Baseline *baseline;

    if (params->n_sms > npu->n_sms) {
        config_set_error(
            error, config->node, CONFIG_ERROR_CONFLICT,
            "sms: %" G_GUINT64_FORMAT
            " for communication, but the NPU has %" G_GUINT64_FORMAT,
            params->n_sms, npu->n_sms);
        return NULL;
    }
    baseline = g_new0(Baseline, 1);
    endpoint_set_costs(&baseline->base, &params->costs, npu->clock_hz);
    baseline->sms_bytes_per_s = npu_sms_max_bytes_per_s(npu, params->n_sms);
    baseline->most_bytes_per_s = hbm_usable_bytes_per_s(&npu->hbm) -
                                 hbm_rate_of_stream(host->hbm, HBM_SIDE);
    baseline->reader = hbm_mover_new(host->hbm, host->engine, stream,
                                     baseline->sms_bytes_per_s,
                                     on_message_read_from_hbm, baseline);
    baseline->charges_writes = npu->hbm.policy == HBM_SHARED;
    hbm_set_supply(host->hbm, stream,
                   npu_supply_of_sms_bytes_per_s(npu, NULL, params->n_sms));
    baseline->out = endpoint_bus_new(host, on_message_sent_over_bus, baseline);
    baseline->in =
        endpoint_bus_new(host, on_message_arrived_over_bus, baseline);
    return &baseline->base;
}

static void baseline_endpoint_free(Endpoint *endpoint)
{
    Baseline *baseline = (Baseline *)endpoint;

    hbm_mover_free(baseline->reader);
    endpoint_bus_free(baseline->out);
    endpoint_bus_free(baseline->in);
    g_free(baseline);
}

static void baseline_claim_resources(gconstpointer params, EndpointClaim *ret)
{
    const BaselineParams *baseline_params = params;

    *ret = (EndpointClaim){
        .n_sms = baseline_params->n_sms,
        .read_bytes_per_s = baseline_params->memory_bytes_per_s,
        /* An all-reduce writes 1 byte for each 1.5 bytes that it reads. */
        .unpaced_write_bytes_per_s =
            baseline_params->memory_bytes_per_s / 3 * 2,
        .only_while_communicating = baseline_params->only_while_communicating,
        .is_share_only = TRUE,
        .reads_by_sms = TRUE,
    };
}

static gboolean baseline_estimate_chunk_costs(gconstpointer params,
                                              const EndpointSite *site,
                                              const CollPlan *plan,
                                              uint64_t chunk_bytes,
                                              CutPace *ret)
{
    const BaselineParams *baseline_params = params;
    const NpuConfig *npu = site->npu;
    gboolean charges_writes = npu->hbm.policy == HBM_SHARED;
    uint64_t most = charges_writes ? hbm_usable_bytes_per_s(&npu->hbm)
                                   : baseline_params->memory_bytes_per_s;
    uint64_t rate =
        MIN(npu_sms_max_bytes_per_s(npu, baseline_params->n_sms), most);

    (void)plan;
    (void)chunk_bytes;
    ret->message_ps =
        endpoint_message_time_ps(&baseline_params->costs, site->npu);
    ret->bus_bytes_per_s = npu->bus_bytes_per_s;
    ret->reduce_bytes_per_s = MAX(1, rate / (charges_writes ? 3 : 2));
    ret->store_bytes_per_s = MAX(1, rate / (charges_writes ? 2 : 1));
    return TRUE;
}

/* ---- choice of `auto` parameters --------------------------------------- */

/* The number of steps of the ladder if SMs are given and the share of the HBM
 * is `auto`. */
#define N_SHARES 16

/* Rounds up to three digits, within the range of the key, so that the chosen
 * value is easy to read and type. */
static uint64_t round_up_to_three_digits(uint64_t bytes_per_s)
{
    uint64_t unit = 1;

    while (bytes_per_s / unit >= 1000)
        unit *= 10;
    return CLAMP((bytes_per_s + unit - 1) / unit * unit, MIN_SHARE, MAX_SHARE);
}

/* Returns the smallest number of SMs that can use an HBM bandwidth of
 * @most_bytes_per_s. */
static guint n_sms_to_use_bandwidth(const NpuConfig *npu,
                                    uint64_t most_bytes_per_s)
{
    guint n = 1;

    while (n < npu->n_sms && npu_sms_max_bytes_per_s(npu, n) < most_bytes_per_s)
        n++;
    return n;
}

static guint baseline_n_auto_steps(gconstpointer params, const NpuConfig *npu)
{
    const BaselineParams *baseline_params = params;

    if (baseline_params->n_sms != CONFIG_AUTO)
        return baseline_params->memory_bytes_per_s == CONFIG_AUTO ? N_SHARES
                                                                  : 0;
    if (baseline_params->memory_bytes_per_s != CONFIG_AUTO &&
        npu->hbm.policy != HBM_SHARED)
        return n_sms_to_use_bandwidth(npu, baseline_params->memory_bytes_per_s);
    return n_sms_to_use_bandwidth(npu, hbm_usable_bytes_per_s(&npu->hbm));
}

static void baseline_set_auto_params(gconstpointer config, const NpuConfig *npu,
                                     guint step, guint part, gpointer params)
{
    const BaselineParams *given = config;
    BaselineParams *baseline_params = params;
    uint64_t below, all;

    if (given->n_sms == CONFIG_AUTO) {
        baseline_params->n_sms = step + 1;
        all = npu_sms_max_bytes_per_s(npu, baseline_params->n_sms);
        below = step > 0 ? npu_sms_max_bytes_per_s(npu, step) : 0;
    } else {
        all = npu_sms_max_bytes_per_s(npu, MIN(given->n_sms, npu->n_sms));
        below = all / N_SHARES * step;
        all = all / N_SHARES * (step + 1);
    }
    if (given->memory_bytes_per_s != CONFIG_AUTO)
        return;
    if (npu->hbm.policy == HBM_SHARED) /* this policy ignores the share */
        part = ENDPOINT_N_PARTS;
    baseline_params->memory_bytes_per_s = round_up_to_three_digits(
        below + (all - below) / ENDPOINT_N_PARTS * part);
}

static char *baseline_bandwidth_cap_reason(gconstpointer params,
                                           const NpuConfig *npu, guint times)
{
    const BaselineParams *baseline_params = params;
    uint64_t drawn = npu_sms_max_bytes_per_s(npu, baseline_params->n_sms);
    uint64_t share = baseline_params->memory_bytes_per_s;

    if (npu->hbm.policy == HBM_SHARED)
        return NULL;
    if (share <= drawn && drawn < times * share)
        return g_strdup_printf(
            "%" G_GUINT64_FORMAT " SM%s at most %.4g GB/s with any share",
            baseline_params->n_sms,
            baseline_params->n_sms > 1 ? "s transfer" : " transfers",
            (double)drawn / 1e9);
    if (drawn < share && share < times * drawn)
        return g_strdup_printf("the share of %.4g GB/s limits any number of "
                               "SMs",
                               (double)share / 1e9);
    return NULL;
}

static gboolean baseline_may_admit_chunk(Endpoint *endpoint, uint64_t bytes)
{
    (void)endpoint;
    (void)bytes;
    return TRUE;
}

static void baseline_advance_chunk(Endpoint *endpoint, Chunk *chunk,
                                   uint32_t phase)
{
    (void)phase;
    host_report_chunk_enters_phase(endpoint->host, chunk);
}

static void baseline_send_message(Endpoint *endpoint, uint32_t message)
{
    Baseline *baseline = (Baseline *)endpoint;
    const NetMessage *net_message = host_get_message(endpoint->host, message);
    uint64_t read_bytes = message_is_added_to_buffer(net_message)
                              ? 2 * net_message->bytes
                              : net_message->bytes;

    baseline->read_bytes += read_bytes;
    hbm_mover_submit_transfer(
        baseline->reader, net_message->order_hi,
        hbm_bytes_charged_to_reader(
            baseline, read_bytes,
            message_bytes_of_opposite_direction(net_message)),
        message);
}

static void on_message_sent_over_bus(gpointer self, uint32_t message,
                                     uint64_t now_ps)
{
    const Endpoint *baseline = &((Baseline *)self)->base;
    EndpointHost *host = baseline->host;

    TRACE(host->watch, message_done, host->id, message, RESOURCE_BUS, now_ps);
    host_report_message_ready(host, message,
                              sim_time_add(now_ps, baseline->message_ps));
}

static void on_message_read_from_hbm(gpointer self, uint32_t message,
                                     uint64_t now_ps)
{
    Baseline *baseline = self;
    EndpointHost *host = baseline->base.host;

    (void)now_ps;
    TRACE(host->watch, message_done, host->id, message,
          endpoint_resource_that_delayed_mover(host->config, baseline->reader,
                                               RESOURCE_SMS),
          hbm_mover_next_free_time_ps(baseline->reader));
    endpoint_bus_pass_message(baseline->out, message);
}

static void on_message_arrived_over_bus(gpointer self, uint32_t message,
                                        uint64_t now_ps)
{
    Baseline *baseline = self;
    EndpointHost *host = baseline->base.host;
    const NetMessage *net_message = host_get_message(host, message);

    TRACE(host->watch, message_done, host->id, message, RESOURCE_BUS, now_ps);
    baseline->write_bytes += net_message->bytes;
    host_report_message_processed(host, message,
                                  message_is_added_to_buffer(net_message));
}

static void baseline_receive_message(Endpoint *endpoint, uint32_t message)
{
    endpoint_bus_pass_message(((Baseline *)endpoint)->in, message);
}

static void baseline_set_hbm_rate(Endpoint *endpoint, HbmStream stream,
                                  uint64_t bytes_per_s)
{
    if (stream == HBM_COMM_READ)
        hbm_mover_set_rate(((Baseline *)endpoint)->reader, bytes_per_s);
}

static void baseline_read_counters(const Endpoint *endpoint, EndpointStats *ret)
{
    const Baseline *baseline = (const Baseline *)endpoint;

    *ret = (EndpointStats){
        .hbm_read_bytes = baseline->read_bytes,
        .hbm_write_bytes = baseline->write_bytes,
        .hbm_busy_ps = sim_server_busy_ps(hbm_mover_server(baseline->reader)),
        .bus_busy_ps = endpoint_bus_busy_ps(baseline->out),
    };
}

static void baseline_visit_state(Endpoint *endpoint, SteadyWalk *walk)
{
    Baseline *baseline = (Baseline *)endpoint;

    hbm_mover_visit_state(baseline->reader, walk, network_visit_held_message,
                          endpoint->host->network);
    endpoint_bus_visit_state(baseline->out, walk, baseline->sms_bytes_per_s,
                             network_visit_held_message);
    endpoint_bus_visit_state(baseline->in, walk,
                             network_max_bytes_per_s(endpoint->host->network),
                             network_visit_arrived_message);
    steady_visit_counter(walk, &baseline->read_bytes);
    steady_visit_counter(walk, &baseline->write_bytes);
}

static void baseline_explain_stall(const Endpoint *endpoint, GString *text)
{
    const SimServer *server =
        hbm_mover_server(((const Baseline *)endpoint)->reader);

    g_string_append_printf(text,
                           "  endpoint: %u messages wait for HBM reads%s\n",
                           sim_server_count_waiting(server),
                           sim_server_is_idle(server) ? "" : ", one is read");
}

const EndpointOps endpoint_baseline = {
    .base = { .name = "baseline",
              .summary = "the NPU's SMs reduce and forward; reads 1.5 and "
                         "writes 1 byte per byte sent in an all-reduce",
              .fields = baseline_fields,
              .size = sizeof(BaselineParams) },
    .new = baseline_endpoint_new,
    .free = baseline_endpoint_free,
    .claim = baseline_claim_resources,
    .pace = baseline_estimate_chunk_costs,
    .n_steps = baseline_n_auto_steps,
    .take_step = baseline_set_auto_params,
    .cap = baseline_bandwidth_cap_reason,
    .may_start = baseline_may_admit_chunk,
    .advance = baseline_advance_chunk,
    .send = baseline_send_message,
    .receive = baseline_receive_message,
    .set_rate = baseline_set_hbm_rate,
    .stats = baseline_read_counters,
    .steady = baseline_visit_state,
    .is_final_at_chunk_end = TRUE,
    .explain = baseline_explain_stall,
    .invariance = &bus_invariance,
};
