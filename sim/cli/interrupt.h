/*
 * interrupt.h - ^C and its like, answered when it suits
 *
 * Between begin and end SIGINT, SIGTERM and SIGHUP (but for nohup) do no more
 * than leave their number.
 *
 * Order    begin, end; not one inside another
 * Errors   G_FILE_ERROR_INTR
 */
#ifndef SIM_CLI_INTERRUPT_H
#define SIM_CLI_INTERRUPT_H

#include <glib.h>
#include <signal.h>

#define INTERRUPT_N_SIGNALS 3

extern const int interrupt_signals[INTERRUPT_N_SIGNALS];

typedef struct {
    struct sigaction old[INTERRUPT_N_SIGNALS];
} Interrupt;

void interrupt_begin(Interrupt *interrupt);
void interrupt_end(const Interrupt *interrupt);

/* Of the signal that came last since begin, also after the end; 0: none. */
int interrupt_number(void);

/* FALSE: one came. */
G_GNUC_WARN_UNUSED_RESULT
gboolean interrupt_check(GError **error);

/* cli_fail(), with the status of the signal where one came. */
int interrupt_fail(const GError *error);

#endif
