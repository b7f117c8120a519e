/* hbm_bandwidth.c - division of HBM bandwidth by policy, and movers that
 * use it */
#include "models/npu/hbm_bandwidth.h"

#include <string.h>

#include "models/npu/sm_bandwidth.h"

#define PPM        1000000
#define MAX_SUPPLY (UINT64_C(1) << 50)

/* The fraction of bytes that a kernel reads if it does not state one;
 * assumed. */
#define KERNEL_READ_PPM 666667

typedef struct {
    uint64_t read_ppm;
    uint64_t share;  /* for HBM_PARTITIONED */
    uint64_t demand; /* 0: the stream is idle */
    uint64_t supply; /* for HBM_BY_SMS; 0: an engine */
    uint64_t rate;
} StreamState;

struct Hbm {
    const HbmConfig *config; /* borrowed */
    uint64_t usable_bytes_per_s, needed_bytes_per_s;
    uint64_t queueing_ppm; /* for HBM_BY_SMS */
    /* The latest pool and supply of hbm_pool_reduced_by_queueing(), and its
     * result: transfers begin and end with the same ones. */
    uint64_t pool, pool_supply, reduced_pool;
    HbmRateFn rate;
    gpointer self;     /* borrowed */
    HbmRateFn moves;   /* listener of the endpoints' traffic; may be NULL */
    gpointer listener; /* borrowed: argument of .moves */
    guint n_streams;
    StreamState streams[]; /* .n_streams of them */
};

struct HbmMover {
    Hbm *hbm; /* borrowed */
    SimServer *server;
    HbmStream stream;
    uint64_t cap_bytes_per_s;
    SimTime free_ps, done_ps; /* ends of the two latest transfers */
    SimEventFn done;
    gpointer self; /* borrowed */
};

static const char *const policy_names[] = { "partitioned", "shared", NULL };
static const char *const share_by_names[] = { "streams", "sms", NULL };

/* Memory rates that NPUs usually have, from embedded ones to wafers (assumed);
 * others are probably slips of the unit. */
#define USUAL_MIN_BYTES_PER_S UINT64_C(1000000000)
#define USUAL_MAX_BYTES_PER_S UINT64_C(100000000000000)

const ConfigField hbm_fields[] = {
    { .key = "bandwidth",
      .help = "peak, reads and writes together",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(HbmConfig, bandwidth_bytes_per_s),
      .usual_min = USUAL_MIN_BYTES_PER_S,
      .usual_max = USUAL_MAX_BYTES_PER_S,
      .min = UINT64_C(1000000),
      .max = UINT64_C(1000000000000000) },
    { .key = "efficiency",
      .help = "part of the peak that streams can have",
      .type = CONFIG_FRACTION,
      .offset = offsetof(HbmConfig, efficiency_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "100 %",
      .source = "assumed: shares are given of the peak in ISCA21" },
    { .key = "write_loss",
      .help = "part of the bandwidth lost when all bytes are written",
      .type = CONFIG_FRACTION,
      .offset = offsetof(HbmConfig, write_loss_ppm),
      .max = 900000,
      .fallback = "0 %",
      .source = "assumed: none; acesim-fit finds it for a GPU" },
    { .key = "turnaround",
      .help = "part of the bandwidth lost, besides, when half of them are",
      .type = CONFIG_FRACTION,
      .offset = offsetof(HbmConfig, turnaround_ppm),
      .max = 900000,
      .fallback = "0 %",
      .source = "assumed: not known; acesim-fit finds it for a GPU" },
    { .key = "capacity",
      .help =
          "bytes that it holds; a language model that needs more is refused",
      .type = CONFIG_BYTES,
      .offset = offsetof(HbmConfig, capacity_bytes),
      .max = UINT64_C(1) << 50,
      .fallback = "0 B",
      .source = "not known: nothing is refused" },
    { .key = "policy",
      .help = "how streams share the bandwidth",
      .type = CONFIG_ENUM,
      .offset = offsetof(HbmConfig, policy),
      .names = policy_names,
      .fallback = "partitioned",
      .source = "ISCA21" },
    { .key = "share_by",
      .help = "under `shared`: streams divide a full memory equally, or SMs do "
              "and engines come first",
      .type = CONFIG_ENUM,
      .offset = offsetof(HbmConfig, share_by),
      .names = share_by_names,
      .fallback = "streams",
      .source = "assumed: fair; MEASURED has SMs" },
    { .key = "charge_writes",
      .help = "under `partitioned`: an endpoint's writes are taken from "
              "kernels as its reads are; false: they are free",
      .type = CONFIG_BOOL,
      .offset = offsetof(HbmConfig, charge_writes),
      .fallback = "false",
      .source = "assumed: the shares of ISCA21 are of reads" },
    { .key = "compute_weight",
      .help = "of a kernel, under `shared`",
      .type = CONFIG_COUNT,
      .offset = offsetof(HbmConfig, compute_weight),
      .min = 1,
      .max = 1000,
      .fallback = "1",
      .source = "assumed: fair" },
    { .key = "communication_weight",
      .help = "of an endpoint's stream, under `shared`",
      .type = CONFIG_COUNT,
      .offset = offsetof(HbmConfig, comm_weight),
      .min = 1,
      .max = 1000,
      .fallback = "1",
      .source = "assumed: fair" },
    CONFIG_END,
};

uint64_t hbm_usable_bytes_per_s(const HbmConfig *config)
{
    return (uint64_t)((SimWide)config->bandwidth_bytes_per_s *
                      config->efficiency_ppm / 1000000);
}

uint64_t hbm_bytes_per_s_at_read_fraction(const HbmConfig *config,
                                          uint64_t read_ppm)
{
    uint64_t mixed_ppm = 4 * read_ppm * (PPM - read_ppm) / PPM;
    uint64_t lost_ppm = config->turnaround_ppm * mixed_ppm / PPM;
    uint64_t left_ppm = PPM - config->write_loss_ppm * (PPM - read_ppm) / PPM;

    g_assert(read_ppm <= PPM);
    return (uint64_t)((SimWide)hbm_usable_bytes_per_s(config) *
                      (PPM - lost_ppm) / PPM * left_ppm / PPM);
}

gboolean hbm_bandwidth_depends_on_read_fraction(const HbmConfig *config)
{
    return config->turnaround_ppm > 0 || config->write_loss_ppm > 0;
}

static gsize hbm_state_bytes(uint32_t n_streams)
{
    return sizeof(Hbm) + n_streams * sizeof(StreamState);
}

Hbm *hbm_new_for_endpoints(const HbmConfig *config, uint32_t n_endpoints,
                           HbmRateFn rate, gpointer self)
{
    uint32_t n_streams = HBM_COMM_READ + 2 * n_endpoints;
    Hbm *hbm = g_malloc0(hbm_state_bytes(n_streams));

    g_assert(n_endpoints >= 1 && n_endpoints <= HBM_MAX_ENDPOINTS);
    hbm->n_streams = n_streams;
    hbm->config = config;
    hbm->usable_bytes_per_s = hbm_usable_bytes_per_s(config);
    for (HbmStream stream = 0; stream < hbm->n_streams; stream++) {
        gboolean is_kernel = stream < HBM_COMM_READ;

        hbm->streams[stream].read_ppm = is_kernel ? KERNEL_READ_PPM
                                        : (stream - HBM_COMM_READ) % 2 == 0
                                            ? PPM
                                            : 0;
    }
    hbm->rate = rate;
    hbm->self = self;
    if (config->policy == HBM_PARTITIONED)
        hbm->streams[HBM_MAIN].rate = hbm->usable_bytes_per_s;
    return hbm;
}

Hbm *hbm_new(const HbmConfig *config, HbmRateFn rate, gpointer self)
{
    return hbm_new_for_endpoints(config, 1, rate, self);
}

void hbm_free(Hbm *hbm)
{
    g_free(hbm);
}

static void report_hbm_use(const Hbm *hbm, HbmStream stream)
{
    if (hbm->moves && stream >= HBM_COMM_READ)
        hbm->moves(hbm->listener, stream,
                   MIN(hbm->streams[stream].demand, hbm->streams[stream].rate));
}

static void set_rate_of_stream(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s)
{
    if (hbm->streams[stream].rate == bytes_per_s)
        return;
    hbm->streams[stream].rate = bytes_per_s;
    report_hbm_use(hbm, stream);
    hbm->rate(hbm->self, stream, bytes_per_s);
}

/* Returns the sum of the shares of the streams @first, @first + 2, ..., each of
 * which is at most @usable. */
static SimWide sum_of_hbm_shares_from_stream(const Hbm *hbm, HbmStream first,
                                             uint64_t usable)
{
    SimWide sum = 0;

    for (HbmStream stream = first; stream < hbm->n_streams; stream += 2)
        sum += MIN(hbm->streams[stream].share, usable);
    return sum;
}

/* Divides the bandwidth by fixed shares.  If the reads and writes of all
 * endpoints exceed the remainder after the side stream, they divide it in
 * proportion to their shares.  By default writes cost the main stream nothing:
 * if it paid for them, it would have 150 of 900 GB/s beside the published 450
 * GB/s of reads. */
static void divide_hbm_by_fixed_shares(Hbm *hbm)
{
    uint64_t usable = hbm->usable_bytes_per_s;
    uint64_t side = MIN(hbm->streams[HBM_SIDE].share, usable);
    SimWide reads = sum_of_hbm_shares_from_stream(hbm, HBM_COMM_READ, usable);
    SimWide writes = sum_of_hbm_shares_from_stream(hbm, HBM_COMM_WRITE, usable);
    uint64_t left = usable - side;
    SimWide charged = reads + (hbm->config->charge_writes ? writes : 0);
    gboolean is_reduced = reads + writes > left;

    set_rate_of_stream(hbm, HBM_MAIN, left - (uint64_t)MIN(charged, left));
    set_rate_of_stream(hbm, HBM_SIDE, side);
    for (HbmStream stream = HBM_COMM_READ; stream < hbm->n_streams; stream++) {
        uint64_t share = MIN(hbm->streams[stream].share, usable);

        if (is_reduced)
            share = (uint64_t)((SimWide)left * share / (reads + writes));
        set_rate_of_stream(hbm, stream, share);
    }
}

/* Returns the usable bandwidth for the mix of all current demands. */
static uint64_t usable_bandwidth_for_current_mix(const Hbm *hbm)
{
    SimWide all = 0, reads = 0;

    if (!hbm_bandwidth_depends_on_read_fraction(hbm->config))
        return hbm->usable_bytes_per_s;
    for (HbmStream stream = 0; stream < hbm->n_streams; stream++) {
        all += hbm->streams[stream].demand;
        reads += (SimWide)hbm->streams[stream].demand *
                 hbm->streams[stream].read_ppm;
    }
    return all == 0 ? hbm->usable_bytes_per_s
                    : hbm_bytes_per_s_at_read_fraction(hbm->config,
                                                       (uint64_t)(reads / all));
}

/* Returns the weight of a stream, below 2^64: a weight is at most 1000 and a
 * supply at most 2^50. */
static uint64_t weight_of_stream(const Hbm *hbm, HbmStream stream)
{
    uint64_t weight = stream < HBM_COMM_READ ? hbm->config->compute_weight
                                             : hbm->config->comm_weight;

    return hbm->config->share_by == HBM_BY_SMS &&
                   hbm->streams[stream].supply > 0
               ? weight * MIN(hbm->streams[stream].supply, MAX_SUPPLY)
               : weight;
}

/* Divides @pool max-min fairly among the streams of @is_divided by
 * water-filling: a stream that cannot use its fair part gets its demand, and
 * the others divide the remainder.  Returns what remains. */
static uint64_t divide_pool_max_min_fairly(const Hbm *hbm, uint64_t pool,
                                           const gboolean *is_divided,
                                           uint64_t *ret_rates)
{
    gboolean open[HBM_MAX_STREAMS];
    uint64_t left = pool, unused = pool;
    gboolean again = TRUE;

    memcpy(open, is_divided, hbm->n_streams * sizeof *open);
    while (again) {
        SimWide weights = 0;

        pool = left;
        again = FALSE;
        for (HbmStream stream = 0; stream < hbm->n_streams; stream++)
            weights += open[stream] ? weight_of_stream(hbm, stream) : 0;
        for (HbmStream stream = 0; stream < hbm->n_streams; stream++) {
            if (!open[stream])
                continue;
            ret_rates[stream] =
                (uint64_t)((SimWide)pool * weight_of_stream(hbm, stream) /
                           weights);
            if (hbm->streams[stream].demand <= ret_rates[stream]) {
                ret_rates[stream] = hbm->streams[stream].demand;
                left -= ret_rates[stream];
                open[stream] = FALSE;
                again = TRUE;
            }
        }
    }
    for (HbmStream stream = 0; stream < hbm->n_streams; stream++)
        unused -= is_divided[stream] ? ret_rates[stream] : 0;
    return unused;
}

/* Returns the bandwidth that the streams of @is_divided draw together from
 * @pool, if they belong to SMs; otherwise @pool. */
static uint64_t hbm_pool_reduced_by_queueing(Hbm *hbm, uint64_t pool,
                                             const gboolean *is_divided)
{
    uint64_t supply = 0;

    if (hbm->config->share_by != HBM_BY_SMS || hbm->queueing_ppm == 0)
        return pool;
    for (HbmStream stream = 0; stream < hbm->n_streams; stream++)
        supply += is_divided[stream]
                      ? MIN(hbm->streams[stream].supply, MAX_SUPPLY)
                      : 0;
    if (pool != hbm->pool || supply != hbm->pool_supply) {
        hbm->pool = pool;
        hbm->pool_supply = supply;
        hbm->reduced_pool =
            sm_rate_within_both_bounds(pool, supply, hbm->queueing_ppm);
    }
    return hbm->reduced_pool;
}

/* Returns the rate that is left to stream @stream, one of an endpoint on SMs,
 * of
 * @pool: its demand times (1 - load), or its part by weights if that is more.
 * The load is that of kernels, whose requests come at any time. */
static uint64_t endpoint_hbm_rate_beside_kernels(const Hbm *hbm,
                                                 HbmStream stream,
                                                 uint64_t pool,
                                                 const gboolean *is_divided,
                                                 const uint64_t *rates)
{
    SimWide weights = 0;
    uint64_t load = 0, waiting, part;

    for (HbmStream k = 0; k < hbm->n_streams; k++)
        weights += is_divided[k] ? weight_of_stream(hbm, k) : 0;
    for (HbmStream k = HBM_MAIN; k <= HBM_SIDE; k++)
        load += rates[k];
    waiting = (uint64_t)((SimWide)hbm->streams[stream].demand *
                         (pool - MIN(load, pool)) / MAX(pool, 1));
    part = (uint64_t)((SimWide)pool * weight_of_stream(hbm, stream) / weights);
    return MIN(rates[stream], MAX(waiting, part));
}

/* Reduces the rates of endpoints on SMs that wait behind requests of
 * kernels. */
static void lower_endpoint_rates_behind_kernels(const Hbm *hbm, uint64_t pool,
                                                const gboolean *is_divided,
                                                uint64_t *rates)
{
    for (HbmStream stream = HBM_COMM_READ; stream < hbm->n_streams; stream++)
        if (is_divided[stream] && hbm->streams[stream].supply > 0)
            rates[stream] = endpoint_hbm_rate_beside_kernels(hbm, stream, pool,
                                                             is_divided, rates);
}

/* Divides the bandwidth by weights.  With HBM_BY_SMS, engines come first. */
static void divide_hbm_max_min_fairly(Hbm *hbm)
{
    uint64_t rates[HBM_MAX_STREAMS];
    gboolean is_engine[HBM_MAX_STREAMS], is_other[HBM_MAX_STREAMS];
    uint64_t pool = usable_bandwidth_for_current_mix(hbm);
    guint n_engines = 0, n_others = 0;
    HbmStream last = HBM_MAIN;

    for (HbmStream stream = 0; stream < hbm->n_streams; stream++) {
        is_engine[stream] = hbm->streams[stream].demand > 0 &&
                            hbm->streams[stream].supply == 0 &&
                            hbm->config->share_by == HBM_BY_SMS;
        is_other[stream] =
            hbm->streams[stream].demand > 0 && !is_engine[stream];
        rates[stream] = 0;
        n_engines += is_engine[stream] ? 1 : 0;
        n_others += is_other[stream] ? 1 : 0;
        last = is_other[stream] ? stream : last;
    }
    if (n_engines > 0)
        pool = divide_pool_max_min_fairly(hbm, pool, is_engine, rates);
    if (n_others > 0)
        pool = MIN(pool, hbm_pool_reduced_by_queueing(hbm, pool, is_other));
    if (n_others == 1) /* it need not share */
        rates[last] = MIN(hbm->streams[last].demand, pool);
    else if (n_others > 1)
        divide_pool_max_min_fairly(hbm, pool, is_other, rates);
    if (hbm->config->share_by == HBM_BY_SMS && n_others > 1)
        lower_endpoint_rates_behind_kernels(hbm, pool, is_other, rates);
    for (HbmStream stream = 0; stream < hbm->n_streams; stream++)
        set_rate_of_stream(hbm, stream, rates[stream]);
}

/* Shares are at most 10^15 bytes per second, so the sum cannot overflow. */
static uint64_t sum_of_all_hbm_shares(const Hbm *hbm)
{
    uint64_t sum = 0;

    for (HbmStream stream = HBM_SIDE; stream < hbm->n_streams; stream++)
        sum += hbm->streams[stream].share;
    return sum;
}

void hbm_set_share(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s)
{
    g_assert(stream != HBM_MAIN);
    if (hbm->streams[stream].share == bytes_per_s)
        return;
    hbm->streams[stream].share = bytes_per_s;
    hbm->needed_bytes_per_s =
        MAX(hbm->needed_bytes_per_s, sum_of_all_hbm_shares(hbm));
    if (hbm->config->policy == HBM_PARTITIONED)
        divide_hbm_by_fixed_shares(hbm);
}

void hbm_set_read_fraction(Hbm *hbm, HbmStream stream, uint64_t read_ppm)
{
    g_assert(stream == HBM_MAIN || stream == HBM_SIDE);
    g_assert(read_ppm <= PPM);
    if (hbm->streams[stream].read_ppm == read_ppm)
        return;
    hbm->streams[stream].read_ppm = read_ppm;
    if (hbm->config->policy == HBM_SHARED && hbm->streams[stream].demand > 0 &&
        hbm_bandwidth_depends_on_read_fraction(hbm->config))
        divide_hbm_max_min_fairly(hbm);
}

void hbm_set_queueing_factor(Hbm *hbm, uint64_t queueing_ppm)
{
    hbm->queueing_ppm = queueing_ppm;
    hbm->pool = hbm->pool_supply = hbm->reduced_pool = 0;
}

void hbm_set_supply(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s)
{
    if (hbm->streams[stream].supply == bytes_per_s)
        return;
    hbm->streams[stream].supply = bytes_per_s;
    if (hbm->config->policy == HBM_SHARED &&
        hbm->config->share_by == HBM_BY_SMS && hbm->streams[stream].demand > 0)
        divide_hbm_max_min_fairly(hbm);
}

void hbm_set_demand(Hbm *hbm, HbmStream stream, uint64_t bytes_per_s)
{
    if (hbm->streams[stream].demand == bytes_per_s)
        return;
    hbm->streams[stream].demand = bytes_per_s;
    report_hbm_use(hbm, stream);
    if (hbm->config->policy == HBM_SHARED)
        divide_hbm_max_min_fairly(hbm);
}

uint64_t hbm_max_sum_of_shares(const Hbm *hbm)
{
    return hbm->needed_bytes_per_s;
}

void hbm_set_listener(Hbm *hbm, HbmRateFn moves, gpointer self)
{
    hbm->moves = moves;
    hbm->listener = self;
}

uint64_t hbm_rate_of_stream(const Hbm *hbm, HbmStream stream)
{
    return hbm->streams[stream].rate;
}

uint64_t hbm_bytes_per_s_used_by_endpoints(const Hbm *hbm, HbmStream stream)
{
    uint64_t used = 0;

    g_assert(stream == HBM_COMM_READ || stream == HBM_COMM_WRITE);
    for (HbmStream hbm_stream = stream; hbm_stream < hbm->n_streams;
         hbm_stream += 2)
        used +=
            MIN(hbm->streams[hbm_stream].demand, hbm->streams[hbm_stream].rate);
    return used;
}

gboolean hbm_has_endpoint_demand(const Hbm *hbm)
{
    for (HbmStream stream = HBM_COMM_READ; stream < hbm->n_streams; stream++)
        if (hbm->streams[stream].demand > 0)
            return TRUE;
    return FALSE;
}

static void on_transfer_done(gpointer self, uint32_t arg, uint64_t now_ps)
{
    HbmMover *mover = self;

    mover->free_ps = mover->done_ps;
    mover->done_ps = now_ps;
    /* The next transfer often follows immediately; then no rates change. */
    mover->done(mover->self, arg, now_ps);
    if (sim_server_is_idle(mover->server))
        hbm_set_demand(mover->hbm, mover->stream, 0);
}

HbmMover *hbm_mover_new(Hbm *hbm, SimEngine *engine, HbmStream stream,
                        uint64_t cap_bytes_per_s, SimEventFn done,
                        gpointer self)
{
    HbmMover *mover = g_new0(HbmMover, 1);

    mover->hbm = hbm;
    mover->stream = stream;
    mover->cap_bytes_per_s = cap_bytes_per_s;
    mover->done = done;
    mover->self = self;
    mover->server = sim_server_new(
        engine, 1, MIN(cap_bytes_per_s, hbm_rate_of_stream(hbm, stream)),
        on_transfer_done, mover);
    return mover;
}

void hbm_mover_free(HbmMover *mover)
{
    if (!mover)
        return;
    sim_server_free(mover->server);
    g_free(mover);
}

void hbm_mover_submit_transfer(HbmMover *mover, uint64_t order, uint64_t bytes,
                               uint32_t arg)
{
    hbm_set_demand(mover->hbm, mover->stream, mover->cap_bytes_per_s);
    sim_server_submit_job(mover->server, order, bytes, arg);
}

void hbm_mover_set_cap(HbmMover *mover, uint64_t cap_bytes_per_s)
{
    mover->cap_bytes_per_s = cap_bytes_per_s;
    if (!sim_server_is_idle(mover->server))
        hbm_set_demand(mover->hbm, mover->stream, cap_bytes_per_s);
    hbm_mover_set_rate(mover, hbm_rate_of_stream(mover->hbm, mover->stream));
}

void hbm_mover_set_rate(HbmMover *mover, uint64_t bytes_per_s)
{
    sim_server_set_rate(mover->server,
                        MIN(bytes_per_s, mover->cap_bytes_per_s));
}

SimTime hbm_mover_next_free_time_ps(const HbmMover *mover)
{
    return sim_server_is_idle(mover->server) ? mover->free_ps : mover->done_ps;
}

gboolean hbm_mover_is_hbm_bound(const HbmMover *mover)
{
    return hbm_rate_of_stream(mover->hbm, mover->stream) <
           mover->cap_bytes_per_s;
}

const SimServer *hbm_mover_server(const HbmMover *mover)
{
    return mover->server;
}

void hbm_visit_state(Hbm *hbm, SteadyWalk *walk)
{
    HbmStream first =
        hbm->config->policy == HBM_SHARED ? HBM_MAIN : HBM_COMM_READ;

    for (HbmStream stream = first; stream < hbm->n_streams; stream++) {
        steady_visit_constant(walk, hbm->streams[stream].share);
        steady_visit_constant(walk, hbm->streams[stream].demand);
        steady_visit_constant(walk, hbm->streams[stream].supply);
        steady_visit_constant(walk, hbm->streams[stream].rate);
        steady_visit_constant(walk, hbm->streams[stream].read_ppm);
    }
}

void hbm_mover_visit_state(HbmMover *mover, SteadyWalk *walk, SteadyArgFn arg,
                           gpointer self)
{
    steady_visit_constant(walk, mover->cap_bytes_per_s);
    steady_visit_reported_time(walk, &mover->free_ps);
    steady_visit_reported_time(walk, &mover->done_ps);
    sim_server_visit_state(mover->server, walk, arg, self);
}

gpointer hbm_copy_state(const Hbm *hbm)
{
    return g_memdup2(hbm, hbm_state_bytes(hbm->n_streams));
}

void hbm_restore_state(Hbm *hbm, gconstpointer copy)
{
    memcpy(hbm, copy, hbm_state_bytes(hbm->n_streams));
}
