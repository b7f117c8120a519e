/* pool_start.c - the workers of a pool begin */
#include "sim/host/pool_impl.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* Between two tries to start a worker where something is short. */
#define FIRST_WAIT_US G_GINT64_CONSTANT(10000)
#define MAX_WAIT_US   G_GINT64_CONSTANT(500000)
#define PATIENCE_US   G_GINT64_CONSTANT(30000000)

/* ---- points ----------------------------------------------------------- */

/* Of those that are left, for a fresh worker. */
static PoolAgain first_point(const PoolRun *run)
{
    return run->again->len > 0 ? g_array_index(run->again, PoolAgain, 0)
                               : (PoolAgain){ .point = run->next };
}

static void drop_first(PoolRun *run)
{
    if (run->again->len > 0)
        g_array_remove_index(run->again, 0);
    else
        run->next++;
}

void pool_set_point(PoolRun *run, PoolWorker *worker, guint point)
{
    g_assert(worker->fd >= 0 && !worker->is_busy);
    worker->is_busy = TRUE;
    worker->point = point;
    worker->was_killed = FALSE;
    worker->start_us = g_get_monotonic_time();
    run->n_busy++;
}

/* ---- a worker's beginning --------------------------------------------- */

static void fail_point(const PoolRun *run, guint point, const char *what,
                       int code)
{
    g_autofree char *reason = g_strdup_printf("%s: %s", what, g_strerror(code));

    run->pool->done(run->pool->self, point, NULL, reason);
}

static gboolean is_shortage(int code)
{
    return code == EMFILE || code == ENFILE || code == EAGAIN || code == ENOMEM;
}

static void say_short(PoolRun *run, const char *what, int code)
{
    g_autofree char *text = g_strdup_printf(
        "%s: %s; waiting, with fewer points at a time", what, g_strerror(code));

    if (!run->is_said && run->pool->say)
        run->pool->say(run->pool->self, text);
    run->is_said = TRUE;
}

/* There was no @what, for the reason @code.  Where there are other workers they
 * do what is left; where there is none, somebody else may give back what is
 * short. */
static void want(PoolRun *run, const char *what, int code)
{
    gint64 now_us = g_get_monotonic_time();
    gint64 patience_us =
        run->pool->patience_us > 0 ? run->pool->patience_us : PATIENCE_US;
    guint point = first_point(run).point;

    if (run->n_alive > 0)
        run->short_since_us = 0;
    else if (run->short_since_us == 0)
        run->short_since_us = now_us;
    if (run->n_alive == 0 && now_us - run->short_since_us > patience_us)
        run->is_hopeless = TRUE;
    if (run->n_alive == 0 && (run->is_hopeless || !is_shortage(code))) {
        drop_first(run);
        fail_point(run, point, what, code);
        return;
    }
    say_short(run, what, code);
    run->wait_us = CLAMP(2 * run->wait_us, FIRST_WAIT_US, MAX_WAIT_US);
    run->try_us = now_us + run->wait_us;
}

/* What would not be closed when we close it. */
static void close_others(const PoolRun *run)
{
    for (guint i = 0; i < run->pool->n_jobs; i++)
        if (run->workers[i].fd >= 0)
            close(run->workers[i].fd);
}

static void set_worker(PoolRun *run, PoolWorker *worker, pid_t pid, int fd)
{
    *worker = (PoolWorker){ .pid = pid, .fd = fd, .text = g_string_new(NULL) };
    run->n_alive++;
    run->short_since_us = run->wait_us = run->try_us = 0;
    run->is_hopeless = FALSE;
}

void pool_start(PoolRun *run, PoolWorker *worker)
{
    PoolAgain first = first_point(run);
    pid_t pid, parent = getpid();
    int fds[2], code;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
        want(run, "no pipe", errno);
        return;
    }
    fflush(NULL);
    pid = fork();
    code = errno;
    if (pid == 0) {
        close(fds[0]);
        close_others(run);
        pool_worker_be(run->pool, pool_number(run, first.point), fds[1], parent,
                       &run->old_mask);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        want(run, "no process", code);
        return;
    }
    drop_first(run);
    set_worker(run, worker, pid, fds[0]);
    pool_set_point(run, worker, first.point);
    worker->was_killed = first.was_killed;
}
