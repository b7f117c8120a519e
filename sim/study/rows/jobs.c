/* jobs.c - the columns of jobs.csv */
#include "sim/study/rows/rows_impl.h"

#include "sim/core/csv.h"

static void job_name(GString *out, const RowsContext *at)
{
    csv_add_text(out, at->job.name);
}

static void job_n_npus(GString *out, const RowsContext *at)
{
    csv_add_u64(out, at->job.n_npus);
}

static void job_start(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->job.start_ps);
}

static void job_end(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->job.end_ps);
}

static void job_iteration(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->job.iteration_ps);
}

static void job_compute(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->job.compute_ps);
}

static void job_exposed(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->job.exposed_ps);
}

static void job_comm(GString *out, const RowsContext *at)
{
    rows_add_us(out, at->job.comm_ps);
}

static void job_sent(GString *out, const RowsContext *at)
{
    csv_add_u64(out, at->job.sent_bytes);
}

const RowsColumn rows_job_columns[] = {
    { "job", UNIT_TEXT, job_name, NULL },
    { "job_npus", UNIT_COUNT, job_n_npus, NULL },
    { "start_us", UNIT_US, job_start, NULL },
    { "end_us", UNIT_US, job_end, NULL },
    { "iteration_time_us", UNIT_US, job_iteration, NULL },
    { "compute_time_us", UNIT_US, job_compute, NULL },
    { "exposed_comm_us", UNIT_US, job_exposed, NULL },
    { "comm_active_us", UNIT_US, job_comm, NULL },
    { "net_sent_bytes", UNIT_BYTES, job_sent, NULL },
    { 0 },
};
