/*
 * interrupt.c - handles SIGINT, SIGTERM and SIGHUP at a convenient time, but at
 * the latest after LATE_MS; see interrupt.h
 */
#include "sim/host/interrupt.h"

#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "sim/host/output.h"

/* Users expect an answer within about a second, and the exit of a process of
 * many gigabytes takes half of that. */
#define LATE_MS 250

const int interrupt_signals[INTERRUPT_N_SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

/* The texts of strsignal(), which a signal handler must not call. */
static const char *const late_texts[INTERRUPT_N_SIGNALS] = {
    "interrupted by signal 2 (Interrupt)\n",
    "interrupted by signal 15 (Terminated)\n",
    "interrupted by signal 1 (Hangup)\n",
};

/* The number of the signal, as a global, because a signal handler has no other
 * way to report it. */
static volatile sig_atomic_t signalled;

static void exit_when_deadline_passes(int number)
{
    ssize_t ignored = 0;

    (void)number;
    output_discard_temporaries();
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        if (interrupt_signals[i] == signalled)
            ignored =
                write(STDERR_FILENO, late_texts[i], strlen(late_texts[i]));
    (void)ignored;
    _exit(INTERRUPT_STATUS + signalled);
}

static void set_deadline_timer(long ms)
{
    const struct itimerval timer = { .it_value = { .tv_usec = ms * 1000 } };

    setitimer(ITIMER_REAL, &timer, NULL);
}

static void record_received_signal(int number)
{
    const struct sigaction late = { .sa_handler = exit_when_deadline_passes };

    if (signalled == 0) { /* a second signal does not extend the deadline */
        sigaction(SIGALRM, &late, NULL);
        set_deadline_timer(LATE_MS);
    }
    signalled = number;
}

static void remove_temporaries_and_reraise_signal(int number)
{
    output_discard_temporaries();
    signal(number, SIG_DFL);
    raise(number); /* takes effect on return */
}

/* Signals that are ignored stay ignored: by nohup, and ^C for a background
 * process. */
void interrupt_install_default(void)
{
    const struct sigaction action = { .sa_handler =
                                          remove_temporaries_and_reraise_signal,
                                      .sa_flags = SA_RESTART };
    struct sigaction old;

    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        if (sigaction(interrupt_signals[i], NULL, &old) == 0 &&
            old.sa_handler == SIG_DFL)
            sigaction(interrupt_signals[i], &action, NULL);
}

void interrupt_begin_deferring(Interrupt *interrupt)
{
    struct sigaction action = { .sa_handler = record_received_signal,
                                .sa_flags = SA_RESTART };

    signalled = 0;
    sigemptyset(&action.sa_mask);
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++) {
        struct sigaction *old = &interrupt->old[i];

        sigaction(interrupt_signals[i], &action, old);
        if (interrupt_signals[i] == SIGHUP && old->sa_handler == SIG_IGN)
            /* Restores that SIGHUP is ignored under nohup. */
            sigaction(SIGHUP, old, NULL);
    }
}

void interrupt_cancel_deadline(void)
{
    set_deadline_timer(0);
}

void interrupt_block_signals(sigset_t *old)
{
    sigset_t blocked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        sigaddset(&blocked, interrupt_signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, old);
}

void interrupt_end_deferring(const Interrupt *interrupt)
{
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        sigaction(interrupt_signals[i], &interrupt->old[i], NULL);
}

int interrupt_signal_number(void)
{
    return signalled;
}

gboolean interrupt_check_signal(GError **error)
{
    if (signalled == 0)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR,
                "interrupted by signal %d (%s)", signalled,
                strsignal(signalled));
    return FALSE;
}
