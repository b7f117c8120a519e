/*
 * signal_stack.h - a signal stack for each thread, on which memory_limits.h can
 * report that the normal stack has overflowed
 */
#ifndef SIM_HOST_SIGNAL_STACK_H
#define SIM_HOST_SIGNAL_STACK_H

#include <glib.h>

#define SIGNAL_STACK_BYTES (64 * 1024)

/* Uses @stack, of SIGNAL_STACK_BYTES, for signal handlers of the calling thread
 * until signal_stack_end(). */
void signal_stack_begin(gpointer stack);
void signal_stack_end(void);

#endif
