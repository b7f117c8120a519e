/* thread_stack.c - see thread_stack.h */
#include "sim/host/thread_stack.h"

#include <signal.h>

void thread_stack_begin(gpointer stack)
{
    const stack_t alternate = { .ss_sp = stack, .ss_size = THREAD_STACK_BYTES };

    (void)sigaltstack(&alternate, NULL);
}

void thread_stack_end(void)
{
    const stack_t none = { .ss_flags = SS_DISABLE };

    (void)sigaltstack(&none, NULL);
}
