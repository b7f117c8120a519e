/*
 * isolated_job_runs.c - runs each job of a run in isolation, and writes the
 * rows; see isolated_job_runs.h
 */
#include "sim/cli/isolated_job_runs.h"

#include "sim/host/output.h"
#include "sim/sweep/run_many_pool.h"

GArray *run_isolated_jobs(const char *path, char *const *sets,
                          RunOptions run_options, const System *system,
                          const char *csv, gboolean *to_stdout, GError **error)
{
    g_autoptr(GArray) jobs = job_slowdowns_run(path, sets, run_options, system,
                                               run_many_pool, error);
    g_autoptr(GString) text = g_string_new(NULL);

    if (!jobs)
        return NULL;
    if (csv) {
        job_slowdowns_append_csv(text, jobs);
        *to_stdout |= output_is_stdout_name(csv);
        if (!output_write_user_path(csv, text, error))
            return NULL;
    }
    return g_steal_pointer(&jobs);
}
