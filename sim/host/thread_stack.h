/*
 * thread_stack.h - a signal stack for each thread, on which memory.h can report
 * that the normal stack has overflowed
 */
#ifndef SIM_HOST_THREAD_STACK_H
#define SIM_HOST_THREAD_STACK_H

#include <glib.h>

#define THREAD_STACK_BYTES (64 * 1024)

/* Uses @stack, of THREAD_STACK_BYTES, for signal handlers of the calling thread
 * until thread_stack_end(). */
void thread_stack_begin(gpointer stack);
void thread_stack_end(void);

#endif
