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

/* What validate/gpu's usual reduction keeps in flight on an SM. */
static uint64_t usual_in_flight(const Measurements *all)
{
    for (guint i = 0; i < all->rows->len; i++) {
        const Measured *m = measurements_row(all, i);

        if (g_str_equal(m->family, "reduce") && m->bytes_in_flight > 0)
            return m->bytes_in_flight;
    }
    return 0;
}

static void add_memory(GString *out, const Measurements *all,
                       const GpuModel *gpu, const GpuRecord *record)
{
    g_autofree char *port = provenance(all, GPU_PORT);
    g_autofree char *latency = provenance(all, GPU_LATENCY);
    uint64_t in_flight_bytes = usual_in_flight(all);
    double per_cycle = gpu->values[GPU_PORT] * 1e3 / record->clock_mhz;

    add(out, port, "sm_bandwidth: %.0f", MAX(1, ceil(per_cycle)));
    if (in_flight_bytes > 0)
        add(out, "what validate/gpu's reduction waits for at a time",
            "sm_in_flight: %" G_GUINT64_FORMAT " B", in_flight_bytes);
    add(out, latency, "memory_latency: %.1f ns", gpu->values[GPU_LATENCY]);
    add(out, latency, "queueing: %.2f %%", gpu->values[GPU_QUEUEING] * 100);
}

static void add_hbm(GString *out, const Measurements *all, const GpuModel *gpu)
{
    g_autofree char *bandwidth = provenance(all, GPU_HBM);
    g_autofree char *weight = provenance(all, GPU_WEIGHT);

    g_string_append(out, "hbm:\n");
    add(out, bandwidth, "  bandwidth: %.0f GB/s", gpu->values[GPU_HBM]);
    add(out, bandwidth, "  turnaround: %.2f %%",
        gpu->values[GPU_TURNAROUND] * 100);
    add(out, "kernels on one GPU share what there is", "  policy: shared");
    add(out, weight, "  compute_weight: 100");
    add(out, weight, "  communication_weight: %.0f",
        gpu->values[GPU_WEIGHT] * 100);
}

char *npu_file_text(const Measurements *all, const GpuModel *gpu,
                    const GpuRecord *record, const char *path)
{
    g_autofree char *flops = provenance(all, GPU_LIBRARY_GEMM);
    g_autofree char *launch = provenance(all, GPU_LAUNCH);
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
    add(out, flops, "flops: %.1f TFLOPS", gpu->values[GPU_LIBRARY_GEMM]);
    if (gpu->library_tile > 0)
        add(out, flops, "tile: %" G_GUINT64_FORMAT, gpu->library_tile);
    add_memory(out, all, gpu, record);
    add(out, launch, "launch_overhead: %.2f us", gpu->values[GPU_LAUNCH]);
    add_hbm(out, all, gpu);
    return g_string_free(out, FALSE);
}
