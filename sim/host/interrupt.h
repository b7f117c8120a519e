/*
 * interrupt.h - ^C and its like, answered when it suits, and in any case soon
 *
 * Outside begin and end SIGINT, SIGTERM and SIGHUP (but for nohup) end the
 * process at once, as they do by themselves, but without the files that were
 * being written.  Between them they leave their number; where nobody has looked
 * at it and ended us within LATE_MS the process ends likewise, with the status
 * and the message that it would have had.  So no loop has to be short.
 *
 * Order    default first; begin, end; not one inside another
 * Errors   G_FILE_ERROR_INTR
 */
#ifndef SIM_HOST_INTERRUPT_H
#define SIM_HOST_INTERRUPT_H

#include <glib.h>
#include <signal.h>

#define INTERRUPT_N_SIGNALS 3

/* And the signal's number: the status of a process that one ended. */
#define INTERRUPT_STATUS 128

extern const int interrupt_signals[INTERRUPT_N_SIGNALS];

typedef struct {
    struct sigaction old[INTERRUPT_N_SIGNALS];
} Interrupt;

/* For the rest of the process. */
void interrupt_default(void);

void interrupt_begin(Interrupt *interrupt);
void interrupt_end(const Interrupt *interrupt);

/* Of the signal that came last since begin, also after the end; 0: none. */
int interrupt_number(void);

/* What is left to be done takes the time that it needs. */
void interrupt_take_time(void);

/* Until sigprocmask() of @old no signal of ours, nor the end for being late,
 * comes. */
void interrupt_block(sigset_t *old);

/* FALSE: one came. */
G_GNUC_WARN_UNUSED_RESULT
gboolean interrupt_check(GError **error);

#endif
