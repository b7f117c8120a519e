#include "sim/cli/interrupt.h"

#include <string.h>

#include "sim/cli/cli.h"

const int interrupt_signals[INTERRUPT_N_SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

/* Where a signal handler leaves its news: nothing else can reach it. */
static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    signalled = number;
}

void interrupt_begin(Interrupt *interrupt)
{
    struct sigaction action = { .sa_handler = on_signal,
                                .sa_flags = SA_RESTART };

    signalled = 0;
    sigemptyset(&action.sa_mask);
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++) {
        struct sigaction *old = &interrupt->old[i];

        sigaction(interrupt_signals[i], &action, old);
        if (interrupt_signals[i] == SIGHUP && old->sa_handler == SIG_IGN)
            sigaction(SIGHUP, old, NULL); /* nohup */
    }
}

void interrupt_end(const Interrupt *interrupt)
{
    for (guint i = 0; i < INTERRUPT_N_SIGNALS; i++)
        sigaction(interrupt_signals[i], &interrupt->old[i], NULL);
}

int interrupt_number(void)
{
    return signalled;
}

gboolean interrupt_check(GError **error)
{
    if (signalled == 0)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR,
                "interrupted by signal %d (%s)", signalled,
                strsignal(signalled));
    return FALSE;
}

int interrupt_fail(const GError *error)
{
    int status = cli_fail(error);

    return signalled != 0 ? CLI_SIGNALLED + signalled : status;
}
