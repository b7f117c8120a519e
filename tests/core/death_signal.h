/* death_signal.h - finds the signal that ends a call which must fail an
 * assertion */
#ifndef TESTS_CORE_DEATH_SIGNAL_H
#define TESTS_CORE_DEATH_SIGNAL_H

#include "tests/test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the signal that ends @fn(@data) in a child process, or 0 if it ends
 * normally. */
static inline int death_signal_of_child(void (*fn)(gpointer data),
                                        gpointer data)
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit none = { 0, 0 };

        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(SIGABRT, SIG_DFL);
        /* GLib prints "Bail out!" to standard output on an assertion, which a
         * TAP reader would interpret. */
        (void)close(STDOUT_FILENO);
        (void)close(STDERR_FILENO);
        fn(data);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

#endif
