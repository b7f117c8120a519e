/* pool.c - work on many points in child processes */
#include "sim/host/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/host/memory.h"
#include "sim/host/output.h"

#define TICK_US    G_GINT64_CONSTANT(500000)
#define READ_BYTES 65536

/* Between two tries to start a point where something is short. */
#define FIRST_WAIT_US G_GINT64_CONSTANT(10000)
#define MAX_WAIT_US   G_GINT64_CONSTANT(500000)
#define PATIENCE_US   G_GINT64_CONSTANT(30000000)

typedef struct {
    pid_t pid;
    int fd; /* -1: free */
    guint point;
    gint64 start_us;
    gboolean too_long;
    GString *text; /* owned */
} Job;

typedef struct {
    const Pool *pool;
    Job *jobs;  /* owned, n_jobs of them */
    guint next; /* point to start */
    guint n_points, n_running;
    gboolean is_all; /* there will be no more points than these */
    sigset_t old_mask;
    /* what is short, see want() */
    gint64 short_since_us;  /* and no point runs; 0: nothing is */
    gint64 wait_us, try_us; /* how long to the next try, and when it is */
    gboolean is_said;
    gboolean is_hopeless; /* it was waited for in vain */
} Run;

/* ---- children --------------------------------------------------------- */

G_GNUC_NORETURN
static void be_child(const Run *run, guint point, int fd, pid_t parent)
{
    GString *out = g_string_new(NULL);

    /* A ^C goes to us all, and a child that it ended would have failed. */
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        signal(interrupt_signals[i],
               interrupt_signals[i] == SIGTERM ? SIG_DFL : SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* it went before we could ask */
    sigprocmask(SIG_SETMASK, &run->old_mask, NULL);
    if (run->pool->memory_bytes > 0)
        memory_limit(run->pool->memory_bytes);
    run->pool->work(run->pool->self, point, out);
    fflush(NULL);
    _exit(output_write_all(fd, out->str, out->len) == 0 ? 0 : 1);
}

static void fail_point(const Run *run, guint point, const char *what, int code)
{
    g_autofree char *reason = g_strdup_printf("%s: %s", what, g_strerror(code));

    run->pool->done(run->pool->self, point, NULL, reason);
}

static gboolean is_shortage(int code)
{
    return code == EMFILE || code == ENFILE || code == EAGAIN || code == ENOMEM;
}

static void say_short(Run *run, const char *what, int code)
{
    g_autofree char *text = g_strdup_printf(
        "%s: %s; waiting, with fewer points at a time", what, g_strerror(code));

    if (!run->is_said && run->pool->say)
        run->pool->say(run->pool->self, text);
    run->is_said = TRUE;
}

/* There was no @what for @point, for the reason @code.  Others that run will
 * give theirs back; where none does, somebody else may. */
static void want(Run *run, guint point, const char *what, int code)
{
    gint64 now_us = g_get_monotonic_time();
    gint64 patience_us =
        run->pool->patience_us > 0 ? run->pool->patience_us : PATIENCE_US;

    if (run->n_running > 0)
        run->short_since_us = 0;
    else if (run->short_since_us == 0)
        run->short_since_us = now_us;
    if (run->n_running == 0 && now_us - run->short_since_us > patience_us)
        run->is_hopeless = TRUE;
    if (!is_shortage(code) || (run->n_running == 0 && run->is_hopeless)) {
        fail_point(run, point, what, code);
        return;
    }
    say_short(run, what, code);
    run->next = point;
    run->wait_us = CLAMP(2 * run->wait_us, FIRST_WAIT_US, MAX_WAIT_US);
    run->try_us = now_us + run->wait_us;
}

static void set_job(Run *run, Job *job, guint point, int fd)
{
    job->fd = fd;
    job->point = point;
    job->start_us = g_get_monotonic_time();
    job->too_long = FALSE;
    job->text = g_string_new(NULL);
    run->n_running++;
    run->short_since_us = run->wait_us = run->try_us = 0;
    run->is_hopeless = FALSE;
}

static void start(Run *run, Job *job)
{
    guint point = run->next++;
    pid_t parent = getpid();
    int fds[2], code;

    if (pipe(fds) != 0) {
        want(run, point, "no pipe", errno);
        return;
    }
    fflush(NULL);
    job->pid = fork();
    code = errno;
    if (job->pid == 0) {
        close(fds[0]);
        be_child(run, point, fds[1], parent);
    }
    close(fds[1]);
    if (job->pid < 0) {
        close(fds[0]);
        want(run, point, "no process", code);
        return;
    }
    set_job(run, job, point, fds[0]);
}

/* ---- their ends ------------------------------------------------------- */

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Owner: the caller; NULL: it did what it should. */
static char *reason_of(const Pool *pool, const Job *job, int status)
{
    if (job->too_long && WIFSIGNALED(status))
        return g_strdup_printf("took longer than %s", pool->timeout_name);
    if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS)
        return g_strdup_printf("asked for more memory than %s",
                               pool->memory_name);
    if (WIFSIGNALED(status))
        return g_strdup_printf("killed by signal %d (%s)", WTERMSIG(status),
                               g_strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        return g_strdup_printf("ended with status %d", WEXITSTATUS(status));
    return NULL;
}

static void release(Run *run, Job *job)
{
    close(job->fd);
    job->fd = -1;
    g_string_free(job->text, TRUE);
    run->n_running--;
    run->try_us = 0; /* what it had may be what is short */
}

static void finish(Run *run, Job *job)
{
    g_autofree char *reason = reason_of(run->pool, job, wait_for(job->pid));

    if (interrupt_number() ==
        0) /* what ends with a signal to all is no failure */
        run->pool->done(run->pool->self, job->point, job->text, reason);
    release(run, job);
}

static void take(Run *run, Job *job)
{
    char block[READ_BYTES];
    ssize_t n = read(job->fd, block, sizeof block);

    if (n > 0)
        g_string_append_len(job->text, block, n);
    else if (n == 0 || errno != EINTR)
        finish(run, job);
}

static void end_late_jobs(Run *run)
{
    gint64 now_us = g_get_monotonic_time();

    for (guint i = 0; i < run->pool->n_jobs; i++) {
        Job *job = &run->jobs[i];

        if (job->fd < 0 || job->too_long ||
            (guint64)(now_us - job->start_us) <= run->pool->timeout_us)
            continue;
        job->too_long = TRUE;
        kill(job->pid, SIGKILL);
    }
}

static void end_all(Run *run)
{
    for (guint i = 0; i < run->pool->n_jobs; i++)
        if (run->jobs[i].fd >= 0)
            kill(run->jobs[i].pid, SIGKILL);
    for (guint i = 0; i < run->pool->n_jobs; i++) {
        if (run->jobs[i].fd < 0)
            continue;
        wait_for(run->jobs[i].pid);
        release(run, &run->jobs[i]);
    }
}

/* ---- the loop --------------------------------------------------------- */

static gboolean is_late(const Pool *pool)
{
    return pool->until_us > 0 && g_get_monotonic_time() >= pool->until_us;
}

static gboolean is_over(const Run *run)
{
    return interrupt_number() != 0 || (run->pool->stop && *run->pool->stop) ||
           is_late(run->pool);
}

static gboolean is_waiting(const Run *run)
{
    return run->try_us > g_get_monotonic_time();
}

/* One that waits for wait_for_news(): a thousand starts may take seconds. */
static gboolean is_signal_pending(void)
{
    sigset_t pending;

    sigpending(&pending);
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        if (sigismember(&pending, interrupt_signals[i]))
            return TRUE;
    return FALSE;
}

static gboolean is_left(Run *run)
{
    if (run->next == run->n_points && !run->is_all)
        run->is_all = !run->pool->more(run->pool->self, &run->n_points);
    return run->next < run->n_points;
}

static void start_jobs(Run *run)
{
    for (guint i = 0; i < run->pool->n_jobs; i++)
        while (run->jobs[i].fd < 0 && !is_over(run) && !is_waiting(run) &&
               !is_signal_pending()) {
            if (!is_left(run))
                return;
            start(run, &run->jobs[i]);
        }
}

/* Until the next tick, or the next try. */
static struct timespec time_to_wait(const Run *run)
{
    gint64 us = TICK_US;

    if (run->try_us > 0 && run->next < run->n_points)
        us = CLAMP(run->try_us - g_get_monotonic_time(), 0, us);
    return (struct timespec){ .tv_nsec = (long)us * 1000 };
}

/* Signals are blocked but for the time of the wait, so that none slips in
 * between the look at their number and the wait.  Only children that there are
 * are waited for: the system refuses more than there may be descriptors. */
static void wait_for_news(Run *run, struct pollfd *polls, Job **polled)
{
    const struct timespec wait = time_to_wait(run);
    guint n = 0;
    int n_ready;

    for (guint i = 0; i < run->pool->n_jobs; i++) {
        if (run->jobs[i].fd < 0)
            continue;
        polls[n] = (struct pollfd){ run->jobs[i].fd, POLLIN, 0 };
        polled[n++] = &run->jobs[i];
    }
    g_assert(n == run->n_running);
    n_ready = ppoll(polls, n, &wait, &run->old_mask);
    g_assert(n_ready >= 0 || errno == EINTR || errno == ENOMEM);
    for (guint i = 0; i < n && n_ready > 0; i++)
        if (polls[i].revents != 0)
            take(run, polled[i]);
    if (run->pool->timeout_us > 0)
        end_late_jobs(run);
    if (run->pool->tick)
        run->pool->tick(run->pool->self);
}

static void loop(Run *run)
{
    g_autofree struct pollfd *polls = g_new0(struct pollfd, run->pool->n_jobs);
    g_autofree Job **polled = g_new0(Job *, run->pool->n_jobs);

    start_jobs(run);
    while ((run->n_running > 0 || run->next < run->n_points || !run->is_all) &&
           !is_over(run)) {
        wait_for_news(run, polls, polled);
        start_jobs(run);
    }
    interrupt_take_time();
    end_all(run);
}

int pool_run(const Pool *pool)
{
    Run run = { .pool = pool,
                .n_points = pool->n_points,
                .is_all = !pool->more };
    Interrupt interrupt;

    g_return_val_if_fail(pool->n_jobs > 0, 0);

    run.jobs = g_new0(Job, pool->n_jobs);
    for (guint i = 0; i < pool->n_jobs; i++)
        run.jobs[i].fd = -1;
    interrupt_begin(&interrupt);
    interrupt_block(&run.old_mask);
    loop(&run);
    sigprocmask(SIG_SETMASK, &run.old_mask, NULL);
    interrupt_end(&interrupt);
    g_free(run.jobs);
    return interrupt_number();
}
