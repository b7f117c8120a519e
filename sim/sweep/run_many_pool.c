/* run_many_pool.c - many runs of a study, each in a process of its own */
#include "sim/sweep/run_many_pool.h"

#include <signal.h>
#include <string.h>

#include "sim/host/pool.h"

gboolean run_many_pool(const RunMany *many, GError **error)
{
    const Pool pool = { .n_points = many->n,
                        .n_jobs = g_get_num_processors(),
                        .work = many->work,
                        .done = many->done,
                        .self = many->self };
    int number = pool_run(&pool);

    if (number == 0)
        return TRUE;
    raise(number); /* which ended them, and is ours too */
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR,
                "interrupted by signal %d (%s)", number, strsignal(number));
    return FALSE;
}
