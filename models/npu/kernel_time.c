/* kernel_time.c - fields of an NPU, and times of kernels by roofline, draw and
 * waves */
#include "models/npu/kernel_time.h"

#include "models/npu/matrix_products.h"
#include "models/npu/sm_bandwidth.h"

/* Values that processors of neural networks usually have, from embedded ones to
 * wafers (assumed).  Others are probably slips of the unit. */
#define USUAL_MIN_HZ          UINT64_C(100000000)
#define USUAL_MAX_HZ          UINT64_C(10000000000)
#define USUAL_MIN_FLOP_PER_S  UINT64_C(100000000000)
#define USUAL_MAX_FLOP_PER_S  UINT64_C(200000000000000000)
#define USUAL_MAX_LATENCY_PS  UINT64_C(100000000)
#define USUAL_MIN_BYTES_PER_S UINT64_C(100000000)
#define USUAL_MAX_BYTES_PER_S UINT64_C(100000000000000)
#define USUAL_MAX_LAUNCH_PS   UINT64_C(1000000000)

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
      .usual_min = USUAL_MIN_HZ,
      .usual_max = USUAL_MAX_HZ,
      .min = UINT64_C(1000000),
      .max = UINT64_C(100000000000) },
    { .key = "flops",
      .help = "peak of all SMs in the training precision",
      .type = CONFIG_FLOPS,
      .offset = offsetof(NpuConfig, flop_per_s),
      .usual_min = USUAL_MIN_FLOP_PER_S,
      .usual_max = USUAL_MAX_FLOP_PER_S,
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
    { .key = "sm_store_bandwidth",
      .help = "bytes a cycle that an SM stores; auto: as it loads",
      .type = CONFIG_COUNT,
      .offset = offsetof(NpuConfig, sm_store_bytes_per_cycle),
      .min = 1,
      .max = 65536,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "assumed: as sm_bandwidth; acesim-fit finds it for a GPU" },
    { .key = "port_sharing",
      .help = "part of the loads' time that stores add to, or the reverse; "
              "100 %: one waits for the other",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NpuConfig, port_sharing_ppm),
      .max = 1000000,
      .fallback = "100 %",
      .source = "assumed: one port; acesim-fit finds it for a GPU" },
    { .key = "port_queueing",
      .help = "how early the port delays what is in flight: 0 % only when it "
              "is full",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NpuConfig, port_queueing_ppm),
      .max = 1000000,
      .fallback = "100 %",
      .source = "assumed: all warps load at once; acesim-fit finds it" },
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
      .usual_max = USUAL_MAX_LATENCY_PS,
      .min = 1,
      .max = UINT64_C(1000000000000),
      .fallback = "600 ns",
      .source = "assumed; acesim-fit finds it for a GPU" },
    { .key = "store_latency",
      .help = "until a block is rid of its stores, for what is in flight",
      .type = CONFIG_TIME,
      .offset = offsetof(NpuConfig, store_latency_ps),
      .usual_max = USUAL_MAX_LATENCY_PS,
      .max = UINT64_C(1000000000000),
      .fallback = "0 ns",
      .source = "assumed: hidden; acesim-fit finds it for a GPU" },
    { .key = "block_start",
      .help = "until a block that follows another loads or stores, for the "
              "bytes in flight",
      .type = CONFIG_TIME,
      .offset = offsetof(NpuConfig, block_start_ps),
      .usual_max = USUAL_MAX_LATENCY_PS,
      .max = UINT64_C(1000000000000),
      .fallback = "0 ns",
      .source = "assumed: hidden; acesim-fit finds it for a GPU" },
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
    WAVE_FIELDS(NpuConfig, waves),
    { .key = "launch_overhead",
      .help = "of every kernel whose time is not measured",
      .type = CONFIG_TIME,
      .offset = offsetof(NpuConfig, launch_ps),
      .usual_max = USUAL_MAX_LAUNCH_PS,
      .max = UINT64_C(1000000000000),
      .fallback = "0 ns",
      .source = "the roofline's own bound; GPUBENCHES: 1.6 to 2.5 us" },
    { .key = "side_sms",
      .help = "SMs of the side stream, when a loop uses it",
      .type = CONFIG_COUNT,
      .offset = offsetof(NpuConfig, side_sms),
      .min = 1,
      .max = 100000,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "derived: side_stream_share.h; ISCA21 has 1" },
    { .key = "side_bandwidth",
      .help = "HBM share of the side stream, when a loop uses it",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(NpuConfig, side_bytes_per_s),
      .min = UINT64_C(1000000),
      .max = UINT64_C(1000000000000000),
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "derived: as side_sms; ISCA21 has 80 GB/s" },
    { .key = "fabric_bus",
      .help = "NPU to fabric, each direction",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(NpuConfig, bus_bytes_per_s),
      .usual_min = USUAL_MIN_BYTES_PER_S,
      .usual_max = USUAL_MAX_BYTES_PER_S,
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
      .is_optional = TRUE,
      .fields = precision_fields,
      .fallback = "{}" },
    { .key = "fp32",
      .help = "products of fp32",
      .type = CONFIG_SECTION,
      .offset = offsetof(NpuConfig, precisions.fp32),
      .is_optional = TRUE,
      .fields = precision_fields,
      .fallback = "{}" },
    { .key = "language",
      .help = "what kernels of language models reach in training",
      .type = CONFIG_SECTION,
      .offset = offsetof(NpuConfig, precisions.language),
      .is_optional = TRUE,
      .fields = language_kernel_fields,
      .fallback = "{}" },
    { .key = "hbm",
      .help = "memory",
      .type = CONFIG_SECTION,
      .offset = offsetof(NpuConfig, hbm),
      .fields = hbm_fields },
    CONFIG_END,
};

static uint64_t saturate_to_uint64(SimWide value)
{
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

/* Returns how @work uses an SM.  If @work is NULL, it loads and keeps as many
 * bytes in flight as an SM can. */
static SmTurn sm_turn_of_work(const NpuConfig *config, const OpWork *work)
{
    uint64_t read_ppm = work ? op_work_read_ppm(work) : 1000000;
    uint64_t in_flight = config->sm_in_flight_bytes;
    uint64_t stored = config->sm_store_bytes_per_cycle > 0
                          ? config->sm_store_bytes_per_cycle
                          : config->sm_bytes_per_cycle;
    SmTurn turn = {
        .total_bytes_per_s_of_port_links = sm_port_bytes_per_s(
            config->sm_bytes_per_cycle * config->clock_hz,
            stored * config->clock_hz, config->port_sharing_ppm, read_ppm),
        .turn_ps = work && work->is_persistent ? 0 : config->block_start_ps,
        .port_queueing_ppm = config->port_queueing_ppm,
    };

    if (work && work->in_flight_bytes > 0)
        in_flight = in_flight > 0 ? MIN(in_flight, work->in_flight_bytes)
                                  : work->in_flight_bytes;
    turn.in_flight_bytes = in_flight;
    if (read_ppm > 0) {
        turn.turn_ps += config->memory_latency_ps;
        turn.queueing_ppm = config->queueing_ppm;
    }
    if (read_ppm == 0 || (read_ppm < 1000000 && !(work && work->is_persistent)))
        turn.turn_ps += config->store_latency_ps;
    return turn;
}

uint64_t npu_sms_max_bytes_per_s(const NpuConfig *config, uint64_t n_sms)
{
    const SmTurn turn = sm_turn_of_work(config, NULL);

    return sm_bandwidth_with_queueing(&turn, n_sms,
                                      hbm_usable_bytes_per_s(&config->hbm));
}

uint64_t npu_supply_of_sms_bytes_per_s(const NpuConfig *config,
                                       const OpWork *work, uint64_t n_sms)
{
    const SmTurn turn = sm_turn_of_work(config, work);

    return sm_bandwidth_without_memory_limit(&turn, n_sms);
}

uint64_t npu_kernel_max_bytes_per_s(const NpuConfig *config, const OpWork *work,
                                    uint64_t n_sms)
{
    const SmTurn turn = sm_turn_of_work(config, work);
    uint64_t usable =
        hbm_bytes_per_s_at_read_fraction(&config->hbm, op_work_read_ppm(work));
    uint64_t drawn = sm_bandwidth_with_queueing(&turn, n_sms, usable);

    /* If the mix does not matter, the usable bandwidth is not a limit here:
     * shares are defined by the bandwidth of reads alone. */
    return hbm_bandwidth_depends_on_read_fraction(&config->hbm)
               ? MIN(drawn, usable)
               : drawn;
}

/* Returns the section by which @work is timed; NULL if @work is not a product,
 * or the NPU has no section for its precision. */
static const PrecisionConfig *precision_section_of_work(const NpuConfig *config,
                                                        const OpWork *work)
{
    const OpProduct *product = &work->product;

    return product->m > 0 && product->n > 0 && product->k > 0
               ? precision_section_of_path(&config->precisions, work->precision)
               : NULL;
}

/* Returns the largest bandwidth that @work uses. */
static uint64_t max_bandwidth_used_by_kernel(const NpuConfig *config,
                                             const OpWork *work, uint64_t n_sms)
{
    const PrecisionConfig *precision = precision_section_of_work(config, work);
    uint64_t drawn = npu_kernel_max_bytes_per_s(config, work, n_sms);
    uint64_t share_ppm = work->class == KERNEL_CLASS_ELEMENTWISE
                             ? config->precisions.language.elementwise_ppm
                         : precision ? precision->memory_ppm
                                     : 0;

    if (share_ppm == 0 || drawn == 0)
        return drawn;
    drawn = MIN(drawn, hbm_bytes_per_s_at_read_fraction(
                           &config->hbm, op_work_read_ppm(work)));
    return MAX((uint64_t)((SimWide)drawn * share_ppm / 1000000), 1);
}

ProductTiles compute_tiles_of_work(const NpuConfig *config, const OpWork *work)
{
    const PrecisionConfig *precision = precision_section_of_work(config, work);
    const ProductNpu npu = {
        .precision = precision,
        .waves = &config->waves,
        .n_sms = config->n_sms,
        .operand_bytes_per_s = saturate_to_uint64(
            (SimWide)config->operand_bytes_per_cycle * config->clock_hz),
        .bytes_per_s =
            max_bandwidth_used_by_kernel(config, work, config->n_sms),
        .launch_ps = config->launch_ps,
    };

    if (!precision || work->cut.n_tiles > 0)
        return work->cut;
    return product_choose_tiles(&npu, work);
}

/* Returns the FLOP/s that all SMs reach for @work if it divides freely. */
static SimWide attainable_flop_per_s(const NpuConfig *config,
                                     const OpWork *work)
{
    const LanguageKernels *language = &config->precisions.language;
    const PrecisionConfig *section =
        precision_section_of_path(&config->precisions, work->precision);
    uint64_t share_ppm = work->class == KERNEL_CLASS_ATTENTION
                             ? language->attention_forward_ppm
                         : work->class == KERNEL_CLASS_ATTENTION_GRADIENT
                             ? language->attention_backward_ppm
                             : 0;

    if (share_ppm == 0 || !section)
        return (SimWide)config->flop_per_s * config->efficiency_ppm / 1000000;
    return (SimWide)section->flop_per_s * share_ppm / 1000000;
}

/* Returns the time of the arithmetic of @work on @n_sms SMs, including waves:
 * ceil(flop x S / (peak x efficiency x s)) in ps.  FLOP are below 2^63 and SMs
 * below 10^5, so the product is below 2^120. */
static SimTime arithmetic_time_of_work_ps(const NpuConfig *config,
                                          const OpWork *work,
                                          const ProductTiles *cut,
                                          uint64_t n_sms)
{
    SimWide reached = attainable_flop_per_s(config, work) * n_sms;
    uint64_t n_results = op_work_n_results(work);
    uint64_t n_tiles = 0;
    SimTime ps;

    if (work->flop == 0)
        return 0;
    if (cut->n_tiles > 0)
        return sim_time_scaled(
            product_arithmetic_ps(&config->waves, config->n_sms, cut, n_sms),
            op_work_n_kernels(work), 1);
    if (reached == 0)
        return SIM_TIME_MAX;
    ps = saturate_to_uint64(
        ((SimWide)work->flop * config->n_sms * SIM_PS_PER_SEC + (reached - 1)) /
        reached);
    if (config->tile_results > 0)
        n_tiles = n_results / config->tile_results +
                  (n_results % config->tile_results > 0);
    if (n_tiles == 0)
        return ps;
    return waves_time_of_product_ps(&config->waves, config->n_sms, ps, n_tiles,
                                    n_sms);
}

/* Returns the time to move @bytes for each kernel of @work. */
static SimTime memory_time_of_work_ps(const OpWork *work, uint64_t bytes,
                                      uint64_t rate)
{
    uint64_t all = saturate_to_uint64((SimWide)bytes * op_work_n_kernels(work));

    if (all == 0)
        return 0;
    return rate == 0 ? SIM_TIME_MAX : sim_time_from_bytes(all, rate);
}

static SimTime roofline_time_of_work_ps(const NpuConfig *config,
                                        const OpWork *work,
                                        const ProductTiles *cut, uint64_t n_sms,
                                        uint64_t bytes_per_s)
{
    uint64_t rate =
        MIN(bytes_per_s, max_bandwidth_used_by_kernel(config, work, n_sms));
    SimTime arithmetic_ps =
        arithmetic_time_of_work_ps(config, work, cut, n_sms);
    SimTime memory_ps = 0;

    if (work->bytes == 0)
        return arithmetic_ps;
    memory_ps =
        rate == 0 ? SIM_TIME_MAX : sim_time_from_bytes(work->bytes, rate);
    memory_ps = sim_time_add(
        memory_ps, memory_time_of_work_ps(work, cut->more_bytes, rate));
    return sim_time_add(MAX(arithmetic_ps, memory_ps),
                        memory_time_of_work_ps(work, cut->phase_bytes, rate));
}

SimTime kernel_roofline_time_ps(const NpuConfig *config, const OpWork *work,
                                uint64_t n_sms, uint64_t bytes_per_s)
{
    const ProductTiles cut = compute_tiles_of_work(config, work);

    return roofline_time_of_work_ps(config, work, &cut, n_sms, bytes_per_s);
}

static SimTime launch_time_of_kernels_ps(const NpuConfig *config,
                                         const OpWork *work,
                                         const ProductTiles *cut,
                                         ComputeScale scale)
{
    SimTime ps = sim_time_scaled(config->launch_ps, op_work_n_kernels(work), 1);

    if (scale.is_measured || scale.den == 0)
        return 0;
    return cut->n_tiles > 0
               ? sim_time_add(ps, product_overhead_ps(
                                      precision_section_of_work(config, work),
                                      work, cut))
               : ps;
}

SimTime kernel_launch_time_ps(const NpuConfig *config, const OpWork *work,
                              ComputeScale scale)
{
    const ProductTiles cut = compute_tiles_of_work(config, work);

    return launch_time_of_kernels_ps(config, work, &cut, scale);
}

SimTime kernel_time_ps(const NpuConfig *config, const OpWork *work,
                       ComputeScale scale, uint64_t n_sms, uint64_t bytes_per_s)
{
    const ProductTiles cut = compute_tiles_of_work(config, work);

    if (scale.den == 0) /* without a shape, the time is the same for any s, b */
        return scale.num;
    return sim_time_add(
        launch_time_of_kernels_ps(config, work, &cut, scale),
        sim_time_scaled(
            roofline_time_of_work_ps(config, work, &cut, n_sms, bytes_per_s),
            scale.num, scale.den));
}

ComputeAlone compute_times_on_whole_hbm(const NpuConfig *config,
                                        const OpWork *work, uint64_t n_sms)
{
    const ComputeScale no_scale = { 1, 1, FALSE };
    uint64_t bytes_per_s =
        hbm_bytes_per_s_at_read_fraction(&config->hbm, op_work_read_ppm(work));
    OpWork whole = *work, arithmetic, memory;

    whole.cut = compute_tiles_of_work(config, work);
    arithmetic = memory = whole;
    arithmetic.bytes = arithmetic.written_bytes = 0;
    memory.flop = 0;
    return (ComputeAlone){
        .total_ps =
            kernel_time_ps(config, &whole, no_scale, n_sms, bytes_per_s),
        .launch_ps = kernel_launch_time_ps(config, &whole, no_scale),
        .arithmetic_ps =
            kernel_roofline_time_ps(config, &arithmetic, n_sms, bytes_per_s),
        .memory_ps =
            kernel_roofline_time_ps(config, &memory, n_sms, bytes_per_s),
    };
}

uint64_t kernel_demand_bytes_per_s(const NpuConfig *config, const OpWork *work,
                                   uint64_t n_sms)
{
    const ProductTiles cut = compute_tiles_of_work(config, work);
    SimTime arithmetic_ps =
        arithmetic_time_of_work_ps(config, work, &cut, n_sms);
    uint64_t most = max_bandwidth_used_by_kernel(config, work, n_sms);
    uint64_t bytes =
        sim_time_add(work->bytes, saturate_to_uint64((SimWide)cut.more_bytes *
                                                     op_work_n_kernels(work)));

    if (work->bytes == 0)
        return 0;
    if (arithmetic_ps == 0 || arithmetic_ps == SIM_TIME_MAX ||
        cut.phase_bytes > 0) /* some phases only move data */
        return most;
    return MIN(most, saturate_to_uint64((SimWide)bytes * SIM_PS_PER_SEC /
                                        arithmetic_ps));
}
