/* utilisation_columns.c - the columns of utilisation.csv */
#include "sim/study/rows/run_rows_impl.h"

#include "sim/core/csv.h"

static SimWide sum_span_buckets(const RowsSpan *span, guint quantity)
{
    guint end = MIN(span->first + span->n, time_buckets_n_used(span->buckets));
    SimWide integral = 0;

    for (guint i = span->first; i < end; i++)
        integral += time_buckets_integral(span->buckets, quantity, i);
    return integral;
}

/* Appends @integral as a share of @most units used during the whole span. */
static void append_share_of_capacity(GString *out, const RowsSpan *span,
                                     SimWide integral, uint64_t most)
{
    SimWide all = (SimWide)MAX(most, 1) * (span->to_ps - span->from_ps);

    csv_add_fixed(out, (uint64_t)(integral * 1000000 / all), 6);
}

static void append_mean_gb_per_s(GString *out, const RowsSpan *span,
                                 guint quantity)
{
    SimWide integral = sum_span_buckets(span, quantity);

    csv_add_ratio(out, (uint64_t)(integral / (span->to_ps - span->from_ps)),
                  ROWS_BYTES_PER_GB, 3);
}

static void append_span_start_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->span->from_ps);
}

static void append_span_end_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->span->to_ps);
}

static void append_sms_compute_cell(GString *out, const RowsContext *context)
{
    append_share_of_capacity(
        out, context->span,
        sum_span_buckets(context->span, UTILISATION_SMS_COMPUTE),
        context->config->platform.npu.n_sms);
}

static void append_sms_comm_cell(GString *out, const RowsContext *context)
{
    append_share_of_capacity(
        out, context->span,
        sum_span_buckets(context->span, UTILISATION_SMS_COMM),
        context->config->platform.npu.n_sms);
}

static void append_links_cell(GString *out, const RowsContext *context)
{
    const Topology *topology = system_topology(context->system);
    SimWide integral = 0;
    uint64_t n_links = 0;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        integral += sum_span_buckets(context->span, UTILISATION_LINKS + d);
        n_links += utilisation_n_links(topology, d);
    }
    append_share_of_capacity(out, context->span, integral, 100 * n_links);
}

static void append_hbm_compute_cell(GString *out, const RowsContext *context)
{
    append_mean_gb_per_s(out, context->span, UTILISATION_HBM_COMPUTE);
}

static void append_hbm_comm_read_cell(GString *out, const RowsContext *context)
{
    append_mean_gb_per_s(out, context->span, UTILISATION_HBM_READ);
}

const RowsColumn rows_utilisation_columns[] = {
    { "start_us", UNIT_US, append_span_start_cell, NULL },
    { "end_us", UNIT_US, append_span_end_cell, NULL },
    { "sms_compute", UNIT_RATIO, append_sms_compute_cell,
      NULL }, /* share of all SMs */
    { "sms_comm", UNIT_RATIO, append_sms_comm_cell, NULL },
    { "links", UNIT_RATIO, append_links_cell, NULL }, /* share of all links */
    { "hbm_compute_gb_per_s", UNIT_GB_PER_S, append_hbm_compute_cell, NULL },
    { "hbm_comm_read_gb_per_s", UNIT_GB_PER_S, append_hbm_comm_read_cell,
      NULL },
    { 0 },
};
