/*
 * process_pool.c - see process_pool.h; the parent's side
 *
 * The parent sends point numbers to the workers, reads their results and
 * replaces workers that have ended.
 */
#include "sim/host/process_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/host/memory_limits.h"
#include "sim/host/process_pool_impl.h"

#define TICK_US    G_GINT64_CONSTANT(500000)
#define READ_BYTES 65536

/* The delay between two attempts to start a worker in a shortage. */
#define FIRST_WAIT_US G_GINT64_CONSTANT(10000)
#define MAX_WAIT_US   G_GINT64_CONSTANT(500000)
#define PATIENCE_US   G_GINT64_CONSTANT(30000000)

/* A point that runs a second time. */
typedef struct {
    guint point;
    gboolean was_killed; /* the worker of the first run was killed */
} PoolRetry;

typedef struct {
    pid_t pid;
    int fd; /* socket to the worker; -1: no worker is in this slot */
    guint n_served;
    gboolean is_busy; /* the worker is running .point */
    guint point;
    gboolean was_killed; /* the worker of an earlier run of .point was killed */
    gint64 start_us;
    gboolean too_long;
    GString
        *text; /* owned: the result read so far, with its PoolResultHeader */
} PoolWorker;

typedef struct {
    const ProcessPool *pool;
    PoolWorker *workers; /* owned: n_jobs of them */
    guint next;          /* the next point to start */
    guint n_points;      /* the number of points known now */
    gboolean is_closed;  /* no more points will come */
    gboolean has_other; /* the external process of ProcessPool.continue_other is
                           active */
    GArray *again; /* owned, of PoolRetry: points that need a fresh worker */
    /* The points (of guint) that run only when no other point runs, because
     * their worker was killed (owned). */
    GArray *killed;
    guint n_alive, n_busy;
    sigset_t old_mask;
    /* The state of a shortage of processes or descriptors; see
     * handle_resource_shortage(). */
    gint64 short_since_us; /* since when no worker could be started; 0: not
                              short */
    gint64 wait_us,
        try_us; /* the delay before the next attempt, and its time */
    gboolean is_shortage_reported, is_kill_reported;
    gboolean is_hopeless; /* the shortage has lasted longer than .patience_us */
} PoolRun;

/* Returns whether any point is left to be started. */
static gboolean pool_has_points_left(const PoolRun *run)
{
    return run->again->len > 0 || run->next < run->n_points;
}

/* Returns the number that represents @point in a worker. */
static guint point_number_in_worker(const PoolRun *run, guint point)
{
    return run->pool->number ? run->pool->number(run->pool->self, point)
                             : point;
}

/* ---- starting a worker --------------------------------------------------- */

/* Returns the first point left, for a fresh worker. */
static PoolRetry first_remaining_point(const PoolRun *run)
{
    return run->again->len > 0 ? g_array_index(run->again, PoolRetry, 0)
                               : (PoolRetry){ .point = run->next };
}

static void remove_first_remaining_point(PoolRun *run)
{
    if (run->again->len > 0)
        g_array_remove_index(run->again, 0);
    else
        run->next++;
}

/* Marks the idle @worker as running @point. */
static void assign_point_to_worker(PoolRun *run, PoolWorker *worker,
                                   guint point)
{
    g_assert(worker->fd >= 0 && !worker->is_busy);
    worker->is_busy = TRUE;
    worker->point = point;
    worker->was_killed = FALSE;
    worker->start_us = g_get_monotonic_time();
    run->n_busy++;
}

static void report_point_failure(const PoolRun *run, guint point,
                                 const char *what, int code)
{
    g_autofree char *reason = g_strdup_printf("%s: %s", what, g_strerror(code));

    run->pool->point_ended(run->pool->self, point, NULL, reason);
}

static gboolean is_resource_shortage(int code)
{
    return code == EMFILE || code == ENFILE || code == EAGAIN || code == ENOMEM;
}

static void report_resource_shortage(PoolRun *run, const char *what, int code)
{
    g_autofree char *text = g_strdup_printf(
        "%s: %s; waiting, with fewer points at a time", what, g_strerror(code));

    if (!run->is_shortage_reported && run->pool->print_message)
        run->pool->print_message(run->pool->self, text);
    run->is_shortage_reported = TRUE;
}

/* Handles that @what could not be created, for the errno @code.  If other
 * workers exist, they do the remaining points.  Otherwise another process may
 * free what is short, so the start is attempted again until the patience runs
 * out; then the first point fails. */
static void handle_resource_shortage(PoolRun *run, const char *what, int code)
{
    gint64 now_us = g_get_monotonic_time();
    gint64 patience_us =
        run->pool->patience_us > 0 ? run->pool->patience_us : PATIENCE_US;
    guint point = first_remaining_point(run).point;

    if (run->n_alive > 0)
        run->short_since_us = 0;
    else if (run->short_since_us == 0)
        run->short_since_us = now_us;
    if (run->n_alive == 0 && now_us - run->short_since_us > patience_us)
        run->is_hopeless = TRUE;
    if (run->n_alive == 0 &&
        (run->is_hopeless || !is_resource_shortage(code))) {
        remove_first_remaining_point(run);
        report_point_failure(run, point, what, code);
        return;
    }
    report_resource_shortage(run, what, code);
    run->wait_us = CLAMP(2 * run->wait_us, FIRST_WAIT_US, MAX_WAIT_US);
    run->try_us = now_us + run->wait_us;
}

/* Closes the sockets of the other workers in the child: they would stay open
 * when the parent closes them. */
static void close_other_sockets(const PoolRun *run)
{
    for (guint i = 0; i < run->pool->n_jobs; i++)
        if (run->workers[i].fd >= 0)
            close(run->workers[i].fd);
}

static void init_worker_slot(PoolRun *run, PoolWorker *worker, pid_t pid,
                             int fd)
{
    *worker = (PoolWorker){ .pid = pid, .fd = fd, .text = g_string_new(NULL) };
    run->n_alive++;
    run->short_since_us = run->wait_us = run->try_us = 0;
    run->is_hopeless = FALSE;
}

/* Starts a fresh worker in the empty slot @worker with the first point left.
 * In a shortage, sets .try_us for the next attempt, or fails the point. */
static void start_worker_process(PoolRun *run, PoolWorker *worker)
{
    PoolRetry first = first_remaining_point(run);
    pid_t pid, parent = getpid();
    int fds[2], code;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
        handle_resource_shortage(run, "no pipe", errno);
        return;
    }
    fflush(NULL);
    pid = fork();
    code = errno;
    if (pid == 0) {
        close(fds[0]);
        close_other_sockets(run);
        pool_worker_run(run->pool, point_number_in_worker(run, first.point),
                        fds[1], parent, &run->old_mask);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        handle_resource_shortage(run, "no process", code);
        return;
    }
    remove_first_remaining_point(run);
    init_worker_slot(run, worker, pid, fds[0]);
    assign_point_to_worker(run, worker, first.point);
    worker->was_killed = first.was_killed;
}

/* ---- ending a worker ----------------------------------------------------- */

static int wait_for_child_process(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Returns why a worker ended before its point was done, given its wait @status.
 * The caller owns the text. */
static char *explain_worker_end(const ProcessPool *pool,
                                const PoolWorker *worker, int status)
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

static void clear_worker_point(PoolRun *run, PoolWorker *worker)
{
    g_assert(worker->is_busy);
    worker->is_busy = FALSE;
    run->n_busy--;
}

/* Waits for the end of a worker, clears its slot and returns its wait
 * status. */
static int wait_for_worker_end(PoolRun *run, PoolWorker *worker)
{
    int status;

    close(worker->fd);
    status = wait_for_child_process(worker->pid);
    worker->fd = -1;
    g_string_free(worker->text, TRUE);
    if (worker->is_busy)
        clear_worker_point(run, worker);
    run->n_alive--;
    run->try_us = 0; /* the shortage may be over */
    return status;
}

static void kill_pool_worker(PoolRun *run, PoolWorker *worker)
{
    kill(worker->pid, SIGKILL);
    wait_for_worker_end(run, worker);
}

/* Returns whether the worker ran out of memory after other points, which may
 * have left that memory behind. */
static gboolean ran_out_of_leftover_memory(const PoolWorker *worker, int status)
{
    return worker->n_served > 0 && WIFEXITED(status) &&
           WEXITSTATUS(status) == MEMORY_STATUS;
}

/* Returns whether another process killed the worker.  No point sends SIGKILL,
 * so the cause may be a shortage of memory. */
static gboolean pool_killed_worker(const PoolWorker *worker, int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
           !worker->too_long;
}

static void report_killed_worker(PoolRun *run)
{
    if (!run->is_kill_reported && run->pool->print_message)
        run->pool->print_message(
            run->pool->self,
            "a worker was killed, probably because memory is "
            "short; its point runs again, alone, after all others");
    run->is_kill_reported = TRUE;
}

/* Queues @worker's point for a second run if it qualifies.  Returns whether it
 * does. */
static gboolean queue_point_again(PoolRun *run, const PoolWorker *worker,
                                  int status)
{
    const PoolRetry again = { worker->point, worker->was_killed };

    if (ran_out_of_leftover_memory(worker, status)) {
        g_array_append_val(run->again, again);
    } else if (pool_killed_worker(worker, status) && !worker->was_killed) {
        g_array_append_val(run->killed, again.point);
        report_killed_worker(run);
    } else {
        return FALSE;
    }
    return TRUE;
}

/* Clears the slot of a worker that has ended, and reports its point as failed
 * unless a signal to the whole process group ended it. */
static void handle_worker_end(PoolRun *run, PoolWorker *worker)
{
    gboolean was_busy = worker->is_busy;
    int status = wait_for_worker_end(run, worker);
    g_autofree char *reason = NULL;

    if (!was_busy || interrupt_signal_number() != 0 ||
        queue_point_again(run, worker, status))
        return;
    reason = explain_worker_end(run->pool, worker, status);
    run->pool->point_ended(run->pool->self, worker->point, NULL, reason);
}

static void kill_overdue_workers(PoolRun *run)
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

/* Kills all workers before waiting for the first, because a large process takes
 * long to end. */
static void kill_all_workers(PoolRun *run)
{
    for (guint i = 0; i < run->pool->n_jobs; i++)
        if (run->workers[i].fd >= 0)
            kill(run->workers[i].pid, SIGKILL);
    for (guint i = 0; i < run->pool->n_jobs; i++)
        if (run->workers[i].fd >= 0)
            wait_for_worker_end(run, &run->workers[i]);
}

/* ---- sending points to workers and reading results ----------------------- */

static gboolean is_pool_deadline_passed(const ProcessPool *pool)
{
    return pool->until_us > 0 && g_get_monotonic_time() >= pool->until_us;
}

static gboolean is_pool_finished(const PoolRun *run)
{
    return interrupt_signal_number() != 0 ||
           (run->pool->stop && *run->pool->stop) ||
           is_pool_deadline_passed(run->pool);
}

/* Returns whether a shortage delays the start of workers. */
static gboolean is_worker_start_delayed(const PoolRun *run)
{
    return run->try_us > g_get_monotonic_time();
}

/* Returns whether a blocked signal is pending. wait_for_worker_events() will
 * receive it soon, because it is called while points are left. */
static gboolean is_signal_pending(void)
{
    sigset_t pending;

    sigpending(&pending);
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        if (sigismember(&pending, interrupt_signals[i]))
            return TRUE;
    return FALSE;
}

/* Returns whether points may still be handed out. */
static gboolean pool_may_assign_points(const PoolRun *run)
{
    return !is_pool_finished(run) && !is_signal_pending();
}

/* Sends the next point to an idle worker.  If the worker has died, the point is
 * not lost. */
static void send_next_point_to_worker(PoolRun *run, PoolWorker *worker)
{
    guint point = run->next, number;

    if (point == run->n_points)
        return;
    number = point_number_in_worker(run, point);
    if (send(worker->fd, &number, sizeof number, MSG_NOSIGNAL) !=
        sizeof number) {
        kill_pool_worker(run, worker);
        return;
    }
    run->next++;
    assign_point_to_worker(run, worker, point);
}

/* Handles a complete result.  The next point is sent to the worker before the
 * result is processed. */
static void handle_worker_result(PoolRun *run, PoolWorker *worker,
                                 const PoolResultHeader *head)
{
    GString *text = worker->text;
    guint point = worker->point;

    worker->text = g_string_sized_new(text->len);
    worker->n_served++;
    clear_worker_point(run, worker);
    if (head->is_last || worker->too_long)
        kill_pool_worker(run, worker);
    else if (pool_may_assign_points(run))
        send_next_point_to_worker(run, worker);
    g_string_erase(text, 0, sizeof *head);
    run->pool->point_ended(run->pool->self, point, text, NULL);
    g_string_free(text, TRUE);
}

/* Reads from a worker: a part of a result, or the end of the worker. */
static void read_result_bytes_from_worker(PoolRun *run, PoolWorker *worker)
{
    char block[READ_BYTES];
    ssize_t n = read(worker->fd, block, sizeof block);
    PoolResultHeader head;

    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        handle_worker_end(run, worker);
        return;
    }
    g_string_append_len(worker->text, block, n);
    if (worker->text->len < sizeof head)
        return;
    memcpy(&head, worker->text->str, sizeof head);
    if (worker->text->len - sizeof head == head.n_bytes)
        handle_worker_result(run, worker, &head);
}

/* ---- the main loop of the pool ------------------------------------------- */

/* Returns how many workers may run now. */
static guint max_running_workers(const PoolRun *run)
{
    guint n = run->pool->n_jobs;

    return run->has_other && n > 1 ? n - 1 : n;
}

/* Gives work to a worker, or starts a new worker in an empty slot.  A point
 * that needs a fresh worker is not given to a used one. */
static void assign_point_to_free_worker(PoolRun *run, PoolWorker *worker)
{
    if (worker->fd >= 0 && !worker->is_busy && pool_may_assign_points(run)) {
        if (run->next < run->n_points)
            send_next_point_to_worker(run, worker);
        else if (run->again->len > 0)
            kill_pool_worker(run, worker);
    }
    while (worker->fd < 0 && pool_has_points_left(run) &&
           pool_may_assign_points(run) && !is_worker_start_delayed(run))
        start_worker_process(run, worker);
}

/* Asks for more points when all known points have been started and a worker may
 * be idle. */
static void request_points_from_source(PoolRun *run)
{
    if (run->is_closed || pool_has_points_left(run) ||
        !pool_may_assign_points(run) || run->n_busy == max_running_workers(run))
        return;
    run->is_closed =
        !run->pool->find_more_points(run->pool->self, &run->n_points);
    g_assert(run->n_points >= run->next);
}

/* Moves a killed point to the points to run, if nothing else runs or is left:
 * the memory of other points may have caused the kill. */
static void requeue_killed_point(PoolRun *run)
{
    PoolRetry again = { .was_killed = TRUE };

    if (run->killed->len == 0 || run->n_busy > 0 || pool_has_points_left(run))
        return;
    again.point = g_array_index(run->killed, guint, 0);
    g_array_remove_index(run->killed, 0);
    g_array_append_val(run->again, again);
}

static void assign_points_to_free_workers(PoolRun *run)
{
    request_points_from_source(run);
    requeue_killed_point(run);
    for (guint i = 0; i < max_running_workers(run) && pool_has_points_left(run);
         i++)
        assign_point_to_free_worker(run, &run->workers[i]);
}

/* Returns the time until the next tick or the next attempt to start a
 * worker. */
static struct timespec time_until_next_tick(const PoolRun *run)
{
    gint64 us = TICK_US;

    if (run->try_us > 0 && pool_has_points_left(run))
        us = CLAMP(run->try_us - g_get_monotonic_time(), 0, us);
    return (struct timespec){ .tv_nsec = (long)us * 1000 };
}

/* Waits for results and handles them.  Signals are unblocked only during
 * ppoll(), so none can arrive between the check of interrupt_signal_number()
 * and the wait. Only slots with a worker are polled, because ppoll() refuses
 * more descriptors than a process may have. */
static void wait_for_worker_events(PoolRun *run, struct pollfd *polls,
                                   PoolWorker **polled)
{
    const struct timespec wait = time_until_next_tick(run);
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
            read_result_bytes_from_worker(run, polled[i]);
    if (run->has_other && n_ready > 0 && polls[n].revents != 0)
        run->has_other = run->pool->continue_other(run->pool->other_self);
    if (run->pool->timeout_us > 0)
        kill_overdue_workers(run);
    if (run->pool->tick)
        run->pool->tick(run->pool->self);
}

static gboolean has_unfinished_points(const PoolRun *run)
{
    return run->n_busy > 0 || pool_has_points_left(run) ||
           run->killed->len > 0 || !run->is_closed || run->has_other;
}

static void run_pool_loop(PoolRun *run)
{
    g_autofree struct pollfd *polls =
        g_new0(struct pollfd, run->pool->n_jobs + 1);
    g_autofree PoolWorker **polled = g_new0(PoolWorker *, run->pool->n_jobs);

    assign_points_to_free_workers(run);
    while (has_unfinished_points(run) && !is_pool_finished(run)) {
        wait_for_worker_events(run, polls, polled);
        assign_points_to_free_workers(run);
    }
    interrupt_cancel_deadline();
    kill_all_workers(run);
}

int pool_run(const ProcessPool *pool)
{
    PoolRun run = { .pool = pool,
                    .n_points = pool->n_points,
                    .is_closed = pool->find_more_points == NULL,
                    .has_other = pool->continue_other != NULL };
    Interrupt interrupt;

    g_return_val_if_fail(pool->n_jobs > 0, 0);

    run.workers = g_new0(PoolWorker, pool->n_jobs);
    run.again = g_array_new(FALSE, FALSE, sizeof(PoolRetry));
    run.killed = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < pool->n_jobs; i++)
        run.workers[i].fd = -1;
    interrupt_begin_deferring(&interrupt);
    interrupt_block_signals(&run.old_mask);
    run_pool_loop(&run);
    sigprocmask(SIG_SETMASK, &run.old_mask, NULL);
    interrupt_end_deferring(&interrupt);
    g_array_unref(run.again);
    g_array_unref(run.killed);
    g_free(run.workers);
    return interrupt_signal_number();
}
