/*
 * pool_worker.c - a child that does piece after piece
 *
 * What a piece took and gave back stays in the heap, where the next one finds
 * it without a page fault.  Only what has grown well beyond that is given back
 * to the system, and a worker whose memory does not come down by that (it
 * leaks, or its heap is in pieces) ends, and another takes its place.
 */
#include "sim/host/pool_impl.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/host/memory.h"
#include "sim/host/output.h"

#define TRIM_BYTES                                                             \
    (G_GUINT64_CONSTANT(64) << 20) /* gained since the last trim */
#define RENEW_BYTES                                                            \
    (G_GUINT64_CONSTANT(256) << 20) /* gained since it began                   \
                                     */
/* Pieces, whatever it has gained.  What it knows of those before, and what is
 * shared by them, goes with it: at 10,000 a grid of 100,000 cost a fifth more.
 */
#define MAX_SERVED 100000

typedef struct {
    const Pool *pool;
    int fd;
    guint n_served;
    guint64 trim_bytes, renew_bytes; /* resident memory that is too much */
} Worker;

/* ---- how it begins ---------------------------------------------------- */

/* A ^C goes to us all, and a child that it ended would have failed. */
static void leave_signals(const sigset_t *mask)
{
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        signal(interrupt_signals[i],
               interrupt_signals[i] == SIGTERM ? SIG_DFL : SIG_IGN);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

static void die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* it went before we could ask */
}

static Worker begin(const Pool *pool, int fd)
{
    guint64 base_bytes = memory_resident_bytes();

    return (Worker){ .pool = pool,
                     .fd = fd,
                     .trim_bytes = base_bytes + TRIM_BYTES,
                     .renew_bytes = base_bytes + (pool->worker_bytes > 0
                                                      ? pool->worker_bytes
                                                      : RENEW_BYTES) };
}

/* ---- piece after piece ------------------------------------------------ */

static gboolean is_worn(Worker *worker)
{
    guint64 n_bytes = memory_resident_bytes();

    if (n_bytes > MIN(worker->trim_bytes, worker->renew_bytes)) {
        malloc_trim(0);
        n_bytes = memory_resident_bytes();
        worker->trim_bytes = n_bytes + TRIM_BYTES;
    }
    return ++worker->n_served >= MAX_SERVED || n_bytes > worker->renew_bytes;
}

/* FALSE: it was the last, or nobody takes it. */
static gboolean serve(Worker *worker, guint point, GString *out)
{
    PoolHead head = { 0 };

    g_string_truncate(out, 0);
    g_string_append_len(out, (const char *)&head, sizeof head);
    worker->pool->work(worker->pool->self, point, out);
    fflush(NULL);
    head.n_bytes = out->len - sizeof head;
    head.is_last = is_worn(worker) ? 1 : 0;
    g_string_overwrite_len(out, 0, (const char *)&head, sizeof head);
    return output_write_all(worker->fd, out->str, out->len) == 0 &&
           !head.is_last;
}

/* FALSE: nothing will come. */
static gboolean next_point(int fd, guint *ret)
{
    ssize_t n;

    while ((n = recv(fd, ret, sizeof *ret, MSG_WAITALL)) < 0 && errno == EINTR)
        ;
    return n == sizeof *ret;
}

void pool_worker_be(const Pool *pool, guint point, int fd, pid_t parent,
                    const sigset_t *mask)
{
    GString *out = g_string_new(NULL);
    Worker worker;

    die_with(parent);
    leave_signals(mask);
    /* Whatever is written is not this process's, to be discarded by it. */
    memory_limit(pool->memory_bytes > 0 ? pool->memory_bytes : G_MAXINT64);
    worker = begin(pool, fd);
    while (serve(&worker, point, out) && next_point(fd, &point))
        ;
    _exit(0);
}
