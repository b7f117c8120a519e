/*
 * signal_stack.c - a signal stack for each thread, on which memory_limits.h can
 * report that the normal stack has overflowed; see signal_stack.h
 */
#include "sim/host/signal_stack.h"

#include <signal.h>

void signal_stack_begin(gpointer stack)
{
    const stack_t alternate = { .ss_sp = stack, .ss_size = SIGNAL_STACK_BYTES };

    (void)sigaltstack(&alternate, NULL);
}

void signal_stack_end(void)
{
    const stack_t none = { .ss_flags = SS_DISABLE };

    (void)sigaltstack(&none, NULL);
}
