/* jobs_text.c - the jobs of a run as a table, one line per job */
#include "sim/view/text/jobs_text.h"

#include "sim/core/aligned_table.h"
#include "sim/view/text/time_text.h"

static void add_time_cell(Table *table, SimTime ps)
{
    g_autofree char *text = time_text(ps);

    table_add_cell(table, text);
}

static void add_isolated_time_cells(Table *table, const JobSlowdown *job)
{
    if (job->alone_ps == 0) {
        table_add_cell(table, "-");
        table_add_cell(table, "-");
        return;
    }
    add_time_cell(table, job->alone_ps);
    table_add_cell_printf(table, "%.3f",
                          (double)job->together.iteration_ps /
                              (double)job->alone_ps);
}

static void add_job_row(Table *table, const JobResult *job)
{
    table_add_cell(table, job->name);
    table_add_cell_printf(table, "%u", job->n_npus);
    add_time_cell(table, job->start_ps);
    add_time_cell(table, job->end_ps);
    add_time_cell(table, job->iteration_ps);
    add_time_cell(table, job->exposed_ps);
    table_add_cell_printf(table, "%.3f MB", (double)job->sent_bytes / 1e6);
}

static void write_failed_job_reasons(GString *out, const GArray *isolated_runs)
{
    for (guint i = 0; i < isolated_runs->len; i++) {
        const JobSlowdown *job = &g_array_index(isolated_runs, JobSlowdown, i);

        if (job->reason)
            g_string_append_printf(out, "job %s alone: %s\n",
                                   job->together.name, job->reason);
    }
}

char *jobs_text(const System *system, const GArray *isolated_runs)
{
    const TableColumn columns[] = {
        { "job", FALSE, 0 }, { "NPUs", TRUE, 0 },      { "start", TRUE, 0 },
        { "end", TRUE, 0 },  { "iteration", TRUE, 0 }, { "exposed", TRUE, 0 },
        { "sent", TRUE, 0 }, { "alone", TRUE, 0 },     { "slowdown", TRUE, 0 },
    };
    g_autoptr(Table) table =
        table_new(columns, G_N_ELEMENTS(columns) - (isolated_runs ? 0 : 2));
    GString *out = g_string_new(NULL);

    if (system_graph(system)->jobs->len == 0)
        return g_string_free(out, FALSE);
    for (guint i = 0; i < system_n_jobs(system); i++) {
        const JobResult job = system_job_result(system, i);

        add_job_row(table, &job);
        if (isolated_runs)
            add_isolated_time_cells(
                table, &g_array_index(isolated_runs, JobSlowdown, i));
    }
    table_write(table, out, 0, 0);
    if (isolated_runs)
        write_failed_job_reasons(out, isolated_runs);
    return g_string_free(out, FALSE);
}
