/* thread_stack.h - where a thread that has no stack left says so (memory.h) */
#ifndef SIM_HOST_THREAD_STACK_H
#define SIM_HOST_THREAD_STACK_H

#include <glib.h>

#define THREAD_STACK_BYTES (64 * 1024)

/* The calling thread has @stack, of so many bytes, until the end. */
void thread_stack_begin(gpointer stack);
void thread_stack_end(void);

#endif
