/* utilisation.c - the columns of utilisation.csv */
#include "sim/study/rows/rows_impl.h"

#include "sim/core/csv.h"

static SimWide sum(const RowsSpan *span, guint what)
{
    guint end = MIN(span->first + span->n, buckets_n(span->buckets));
    SimWide integral = 0;

    for (guint i = span->first; i < end; i++)
        integral += buckets_integral(span->buckets, what, i);
    return integral;
}

/* Appends @integral as a share of @most units used during the whole span. */
static void add_part(GString *out, const RowsSpan *span, SimWide integral,
                     uint64_t most)
{
    SimWide all = (SimWide)MAX(most, 1) * (span->to_ps - span->from_ps);

    csv_add_fixed(out, (uint64_t)(integral * 1000000 / all), 6);
}

static void add_mean_gb_per_s(GString *out, const RowsSpan *span, guint what)
{
    SimWide integral = sum(span, what);

    csv_add_ratio(out, (uint64_t)(integral / (span->to_ps - span->from_ps)),
                  ROWS_BYTES_PER_GB, 3);
}

static void start(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->span->from_ps);
}

static void end(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->span->to_ps);
}

static void sms_compute(GString *out, const RowsContext *at)
{
    add_part(out, at->span, sum(at->span, UTILISATION_SMS_COMPUTE),
             at->config->platform.npu.n_sms);
}

static void sms_comm(GString *out, const RowsContext *at)
{
    add_part(out, at->span, sum(at->span, UTILISATION_SMS_COMM),
             at->config->platform.npu.n_sms);
}

static void links(GString *out, const RowsContext *at)
{
    const Topology *topology = system_topology(at->system);
    SimWide integral = 0;
    uint64_t n_links = 0;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        integral += sum(at->span, UTILISATION_LINKS + d);
        n_links += utilisation_n_links(topology, d);
    }
    add_part(out, at->span, integral, 100 * n_links);
}

static void hbm_compute(GString *out, const RowsContext *at)
{
    add_mean_gb_per_s(out, at->span, UTILISATION_HBM_COMPUTE);
}

static void hbm_comm_read(GString *out, const RowsContext *at)
{
    add_mean_gb_per_s(out, at->span, UTILISATION_HBM_READ);
}

const RowsColumn rows_utilisation_columns[] = {
    { "start_us", UNIT_US, start, NULL },
    { "end_us", UNIT_US, end, NULL },
    { "sms_compute", UNIT_RATIO, sms_compute, NULL }, /* share of all SMs */
    { "sms_comm", UNIT_RATIO, sms_comm, NULL },
    { "links", UNIT_RATIO, links, NULL }, /* share of all links */
    { "hbm_compute_gb_per_s", UNIT_GB_PER_S, hbm_compute, NULL },
    { "hbm_comm_read_gb_per_s", UNIT_GB_PER_S, hbm_comm_read, NULL },
    { 0 },
};
