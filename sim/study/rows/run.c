/* run.c - the columns of runs.csv */
#include "sim/study/rows/rows_impl.h"

#include "sim/core/csv.h"

/* Appends a rate; 1 byte/ps is 1000 GB/s. */
static void add_gb_per_s(GString *out, uint64_t bytes, SimTime ps)
{
    csv_add_ratio(out, bytes, ps > 0 ? MAX(ps / 1000, 1) : 0, 3);
}

static void iteration_time(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->r.iteration_ps);
}

static void compute_time(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->r.compute_ps);
}

static void exposed_comm(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->r.exposed_ps);
}

static void compute_roofline(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->r.roofline_ps);
}

static void comm_active(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->r.comm_ps);
}

static void net_sent(GString *out, const RowsContext *at)
{
    csv_add_u64(out, at->r.sent_bytes);
}

static void net_bw(GString *out, const RowsContext *at)
{
    csv_add_ratio(out, at->r.net_bytes_per_s, ROWS_BYTES_PER_GB, 3);
}

static void net_cap(GString *out, const RowsContext *at)
{
    csv_add_ratio(out, at->r.net_cap_bytes_per_s, ROWS_BYTES_PER_GB, 3);
}

static void hbm_comm_read(GString *out, const RowsContext *at)
{
    csv_add_u64(out, at->r.hbm_comm_read_bytes);
}

static void hbm_comm_write(GString *out, const RowsContext *at)
{
    csv_add_u64(out, at->r.hbm_comm_write_bytes);
}

static void hbm_comm_bw(GString *out, const RowsContext *at)
{
    add_gb_per_s(out, at->r.hbm_comm_read_bytes + at->r.hbm_comm_write_bytes,
                 at->r.comm_ps);
}

static void hbm_compute(GString *out, const RowsContext *at)
{
    csv_add_u64(out, at->r.hbm_compute_bytes);
}

static void sm_compute(GString *out, const RowsContext *at)
{
    csv_add_fixed(out, at->r.sm_compute_ns, 3);
}

static void sm_comm(GString *out, const RowsContext *at)
{
    csv_add_fixed(out, at->r.sm_comm_ns, 3);
}

/* The resource is found by the name of its column, because kinds of endpoints
 * may share a column. */
void rows_add_resource(GString *out, const RowsContext *at)
{
    const ResourceKind *own = system_own_resources(at->system);
    ResourceUse use = { 0 };

    for (guint i = 0; i < resource_count(own); i++)
        if (g_strcmp0(resource_kind(own, i)->column, at->resource->column) == 0)
            use = at->r.uses[i];
    if (at->resource->unit == CONFIG_BYTES)
        csv_add_u64(out, use.peak);
    else
        rows_add_us(out, use.busy_ps / at->r.n_iterations);
}

static void endpoint_sms(GString *out, const RowsContext *at)
{
    csv_add_u64(out, endpoint_claim(&at->config->endpoint).n_sms);
}

static void endpoint_hbm(GString *out, const RowsContext *at)
{
    if (at->config->platform.npu.hbm.policy == HBM_PARTITIONED)
        csv_add_ratio(out,
                      endpoint_claim(&at->config->endpoint).read_bytes_per_s,
                      ROWS_BYTES_PER_GB, 3);
    else
        csv_add_empty(out); /* the endpoint reserves no bandwidth */
}

static void n_tried(GString *out, const RowsContext *at)
{
    uint64_t n = endpoint_n_tried(&at->config->endpoint);

    if (n > 0)
        csv_add_u64(out, n);
    else
        csv_add_empty(out);
}

static void window_wait(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->r.window_ps);
}

/* Appends the error in per cent, with one digit after the point. */
static void cut_error(GString *out, const RowsContext *at)
{
    uint64_t ppm = system_cut_error_ppm(at->system);

    if (ppm > 0)
        csv_add_fixed(out, ppm / 1000, 1);
    else
        csv_add_empty(out);
}

void rows_add_busiest_of(GString *out, const UtilisationParts *parts)
{
    csv_add_fixed(out, (uint64_t)(utilisation_parts_max(parts) * 1e6), 6);
}

void rows_add_busiest(GString *out, const RowsContext *at)
{
    const UtilisationParts parts = utilisation_parts(at->config, at->system);

    rows_add_busiest_of(out, &parts);
}

void rows_add_notes_of(GString *out, const RunNotes *notes,
                       const SystemConfig *config)
{
    g_autofree char *line = run_notes_line(notes, config);

    g_strdelimit(line, "\r\n", ' ');
    if (*line != '\0')
        csv_add_text(out, line);
    else
        csv_add_empty(out);
}

void rows_add_notes(GString *out, const RowsContext *at)
{
    g_autoptr(RunNotes) notes = run_notes_new(at->system);

    rows_add_notes_of(out, notes, at->config);
}

static void status(GString *out, const RowsContext *at)
{
    (void)at;
    csv_add_text(out, "ok");
}

const RowsColumn rows_run_columns[] = {
    { "iteration_time_us", UNIT_US, iteration_time, NULL },
    { "compute_time_us", UNIT_US, compute_time, NULL },
    { "exposed_comm_us", UNIT_US, exposed_comm, NULL },
    { "compute_roofline_us", UNIT_US, compute_roofline, NULL },
    { "comm_active_us", UNIT_US, comm_active, NULL },
    { "net_sent_bytes", UNIT_BYTES, net_sent, NULL },
    { "net_bw_gb_per_s", UNIT_GB_PER_S, net_bw, NULL },
    { "net_cap_gb_per_s", UNIT_GB_PER_S, net_cap, NULL },
    { "hbm_comm_read_bytes", UNIT_BYTES, hbm_comm_read, NULL },
    { "hbm_comm_write_bytes", UNIT_BYTES, hbm_comm_write, NULL },
    { "hbm_comm_bw_gb_per_s", UNIT_GB_PER_S, hbm_comm_bw, NULL },
    { "hbm_compute_bytes", UNIT_BYTES, hbm_compute, NULL },
    { "sm_compute_us", UNIT_US, sm_compute, NULL },
    { "sm_comm_us", UNIT_US, sm_comm, NULL },
    { 0 },
};

const RowsColumn rows_run_last_columns[] = {
    /* The number of SMs that the endpoint takes from compute kernels. */
    { "endpoint_sms", UNIT_COUNT, endpoint_sms, NULL },
    { "endpoint_hbm_gb_per_s", UNIT_GB_PER_S, endpoint_hbm, NULL },
    /* The number of runs by which the endpoint was tuned.  The cell is empty if
     * the file gives all values. */
    { "n_tried", UNIT_COUNT, n_tried, NULL },
    /* The part of comm_active_us in which a chunk waits for the window of
     * chunks in flight. */
    { "window_wait_us", UNIT_US, window_wait, NULL },
    /* The estimated error by which a collective is too slow, because finer
     * chunks would be too expensive to simulate.  The cell is empty if the
     * error is within the usual tolerance. */
    { "cut_error_percent", UNIT_RATIO, cut_error, NULL },
    { "busiest_share", UNIT_RATIO, rows_add_busiest,
      NULL },                                     /* utilisation_summary.h */
    { "notes", UNIT_TEXT, rows_add_notes, NULL }, /* notes.h */
    { "status", UNIT_TEXT, status, NULL },
    { 0 },
};
