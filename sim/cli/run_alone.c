/* run_alone.c - see run_alone.h */
#include "sim/cli/run_alone.h"

#include "sim/host/output.h"
#include "sim/sweep/run_many_pool.h"

GArray *alone_run_and_write(const char *path, char *const *sets, FoldMode fold,
                            const System *system, const char *csv,
                            gboolean *to_stdout, GError **error)
{
    g_autoptr(GArray) jobs =
        job_slowdowns_run(path, sets, fold, system, run_many_pool, error);
    g_autoptr(GString) text = g_string_new(NULL);

    if (!jobs)
        return NULL;
    if (csv) {
        job_slowdowns_add_rows(text, jobs);
        *to_stdout |= output_is_stdout(csv);
        if (!output_write(csv, text, error))
            return NULL;
    }
    return g_steal_pointer(&jobs);
}
