/* job_columns.c - the columns of jobs.csv */
#include "sim/study/rows/run_rows_impl.h"

#include "sim/core/csv.h"

static void append_job_name_cell(GString *out, const RowsContext *context)
{
    csv_add_text(out, context->job.name);
}

static void append_job_n_npus_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->job.n_npus);
}

static void append_job_start_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->job.start_ps);
}

static void append_job_end_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->job.end_ps);
}

static void append_job_iteration_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->job.iteration_ps);
}

static void append_job_compute_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->job.compute_ps);
}

static void append_job_exposed_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->job.exposed_ps);
}

static void append_job_comm_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, context->job.comm_ps);
}

static void append_job_sent_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->job.sent_bytes);
}

const RowsColumn rows_job_columns[] = {
    { "job", UNIT_TEXT, append_job_name_cell, NULL },
    { "job_npus", UNIT_COUNT, append_job_n_npus_cell, NULL },
    { "start_us", UNIT_US, append_job_start_cell, NULL },
    { "end_us", UNIT_US, append_job_end_cell, NULL },
    { "iteration_time_us", UNIT_US, append_job_iteration_cell, NULL },
    { "compute_time_us", UNIT_US, append_job_compute_cell, NULL },
    { "exposed_comm_us", UNIT_US, append_job_exposed_cell, NULL },
    { "comm_active_us", UNIT_US, append_job_comm_cell, NULL },
    { "net_sent_bytes", UNIT_BYTES, append_job_sent_cell, NULL },
    { 0 },
};
