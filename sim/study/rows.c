/* rows.c - a run as rows of CSV */
#include "sim/study/rows.h"

#include "sim/core/csv.h"
#include "sim/study/busy.h"

#define BYTES_PER_GB UINT64_C(1000000000)

static const char *const run_columns[] = {
    "workload",
    "n_npus",
    "endpoint",
    "iteration_time_us",
    "compute_time_us",
    "exposed_comm_us",
    "compute_roofline_us",
    "comm_active_us",
    "net_sent_bytes",
    "net_bw_gb_per_s",
    "net_cap_gb_per_s",
    "hbm_comm_read_bytes",
    "hbm_comm_write_bytes",
    "hbm_comm_bw_gb_per_s",
    "hbm_compute_bytes",
    "sm_compute_us",
    "sm_comm_us",
    "hbm_comm_busy_us",
    "fsm_busy_us",
    "alu_busy_us",
    "sram_peak_bytes",
    "endpoint_sms", /* what it takes from compute, */
    "endpoint_hbm_gb_per_s",
    "n_tried",        /* runs by which that was chosen; none: it was given */
    "window_wait_us", /* of comm_active_us: a chunk waits for the window */
    "busiest_share",  /* see busy.h */
    "status",
    NULL,
};

static const char *const layer_columns[] = {
    "workload", "n_npus",     "endpoint", "layer",
    "pass",     "compute_us", "wait_us",  NULL,
};

static const char *const port_columns[] = {
    "workload",   "n_npus",     "endpoint", "port",        "dim", "n_links",
    "sent_bytes", "n_messages", "busy_us",  "utilisation", NULL,
};

static const char *const utilisation_columns[] = {
    "workload",
    "n_npus",
    "endpoint",
    "start_us",
    "end_us",
    "sms_compute", /* of all SMs */
    "sms_comm",
    "links", /* of all links */
    "hbm_compute_gb_per_s",
    "hbm_comm_read_gb_per_s",
    NULL,
};

static const char *const *const columns[ROWS_N_FILES] = {
    [ROWS_RUNS] = run_columns,
    [ROWS_LAYERS] = layer_columns,
    [ROWS_PORTS] = port_columns,
    [ROWS_UTILISATION] = utilisation_columns,
};

#define N_IDENTITY 3 /* workload, n_npus, endpoint */

void rows_add_header(GString *out, RowsFile file)
{
    for (guint i = 0; columns[file][i]; i++)
        csv_add_text(out, columns[file][i]);
    csv_end_row(out);
}

const char *const *rows_columns(RowsFile file)
{
    return columns[file];
}

gboolean rows_is_column(const char *name)
{
    return g_strv_contains(run_columns, name);
}

const char *rows_endpoint_name(const SystemConfig *config)
{
    const char *name = endpoint_name(&config->endpoint);

    return g_str_equal(name, "unnamed") ? config->endpoint.kind->name : name;
}

static void add_identity(GString *out, const char *axes,
                         const SystemConfig *config, guint n_npus)
{
    g_string_append(out, axes ? axes : "");
    csv_add_text(out, workload_name(&config->workload));
    csv_add_u64(out, n_npus);
    csv_add_text(out, rows_endpoint_name(config));
}

static void add_us(GString *out, SimTime ps)
{
    csv_add_fixed(out, ps, 6);
}

/* 1 byte/ps is 1000 GB/s. */
static void add_gb_per_s(GString *out, uint64_t bytes, SimTime ps)
{
    csv_add_ratio(out, bytes, ps > 0 ? MAX(ps / 1000, 1) : 0, 3);
}

static void add_claim(GString *out, const SystemConfig *config)
{
    EndpointClaim claim = endpoint_claim(&config->endpoint);
    uint64_t n_tried = endpoint_n_tried(&config->endpoint);

    csv_add_u64(out, claim.n_sms);
    if (config->platform.npu.hbm.policy == HBM_PARTITIONED)
        csv_add_ratio(out, claim.read_bytes_per_s, BYTES_PER_GB, 3);
    else
        csv_add_empty(out); /* none is fixed */
    if (n_tried > 0)
        csv_add_u64(out, n_tried);
    else
        csv_add_empty(out);
}

static void add_run(GString *out, const char *axes, const SystemConfig *config,
                    const System *system)
{
    SystemResult r = system_result(system);
    uint64_t n = r.n_iterations;

    add_identity(out, axes, config, r.n_npus);
    add_us(out, r.iteration_ps);
    add_us(out, r.compute_ps);
    add_us(out, r.exposed_ps);
    add_us(out, r.roofline_ps);
    add_us(out, r.comm_ps);
    csv_add_u64(out, r.sent_bytes);
    csv_add_ratio(out, r.net_bytes_per_s, BYTES_PER_GB, 3);
    csv_add_ratio(out, r.net_cap_bytes_per_s, BYTES_PER_GB, 3);
    csv_add_u64(out, r.hbm_comm_read_bytes);
    csv_add_u64(out, r.hbm_comm_write_bytes);
    add_gb_per_s(out, r.hbm_comm_read_bytes + r.hbm_comm_write_bytes,
                 r.comm_ps);
    csv_add_u64(out, r.hbm_compute_bytes);
    csv_add_fixed(out, r.sm_compute_ns, 3);
    csv_add_fixed(out, r.sm_comm_ns, 3);
    add_us(out, r.endpoint.hbm_busy_ps / n);
    add_us(out, r.endpoint.fsm_busy_ps / n);
    add_us(out, r.endpoint.alu_busy_ps / n);
    csv_add_u64(out, r.endpoint.sram_peak_bytes);
    add_claim(out, config);
    add_us(out, r.window_ps);
    csv_add_fixed(out, (uint64_t)(busy_most(config, system) * 1e6), 6);
    csv_add_text(out, "ok");
    csv_end_row(out);
}

static void add_layers(GString *out, const char *axes,
                       const SystemConfig *config, const System *system)
{
    const OpGraph *graph = system_graph(system);
    guint n_npus = topology_n_npus(system_topology(system));
    uint64_t n = system_result(system).n_iterations;

    for (uint32_t i = 0; i < graph->layers->len; i++) {
        for (OpPass pass = 0; pass < OP_N_PASSES; pass++) {
            add_identity(out, axes, config, n_npus);
            csv_add_text(out, g_ptr_array_index(graph->layers, i));
            csv_add_text(out, op_pass_names[pass]);
            add_us(out, system_layer_compute_ps(system, i, pass) / n);
            add_us(out, system_layer_wait_ps(system, i, pass) / n);
            csv_end_row(out);
        }
    }
}

static void add_ports(GString *out, const char *axes,
                      const SystemConfig *config, const System *system)
{
    const Topology *topology = system_topology(system);
    SystemResult r = system_result(system);

    for (uint32_t i = 0; i < topology_n_ports(topology); i++) {
        const TopologyPort *port = topology_port(topology, i);
        NetPortStats stats = system_port_stats(system, i);

        if (topology_to(topology, i) == TOPOLOGY_NONE)
            continue; /* the end of a line has none */
        add_identity(out, axes, config, r.n_npus);
        csv_add_text(out, port->name);
        csv_add_u64(out, port->dim);
        csv_add_u64(out, port->n_links);
        csv_add_u64(out, stats.sent_bytes / r.n_iterations);
        csv_add_u64(out, stats.n_messages / r.n_iterations);
        add_us(out, stats.busy_ps / r.n_iterations);
        csv_add_ratio(out, stats.busy_ps, port->n_links * r.total_ps, 6);
        csv_end_row(out);
    }
}

/* ---- utilisation ------------------------------------------------------ */

typedef struct {
    const Buckets *buckets;
    guint first, n;         /* buckets, */
    SimTime from_ps, to_ps; /* which are this span */
} Span;

static SimWide sum(const Span *span, UtilisationOf what)
{
    guint end = MIN(span->first + span->n, buckets_n(span->buckets));
    SimWide integral = 0;

    for (guint i = span->first; i < end; i++)
        integral += buckets_integral(span->buckets, what, i);
    return integral;
}

/* Of @most all through the span. */
static void add_part(GString *out, const Span *span, SimWide integral,
                     uint64_t most)
{
    SimWide all = (SimWide)MAX(most, 1) * (span->to_ps - span->from_ps);

    csv_add_fixed(out, (uint64_t)(integral * 1000000 / all), 6);
}

static void add_mean_gb_per_s(GString *out, const Span *span, SimWide integral)
{
    csv_add_ratio(out, (uint64_t)(integral / (span->to_ps - span->from_ps)),
                  BYTES_PER_GB, 3);
}

static void add_span(GString *out, const Span *span, const SystemConfig *config,
                     const Topology *topology)
{
    SimWide links = 0;
    uint64_t n_links = 0;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        links += sum(span, UTILISATION_LINKS + d);
        n_links += utilisation_n_links(topology, d);
    }
    add_us(out, span->from_ps);
    add_us(out, span->to_ps);
    add_part(out, span, sum(span, UTILISATION_SMS_COMPUTE),
             config->platform.npu.n_sms);
    add_part(out, span, sum(span, UTILISATION_SMS_COMM),
             config->platform.npu.n_sms);
    add_part(out, span, links, 100 * n_links);
    add_mean_gb_per_s(out, span, sum(span, UTILISATION_HBM_COMPUTE));
    add_mean_gb_per_s(out, span, sum(span, UTILISATION_HBM_READ));
}

static void add_utilisation(GString *out, const char *axes,
                            const SystemConfig *config, const System *system,
                            const Utilisation *utilisation)
{
    const Topology *topology = system_topology(system);
    SystemResult r = system_result(system);
    Span span = { .buckets = utilisation_buckets(utilisation), .n = 1 };
    SimTime width_ps = buckets_width_ps(span.buckets);

    while (r.total_ps > ROWS_MAX_SPANS * (span.n * width_ps))
        span.n *= 2;
    for (; span.from_ps < r.total_ps; span.from_ps = span.to_ps) {
        span.to_ps = MIN(span.from_ps + span.n * width_ps, r.total_ps);
        add_identity(out, axes, config, r.n_npus);
        add_span(out, &span, config, topology);
        csv_end_row(out);
        span.first += span.n;
    }
}

void rows_add(GString *out, RowsFile file, const char *axes,
              const SystemConfig *config, const System *system,
              const Utilisation *utilisation)
{
    if (!axes)
        rows_add_header(out, file);
    if (file == ROWS_RUNS)
        add_run(out, axes, config, system);
    else if (file == ROWS_LAYERS)
        add_layers(out, axes, config, system);
    else if (file == ROWS_PORTS)
        add_ports(out, axes, config, system);
    else
        add_utilisation(out, axes, config, system, utilisation);
}

/* What the row of a run that came to nothing can still say. */
static void add_known(GString *out, const SystemConfig *config)
{
    g_autoptr(Topology) topology = NULL;

    if (!config) {
        for (guint i = 0; i < N_IDENTITY; i++)
            csv_add_empty(out);
        return;
    }
    topology = topology_new(&config->platform.topology, NULL);
    csv_add_text(out, workload_name(&config->workload));
    if (topology)
        csv_add_u64(out, topology_n_npus(topology));
    else
        csv_add_empty(out);
    csv_add_text(out, rows_endpoint_name(config));
}

void rows_add_failure(GString *out, const char *axes,
                      const SystemConfig *config, const char *reason)
{
    g_autofree char *line = g_strdelimit(g_strdup(reason), "\r\n", ' ');

    g_string_append(out, axes ? axes : "");
    add_known(out, config);
    for (guint i = N_IDENTITY; run_columns[i + 1]; i++)
        csv_add_empty(out);
    csv_add_text(out, g_strstrip(line));
    csv_end_row(out);
}
