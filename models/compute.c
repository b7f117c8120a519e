#include "models/compute.h"

#include "models/products.h"

struct ComputeStream {
    SimEngine *engine;       /* borrowed */
    const NpuConfig *config; /* borrowed */
    SimEventFn done;
    gpointer self; /* borrowed */
    uint64_t n_sms, bytes_per_s;
    const OpWork *work; /* borrowed; NULL when idle */
    ComputeScale scale;
    uint64_t factor_ppm;
    uint32_t arg;
    gboolean runs;    /* FALSE: idle, or nothing to run with */
    SimTime total_ps; /* of all of it, with the share last run with; or 0 */
    SimTime left_ps;  /* of total_ps, at since_ps */
    SimTime since_ps;
    SimTime ends_ps; /* SIM_TIME_MAX while it does not run */
    SimTime busy_ps;
    SimWide sm_ps;
    uint64_t bytes;
    ComputePieceFn ran; /* may be NULL */
    gpointer listener;  /* borrowed */
};

const ConfigField npu_fields[] = {
    { .key = "sms",
      .help = "streaming multiprocessors",
      .type = CONFIG_COUNT,
      .offset = offsetof(NpuConfig, n_sms),
      .min = 1,
      .max = 100000 },
    { .key = "clock",
      .help = "of SMs and of the endpoint's engines",
      .type = CONFIG_FREQUENCY,
      .offset = offsetof(NpuConfig, clock_hz),
      .min = UINT64_C(1000000),
      .max = UINT64_C(100000000000) },
    { .key = "flops",
      .help = "peak of all SMs in the training precision",
      .type = CONFIG_FLOPS,
      .offset = offsetof(NpuConfig, flop_per_s),
      .min = UINT64_C(1000000000),
      .max = UINT64_C(1000000000000000000) },
    { .key = "flops_efficiency",
      .help = "part of the peak that kernels reach",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NpuConfig, efficiency_ppm),
      .min = 1000,
      .max = 1000000,
      .fallback = "100 %",
      .source = "the roofline's own bound" },
    { .key = "sm_bandwidth",
      .help = "bytes a cycle between an SM and memory",
      .type = CONFIG_COUNT,
      .offset = offsetof(NpuConfig, sm_bytes_per_cycle),
      .min = 1,
      .max = 65536,
      .fallback = "64",
      .source = "ISCA21 closes: 6 SMs = 478 GB/s, just over 450 GB/s" },
    { .key = "sm_in_flight",
      .help = "bytes that one SM can wait for at a time; 0 B: no limit",
      .type = CONFIG_BYTES,
      .offset = offsetof(NpuConfig, sm_in_flight_bytes),
      .max = UINT64_C(1) << 40,
      .fallback = "0 B",
      .source = "assumed: the port binds first" },
    { .key = "memory_latency",
      .help = "of a load that no other delays, for sm_in_flight",
      .type = CONFIG_TIME,
      .offset = offsetof(NpuConfig, memory_latency_ps),
      .min = 1,
      .max = UINT64_C(1000000000000),
      .fallback = "600 ns",
      .source = "assumed; acesim-fit finds it for a GPU" },
    { .key = "queueing",
      .help = "how early loads delay each other: 0 % only when HBM is full",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NpuConfig, queueing_ppm),
      .max = 1000000,
      .fallback = "0 %",
      .source = "the roofline's own bound; acesim-fit finds it for a GPU" },
    { .key = "tile",
      .help = "results that an SM computes at a time; 0: kernels divide freely",
      .type = CONFIG_COUNT,
      .offset = offsetof(NpuConfig, tile_results),
      .max = UINT64_C(1) << 30,
      .fallback = "0",
      .source = "the roofline's own bound" },
    { .key = "launch_overhead",
      .help = "of every kernel whose time is not measured",
      .type = CONFIG_TIME,
      .offset = offsetof(NpuConfig, launch_ps),
      .max = UINT64_C(1000000000000),
      .fallback = "0 ns",
      .source = "the roofline's own bound; GPUBENCHES: 1.6 to 2.5 us" },
    { .key = "side_sms",
      .help = "SMs of the side stream, when a loop uses it",
      .type = CONFIG_COUNT,
      .offset = offsetof(NpuConfig, side_sms),
      .min = 1,
      .max = 100000,
      .fallback = "1",
      .source = "ISCA21 recalled" },
    { .key = "side_bandwidth",
      .help = "HBM share of the side stream, when a loop uses it",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(NpuConfig, side_bytes_per_s),
      .min = UINT64_C(1000000),
      .max = UINT64_C(1000000000000000),
      .fallback = "80 GB/s",
      .source = "ISCA21 recalled" },
    { .key = "fabric_bus",
      .help = "NPU to fabric, each direction",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(NpuConfig, bus_bytes_per_s),
      .min = UINT64_C(1000000),
      .max = UINT64_C(1000000000000000),
      .fallback = "500 GB/s",
      .source = "ISCA21 closes: 2 x 200 + 4 x 25 GB/s" },
    { .key = "operand_bandwidth",
      .help = "bytes a cycle that the tiles of an SM's products get",
      .type = CONFIG_COUNT,
      .offset = offsetof(NpuConfig, operand_bytes_per_cycle),
      .min = 1,
      .max = 65536,
      .fallback = "64",
      .source = "assumed: as sm_bandwidth" },
    { .key = "fp16",
      .help = "products of fp16 and bf16",
      .type = CONFIG_SECTION,
      .offset = offsetof(NpuConfig, precisions.fp16),
      .fields = precision_fields,
      .fallback = "{}" },
    { .key = "fp32",
      .help = "products of fp32",
      .type = CONFIG_SECTION,
      .offset = offsetof(NpuConfig, precisions.fp32),
      .fields = precision_fields,
      .fallback = "{}" },
    { .key = "hbm",
      .help = "memory",
      .type = CONFIG_SECTION,
      .offset = offsetof(NpuConfig, hbm),
      .fields = hbm_fields },
    CONFIG_END,
};

static uint64_t saturated(SimWide value)
{
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

/* floor(sqrt(@n)) */
static uint64_t root(SimWide n)
{
    SimWide low = 0, high = UINT64_MAX;

    while (low < high) {
        SimWide middle = low + (high - low + 1) / 2;

        if (middle * middle <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return (uint64_t)low;
}

/* What @supply and @usable allow together; both stay below 2^60.  Less than a
 * byte a second counts as one. */
static uint64_t softened(uint64_t supply, uint64_t usable, uint64_t queueing)
{
    SimWide sum = (SimWide)supply + usable;
    SimWide product = (SimWide)supply * usable;
    uint64_t both;

    if (product == 0)
        return 0;
    both = (uint64_t)(2 * product /
                      (sum + root(sum * sum - 4 * (product / 1000000 *
                                                   (1000000 - queueing)))));
    return MAX(both, 1); /* little is not nothing */
}

uint64_t npu_sm_bytes_per_s(const NpuConfig *config, uint64_t n_sms)
{
    uint64_t most = UINT64_C(1) << 60;
    SimWide one = (SimWide)config->sm_bytes_per_cycle * config->clock_hz;
    SimWide supply;

    if (config->sm_in_flight_bytes > 0)
        one = MIN(one, (SimWide)config->sm_in_flight_bytes * SIM_PS_PER_SEC /
                           config->memory_latency_ps);
    supply = one * n_sms;
    if (config->queueing_ppm == 0)
        return saturated(supply);
    return softened((uint64_t)MIN(supply, most),
                    MIN(hbm_usable_bytes_per_s(&config->hbm), most),
                    config->queueing_ppm);
}

/* ceil(a x num / den), SIM_TIME_MAX standing for never. */
static SimTime scaled_ps(SimTime a_ps, uint64_t num, uint64_t den)
{
    return a_ps == SIM_TIME_MAX
               ? a_ps
               : saturated(((SimWide)a_ps * num + (den - 1)) / den);
}

/* By shape; NULL: @work is no product, or the NPU has no section for it. */
static const PrecisionConfig *by_shape(const NpuConfig *config,
                                       const OpWork *work)
{
    const OpProduct *p = &work->product;

    return p->m > 0 && p->n > 0 && p->k > 0
               ? precision_of(&config->precisions, work->precision)
               : NULL;
}

OpCut compute_cut(const NpuConfig *config, const OpWork *work)
{
    const PrecisionConfig *precision = by_shape(config, work);
    const ProductNpu npu = {
        .precision = precision,
        .n_sms = config->n_sms,
        .operand_bytes_per_s = saturated(
            (SimWide)config->operand_bytes_per_cycle * config->clock_hz),
        .bytes_per_s = MIN(hbm_usable_bytes_per_s(&config->hbm),
                           npu_sm_bytes_per_s(config, config->n_sms)),
        .launch_ps = config->launch_ps,
    };

    if (!precision || work->cut.n_tiles > 0)
        return work->cut;
    return product_cut(&npu, work);
}

/* ceil(flop x S / (peak x efficiency x s)) in ps, and its waves.  FLOP stop
 * at 2^63, SMs at 10^5, so the product stays below 2^120. */
static SimTime flop_ps(const NpuConfig *config, const OpWork *work,
                       const OpCut *cut, uint64_t n_sms)
{
    SimWide reached =
        (SimWide)config->flop_per_s * config->efficiency_ppm / 1000000 * n_sms;
    uint64_t n_results = op_work_n_results(work);
    uint64_t n_tiles = 0;
    SimTime ps;

    if (work->flop == 0)
        return 0;
    if (cut->n_tiles > 0)
        return scaled_ps(
            product_arithmetic_ps(by_shape(config, work), cut, n_sms),
            op_work_n_kernels(work), 1);
    if (reached == 0)
        return SIM_TIME_MAX;
    ps = saturated(
        ((SimWide)work->flop * config->n_sms * SIM_PS_PER_SEC + (reached - 1)) /
        reached);
    if (config->tile_results > 0)
        n_tiles = n_results / config->tile_results +
                  (n_results % config->tile_results > 0);
    if (n_tiles == 0)
        return ps;
    return scaled_ps(ps, (n_tiles + n_sms - 1) / n_sms * n_sms, n_tiles);
}

/* @bytes of each kernel of @work. */
static SimTime moved_ps(const OpWork *work, uint64_t bytes, uint64_t rate)
{
    uint64_t all = saturated((SimWide)bytes * op_work_n_kernels(work));

    if (all == 0)
        return 0;
    return rate == 0 ? SIM_TIME_MAX : sim_time_from_bytes(all, rate);
}

static SimTime roofline_ps(const NpuConfig *config, const OpWork *work,
                           const OpCut *cut, uint64_t n_sms,
                           uint64_t bytes_per_s)
{
    uint64_t rate = MIN(bytes_per_s, npu_sm_bytes_per_s(config, n_sms));
    SimTime arithmetic_ps = flop_ps(config, work, cut, n_sms);
    SimTime memory_ps = 0;

    if (work->bytes == 0)
        return arithmetic_ps;
    memory_ps =
        rate == 0 ? SIM_TIME_MAX : sim_time_from_bytes(work->bytes, rate);
    memory_ps = sim_time_add(memory_ps, moved_ps(work, cut->more_bytes, rate));
    return sim_time_add(MAX(arithmetic_ps, memory_ps),
                        moved_ps(work, cut->phase_bytes, rate));
}

SimTime compute_roofline_ps(const NpuConfig *config, const OpWork *work,
                            uint64_t n_sms, uint64_t bytes_per_s)
{
    const OpCut cut = compute_cut(config, work);

    return roofline_ps(config, work, &cut, n_sms, bytes_per_s);
}

static SimTime launch_ps(const NpuConfig *config, const OpWork *work,
                         const OpCut *cut, ComputeScale scale)
{
    SimTime ps = scaled_ps(config->launch_ps, op_work_n_kernels(work), 1);

    if (scale.is_measured || scale.den == 0)
        return 0;
    return cut->n_tiles > 0
               ? sim_time_add(
                     ps, product_overhead_ps(by_shape(config, work), work, cut))
               : ps;
}

SimTime compute_launch_ps(const NpuConfig *config, const OpWork *work,
                          ComputeScale scale)
{
    const OpCut cut = compute_cut(config, work);

    return launch_ps(config, work, &cut, scale);
}

SimTime compute_time_ps(const NpuConfig *config, const OpWork *work,
                        ComputeScale scale, uint64_t n_sms,
                        uint64_t bytes_per_s)
{
    const OpCut cut = compute_cut(config, work);

    if (scale.den == 0) /* no shape: a fixed time on any share */
        return scale.num;
    return sim_time_add(
        launch_ps(config, work, &cut, scale),
        scaled_ps(roofline_ps(config, work, &cut, n_sms, bytes_per_s),
                  scale.num, scale.den));
}

ComputeAlone compute_alone(const NpuConfig *config, const OpWork *work,
                           uint64_t n_sms)
{
    const ComputeScale no_scale = { 1, 1, FALSE };
    uint64_t bytes_per_s =
        hbm_mixed_bytes_per_s(&config->hbm, op_work_read_ppm(work));
    OpWork arithmetic = *work, memory = *work;

    arithmetic.cut = memory.cut = compute_cut(config, work);
    arithmetic.bytes = arithmetic.written_bytes = 0;
    memory.flop = 0;
    return (ComputeAlone){
        .total_ps = compute_time_ps(config, work, no_scale, n_sms, bytes_per_s),
        .launch_ps = compute_launch_ps(config, work, no_scale),
        .arithmetic_ps =
            compute_roofline_ps(config, &arithmetic, n_sms, bytes_per_s),
        .memory_ps = compute_roofline_ps(config, &memory, n_sms, bytes_per_s),
    };
}

uint64_t compute_demand_bytes_per_s(const NpuConfig *config, const OpWork *work,
                                    uint64_t n_sms)
{
    const OpCut cut = compute_cut(config, work);
    SimTime arithmetic_ps = flop_ps(config, work, &cut, n_sms);
    uint64_t most = npu_sm_bytes_per_s(config, n_sms);
    uint64_t bytes =
        sim_time_add(work->bytes, saturated((SimWide)cut.more_bytes *
                                            op_work_n_kernels(work)));

    if (work->bytes == 0)
        return 0;
    if (arithmetic_ps == 0 || arithmetic_ps == SIM_TIME_MAX ||
        cut.phase_bytes > 0) /* which wait for nothing else */
        return most;
    return MIN(most,
               saturated((SimWide)bytes * SIM_PS_PER_SEC / arithmetic_ps));
}

ComputeStream *compute_stream_new(SimEngine *engine, const NpuConfig *config,
                                  SimEventFn done, gpointer self)
{
    ComputeStream *stream = g_new0(ComputeStream, 1);

    stream->engine = engine;
    stream->config = config;
    stream->done = done;
    stream->self = self;
    stream->ends_ps = SIM_TIME_MAX;
    return stream;
}

void compute_stream_free(ComputeStream *stream)
{
    g_free(stream);
}

static void on_end(gpointer self, uint32_t arg, uint64_t now_ps);

static void tell(const ComputeStream *stream)
{
    ComputePiece piece = { .arg = stream->arg,
                           .from_ps = stream->since_ps,
                           .total_ps = stream->runs ? stream->total_ps : 0,
                           .n_sms = stream->n_sms,
                           .bytes_per_s = stream->bytes_per_s,
                           .scale = stream->scale };

    stream->ran(stream->listener, &piece);
}

/* Books the time since the last change. */
static void account(ComputeStream *stream, SimTime now_ps)
{
    SimTime passed_ps = now_ps - stream->since_ps;

    if (stream->ran && passed_ps > 0)
        tell(stream);
    stream->since_ps = now_ps;
    if (!stream->runs)
        return;
    stream->busy_ps += passed_ps;
    stream->sm_ps += (SimWide)passed_ps * stream->n_sms;
    stream->left_ps -= MIN(passed_ps, stream->left_ps);
}

/* Goes on, or stops, with the present share. */
static void resume(ComputeStream *stream)
{
    SimTime total_ps =
        compute_time_ps(stream->config, stream->work, stream->scale,
                        stream->n_sms, stream->bytes_per_s);

    total_ps = scaled_ps(total_ps, stream->factor_ppm, 1000000);
    stream->runs = total_ps != SIM_TIME_MAX;
    stream->ends_ps = SIM_TIME_MAX;
    if (!stream->runs && stream->ran)
        tell(stream);
    if (!stream->runs)
        return;
    stream->left_ps =
        stream->total_ps == 0
            ? total_ps
            : scaled_ps(stream->left_ps, total_ps, stream->total_ps);
    stream->total_ps = total_ps;
    stream->ends_ps = sim_time_add(stream->since_ps, stream->left_ps);
    sim_engine_at(stream->engine, stream->ends_ps, SIM_PHASE_ACT, on_end,
                  stream, 0);
}

static void on_end(gpointer self, uint32_t arg, uint64_t now_ps)
{
    ComputeStream *stream = self;

    (void)arg;
    if (!stream->runs || stream->ends_ps != now_ps)
        return; /* the share changed since this was scheduled */
    account(stream, now_ps);
    stream->bytes += stream->work->bytes;
    stream->work = NULL;
    stream->runs = FALSE;
    stream->done(stream->self, stream->arg, now_ps);
}

void compute_stream_start(ComputeStream *stream, const OpWork *work,
                          ComputeScale scale, uint64_t factor_ppm, uint32_t arg)
{
    g_assert(!stream->work);
    stream->work = work;
    stream->scale = scale;
    stream->factor_ppm = factor_ppm;
    stream->arg = arg;
    stream->total_ps = 0;
    stream->since_ps = sim_engine_now(stream->engine);
    resume(stream);
}

void compute_stream_set_share(ComputeStream *stream, uint64_t n_sms,
                              uint64_t bytes_per_s)
{
    SimTime now_ps = sim_engine_now(stream->engine);
    gboolean same =
        stream->n_sms == n_sms && stream->bytes_per_s == bytes_per_s;

    if (same)
        return;
    if (stream->work)
        account(stream, now_ps);
    stream->n_sms = n_sms;
    stream->bytes_per_s = bytes_per_s;
    if (stream->work && stream->ends_ps != now_ps)
        resume(stream);
}

void compute_stream_listen(ComputeStream *stream, ComputePieceFn ran,
                           gpointer self)
{
    stream->ran = ran;
    stream->listener = self;
}

gboolean compute_stream_is_idle(const ComputeStream *stream)
{
    return stream->work == NULL;
}

SimTime compute_stream_busy_ps(const ComputeStream *stream)
{
    return stream->busy_ps;
}

uint64_t compute_stream_sm_ns(const ComputeStream *stream)
{
    return (uint64_t)(stream->sm_ps / 1000);
}

uint64_t compute_stream_bytes(const ComputeStream *stream)
{
    return stream->bytes;
}
