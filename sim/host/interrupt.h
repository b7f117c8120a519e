/*
 * interrupt.h - handles SIGINT, SIGTERM and SIGHUP at a convenient time, but at
 * the latest after LATE_MS
 *
 * There are two modes. By default, after interrupt_install_default(), a signal
 * removes the temporary files and ends the process immediately. Between
 * interrupt_begin_deferring() and interrupt_end_deferring(), a signal only
 * stores its number, and the program ends in an orderly way when it next checks
 * the number. If it does not end within LATE_MS, the process removes its
 * temporary files and ends with the status and the message that it would have
 * had. So no loop has to be short. SIGHUP stays ignored under nohup.
 *
 * Order    interrupt_install_default() first; pairs of begin and end are not
 *          nested
 * Errors   G_FILE_ERROR_INTR
 */
#ifndef SIM_HOST_INTERRUPT_H
#define SIM_HOST_INTERRUPT_H

#include <glib.h>
#include <signal.h>

#define INTERRUPT_N_SIGNALS 3

/* The exit status of an interrupted process is this plus the signal's
 * number. */
#define INTERRUPT_STATUS 128

extern const int interrupt_signals[INTERRUPT_N_SIGNALS];

typedef struct {
    struct sigaction old[INTERRUPT_N_SIGNALS];
} Interrupt;

/* Installs the default mode for the rest of the process. */
void interrupt_install_default(void);

void interrupt_begin_deferring(Interrupt *interrupt);
void interrupt_end_deferring(const Interrupt *interrupt);

/* Returns the last signal since interrupt_begin_deferring(), also after
 * interrupt_end_deferring(); 0 if there was none. */
int interrupt_signal_number(void);

/* Cancels the deadline of a signal that has arrived: the rest of the work may
 * take the time that it needs. */
void interrupt_cancel_deadline(void);

/* Blocks the signals and the deadline until the caller restores @old by
 * sigprocmask(). */
void interrupt_block_signals(sigset_t *old);

/* Returns FALSE and sets @error if a signal has arrived. */
G_GNUC_WARN_UNUSED_RESULT
gboolean interrupt_check_signal(GError **error);

#endif
