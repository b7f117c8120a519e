/*
 * background_worker.c - runs pieces of work in one child process, in parallel
 * with this process; see background_worker.h
 *
 * The next piece is claimed by an atomic increment of a counter in shared
 * memory, so background_worker_stop() can claim all remaining pieces at once.
 */
#include "sim/host/background_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/host/memory_limits.h"
#include "sim/host/output.h"

/* Shared by both processes: the number of the next piece to claim. */
typedef struct {
    atomic_uint next;
} SharedCounter;

struct BackgroundWorker {
    guint n_pieces, n_taken;
    SharedCounter *shared; /* owned, mapped */
    pid_t pid;
    int fd; /* read end of the pipe: for each result its length and its text */
};

static void run_child_process(const BackgroundWorker *worker, int fd,
                              pid_t parent, BackgroundWorkFn work,
                              gpointer self)
{
    g_autoptr(GString) out = g_string_new(NULL);
    guint piece;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* the parent ended before prctl() */
    /* After memory_limit_address_space(), a failed allocation ends this process
     * without removing temporary files, because these belong to the parent. */
    memory_limit_address_space(G_MAXINT64);
    while ((piece = atomic_fetch_add(&worker->shared->next, 1)) <
           worker->n_pieces) {
        gsize n_bytes = 0;

        g_string_truncate(out, 0);
        g_string_append_len(out, (const char *)&n_bytes, sizeof n_bytes);
        work(self, piece, out);
        n_bytes = out->len - sizeof n_bytes;
        g_string_overwrite_len(out, 0, (const char *)&n_bytes, sizeof n_bytes);
        if (output_write_bytes(fd, out->str, out->len) != 0)
            break;
    }
    _exit(0);
}

BackgroundWorker *background_worker_start(guint n_pieces, BackgroundWorkFn work,
                                          gpointer self)
{
    g_autofree BackgroundWorker *worker = g_new0(BackgroundWorker, 1);
    pid_t parent = getpid();
    int fds[2];

    g_assert(n_pieces < G_MAXUINT / 2);
    worker->n_pieces = n_pieces;
    worker->shared = mmap(NULL, sizeof *worker->shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (worker->shared == MAP_FAILED)
        return NULL;
    if (pipe2(fds, O_CLOEXEC) != 0) {
        munmap(worker->shared, sizeof *worker->shared);
        return NULL;
    }
    fflush(NULL);
    worker->pid = fork();
    if (worker->pid == 0)
        run_child_process(worker, fds[1], parent, work, self);
    close(fds[1]);
    worker->fd = fds[0];
    if (worker->pid > 0)
        return g_steal_pointer(&worker);
    close(fds[0]);
    munmap(worker->shared, sizeof *worker->shared);
    return NULL;
}

guint background_worker_stop(BackgroundWorker *worker)
{
    guint n =
        atomic_exchange(&worker->shared->next, (unsigned)worker->n_pieces);

    return MIN(n, worker->n_pieces);
}

/* Waits until @fd is readable.  The caller may have blocked signals (a pool has
 * when it asks for more points), so they are unblocked during the wait.
 * Returns FALSE if a signal arrived. */
static gboolean wait_until_readable(int fd)
{
    struct pollfd poll = { fd, POLLIN, 0 };
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    sigdelset(&mask, SIGALRM); /* the deadline of interrupt.c */
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        sigdelset(&mask, interrupt_signals[i]);
    while (ppoll(&poll, 1, NULL, &mask) < 0)
        if (errno == EINTR && interrupt_signal_number() != 0)
            return FALSE;
    return TRUE;
}

/* Returns FALSE at the end of the pipe or if a signal arrived. */
static gboolean read_pipe_bytes(int fd, gpointer to, gsize n_bytes)
{
    while (n_bytes > 0 && wait_until_readable(fd)) {
        ssize_t n = read(fd, to, n_bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return FALSE;
        to = (guint8 *)to + n;
        n_bytes -= (gsize)n;
    }
    return n_bytes == 0;
}

gboolean background_worker_receive_result(BackgroundWorker *worker,
                                          BackgroundDoneFn done, gpointer self)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gsize n_bytes;

    if (!read_pipe_bytes(worker->fd, &n_bytes, sizeof n_bytes))
        return FALSE;
    g_string_set_size(text, n_bytes);
    if (!read_pipe_bytes(worker->fd, text->str, n_bytes))
        return FALSE;
    done(self, worker->n_taken++, text);
    return TRUE;
}

int background_worker_fd(const BackgroundWorker *worker)
{
    return worker->fd;
}

void background_worker_free(BackgroundWorker *worker)
{
    if (!worker)
        return;
    kill(worker->pid, SIGKILL);
    while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(worker->fd);
    munmap(worker->shared, sizeof *worker->shared);
    g_free(worker);
}
