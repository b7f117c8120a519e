/* run_columns.c - the columns of runs.csv */
#include "sim/study/rows/run_rows_impl.h"

#include "sim/core/csv.h"

/* Appends a rate; 1 byte/ps is 1000 GB/s. */
static void append_gb_per_s(GString *out, uint64_t bytes, SimTime ps)
{
    csv_add_ratio(out, bytes, ps > 0 ? MAX(ps / 1000, 1) : 0, 3);
}

static void append_iteration_time_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->r.iteration_ps);
}

static void append_compute_time_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->r.compute_ps);
}

static void append_exposed_comm_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->r.exposed_ps);
}

static void append_compute_roofline_cell(GString *out,
                                         const RowsContext *context)
{
    rows_append_us(out, context->r.roofline_ps);
}

static void append_comm_active_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->r.comm_ps);
}

static void append_net_sent_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->r.sent_bytes);
}

static void append_net_bw_cell(GString *out, const RowsContext *context)
{
    csv_add_ratio(out, context->r.net_bytes_per_s, ROWS_BYTES_PER_GB, 3);
}

static void append_net_cap_cell(GString *out, const RowsContext *context)
{
    csv_add_ratio(out, context->r.net_cap_bytes_per_s, ROWS_BYTES_PER_GB, 3);
}

static void append_hbm_comm_read_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->r.hbm_comm_read_bytes);
}

static void append_hbm_comm_write_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->r.hbm_comm_write_bytes);
}

static void append_hbm_comm_bw_cell(GString *out, const RowsContext *context)
{
    append_gb_per_s(
        out, context->r.hbm_comm_read_bytes + context->r.hbm_comm_write_bytes,
        context->r.comm_ps);
}

static void append_hbm_compute_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->r.hbm_compute_bytes);
}

static void append_sm_compute_cell(GString *out, const RowsContext *context)
{
    csv_add_fixed(out, context->r.sm_compute_ns, 3);
}

static void append_sm_comm_cell(GString *out, const RowsContext *context)
{
    csv_add_fixed(out, context->r.sm_comm_ns, 3);
}

/* The resource is found by the name of its column, because kinds of endpoints
 * may share a column. */
void rows_append_resource_use(GString *out, const RowsContext *context)
{
    const ResourceKind *own = system_endpoint_resources(context->system);
    ResourceUse use = { 0 };

    for (guint i = 0; i < resource_count(own); i++)
        if (g_strcmp0(resource_kind(own, i)->column,
                      context->resource->column) == 0)
            use = context->r.uses[i];
    if (context->resource->unit == CONFIG_BYTES)
        csv_add_u64(out, use.peak);
    else
        rows_append_us(out, use.busy_ps / context->r.n_iterations);
}

static void append_endpoint_sms_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out,
                endpoint_claim_resources(&context->config->endpoint).n_sms);
}

static void append_endpoint_hbm_cell(GString *out, const RowsContext *context)
{
    if (context->config->platform.npu.hbm.policy == HBM_PARTITIONED)
        csv_add_ratio(out,
                      endpoint_claim_resources(&context->config->endpoint)
                          .read_bytes_per_s,
                      ROWS_BYTES_PER_GB, 3);
    else
        csv_add_empty(out); /* the endpoint reserves no bandwidth */
}

static void append_n_tried_cell(GString *out, const RowsContext *context)
{
    uint64_t n = endpoint_n_runs_to_choose_auto(&context->config->endpoint);

    if (n > 0)
        csv_add_u64(out, n);
    else
        csv_add_empty(out);
}

static void append_window_wait_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->r.window_ps);
}

/* Appends the error in per cent, with one digit after the point. */
static void append_chunking_error_cell(GString *out, const RowsContext *context)
{
    uint64_t ppm = system_chunking_error_ppm(context->system);

    if (ppm > 0)
        csv_add_fixed(out, ppm / 1000, 1);
    else
        csv_add_empty(out);
}

static void append_expected_error_cell(GString *out, const RowsContext *context)
{
    csv_add_fixed(out, (uint64_t)(context->expected.percent * 10 + 0.5), 1);
}

static void append_expected_family_cell(GString *out,
                                        const RowsContext *context)
{
    csv_add_text(out, context->expected.family);
}

/* Appends the basis, followed by the properties that no measured system has. */
static void append_expected_basis_cell(GString *out, const RowsContext *context)
{
    const char *name = expected_error_basis_names[context->expected.basis];
    g_autofree char *text =
        context->expected.lacking
            ? g_strdup_printf("%s: %s", name, context->expected.lacking)
            : g_strdup(name);

    csv_add_text(out, text);
}

void rows_append_busiest_share_of_parts(GString *out,
                                        const UtilisationParts *parts)
{
    csv_add_fixed(out, (uint64_t)(utilisation_max_share_of_parts(parts) * 1e6),
                  6);
}

void rows_append_busiest_share(GString *out, const RowsContext *context)
{
    const UtilisationParts parts =
        utilisation_collect_parts(context->config, context->system);

    rows_append_busiest_share_of_parts(out, &parts);
}

void rows_append_given_notes(GString *out, const RunNotes *notes,
                             const SystemConfig *config)
{
    g_autofree char *line = run_notes_line(notes, config);

    g_strdelimit(line, "\r\n", ' ');
    if (*line != '\0')
        csv_add_text(out, line);
    else
        csv_add_empty(out);
}

void rows_append_notes(GString *out, const RowsContext *context)
{
    g_autoptr(RunNotes) notes = run_notes_new(context->system);

    rows_append_given_notes(out, notes, context->config);
}

static void append_status_cell(GString *out, const RowsContext *context)
{
    (void)context;
    csv_add_text(out, "ok");
}

const RowsColumn rows_run_columns[] = {
    { "iteration_time_us", UNIT_US, append_iteration_time_cell, NULL },
    { "compute_time_us", UNIT_US, append_compute_time_cell, NULL },
    { "exposed_comm_us", UNIT_US, append_exposed_comm_cell, NULL },
    { "compute_roofline_us", UNIT_US, append_compute_roofline_cell, NULL },
    { "comm_active_us", UNIT_US, append_comm_active_cell, NULL },
    { "net_sent_bytes", UNIT_BYTES, append_net_sent_cell, NULL },
    { "net_bw_gb_per_s", UNIT_GB_PER_S, append_net_bw_cell, NULL },
    { "net_cap_gb_per_s", UNIT_GB_PER_S, append_net_cap_cell, NULL },
    { "hbm_comm_read_bytes", UNIT_BYTES, append_hbm_comm_read_cell, NULL },
    { "hbm_comm_write_bytes", UNIT_BYTES, append_hbm_comm_write_cell, NULL },
    { "hbm_comm_bw_gb_per_s", UNIT_GB_PER_S, append_hbm_comm_bw_cell, NULL },
    { "hbm_compute_bytes", UNIT_BYTES, append_hbm_compute_cell, NULL },
    { "sm_compute_us", UNIT_US, append_sm_compute_cell, NULL },
    { "sm_comm_us", UNIT_US, append_sm_comm_cell, NULL },
    { 0 },
};

const RowsColumn rows_run_last_columns[] = {
    /* The number of SMs that the endpoint takes from compute kernels. */
    { "endpoint_sms", UNIT_COUNT, append_endpoint_sms_cell, NULL },
    { "endpoint_hbm_gb_per_s", UNIT_GB_PER_S, append_endpoint_hbm_cell, NULL },
    /* The number of runs by which the endpoint was tuned.  The cell is empty if
     * the file gives all values. */
    { "n_tried", UNIT_COUNT, append_n_tried_cell, NULL },
    /* The time in which a chunk waits for the window of chunks in flight, as
     * the mean over NPUs.  The time comm_active_us is that in which any NPU has
     * a collective in flight. */
    { "window_wait_us", UNIT_US, append_window_wait_cell, NULL },
    /* The estimated error by which a collective is too slow, because finer
     * chunks would be too expensive to simulate.  The cell is empty if the
     * error is within the usual tolerance. */
    { "cut_error_percent", UNIT_RATIO, append_chunking_error_cell, NULL },
    /* The error to expect of the times: that of a family of measured rows
     * (expected_error.h), and why of this one. */
    { "expected_error_percent", UNIT_RATIO, append_expected_error_cell, NULL },
    { "expected_error_from", UNIT_TEXT, append_expected_family_cell, NULL },
    { "expected_error_basis", UNIT_TEXT, append_expected_basis_cell, NULL },
    { "busiest_share", UNIT_RATIO, rows_append_busiest_share,
      NULL },                                        /* utilisation_summary.h */
    { "notes", UNIT_TEXT, rows_append_notes, NULL }, /* run_notes.h */
    { "status", UNIT_TEXT, append_status_cell, NULL },
    { 0 },
};
