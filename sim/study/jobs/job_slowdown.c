/* job_slowdown.c - runs each job of a run alone on its NPUs, for
 * its slowdown */
#include "sim/study/jobs/job_slowdown.h"

#include "sim/core/csv.h"
#include "sim/study/csv_columns.h"
#include "sim/study/failed_runs.h"
#include "sim/study/timed_run.h"

typedef struct {
    TimedRuns timed;
    GArray *jobs; /* borrowed: of JobSlowdown */
} IsolatedJobRuns;

static JobSlowdown *job_slowdown_at(const IsolatedJobRuns *runs, guint i)
{
    return &g_array_index(runs->jobs, JobSlowdown, i);
}

static void clear_job_slowdown(gpointer item)
{
    JobSlowdown *job = item;

    g_free(job->reason);
}

static SimTime mean_iteration_ps(const System *system)
{
    return system_job_result(system, 0).iteration_ps;
}

/* Returns the setting that selects job @append_job_name_cell, which is quoted
 * for YAML. */
static char *setting_for_single_job(const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "'", -1);
    g_autofree char *quoted = g_strjoinv("''", parts);

    return g_strdup_printf("workload.only=['%s']", quoted);
}

static void run_job_alone(gpointer self, guint i, GString *out)
{
    const IsolatedJobRuns *runs = self;
    g_autofree char *only =
        setting_for_single_job(job_slowdown_at(runs, i)->together.name);
    char *const more[] = { only, NULL };

    timed_run_simulate(&runs->timed, more, out);
}

static void receive_isolated_run(gpointer self, guint i, const GString *text,
                                 const char *reason)
{
    JobSlowdown *job = job_slowdown_at(self, i);

    job->reason = timed_run_parse_result(text, reason, &job->alone_ps);
    job->has_crashed = reason != NULL;
}

GArray *job_slowdowns_run(const char *path, char *const *sets,
                          RunOptions run_options, const System *system,
                          RunManyFn run_many, GError **error)
{
    g_autoptr(GArray) jobs = g_array_new(FALSE, TRUE, sizeof(JobSlowdown));
    IsolatedJobRuns runs = { { .path = path,
                               .sets = sets,
                               .run_options = run_options,
                               .time_of = mean_iteration_ps },
                             jobs };
    RunMany many = { .work = run_job_alone,
                     .piece_ended = receive_isolated_run,
                     .self = &runs };

    g_array_set_clear_func(jobs, clear_job_slowdown);
    g_array_set_size(jobs, system_n_jobs(system));
    many.n = jobs->len;
    for (guint i = 0; i < jobs->len; i++)
        job_slowdown_at(&runs, i)->together = system_job_result(system, i);
    /* A run without a list of jobs has one workload, which is already alone. */
    if (system_graph(system)->jobs->len == 0)
        job_slowdown_at(&runs, 0)->alone_ps =
            job_slowdown_at(&runs, 0)->together.iteration_ps;
    else if (!run_many(&many, error))
        return NULL;
    return g_steal_pointer(&jobs);
}

gboolean job_slowdowns_check_none_failed(const GArray *jobs, GError **error)
{
    FailedRuns failed_runs = { 0 };

    for (guint i = 0; i < jobs->len; i++) {
        const JobSlowdown *job = &g_array_index(jobs, JobSlowdown, i);

        failed_runs_count_run(&failed_runs, job->together.name,
                              job->has_crashed ? job->reason : NULL);
    }
    return failed_runs_check_none(&failed_runs, "jobs alone", error);
}

/* ---- the cells of a CSV row ---------------------------------------------- */

static void append_job_name_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, ((const JobSlowdown *)row)->together.name);
}

static void append_shared_time_cell(GString *out, gconstpointer row)
{
    csv_add_fixed(out, ((const JobSlowdown *)row)->together.iteration_ps, 6);
}

static void append_alone_time_cell(GString *out, gconstpointer row)
{
    const JobSlowdown *job = row;

    if (job->alone_ps > 0)
        csv_add_fixed(out, job->alone_ps, 6);
    else
        csv_add_empty(out);
}

static void append_slowdown_cell(GString *out, gconstpointer row)
{
    const JobSlowdown *job = row;

    if (job->alone_ps > 0)
        csv_add_ratio(out, job->together.iteration_ps, job->alone_ps, 6);
    else
        csv_add_empty(out);
}

static void append_status_cell(GString *out, gconstpointer row)
{
    const JobSlowdown *job = row;
    g_autofree char *line = g_strdup(job->reason ? job->reason : "ok");

    csv_add_text(out, g_strstrip(g_strdelimit(line, "\r\n", ' ')));
}

static const Column columns[] = {
    { "job", UNIT_TEXT, append_job_name_cell },
    { "iteration_time_us", UNIT_US, append_shared_time_cell },
    { "alone_us", UNIT_US, append_alone_time_cell },
    { "slowdown", UNIT_RATIO, append_slowdown_cell },
    { "status", UNIT_TEXT, append_status_cell },
    { 0 },
};

void job_slowdowns_append_csv(GString *out, const GArray *jobs)
{
    columns_append_header(out, columns);
    for (guint i = 0; i < jobs->len; i++)
        columns_append_row(out, columns, &g_array_index(jobs, JobSlowdown, i));
}
