#include "validate/fit/gpu_model.h"

#include <math.h>
#include <string.h>

#define PPM 1000000
/* The NPU's clock, so that the port's bytes a cycle are MB/s. */
#define MODEL_HZ 1000000
/* Of all SMs together, that one SM's is not rounded away. */
#define WEIGHT_ONE 1000000
/* validate/gpu/lookup.cu: threads of an SM at the least, rows that each loads
 * at a time. */
#define LOOKUP_THREADS 1024
#define LOOKUP_ROWS    8
#define VECTOR_BYTES   16

const GpuParamInfo gpu_params[GPU_N_PARAMS] = {
    [GPU_MOVE_START] = { "start_move", "us", "a reduction's or copy's", 0.3, 20,
                         3, TRUE },
    [GPU_HBM] = { "hbm_bandwidth", "GB/s", "usable with reads alone", 100,
                  20000, 2000, TRUE },
    [GPU_TURNAROUND] = { "turnaround", "",
                         "lost when half of the bytes are written", 0, 0.5,
                         0.05, FALSE },
    [GPU_PORT] = { "sm_port", "GB/s", "one SM reads from memory", 5, 500, 80,
                   TRUE },
    [GPU_PORT_WRITE] = { "sm_port_write", "",
                         "of the port that a written byte takes", 0, 1, 0.3,
                         FALSE },
    [GPU_PORT_QUEUEING] = { "port_queueing", "",
                            "how early loads delay each other at the port", 0,
                            1, 0.05, FALSE },
    [GPU_LATENCY] = { "memory_latency", "ns", "of a load that none delays", 100,
                      3000, 700, TRUE },
    [GPU_QUEUEING] = { "queueing", "", "the same at the HBM", 0, 1, 0.1,
                       FALSE },
    [GPU_STREAM_START] = { "start_stream", "us", "a streaming kernel's", 0.3,
                           20, 3, TRUE },
    [GPU_VECTOR] = { "vector", "TFLOPS", "FP32 outside the matrix units", 0.5,
                     500, 40, TRUE },
    [GPU_OWN_START] = { "start_gemm_own", "us", "our matrix product's", 0.3, 20,
                        3, TRUE },
    [GPU_LIBRARY_START] = { "start_gemm_library", "us", "that of cuBLAS", 0.3,
                            20, 3, TRUE },
    [GPU_OWN_GEMM] = { "gemm_own", "TFLOPS", "matrix product of validate/gpu",
                       1, 5000, 200, TRUE },
    [GPU_OWN_DEPTH] = { "tile_depth_own", "",
                        "of k, for the start and end of its tiles", 0, 1000, 50,
                        FALSE },
    [GPU_LIBRARY_GEMM] = { "gemm_library", "TFLOPS", "that of cuBLAS", 1, 5000,
                           500, TRUE },
    [GPU_LIBRARY_DEPTH] = { "tile_depth_library", "", "as tile_depth_own", 0,
                            1000, 50, FALSE },
    [GPU_TILE_LOSS] = { "tile_loss", "",
                        "x (1 / m + 1 / n): the time that small tiles lose", 0,
                        100, 10, FALSE },
    [GPU_LOOKUP_START] = { "start_lookup", "us", "a lookup's", 0.3, 20, 3,
                           TRUE },
    [GPU_LOOKUP] = { "lookup", "", "part of the bandwidth for long rows", 0.05,
                     1, 0.7, TRUE },
    [GPU_ROW_LOSS] = { "row_loss", "B",
                       "that a scattered row costs beyond its "
                       "own",
                       0, 512, 32, FALSE },
    [GPU_ROUNDTRIPS] = { "lookup_roundtrips", "",
                         "latencies of memory until an index's row is there",
                         0.5, 10, 2, TRUE },
    [GPU_TO_HOST] = { "engine_d2h", "GB/s", "copy engine to the host", 1, 1000,
                      40, TRUE },
    [GPU_FROM_HOST] = { "engine_h2d", "GB/s", "copy engine from the host", 1,
                        1000, 40, TRUE },
    [GPU_HOST_SETUP] = { "engine_setup", "us", "of a copy to or from the host",
                         0.1, 50, 5, TRUE },
    [GPU_ON_DEVICE] = { "engine_d2d", "GB/s", "cudaMemcpy within the device",
                        10, 10000, 1000, TRUE },
    [GPU_BATCH_ON_DEVICE] = { "engine_d2d_batch", "GB/s",
                              "the same with the wish for the copy engine", 10,
                              10000, 1000, TRUE },
    [GPU_DEVICE_SETUP] = { "engine_d2d_setup", "us",
                           "of a copy within the device", 0.1, 50, 5, TRUE },
    [GPU_WEIGHT] = { "communication_weight", "",
                     "of an SM that reduces against one that computes, "
                     "sharing HBM",
                     0.05, 20, 1, TRUE },
    [GPU_ENGINE_WEIGHT] = { "engine_weight", "",
                            "of the copy engine against all SMs, sharing HBM",
                            0.01, 20, 0.5, TRUE },
    [GPU_CONFLICT] = { "conflict", "", "lost when two streams share the HBM", 0,
                       0.5, 0.05, FALSE },
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

/* ---- kinds of kernels ------------------------------------------------- */

typedef enum {
    SHAPE_NONE,
    SHAPE_KERNEL,
    SHAPE_OWN,     /* a product, cut by us */
    SHAPE_LIBRARY, /* by a library that counts on all SMs */
    SHAPE_TOLD,    /* by one that knows how many there are */
    SHAPE_LOOKUP,
    SHAPE_ENGINE,
} Shape;

/* Kernels by name, whose rate their FLOP or bytes go at, what they start
 * with. */
typedef struct {
    const char *kernel;
    Shape shape;
    GpuParam rate, start;
} Kind;

static const Kind kinds[] = {
    { "reduce", SHAPE_KERNEL, GPU_VECTOR, GPU_MOVE_START },
    { "copy", SHAPE_KERNEL, GPU_VECTOR, GPU_MOVE_START },
    { "fma", SHAPE_KERNEL, GPU_VECTOR, GPU_STREAM_START },
    { "read", SHAPE_KERNEL, GPU_VECTOR, GPU_STREAM_START },
    { "write", SHAPE_KERNEL, GPU_VECTOR, GPU_STREAM_START },
    { "mix", SHAPE_KERNEL, GPU_VECTOR, GPU_STREAM_START },
    { "lookup", SHAPE_LOOKUP, GPU_VECTOR, GPU_LOOKUP_START },
    { "own", SHAPE_OWN, GPU_OWN_GEMM, GPU_OWN_START },
    { "cublas", SHAPE_LIBRARY, GPU_LIBRARY_GEMM, GPU_LIBRARY_START },
    { "cublas-told", SHAPE_TOLD, GPU_LIBRARY_GEMM, GPU_LIBRARY_START },
    { "memcpy-d2h", SHAPE_ENGINE, GPU_TO_HOST, GPU_HOST_SETUP },
    { "batch-d2h", SHAPE_ENGINE, GPU_TO_HOST, GPU_HOST_SETUP },
    { "memcpy-h2d", SHAPE_ENGINE, GPU_FROM_HOST, GPU_HOST_SETUP },
    { "batch-h2d", SHAPE_ENGINE, GPU_FROM_HOST, GPU_HOST_SETUP },
    { "memcpy-d2d", SHAPE_ENGINE, GPU_ON_DEVICE, GPU_DEVICE_SETUP },
    { "batch-d2d", SHAPE_ENGINE, GPU_BATCH_ON_DEVICE, GPU_DEVICE_SETUP },
};

/* NULL: the models say nothing of it. */
static const Kind *kind_of(const char *kernel)
{
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (g_str_equal(kinds[i].kernel, kernel))
            return &kinds[i];
    return NULL;
}

/* ---- one kernel --------------------------------------------------------- */

/* A row as the models see it. */
typedef struct {
    const Kind *kind;
    NpuConfig npu;
    OpWork work;
    uint64_t usable_bytes_per_s; /* for its mix and pattern */
    uint64_t n_sms;
} Kernel;

static gboolean is_compute(const Kernel *k)
{
    return k->kind->shape != SHAPE_ENGINE && k->kind->start != GPU_MOVE_START;
}

static double softened(double a, double b, double queueing)
{
    double sum = a + b;

    return 2 * a * b / (sum + sqrt(sum * sum - 4 * (1 - queueing) * a * b));
}

/* The lesser of port and Little's law, softened as draw() of models/compute.h
 * is.  Loads in flight are what is read; what is written rides along. */
double gpu_model_sm_rate(const GpuModel *gpu, uint64_t in_flight_bytes,
                         double read)
{
    const double *v = gpu->values;
    double write = 1 - read;
    double rate = v[GPU_PORT] / (read + v[GPU_PORT_WRITE] * write);

    if (in_flight_bytes > 0 && read > 0)
        rate = softened(rate, (double)in_flight_bytes / v[GPU_LATENCY] / read,
                        v[GPU_PORT_QUEUEING]);
    return rate;
}

/* Of a lookup they stand for less, as an index comes before its row. */
static uint64_t in_flight_bytes(const GpuModel *gpu, const Kernel *k,
                                const Measured *m)
{
    uint64_t n_threads;
    double rows_bytes;

    if (k->kind->shape != SHAPE_LOOKUP)
        return m->bytes_in_flight;
    n_threads = m->batch * m->dim * sizeof(float) / VECTOR_BYTES / k->n_sms;
    rows_bytes = (double)(MAX(MIN(n_threads, LOOKUP_THREADS), 1) *
                          MIN(m->pooling, LOOKUP_ROWS) * VECTOR_BYTES);
    return (uint64_t)MAX(1, rows_bytes / gpu->values[GPU_ROUNDTRIPS]);
}

static NpuConfig npu_of(const GpuModel *gpu, const Kind *kind)
{
    const double *v = gpu->values;

    return (NpuConfig){
        .n_sms = gpu->n_sms,
        .clock_hz = MODEL_HZ,
        .flop_per_s = (uint64_t)(v[kind->rate] * 1e12),
        .efficiency_ppm = PPM,
        .queueing_ppm = ppm(v[GPU_QUEUEING]),
        .launch_ps = (uint64_t)(v[kind->start] * 1e6),
        .hbm = { .bandwidth_bytes_per_s = (uint64_t)(v[GPU_HBM] * 1e9),
                 .efficiency_ppm = PPM,
                 .turnaround_ppm = ppm(v[GPU_TURNAROUND]),
                 .policy = HBM_SHARED,
                 .compute_weight = 1,
                 .comm_weight = 1 },
    };
}

static Product product_of(const GpuModel *gpu, const Measured *m,
                          const Kind *kind, uint64_t n_sms)
{
    const double *v = gpu->values;
    gboolean is_own = kind->shape == SHAPE_OWN;
    ProductRequest request = {
        .m = m->m,
        .n = m->n,
        .k = m->k,
        .flop_per_us = v[kind->rate] * 1e6,
        .depth = v[is_own ? GPU_OWN_DEPTH : GPU_LIBRARY_DEPTH],
        .tile_loss = v[GPU_TILE_LOSS],
        .bytes_per_us = v[GPU_HBM] * 1e3,
        .n_sms = kind->shape == SHAPE_TOLD ? n_sms : gpu->n_sms,
        .n_all = gpu->n_sms,
    };

    return is_own ? product_own(&request) : product_library(&request);
}

/* In the models' words: as many tiles as fill the waves. */
static void cut_product(const GpuModel *gpu, const Measured *m, Kernel *k)
{
    Product product = product_of(gpu, m, k->kind, k->n_sms);
    gboolean stays = k->kind->shape == SHAPE_LIBRARY && gpu->library_stays;
    uint64_t n_waves =
        stays ? product_waves_of_grid(&product, gpu->n_sms, k->n_sms)
              : product_waves(&product, k->n_sms);

    k->work.flop = (uint64_t)((double)(n_waves * k->n_sms) * product.tile_flop);
    k->work.bytes += (uint64_t)product.more_bytes;
}

static Kernel kernel_of(const GpuModel *gpu, const Measured *m,
                        const Kind *kind)
{
    uint64_t bytes = m->read_bytes + m->write_bytes;
    double read = bytes ? (double)m->read_bytes / (double)bytes : 1;
    Kernel k = {
        .kind = kind,
        .npu = npu_of(gpu, kind),
        .work = { .flop = m->flop, .bytes = bytes },
        .n_sms = m->n_sms,
    };

    /* A partner holds its SMs for itself; compute has those that are left. */
    if (is_compute(&k))
        k.n_sms = MIN(m->n_sms, gpu->n_sms - m->beside_n_sms);
    if (m->m > 0)
        cut_product(gpu, m, &k);
    if (kind->shape != SHAPE_ENGINE)
        k.npu.sm_bytes_per_cycle =
            (uint64_t)(gpu_model_sm_rate(gpu, in_flight_bytes(gpu, &k, m),
                                         read) *
                       1e9 / MODEL_HZ);
    k.usable_bytes_per_s = hbm_mixed_bytes_per_s(&k.npu.hbm, ppm(read));
    if (kind->shape == SHAPE_LOOKUP) {
        double row_bytes = (double)(m->dim * sizeof(float));
        double part = gpu->values[GPU_LOOKUP] * row_bytes /
                      (row_bytes + gpu->values[GPU_ROW_LOSS]);

        k.usable_bytes_per_s = (uint64_t)((double)k.usable_bytes_per_s * part);
    }
    return k;
}

static double kernel_us(const Kernel *k, uint64_t bytes_per_s)
{
    const ComputeScale no_scale = { 1, 1, FALSE };
    SimTime ps = compute_time_ps(&k->npu, &k->work, no_scale, k->n_sms,
                                 MIN(bytes_per_s, k->usable_bytes_per_s));

    return (double)ps / 1e6;
}

static double engine_us(const GpuModel *gpu, const Measured *m,
                        const Kind *kind)
{
    return gpu->values[kind->start] +
           (double)m->bytes / (gpu->values[kind->rate] * 1e3);
}

Product gpu_model_library_cut(const GpuModel *gpu, const Measured *m)
{
    return product_of(gpu, m, kind_of("cublas"), gpu->n_sms);
}

/* ---- two at once ------------------------------------------------------- */

static void ignore_rate(gpointer self, HbmStream stream, uint64_t bytes_per_s)
{
    (void)self;
    (void)stream;
    (void)bytes_per_s;
}

/* What a row's kernel, or copy, would draw from HBM with nobody beside it. */
static uint64_t demand_of(const GpuModel *gpu, const Kernel *k)
{
    uint64_t bytes_per_s = (uint64_t)(gpu->values[k->kind->rate] * 1e9);

    if (k->kind->shape ==
        SHAPE_ENGINE) /* within the device: read and written */
        return k->kind->start == GPU_DEVICE_SETUP ? 2 * bytes_per_s
                                                  : bytes_per_s;
    return MIN(k->usable_bytes_per_s,
               compute_demand_bytes_per_s(&k->npu, &k->work, k->n_sms));
}

/* A stream pulls as hard as it has SMs. */
static uint64_t weight_of(const GpuModel *gpu, const Kernel *k)
{
    double sms = (double)k->n_sms / (double)gpu->n_sms;
    double weight = k->kind->shape == SHAPE_ENGINE
                        ? gpu->values[GPU_ENGINE_WEIGHT]
                    : is_compute(k) ? sms
                                    : sms * gpu->values[GPU_WEIGHT];

    return (uint64_t)MAX(1, weight * WEIGHT_ONE);
}

/* What @k has of the HBM beside @other. */
static uint64_t shared_rate(const GpuModel *gpu, const Kernel *k,
                            const Kernel *other)
{
    HbmConfig config = k->npu.hbm;
    double left = 1 - gpu->values[GPU_CONFLICT];
    uint64_t rate;
    Hbm *hbm;

    /* The mix has been seen to. */
    config.bandwidth_bytes_per_s =
        (uint64_t)((double)k->usable_bytes_per_s * left);
    config.turnaround_ppm = 0;
    config.compute_weight = weight_of(gpu, k);
    config.comm_weight = weight_of(gpu, other);
    hbm = hbm_new(&config, ignore_rate, NULL);
    hbm_set_demand(hbm, HBM_MAIN, demand_of(gpu, k));
    hbm_set_demand(hbm, HBM_COMM_READ, demand_of(gpu, other));
    rate = hbm_rate(hbm, HBM_MAIN);
    hbm_free(hbm);
    return rate;
}

static double alone_us(const GpuModel *gpu, const Measured *m, const Kernel *k)
{
    return k->kind->shape == SHAPE_ENGINE ? engine_us(gpu, m, k->kind)
                                          : kernel_us(k, k->usable_bytes_per_s);
}

static double beside_us(const GpuModel *gpu, const Measured *m, const Kernel *k,
                        const Kernel *other)
{
    uint64_t got = shared_rate(gpu, k, other);

    if (k->kind->shape == SHAPE_ENGINE)
        return engine_us(gpu, m, k->kind) * (double)demand_of(gpu, k) /
               (double)got;
    return kernel_us(k, got);
}

gboolean gpu_model_predict(const GpuModel *gpu, const Measured *m,
                           const Measured *partner, double *ret_us)
{
    const Kind *kind = kind_of(m->kernel);
    const Kind *other = partner ? kind_of(partner->kernel) : NULL;
    Kernel k;

    if (!kind)
        return FALSE;
    k = kernel_of(gpu, m, kind);
    if (other) {
        Kernel beside = kernel_of(gpu, partner, other);

        *ret_us = beside_us(gpu, m, &k, &beside);
    } else {
        *ret_us = alone_us(gpu, m, &k);
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
