/*
 * run_many_pool.c - runs many simulations of a study in parallel, in child
 * processes; see run_many_pool.h
 */
#include "sim/sweep/run_many_pool.h"

#include <signal.h>
#include <string.h>

#include "sim/host/background_worker.h"
#include "sim/host/process_pool.h"

/* The child that has already started some of the runs. */
typedef struct {
    BackgroundWorker *ahead; /* NULL: there is no such child */
    RunAheadFn done;
    gpointer self;
} RunningChild;

static gboolean receive_child_result(gpointer self)
{
    const RunningChild *child = self;

    if (background_worker_receive_result(child->ahead, child->done,
                                         child->self))
        return TRUE;
    child->done(child->self, 0, NULL);
    return FALSE;
}

static gboolean run_in_pool(RunningChild *child, const RunMany *many,
                            GError **error)
{
    const ProcessPool pool = {
        .n_points = many->n,
        .n_jobs = g_get_num_processors(),
        .number = many->number,
        .work = many->work,
        .point_ended = many->piece_ended,
        .find_more_points = many->find_more_pieces,
        .continue_other = child->ahead ? receive_child_result : NULL,
        .other_self = child,
        .other_fd = child->ahead ? background_worker_fd(child->ahead) : -1,
        .self = many->self
    };
    int number = pool_run(&pool);

    if (number == 0)
        return TRUE;
    /* The signal that ended the children ends this process as well. */
    raise(number);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR,
                "interrupted by signal %d (%s)", number, strsignal(number));
    return FALSE;
}

gboolean run_many_pool(const RunMany *many, GError **error)
{
    RunningChild none = { 0 };

    return run_in_pool(&none, many, error);
}

/* ---- one child process in parallel with this process --------------------- */

static gpointer start_background_child(const RunMany *many)
{
    return g_get_num_processors() > 1
               ? background_worker_start(many->n, many->work, many->self)
               : NULL;
}

static guint stop_background_child(gpointer ahead)
{
    return background_worker_stop(ahead);
}

static gboolean run_with_background_child(gpointer ahead, RunAheadFn done,
                                          const RunMany *many, GError **error)
{
    RunningChild child = { ahead, done, many->self };

    return run_in_pool(&child, many, error);
}

static void free_background_child(gpointer ahead)
{
    background_worker_free(ahead);
}

const RunAhead run_ahead_child = { start_background_child,
                                   stop_background_child,
                                   run_with_background_child,
                                   free_background_child };
