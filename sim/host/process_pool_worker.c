/*
 * process_pool_worker.c - a worker of a pool: a child process that runs point
 * after point
 *
 * Memory that one point frees stays in the heap, so the next point gets it
 * without page faults.  If the process has grown by TRIM_BYTES, the free memory
 * is returned to the system.  If the process is still too large (because of a
 * leak or a fragmented heap), the worker ends and another one replaces it.
 */
#include "sim/host/process_pool_impl.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/host/memory_limits.h"
#include "sim/host/output.h"

/* The growth of the process since the last trim after which it is trimmed. */
#define TRIM_BYTES (G_GUINT64_CONSTANT(64) << 20)
/* The default of ProcessPool.worker_bytes. */
#define RENEW_BYTES (G_GUINT64_CONSTANT(256) << 20)
/* A worker ends after so many points, even if its memory has not grown.  A new
 * worker has to rebuild what points share: with a limit of 10,000, a grid of
 * 100,000 points took a fifth longer. */
#define MAX_SERVED 100000

typedef struct {
    const ProcessPool *pool;
    int fd;
    guint n_served;
    /* Resident sizes at which the heap is trimmed and the worker replaced. */
    guint64 trim_bytes, renew_bytes;
} PoolChild;

/* ---- starting the worker process ----------------------------------------- */

/* Ignores ^C, which goes to the whole process group: a worker that it ended
 * would look like a failed point. */
static void ignore_group_signals(const sigset_t *mask)
{
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        signal(interrupt_signals[i],
               interrupt_signals[i] == SIGTERM ? SIG_DFL : SIG_IGN);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

static void request_death_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* the parent ended before prctl() */
}

static PoolChild init_pool_child(const ProcessPool *pool, int fd)
{
    guint64 base_bytes = memory_resident_bytes();

    return (PoolChild){ .pool = pool,
                        .fd = fd,
                        .trim_bytes = base_bytes + TRIM_BYTES,
                        .renew_bytes = base_bytes + (pool->worker_bytes > 0
                                                         ? pool->worker_bytes
                                                         : RENEW_BYTES) };
}

/* ---- running one point after another ------------------------------------- */

/* Returns whether the worker should end after this point.  Trims the heap if it
 * has grown. */
static gboolean has_child_grown_too_large(PoolChild *child)
{
    guint64 n_bytes = memory_resident_bytes();

    if (n_bytes > MIN(child->trim_bytes, child->renew_bytes)) {
        malloc_trim(0);
        n_bytes = memory_resident_bytes();
        child->trim_bytes = n_bytes + TRIM_BYTES;
    }
    return ++child->n_served >= MAX_SERVED || n_bytes > child->renew_bytes;
}

/* Runs @point and sends its result.  Returns FALSE if the worker has to end, or
 * the parent is gone. */
static gboolean run_and_send_point(PoolChild *child, guint point, GString *out)
{
    PoolResultHeader head = { 0 };

    g_string_truncate(out, 0);
    g_string_append_len(out, (const char *)&head, sizeof head);
    child->pool->work(child->pool->self, point, out);
    fflush(NULL);
    head.n_bytes = out->len - sizeof head;
    head.is_last = has_child_grown_too_large(child) ? 1 : 0;
    g_string_overwrite_len(out, 0, (const char *)&head, sizeof head);
    return output_write_bytes(child->fd, out->str, out->len) == 0 &&
           !head.is_last;
}

/* Receives the number of the next point.  Returns FALSE if there is none. */
static gboolean worker_receive_next_point(int fd, guint *ret)
{
    ssize_t n;

    while ((n = recv(fd, ret, sizeof *ret, MSG_WAITALL)) < 0 && errno == EINTR)
        ;
    return n == sizeof *ret;
}

void pool_worker_run(const ProcessPool *pool, guint point, int fd, pid_t parent,
                     const sigset_t *mask)
{
    GString *out = g_string_new(NULL);
    PoolChild child;

    request_death_with_parent(parent);
    ignore_group_signals(mask);
    /* After memory_limit_address_space(), a failed allocation ends this process
     * without removing temporary files, because these belong to the parent. */
    memory_limit_address_space(pool->memory_bytes > 0 ? pool->memory_bytes
                                                      : G_MAXINT64);
    child = init_pool_child(pool, fd);
    while (run_and_send_point(&child, point, out) &&
           worker_receive_next_point(fd, &point))
        ;
    _exit(0);
}
