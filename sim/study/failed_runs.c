/* failed_runs.c - counts runs of a study that were started and never ended */
#include "sim/study/failed_runs.h"

void failed_runs_count_run(FailedRuns *failed_runs, const char *name,
                           const char *reason)
{
    failed_runs->n++;
    if (!reason)
        return;
    if (failed_runs->n_failed++ == 0) {
        failed_runs->name = name;
        failed_runs->reason = reason;
    }
}

gboolean failed_runs_check_none(const FailedRuns *failed_runs, const char *what,
                                GError **error)
{
    if (failed_runs->n_failed == 0)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "the answer is not whole: %u of %u %s did not run to the end; "
                "%s: %s",
                failed_runs->n_failed, failed_runs->n, what, failed_runs->name,
                failed_runs->reason);
    return FALSE;
}
