/* run_many_pool.c - many runs of a study, each in a process of its own */
#include "sim/sweep/run_many_pool.h"

#include <signal.h>
#include <string.h>

#include "sim/host/ahead.h"
#include "sim/host/pool.h"

gboolean run_many_pool(const RunMany *many, GError **error)
{
    const Pool pool = { .n_points = many->n,
                        .n_jobs = g_get_num_processors(),
                        .number = many->number,
                        .work = many->work,
                        .done = many->done,
                        .more = many->more,
                        .self = many->self };
    int number = pool_run(&pool);

    if (number == 0)
        return TRUE;
    raise(number); /* which ended them, and is ours too */
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR,
                "interrupted by signal %d (%s)", number, strsignal(number));
    return FALSE;
}

/* ---- one beside us ---------------------------------------------------- */

static gpointer begin(const RunMany *many)
{
    return g_get_num_processors() > 1
               ? ahead_begin(many->n, many->work, many->self)
               : NULL;
}

static guint stop(gpointer ahead)
{
    return ahead_stop(ahead);
}

static void take(gpointer ahead,
                 void (*done)(gpointer self, guint i, const GString *text),
                 gpointer self)
{
    ahead_take(ahead, done, self);
}

static void end(gpointer ahead)
{
    ahead_free(ahead);
}

const RunAhead run_ahead_child = { begin, stop, take, end };
