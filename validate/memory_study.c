/* memory_study.c - the memory bandwidth that one all-reduce needs */
#include "validate/memory_study.h"

#include "validate/text_table.h"

/* An engine that is busy for this part of the time counts as the bottleneck. */
#define MIN_BUSY 0.95

/* The platform of each size, as in the sweeps. */
static const struct {
    guint n_npus;
    const char *setting;
} platforms[] = {
    { 16, "platform=configs/platforms/ace-4x2x2.yaml" },
    { 64, "platform=configs/platforms/ace-4x4x4.yaml" },
};

/* ---- reading of the memory sweep ----------------------------------------- */

static void clear_memory_curve(gpointer data)
{
    MemoryCurve *curve = data;

    g_free(curve->endpoint);
    g_array_unref(curve->network);
    g_array_unref(curve->reads);
}

static MemoryCurve *find_or_add_memory_curve(GArray *curves,
                                             const char *endpoint, guint n_npus)
{
    MemoryCurve fresh = { .endpoint = NULL, .n_npus = n_npus };

    for (guint i = 0; i < curves->len; i++) {
        MemoryCurve *curve = &g_array_index(curves, MemoryCurve, i);

        if (curve->n_npus == n_npus && g_str_equal(curve->endpoint, endpoint))
            return curve;
    }
    fresh.endpoint = g_strdup(endpoint);
    fresh.network = g_array_new(FALSE, FALSE, sizeof(CurvePoint));
    fresh.reads = g_array_new(FALSE, FALSE, sizeof(CurvePoint));
    g_array_append_val(curves, fresh);
    return &g_array_index(curves, MemoryCurve, curves->len - 1);
}

static gboolean add_curve_point(GArray *curves, const CsvTable *table,
                                guint row, GError **error)
{
    const char *endpoint = simulator_cell_text(table, row, "endpoint", error);
    double n_npus, share, network, active_us, bytes, hbm_us, fsm_us, sram;
    MemoryCurve *curve;
    CurvePoint point;

    if (!endpoint ||
        !simulator_cell_number(table, row, "n_npus", &n_npus, error) ||
        !simulator_cell_number(table, row, "endpoint.memory_bandwidth_gb_per_s",
                               &share, error) ||
        !simulator_cell_number(table, row, "net_bw_gb_per_s", &network,
                               error) ||
        !simulator_cell_number(table, row, "comm_active_us", &active_us,
                               error) ||
        !simulator_cell_number(table, row, "hbm_comm_read_bytes", &bytes,
                               error) ||
        !simulator_cell_number(table, row, "hbm_comm_busy_us", &hbm_us,
                               error) ||
        !simulator_cell_number(table, row, "fsm_busy_us", &fsm_us, error) ||
        !simulator_cell_number(table, row, "sram_peak_bytes", &sram, error))
        return FALSE;
    curve = find_or_add_memory_curve(curves, endpoint, (guint)n_npus);
    curve->last_share_gb_per_s = share;
    curve->last_network_gb_per_s = network;
    /* The quotient of bytes and nanoseconds is in GB/s. */
    curve->last_reads_gb_per_s = bytes / (active_us * 1e3);
    curve->hbm_busy = hbm_us / active_us;
    curve->n_chunks_in_fsms = fsm_us / active_us;
    curve->sram_mib = sram / (1024 * 1024);
    point = (CurvePoint){ share, network };
    g_array_append_val(curve->network, point);
    point.y = curve->last_reads_gb_per_s;
    g_array_append_val(curve->reads, point);
    return TRUE;
}

/* ---- bandwidth of the ideal endpoint ------------------------------------- */

static gboolean simulate_ideal_gb_per_s(const Simulator *simulator,
                                        const char *name, guint n_npus,
                                        double *ret, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(platforms); i++) {
        const char *const arguments[] = {
            "--set", platforms[i].setting,
            "--set", "endpoint={kind: ideal, name: ideal}",
            "--set", "workload=configs/workloads/all-reduce-64MiB.yaml",
            "--set", "training.iterations=1",
            NULL,
        };
        g_autofree char *file = g_strdup_printf("%s/ideal-%u", name, n_npus);
        g_autoptr(CsvTable) table = NULL;

        if (platforms[i].n_npus != n_npus)
            continue;
        table = simulator_run(simulator, file, "configs/runs/isca21.yaml",
                              arguments, error);
        return table &&
               simulator_cell_number(table, 0, "net_bw_gb_per_s", ret, error);
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "%s: no platform of %u NPUs is known", name, n_npus);
    return FALSE;
}

/* ---- memory share at which an endpoint reaches 90 % of the ideal bandwidth
 * -- */

static const CurvePoint *points_of_curve_array(const GArray *points)
{
    return (const CurvePoint *)(gconstpointer)points->data;
}

static gboolean find_share_for_90_percent(const Simulator *simulator,
                                          const char *name, MemoryCurve *curve,
                                          GError **error)
{
    if (!simulate_ideal_gb_per_s(simulator, name, curve->n_npus,
                                 &curve->simulate_ideal_gb_per_s, error))
        return FALSE;
    curve->is_reached =
        curve_first_x_at_level(
            points_of_curve_array(curve->network), curve->network->len,
            MEMORY_STUDY_PART * curve->simulate_ideal_gb_per_s,
            &curve->share_gb_per_s) &&
        curve_value_at(points_of_curve_array(curve->reads), curve->reads->len,
                       curve->share_gb_per_s, &curve->reads_gb_per_s);
    return TRUE;
}

GArray *memory_study_run(const Simulator *simulator, const char *name,
                         const char *sweep, GError **error)
{
    g_autoptr(CsvTable) table =
        simulator_run_sweep(simulator, name, sweep, NULL, error);
    g_autoptr(GArray) curves = g_array_new(FALSE, FALSE, sizeof(MemoryCurve));

    g_array_set_clear_func(curves, clear_memory_curve);
    if (!table)
        return NULL;
    for (guint row = 0; row < csv_table_n_rows(table); row++)
        if (!add_curve_point(curves, table, row, error))
            return NULL;
    for (guint i = 0; i < curves->len; i++)
        if (!find_share_for_90_percent(
                simulator, name, &g_array_index(curves, MemoryCurve, i), error))
            return NULL;
    return g_steal_pointer(&curves);
}

double memory_study_fraction_at(const MemoryCurve *curve, double share_gb_per_s)
{
    double network;

    return curve_value_at(points_of_curve_array(curve->network),
                          curve->network->len, share_gb_per_s, &network)
               ? network / curve->simulate_ideal_gb_per_s
               : 0;
}

const MemoryCurve *memory_study_find_curve(const GArray *curves,
                                           const char *endpoint, guint n_npus)
{
    for (guint i = 0; i < curves->len; i++) {
        const MemoryCurve *curve = &g_array_index(curves, MemoryCurve, i);

        if (curve->n_npus == n_npus && g_str_equal(curve->endpoint, endpoint))
            return curve;
    }
    return NULL;
}

/* ---- tables of the memory study ------------------------------------------ */

/* If the endpoint reads as fast as its share allows, the share is the
 * bottleneck.  If it reads all the time but slower, the bottleneck is the
 * reading engine: the SMs of a baseline. */
const char *memory_study_limit_text(const MemoryCurve *curve)
{
    if (curve->last_network_gb_per_s >=
        MIN_BUSY * curve->simulate_ideal_gb_per_s)
        return "the network";
    if (curve->hbm_busy < MIN_BUSY)
        return curve->n_chunks_in_fsms > 0 ? "FSMs or SRAM" : "latency";
    return curve->last_reads_gb_per_s < MIN_BUSY * curve->last_share_gb_per_s
               ? "SM bandwidth"
               : "its HBM share";
}

void memory_study_render(const GArray *curves, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lrrrrrrrrl");

    text_table_add_row(table,
                       "endpoint\tNPUs\tideal net\tshare for 90 %%\t"
                       "reads then\tnet at most\tHBM busy\tchunks in FSMs\t"
                       "SRAM MiB\tbinds at most");
    for (guint i = 0; i < curves->len; i++) {
        const MemoryCurve *curve = &g_array_index(curves, MemoryCurve, i);
        g_autofree char *share =
            curve->is_reached ? g_strdup_printf("%.1f", curve->share_gb_per_s)
                              : g_strdup("not reached");
        g_autofree char *reads =
            curve->is_reached ? g_strdup_printf("%.1f", curve->reads_gb_per_s)
                              : g_strdup("-");

        text_table_add_row(
            table, "%s\t%u\t%.1f\t%s\t%s\t%.1f\t%.0f %%\t%.1f\t%.1f\t%s",
            curve->endpoint, curve->n_npus, curve->simulate_ideal_gb_per_s,
            share, reads, curve->last_network_gb_per_s, 100 * curve->hbm_busy,
            curve->n_chunks_in_fsms, curve->sram_mib,
            memory_study_limit_text(curve));
    }
    text_table_render(table, out);
}
