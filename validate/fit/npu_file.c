#include "validate/fit/npu_file.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Comments begin here. */
#define COMMENT_COLUMN 34

static void add(GString *out, const char *comment, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* A line; its comment stands in a column of its own. */
static void add(GString *out, const char *comment, const char *format, ...)
{
    gsize start = out->len;
    va_list args;

    va_start(args, format);
    g_string_append_vprintf(out, format, args);
    va_end(args);
    while (out->len - start < COMMENT_COLUMN)
        g_string_append_c(out, ' ');
    g_string_append_printf(out, "# %s\n", comment);
}

/* "fitted: 62 training rows of reduce, copy", or that nothing was measured. */
static char *provenance(const Measurements *all, GpuParam param)
{
    const char *families;
    guint n = fit_n_rows(all, param, &families);
    g_autofree char *names = g_strstrip(g_strdup(families));
    g_auto(GStrv) words = g_strsplit(names, " ", -1);
    g_autofree char *list = g_strjoinv(", ", words);

    return n > 0 ? g_strdup_printf("fitted: %u training rows of %s", n, list)
                 : g_strdup("assumed: nothing was measured");
}

/* The usual reduction of validate/gpu, which the simulator's is taken for: two
 * reads for a write. */
static const double reduction_read = 2.0 / 3;

static uint64_t usual_in_flight(const Measurements *all)
{
    for (guint i = 0; i < all->rows->len; i++) {
        const Measured *m = measurements_row(all, i);

        if (g_str_equal(m->family, "reduce") && m->bytes_in_flight > 0)
            return m->bytes_in_flight;
    }
    return 0;
}

/* Both limits are of what is read, as the simulator counts; writes ride along.
 * What softens the lesser of the two is in the bytes in flight. */
static void add_memory(GString *out, const Measurements *all,
                       const GpuModel *gpu, const GpuRecord *record)
{
    g_autofree char *port = provenance(all, GPU_PORT);
    g_autofree char *latency = provenance(all, GPU_LATENCY);
    uint64_t in_flight_bytes = usual_in_flight(all);
    double port_rate =
        gpu_model_sm_rate(gpu, 0, reduction_read) * reduction_read;
    double rate = gpu_model_sm_rate(gpu, in_flight_bytes, reduction_read) *
                  reduction_read;

    add(out, port, "sm_bandwidth: %.0f",
        MAX(1, ceil(port_rate * 1e3 / record->clock_mhz)));
    if (in_flight_bytes > 0)
        add(out, "what an SM reads of a reduction, by memory_latency",
            "sm_in_flight: %.0f B", rate * gpu->values[GPU_LATENCY]);
    add(out, latency, "memory_latency: %.1f ns", gpu->values[GPU_LATENCY]);
    add(out, latency, "queueing: %.2f %%", gpu->values[GPU_QUEUEING] * 100);
}

/* Weights are by SMs; the simulator's is of the endpoint, so it is written for
 * as many SMs as in ISCA21. */
#define USUAL_SMS   6
#define WEIGHT_ALL  1000
#define MOST_WEIGHT 1000

static void add_hbm(GString *out, const Measurements *all, const GpuModel *gpu)
{
    g_autofree char *bandwidth = provenance(all, GPU_HBM);
    g_autofree char *weight = provenance(all, GPU_WEIGHT);
    double comm_weight = gpu->values[GPU_WEIGHT] * WEIGHT_ALL * USUAL_SMS /
                         (double)MAX(gpu->n_sms, USUAL_SMS + 1);

    g_string_append(out, "hbm:\n");
    add(out, bandwidth, "  bandwidth: %.0f GB/s", gpu->values[GPU_HBM]);
    add(out, bandwidth, "  turnaround: %.2f %%",
        gpu->values[GPU_TURNAROUND] * 100);
    add(out, "kernels on one GPU share what there is", "  policy: shared");
    add(out, "of all SMs", "  compute_weight: %d", WEIGHT_ALL);
    add(out, weight, "  communication_weight: %.0f",
        CLAMP(comm_weight, 1, MOST_WEIGHT));
    g_string_append_printf(out,
                           "  # That weight is of %d SMs: %.3f of one that "
                           "computes for each.\n",
                           USUAL_SMS, gpu->values[GPU_WEIGHT]);
}

/* The largest product by the library; NULL: there is none. */
static const Measured *largest_product(const Measurements *all)
{
    const Measured *ret = NULL;

    for (guint i = 0; i < all->rows->len; i++) {
        const Measured *m = measurements_row(all, i);

        if (!m->is_held_out && g_str_equal(m->family, "gemm") &&
            g_str_equal(m->kernel, "cublas") && (!ret || m->flop > ret->flop))
            ret = m;
    }
    return ret;
}

/* The rate is what is left when its tiles have begun and ended; waves are the
 * simulator's own. */
static void add_product(GString *out, const Measurements *all,
                        const GpuModel *gpu)
{
    g_autofree char *flops = provenance(all, GPU_LIBRARY_GEMM);
    const Measured *m = largest_product(all);
    double tflops = gpu->values[GPU_LIBRARY_GEMM];
    Product cut = { 0 };

    if (m) {
        cut = gpu_model_library_cut(gpu, m);
        tflops *= 2 * (double)(cut.tile_m * cut.tile_n) * (double)m->k /
                  (double)cut.n_splits / cut.tile_flop;
    }
    add(out, flops, "flops: %.1f TFLOPS", tflops);
    if (m)
        add(out, "of the largest product, in the model",
            "tile: %" G_GUINT64_FORMAT, cut.tile_m * cut.tile_n);
    if (gpu->library_stays)
        add(out, "what was untold took two waves on fewer SMs",
            "persistent_products: true");
}

char *npu_file_text(const Measurements *all, const GpuModel *gpu,
                    const GpuRecord *record, const char *path)
{
    g_autofree char *start = provenance(all, GPU_LIBRARY_START);
    GString *out = g_string_new(NULL);

    g_string_append_printf(
        out,
        "# %s, driver %s, measured %.10s: %s%s.\n"
        "# Written by `make fit`.  How far off on rows that nothing was fitted "
        "to: `make validate`.\n",
        record->device, record->driver, record->date_utc, path,
        record->is_complete ? "" : ", which is not complete");
    add(out, "as the device says", "sms: %" G_GUINT64_FORMAT, gpu->n_sms);
    add(out, "seen in the midst of measuring", "clock: %.0f MHz",
        record->clock_mhz);
    add_product(out, all, gpu);
    add_memory(out, all, gpu, record);
    add(out, start, "launch_overhead: %.2f us", gpu->values[GPU_LIBRARY_START]);
    add_hbm(out, all, gpu);
    return g_string_free(out, FALSE);
}
