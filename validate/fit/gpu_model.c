#include "validate/fit/gpu_model.h"

#include <string.h>

#define PPM        1000000
#define MODEL_HZ   1000000
#define OWN_TILE   (128 * 128) /* validate/gpu's own matrix product */
#define WEIGHT_ONE 100

const GpuParamInfo gpu_params[GPU_N_PARAMS] = {
    [GPU_LAUNCH] = { "launch_overhead", "us", "start and end of a kernel", 0.5,
                     20, 3, TRUE },
    [GPU_HBM] = { "hbm_bandwidth", "GB/s", "usable with reads alone", 100,
                  20000, 2000, TRUE },
    [GPU_TURNAROUND] = { "turnaround", "",
                         "lost when half of the bytes are written", 0, 0.5,
                         0.05, FALSE },
    [GPU_PORT] = { "sm_port", "GB/s", "between one SM and memory", 5, 500, 80,
                   TRUE },
    [GPU_LATENCY] = { "memory_latency", "ns", "of a load that none delays", 100,
                      3000, 700, TRUE },
    [GPU_QUEUEING] = { "queueing", "", "how early loads delay each other", 0, 1,
                       0.1, FALSE },
    [GPU_OWN_GEMM] = { "gemm_own", "TFLOPS", "matrix product of validate/gpu",
                       1, 5000, 200, TRUE },
    [GPU_LIBRARY_GEMM] = { "gemm_library", "TFLOPS", "that of cuBLAS", 1, 5000,
                           500, TRUE },
    [GPU_VECTOR] = { "vector", "TFLOPS", "FP32 outside the matrix units", 0.5,
                     500, 40, TRUE },
    [GPU_LOOKUP] = { "lookup", "", "part of the bandwidth for scattered rows",
                     0.05, 1, 0.7, TRUE },
    [GPU_TO_HOST] = { "engine_d2h", "GB/s", "copy engine to the host", 1, 1000,
                      40, TRUE },
    [GPU_FROM_HOST] = { "engine_h2d", "GB/s", "copy engine from the host", 1,
                        1000, 40, TRUE },
    [GPU_ON_DEVICE] = { "engine_d2d", "GB/s", "copy engine within the device",
                        10, 10000, 1000, TRUE },
    [GPU_ENGINE_SETUP] = { "engine_setup", "us", "of a copy by the engine", 0.5,
                           50, 5, TRUE },
    [GPU_WEIGHT] = { "communication_weight", "",
                     "of a reduction against a kernel, sharing HBM", 0.1, 10, 1,
                     TRUE },
};

void gpu_model_init(GpuModel *gpu, uint64_t n_sms)
{
    *gpu = (GpuModel){ .n_sms = n_sms };
    for (int i = 0; i < GPU_N_PARAMS; i++)
        gpu->values[i] = gpu_params[i].start;
}

static uint64_t ppm(double part)
{
    return (uint64_t)(part * PPM + 0.5);
}

NpuConfig gpu_model_npu(const GpuModel *gpu)
{
    const double *v = gpu->values;

    return (NpuConfig){
        .n_sms = gpu->n_sms,
        .clock_hz = MODEL_HZ,
        .flop_per_s = (uint64_t)(v[GPU_LIBRARY_GEMM] * 1e12),
        .efficiency_ppm = PPM,
        .sm_bytes_per_cycle = (uint64_t)(v[GPU_PORT] * 1e9 / MODEL_HZ),
        .memory_latency_ps = (uint64_t)(v[GPU_LATENCY] * 1e3),
        .queueing_ppm = ppm(v[GPU_QUEUEING]),
        .tile_results = gpu->library_tile,
        .launch_ps = (uint64_t)(v[GPU_LAUNCH] * 1e6),
        .hbm = { .bandwidth_bytes_per_s = (uint64_t)(v[GPU_HBM] * 1e9),
                 .efficiency_ppm = PPM,
                 .turnaround_ppm = ppm(v[GPU_TURNAROUND]),
                 .policy = HBM_SHARED,
                 .compute_weight = WEIGHT_ONE,
                 .comm_weight = (uint64_t)(v[GPU_WEIGHT] * WEIGHT_ONE + 0.5) },
    };
}

/* ---- kinds of kernels ------------------------------------------------- */

typedef enum { SHAPE_NONE, SHAPE_KERNEL, SHAPE_ENGINE } Shape;

/* Kernels by name, and whose rate their FLOP or bytes go at. */
static const struct {
    const char *kernel;
    Shape shape;
    GpuParam rate;
} kinds[] = {
    { "reduce", SHAPE_KERNEL, GPU_VECTOR },
    { "copy", SHAPE_KERNEL, GPU_VECTOR },
    { "fma", SHAPE_KERNEL, GPU_VECTOR },
    { "read", SHAPE_KERNEL, GPU_VECTOR },
    { "write", SHAPE_KERNEL, GPU_VECTOR },
    { "mix", SHAPE_KERNEL, GPU_VECTOR },
    { "lookup", SHAPE_KERNEL, GPU_VECTOR },
    { "own", SHAPE_KERNEL, GPU_OWN_GEMM },
    { "cublas", SHAPE_KERNEL, GPU_LIBRARY_GEMM },
    { "memcpy-d2h", SHAPE_ENGINE, GPU_TO_HOST },
    { "batch-d2h", SHAPE_ENGINE, GPU_TO_HOST },
    { "memcpy-h2d", SHAPE_ENGINE, GPU_FROM_HOST },
    { "batch-h2d", SHAPE_ENGINE, GPU_FROM_HOST },
    { "memcpy-d2d", SHAPE_ENGINE, GPU_ON_DEVICE },
    { "batch-d2d", SHAPE_ENGINE, GPU_ON_DEVICE },
};

static Shape shape_of(const char *kernel, GpuParam *ret_rate)
{
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (g_str_equal(kinds[i].kernel, kernel)) {
            *ret_rate = kinds[i].rate;
            return kinds[i].shape;
        }
    return SHAPE_NONE;
}

/* A row as the models see it. */
typedef struct {
    NpuConfig npu;
    OpWork work;
    uint64_t usable_bytes_per_s; /* for its mix and pattern */
    uint64_t n_sms;
} Kernel;

static gboolean is_compute(const Measured *m)
{
    return !g_str_equal(m->kernel, "reduce") && !g_str_equal(m->kernel, "copy");
}

static Kernel kernel_of(const GpuModel *gpu, const Measured *m, GpuParam rate)
{
    uint64_t bytes = m->read_bytes + m->write_bytes;
    Kernel k = {
        .npu = gpu_model_npu(gpu),
        .work = { .flop = m->flop, .bytes = bytes, .n_results = m->m * m->n },
        .n_sms = m->n_sms,
    };
    uint64_t read_ppm =
        bytes == 0 ? PPM
                   : (uint64_t)((double)m->read_bytes / (double)bytes * PPM);

    /* A partner holds its SMs for itself; compute has those that are left. */
    if (is_compute(m))
        k.n_sms = MIN(m->n_sms, gpu->n_sms - m->beside_n_sms);
    k.npu.flop_per_s = (uint64_t)(gpu->values[rate] * 1e12);
    k.npu.sm_in_flight_bytes = m->bytes_in_flight;
    if (rate == GPU_OWN_GEMM)
        k.npu.tile_results = OWN_TILE;
    k.usable_bytes_per_s = hbm_mixed_bytes_per_s(&k.npu.hbm, read_ppm);
    if (g_str_equal(m->kernel, "lookup"))
        k.usable_bytes_per_s =
            (uint64_t)((double)k.usable_bytes_per_s * gpu->values[GPU_LOOKUP]);
    return k;
}

static double kernel_us(const Kernel *k, uint64_t bytes_per_s)
{
    const ComputeScale no_scale = { 1, 1, FALSE };
    SimTime ps = compute_time_ps(&k->npu, &k->work, no_scale, k->n_sms,
                                 MIN(bytes_per_s, k->usable_bytes_per_s));

    return (double)ps / 1e6;
}

static double engine_us(const GpuModel *gpu, const Measured *m, GpuParam rate)
{
    return gpu->values[GPU_ENGINE_SETUP] +
           (double)m->bytes / (gpu->values[rate] * 1e3);
}

/* ---- two at once ------------------------------------------------------- */

static void ignore_rate(gpointer self, HbmStream stream, uint64_t bytes_per_s)
{
    (void)self;
    (void)stream;
    (void)bytes_per_s;
}

/* What a row's kernel, or copy, would draw from HBM with nobody beside it. */
static uint64_t demand_of(const GpuModel *gpu, const Kernel *k, Shape shape,
                          GpuParam rate)
{
    uint64_t bytes_per_s = (uint64_t)(gpu->values[rate] * 1e9);

    if (shape == SHAPE_ENGINE) /* within the device: read and written */
        return rate == GPU_ON_DEVICE ? 2 * bytes_per_s : bytes_per_s;
    return MIN(k->usable_bytes_per_s,
               compute_demand_bytes_per_s(&k->npu, &k->work, k->n_sms));
}

/* The rates that @demand has as a kernel, and the other as communication, or
 * the other way round. */
static uint64_t shared_rate(const Kernel *k, uint64_t demand, uint64_t other,
                            gboolean is_communication)
{
    HbmConfig config = k->npu.hbm;
    HbmStream own = is_communication ? HBM_COMM_READ : HBM_MAIN;
    HbmStream others = is_communication ? HBM_MAIN : HBM_COMM_READ;
    uint64_t rate;
    Hbm *hbm;

    /* The mix has been seen to. */
    config.bandwidth_bytes_per_s = k->usable_bytes_per_s;
    config.turnaround_ppm = 0;
    hbm = hbm_new(&config, ignore_rate, NULL);
    hbm_set_demand(hbm, own, demand);
    hbm_set_demand(hbm, others, other);
    rate = hbm_rate(hbm, own);
    hbm_free(hbm);
    return rate;
}

static double beside_us(const GpuModel *gpu, const Measured *m,
                        const Measured *partner)
{
    GpuParam rate = GPU_VECTOR, partner_rate = GPU_VECTOR;
    Shape shape = shape_of(m->kernel, &rate);
    Shape partner_shape =
        partner ? shape_of(partner->kernel, &partner_rate) : SHAPE_NONE;
    Kernel k = kernel_of(gpu, m, rate);
    uint64_t demand = demand_of(gpu, &k, shape, rate);
    uint64_t other = 0, got;

    if (partner_shape != SHAPE_NONE) {
        Kernel p = kernel_of(gpu, partner, partner_rate);

        other = demand_of(gpu, &p, partner_shape, partner_rate);
    }
    got =
        shared_rate(&k, demand, other, shape == SHAPE_ENGINE || !is_compute(m));
    if (shape == SHAPE_ENGINE)
        return engine_us(gpu, m, rate) * (double)demand / (double)got;
    return kernel_us(&k, got);
}

gboolean gpu_model_predict(const GpuModel *gpu, const Measured *m,
                           const Measured *partner, double *ret_us)
{
    GpuParam rate = GPU_VECTOR;
    Shape shape = shape_of(m->kernel, &rate);

    if (shape == SHAPE_NONE)
        return FALSE;
    if (*m->beside != '\0') {
        *ret_us = beside_us(gpu, m, partner);
    } else if (shape == SHAPE_ENGINE) {
        *ret_us = engine_us(gpu, m, rate);
    } else {
        Kernel k = kernel_of(gpu, m, rate);

        *ret_us = kernel_us(&k, k.usable_bytes_per_s);
    }
    return TRUE;
}

gboolean gpu_model_predict_row(const GpuModel *gpu, const Measurements *all,
                               guint row, double *ret_us)
{
    const Measured *m = measurements_row(all, row);
    const Measured *partner =
        m->partner == MEASURED_NONE ? NULL : measurements_row(all, m->partner);

    return gpu_model_predict(gpu, m, partner, ret_us);
}
