/* pool.c - work on many points in child processes */
#include "sim/host/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/host/memory.h"
#include "sim/host/pool_impl.h"

#define TICK_US    G_GINT64_CONSTANT(500000)
#define READ_BYTES 65536

/* ---- the end of a worker ---------------------------------------------- */

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Of a worker that ended before its point was done.  Owner: the caller. */
static char *reason_of(const Pool *pool, const PoolWorker *worker, int status)
{
    if (worker->too_long && WIFSIGNALED(status))
        return g_strdup_printf("took longer than %s", pool->timeout_name);
    if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS)
        return g_strdup_printf("asked for more memory than %s",
                               pool->memory_name ?: "the machine has");
    if (WIFSIGNALED(status))
        return g_strdup_printf(
            "killed by signal %d (%s)%s", WTERMSIG(status),
            g_strsignal(WTERMSIG(status)),
            worker->was_killed ? " twice, as where memory is short" : "");
    return g_strdup_printf("ended with status %d", WEXITSTATUS(status));
}

static void clear_point(PoolRun *run, PoolWorker *worker)
{
    g_assert(worker->is_busy);
    worker->is_busy = FALSE;
    run->n_busy--;
}

/* Gives the status of a worker that is ending. */
static int release(PoolRun *run, PoolWorker *worker)
{
    int status;

    close(worker->fd);
    status = wait_for(worker->pid);
    worker->fd = -1;
    g_string_free(worker->text, TRUE);
    if (worker->is_busy)
        clear_point(run, worker);
    run->n_alive--;
    run->try_us = 0; /* what it had may be what is short */
    return status;
}

static void dismiss(PoolRun *run, PoolWorker *worker)
{
    kill(worker->pid, SIGKILL);
    release(run, worker);
}

/* Memory that others left behind in it is not the point's. */
static gboolean deserves_another_try(const PoolWorker *worker, int status)
{
    return worker->n_served > 0 && WIFEXITED(status) &&
           WEXITSTATUS(status) == MEMORY_STATUS;
}

/* Nothing in a point does that: somebody did, who may have been short of
 * memory. */
static gboolean was_killed(const PoolWorker *worker, int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
           !worker->too_long;
}

static void say_killed(PoolRun *run)
{
    if (!run->is_kill_said && run->pool->say)
        run->pool->say(run->pool->self,
                       "a worker was killed, as where memory is short; what it "
                       "was at runs once more, alone, when all else is done");
    run->is_kill_said = TRUE;
}

/* Gives whether @worker's point is tried once more. */
static gboolean try_again(PoolRun *run, const PoolWorker *worker, int status)
{
    const PoolAgain again = { worker->point, worker->was_killed };

    if (deserves_another_try(worker, status)) {
        g_array_append_val(run->again, again);
    } else if (was_killed(worker, status) && !worker->was_killed) {
        g_array_append_val(run->killed, again.point);
        say_killed(run);
    } else {
        return FALSE;
    }
    return TRUE;
}

/* What ends with a signal to all is no failure. */
static void bury(PoolRun *run, PoolWorker *worker)
{
    gboolean was_busy = worker->is_busy;
    int status = release(run, worker);
    g_autofree char *reason = NULL;

    if (!was_busy || interrupt_number() != 0 || try_again(run, worker, status))
        return;
    reason = reason_of(run->pool, worker, status);
    run->pool->done(run->pool->self, worker->point, NULL, reason);
}

static void end_late_workers(PoolRun *run)
{
    gint64 now_us = g_get_monotonic_time();

    for (guint i = 0; i < run->pool->n_jobs; i++) {
        PoolWorker *worker = &run->workers[i];

        if (worker->fd < 0 || !worker->is_busy || worker->too_long ||
            (guint64)(now_us - worker->start_us) <= run->pool->timeout_us)
            continue;
        worker->too_long = TRUE;
        kill(worker->pid, SIGKILL);
    }
}

/* All at once first: a large one takes time to go. */
static void end_all(PoolRun *run)
{
    for (guint i = 0; i < run->pool->n_jobs; i++)
        if (run->workers[i].fd >= 0)
            kill(run->workers[i].pid, SIGKILL);
    for (guint i = 0; i < run->pool->n_jobs; i++)
        if (run->workers[i].fd >= 0)
            release(run, &run->workers[i]);
}

/* ---- piece after piece ------------------------------------------------ */

static gboolean is_late(const Pool *pool)
{
    return pool->until_us > 0 && g_get_monotonic_time() >= pool->until_us;
}

static gboolean is_over(const PoolRun *run)
{
    return interrupt_number() != 0 || (run->pool->stop && *run->pool->stop) ||
           is_late(run->pool);
}

static gboolean is_waiting(const PoolRun *run)
{
    return run->try_us > g_get_monotonic_time();
}

/* One that waits for wait_for_news(), which always has some while there are
 * points to hand out. */
static gboolean is_signal_pending(void)
{
    sigset_t pending;

    sigpending(&pending);
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        if (sigismember(&pending, interrupt_signals[i]))
            return TRUE;
    return FALSE;
}

static gboolean goes_on(const PoolRun *run)
{
    return !is_over(run) && !is_signal_pending();
}

/* To a worker that waits for it.  One that was killed meanwhile loses nothing.
 */
static void hand_out(PoolRun *run, PoolWorker *worker)
{
    guint point = run->next, number;

    if (point == run->n_points)
        return;
    number = pool_number(run, point);
    if (send(worker->fd, &number, sizeof number, MSG_NOSIGNAL) !=
        sizeof number) {
        dismiss(run, worker);
        return;
    }
    run->next++;
    pool_set_point(run, worker, point);
}

/* The next point goes out before anything is made of this one. */
static void finish(PoolRun *run, PoolWorker *worker, const PoolHead *head)
{
    GString *text = worker->text;
    guint point = worker->point;

    worker->text = g_string_sized_new(text->len);
    worker->n_served++;
    clear_point(run, worker);
    if (head->is_last || worker->too_long)
        dismiss(run, worker);
    else if (goes_on(run))
        hand_out(run, worker);
    g_string_erase(text, 0, sizeof *head);
    run->pool->done(run->pool->self, point, text, NULL);
    g_string_free(text, TRUE);
}

static void take(PoolRun *run, PoolWorker *worker)
{
    char block[READ_BYTES];
    ssize_t n = read(worker->fd, block, sizeof block);
    PoolHead head;

    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        bury(run, worker);
        return;
    }
    g_string_append_len(worker->text, block, n);
    if (worker->text->len < sizeof head)
        return;
    memcpy(&head, worker->text->str, sizeof head);
    if (worker->text->len - sizeof head == head.n_bytes)
        finish(run, worker, &head);
}

/* ---- the loop --------------------------------------------------------- */

/* Workers that there may be now. */
static guint n_most(const PoolRun *run)
{
    guint n = run->pool->n_jobs;

    return run->has_other && n > 1 ? n - 1 : n;
}

/* A worker that has done others is not for what needs a fresh one. */
static void employ(PoolRun *run, PoolWorker *worker)
{
    if (worker->fd >= 0 && !worker->is_busy && goes_on(run)) {
        if (run->next < run->n_points)
            hand_out(run, worker);
        else if (run->again->len > 0)
            dismiss(run, worker);
    }
    while (worker->fd < 0 && pool_is_left(run) && goes_on(run) &&
           !is_waiting(run))
        pool_start(run, worker);
}

/* There may be more when all that there were have been started. */
static void look_for_more(PoolRun *run)
{
    if (run->is_closed || pool_is_left(run) || !goes_on(run) ||
        run->n_busy == n_most(run))
        return;
    run->is_closed = !run->pool->more(run->pool->self, &run->n_points);
    g_assert(run->n_points >= run->next);
}

/* What killed its worker may have been the memory that others had. */
static void look_for_killed(PoolRun *run)
{
    PoolAgain again = { .was_killed = TRUE };

    if (run->killed->len == 0 || run->n_busy > 0 || pool_is_left(run))
        return;
    again.point = g_array_index(run->killed, guint, 0);
    g_array_remove_index(run->killed, 0);
    g_array_append_val(run->again, again);
}

static void employ_all(PoolRun *run)
{
    look_for_more(run);
    look_for_killed(run);
    for (guint i = 0; i < n_most(run) && pool_is_left(run); i++)
        employ(run, &run->workers[i]);
}

/* Until the next tick, or the next try. */
static struct timespec time_to_wait(const PoolRun *run)
{
    gint64 us = TICK_US;

    if (run->try_us > 0 && pool_is_left(run))
        us = CLAMP(run->try_us - g_get_monotonic_time(), 0, us);
    return (struct timespec){ .tv_nsec = (long)us * 1000 };
}

/* Signals are blocked but for the time of the wait, so that none slips in
 * between the look at their number and the wait.  Only workers that there are
 * are waited for: the system refuses more than there may be descriptors. */
static void wait_for_news(PoolRun *run, struct pollfd *polls,
                          PoolWorker **polled)
{
    const struct timespec wait = time_to_wait(run);
    guint n = 0;
    int n_ready;

    for (guint i = 0; i < run->pool->n_jobs; i++) {
        if (run->workers[i].fd < 0)
            continue;
        polls[n] = (struct pollfd){ run->workers[i].fd, POLLIN, 0 };
        polled[n++] = &run->workers[i];
    }
    g_assert(n == run->n_alive);
    polls[n] = (struct pollfd){ run->pool->other_fd, POLLIN, 0 };
    n_ready = ppoll(polls, run->has_other ? n + 1 : n, &wait, &run->old_mask);
    g_assert(n_ready >= 0 || errno == EINTR || errno == ENOMEM);
    for (guint i = 0; i < n && n_ready > 0; i++)
        if (polls[i].revents != 0)
            take(run, polled[i]);
    if (run->has_other && n_ready > 0 && polls[n].revents != 0)
        run->has_other = run->pool->other(run->pool->other_self);
    if (run->pool->timeout_us > 0)
        end_late_workers(run);
    if (run->pool->tick)
        run->pool->tick(run->pool->self);
}

static gboolean has_work(const PoolRun *run)
{
    return run->n_busy > 0 || pool_is_left(run) || run->killed->len > 0 ||
           !run->is_closed || run->has_other;
}

static void loop(PoolRun *run)
{
    g_autofree struct pollfd *polls =
        g_new0(struct pollfd, run->pool->n_jobs + 1);
    g_autofree PoolWorker **polled = g_new0(PoolWorker *, run->pool->n_jobs);

    employ_all(run);
    while (has_work(run) && !is_over(run)) {
        wait_for_news(run, polls, polled);
        employ_all(run);
    }
    interrupt_take_time();
    end_all(run);
}

int pool_run(const Pool *pool)
{
    PoolRun run = { .pool = pool,
                    .n_points = pool->n_points,
                    .is_closed = pool->more == NULL,
                    .has_other = pool->other != NULL };
    Interrupt interrupt;

    g_return_val_if_fail(pool->n_jobs > 0, 0);

    run.workers = g_new0(PoolWorker, pool->n_jobs);
    run.again = g_array_new(FALSE, FALSE, sizeof(PoolAgain));
    run.killed = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < pool->n_jobs; i++)
        run.workers[i].fd = -1;
    interrupt_begin(&interrupt);
    interrupt_block(&run.old_mask);
    loop(&run);
    sigprocmask(SIG_SETMASK, &run.old_mask, NULL);
    interrupt_end(&interrupt);
    g_array_unref(run.again);
    g_array_unref(run.killed);
    g_free(run.workers);
    return interrupt_number();
}
