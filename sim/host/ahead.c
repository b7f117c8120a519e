/* ahead.c - pieces of work that a child does while we do something else */
#include "sim/host/ahead.h"

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
#include "sim/host/memory.h"
#include "sim/host/output.h"

/* Of both processes: who adds to it has the piece that it was. */
typedef struct {
    atomic_uint next;
} Shared;

struct Ahead {
    guint n_pieces, n_taken;
    Shared *shared; /* owned, mapped */
    pid_t pid;
    int fd; /* what came of pieces: a length each, and a text */
};

static void be_child(const Ahead *ahead, int fd, pid_t parent, AheadWorkFn work,
                     gpointer self)
{
    g_autoptr(GString) out = g_string_new(NULL);
    guint piece;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* it went before we could ask */
    /* Whatever is written is not this process's, to be discarded by it. */
    memory_limit(G_MAXINT64);
    while ((piece = atomic_fetch_add(&ahead->shared->next, 1)) <
           ahead->n_pieces) {
        gsize n_bytes = 0;

        g_string_truncate(out, 0);
        g_string_append_len(out, (const char *)&n_bytes, sizeof n_bytes);
        work(self, piece, out);
        n_bytes = out->len - sizeof n_bytes;
        g_string_overwrite_len(out, 0, (const char *)&n_bytes, sizeof n_bytes);
        if (output_write_all(fd, out->str, out->len) != 0)
            break;
    }
    _exit(0);
}

Ahead *ahead_begin(guint n_pieces, AheadWorkFn work, gpointer self)
{
    g_autofree Ahead *ahead = g_new0(Ahead, 1);
    pid_t parent = getpid();
    int fds[2];

    g_assert(n_pieces < G_MAXUINT / 2);
    ahead->n_pieces = n_pieces;
    ahead->shared = mmap(NULL, sizeof *ahead->shared, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ahead->shared == MAP_FAILED)
        return NULL;
    if (pipe2(fds, O_CLOEXEC) != 0) {
        munmap(ahead->shared, sizeof *ahead->shared);
        return NULL;
    }
    fflush(NULL);
    ahead->pid = fork();
    if (ahead->pid == 0)
        be_child(ahead, fds[1], parent, work, self);
    close(fds[1]);
    ahead->fd = fds[0];
    if (ahead->pid > 0)
        return g_steal_pointer(&ahead);
    close(fds[0]);
    munmap(ahead->shared, sizeof *ahead->shared);
    return NULL;
}

guint ahead_stop(Ahead *ahead)
{
    guint n = atomic_exchange(&ahead->shared->next, (unsigned)ahead->n_pieces);

    return MIN(n, ahead->n_pieces);
}

/* Who waits here may have blocked signals (a pool asks for more), so they come
 * for the time of the wait.  FALSE: one came. */
static gboolean wait_for_news(int fd)
{
    struct pollfd poll = { fd, POLLIN, 0 };
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    sigdelset(&mask, SIGALRM); /* who is late */
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        sigdelset(&mask, interrupt_signals[i]);
    while (ppoll(&poll, 1, NULL, &mask) < 0)
        if (errno == EINTR && interrupt_number() != 0)
            return FALSE;
    return TRUE;
}

/* FALSE: there is no more, or a signal came. */
static gboolean read_all(int fd, gpointer to, gsize n_bytes)
{
    while (n_bytes > 0 && wait_for_news(fd)) {
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

gboolean ahead_take(Ahead *ahead, AheadDoneFn done, gpointer self)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gsize n_bytes;

    if (!read_all(ahead->fd, &n_bytes, sizeof n_bytes))
        return FALSE;
    g_string_set_size(text, n_bytes);
    if (!read_all(ahead->fd, text->str, n_bytes))
        return FALSE;
    done(self, ahead->n_taken++, text);
    return TRUE;
}

int ahead_fd(const Ahead *ahead)
{
    return ahead->fd;
}

void ahead_free(Ahead *ahead)
{
    if (!ahead)
        return;
    kill(ahead->pid, SIGKILL);
    while (waitpid(ahead->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(ahead->fd);
    munmap(ahead->shared, sizeof *ahead->shared);
    g_free(ahead);
}
