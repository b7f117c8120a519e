/* fidelity_study.c - compares the message model with the packet model */
#include "validate/fidelity_study.h"

#include <math.h>

#include "validate/deviation.h"
#include "validate/text_table.h"

#define KIB    UINT64_C(1024)
#define LOCAL  "links: 2, bandwidth: 200 GB/s, latency: 72.29 ns"
#define GLOBAL "links: 2, bandwidth: 25 GB/s, latency: 401.61 ns"
/* The bandwidth-delay product is 25 GB/s x 401.61 ns. */
#define GLOBAL_BYTES 10040
/* The bandwidth-delay product is 200 GB/s x 72.29 ns. */
#define LOCAL_BYTES 14458

/* Topologies with the links of the ACE platforms.  There are no packet headers,
 * so rates are not reduced. */
static const struct {
    const char *name, *setting;
    uint64_t way_bytes;
} platforms[] = {
    { "torus 4x4x4",
      "platform.topology={kind: torus, dims: [{size: 4, " LOCAL "}, "
      "{size: 4, " GLOBAL "}, {size: 4, " GLOBAL "}]}",
      LOCAL_BYTES },
    { "torus 4x8x4",
      "platform.topology={kind: torus, dims: [{size: 4, " LOCAL "}, "
      "{size: 8, " GLOBAL "}, {size: 4, " GLOBAL "}]}",
      LOCAL_BYTES },
    { "torus 8x8",
      "platform.topology={kind: torus, dims: [{size: 8, " GLOBAL "}, "
      "{size: 8, " GLOBAL "}]}",
      GLOBAL_BYTES },
    { "switch 16",
      "platform.topology={kind: switch, npus: 16, bandwidth: 100 GB/s, "
      "latency: 400 ns}",
      40000 },
};

/* The payloads are large enough for a steady state, and small enough for the
 * packet model. */
static const struct {
    const char *name, *setting;
    gboolean is_congested;
} workloads[] = {
    { "all-reduce 1 MiB",
      "workload={kind: collective, name: all-reduce, "
      "collective: all-reduce, payload: 1 MiB}",
      FALSE },
    { "all-to-all 1 MiB",
      "workload={kind: collective, name: all-to-all, "
      "collective: all-to-all, payload: 1 MiB}",
      FALSE },
    /* The all-to-all has 1 MiB in each direction, and the gradients have 1.2
     * MB. */
    { "DLRM, small",
      "workload={kind: dlrm, name: dlrm-small, batch: 128, "
      "embedding: {tables: 64, dimension: 64, lookups: 1}, "
      "bottom: [{name: bottom, in: 1024, out: 64}], "
      "top: [{name: top-first, in: 4160, out: 128}, "
      "{name: top, in: 128, out: 1}]}",
      TRUE },
};

/* An NPU whose compute time is negligible. */
static const char fast_npu[] =
    "platform.npu={sms: 80, clock: 1 GHz, flops: 1000 PFLOPS, "
    "sm_bandwidth: 1000, launch_overhead: 0 ns, fabric_bus: 1000 TB/s, "
    "hbm: {bandwidth: 80 TB/s}}";

/* Buffers that are too small for the switch, large enough for all links, and
 * practically infinite. */
static const struct {
    const char *text, *setting;
    uint64_t n_bytes;
} buffers[] = {
    { "16 KiB", "collectives.buffer=16 KiB", 16 * KIB },
    { "64 KiB", "collectives.buffer=64 KiB", 64 * KIB },
    { "1 MiB", "collectives.buffer=1 MiB", 1024 * KIB },
};

/* ---- simulation by messages and by packets ------------------------------- */

/* Runs a case once. @buffer is an index in buffers[], or -1 for the message
 * model. */
static gboolean run_with_one_fidelity(const Simulator *simulator,
                                      const char *name, guint platform,
                                      guint workload, int buffer,
                                      double *ret_us, GError **error)
{
    const char *const arguments[] = {
        "--set",
        platforms[platform].setting,
        "--set",
        fast_npu,
        "--set",
        "endpoint={kind: ideal, name: ideal}",
        "--set",
        workloads[workload].setting,
        "--set",
        "training={iterations: 1, optimiser: none}",
        "--set",
        buffer < 0 ? "collectives.fidelity=message"
                   : "collectives.fidelity=packet",
        /* The message model has no buffers, so NULL ends the list here. */
        buffer < 0 ? NULL : "--set",
        buffer < 0 ? NULL : buffers[buffer].setting,
        NULL,
    };
    g_autofree char *file =
        g_strdup_printf("%s/%u-%u-%d", name, platform, workload, buffer + 1);
    g_autoptr(CsvTable) table = simulator_run(
        simulator, file, "configs/runs/isca21.yaml", arguments, error);

    return table &&
           simulator_cell_number(table, 0, "iteration_time_us", ret_us, error);
}

static gboolean append_fidelity_pair(GArray *results,
                                     const Simulator *simulator,
                                     const char *name, guint platform,
                                     guint workload, GError **error)
{
    FidelityResult result = {
        .platform = platforms[platform].name,
        .workload = workloads[workload].name,
        .is_congested = workloads[workload].is_congested,
        .way_bytes = platforms[platform].way_bytes,
    };

    if (!run_with_one_fidelity(simulator, name, platform, workload, -1,
                               &result.message_us, error))
        return FALSE;
    for (guint b = 0; b < G_N_ELEMENTS(buffers); b++) {
        if (!run_with_one_fidelity(simulator, name, platform, workload, (int)b,
                                   &result.packet_us, error))
            return FALSE;
        result.buffer_bytes = buffers[b].n_bytes;
        result.deviation_percent =
            compare_deviation_percent(result.message_us, result.packet_us);
        g_array_append_val(results, result);
    }
    return TRUE;
}

GArray *fidelity_study_run(const Simulator *simulator, const char *name,
                           GError **error)
{
    g_autoptr(GArray) results =
        g_array_new(FALSE, TRUE, sizeof(FidelityResult));

    for (guint p = 0; p < G_N_ELEMENTS(platforms); p++)
        for (guint w = 0; w < G_N_ELEMENTS(workloads); w++)
            if (!append_fidelity_pair(results, simulator, name, p, w, error))
                return NULL;
    return g_steal_pointer(&results);
}

/* Returns the result with the largest absolute deviation among those whose
 * buffers are at least @min_ways times as large as way_bytes.  Returns NULL if
 * there is none. */
static const FidelityResult *
fidelity_result_with_largest_error(const GArray *results, double min_ways)
{
    const FidelityResult *worst = NULL;

    for (guint i = 0; i < results->len; i++) {
        const FidelityResult *result =
            &g_array_index(results, FidelityResult, i);

        if ((double)result->buffer_bytes < min_ways * (double)result->way_bytes)
            continue;
        if (!worst ||
            fabs(result->deviation_percent) > fabs(worst->deviation_percent))
            worst = result;
    }
    return worst;
}

/* ---- tables and CSV of the fidelity study -------------------------------- */

static void append_worst_deviation(const GArray *results, double min_ways,
                                   const char *where, GString *out)
{
    const FidelityResult *worst =
        fidelity_result_with_largest_error(results, min_ways);

    if (worst)
        g_string_append_printf(
            out,
            "  worst %s: %+.2f %%, %s on %s, buffers of %" G_GUINT64_FORMAT
            " KiB\n",
            where, worst->deviation_percent, worst->workload, worst->platform,
            worst->buffer_bytes / KIB);
}

void fidelity_study_render(const GArray *results, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("llrrrrr");
    guint n = G_N_ELEMENTS(buffers);

    text_table_add_row(table,
                       "platform\tworkload\trate x latency\tmessages, us\t"
                       "packets, buffers of %s\t%s\t%s",
                       buffers[0].text, buffers[1].text, buffers[2].text);
    for (guint i = 0; i + n <= results->len; i += n) {
        const FidelityResult *result =
            &g_array_index(results, FidelityResult, i);
        g_autoptr(GString) cells = g_string_new(NULL);

        for (guint b = 0; b < n; b++)
            g_string_append_printf(cells, "\t%.3f (%+.2f %%)",
                                   result[b].packet_us,
                                   result[b].deviation_percent);
        text_table_add_row(table, "%s\t%s\t%.1f KiB\t%.3f%s", result->platform,
                           result->workload,
                           (double)result->way_bytes / (double)KIB,
                           result->message_us, cells->str);
    }
    text_table_render(table, out);
    g_string_append(out, "  (): of messages from packets\n");
    append_worst_deviation(results, 0, "of all", out);
    append_worst_deviation(results, 1,
                           "where a buffer holds a link's rate x latency", out);
    append_worst_deviation(results, 16, "where it holds 16 times that", out);
}

char *fidelity_study_csv(const GArray *results)
{
    GString *out = g_string_new("platform,workload,congested,buffer_bytes,"
                                "way_bytes,message_us,packet_us,"
                                "deviation_percent\n");

    for (guint i = 0; i < results->len; i++) {
        const FidelityResult *result =
            &g_array_index(results, FidelityResult, i);

        csv_add_text(out, result->platform);
        csv_add_text(out, result->workload);
        csv_add_text(out, result->is_congested ? "yes" : "no");
        csv_add_u64(out, result->buffer_bytes);
        csv_add_u64(out, result->way_bytes);
        g_string_append_printf(out, "%.6f,%.6f,%.6f,", result->message_us,
                               result->packet_us, result->deviation_percent);
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
