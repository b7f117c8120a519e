/* death.h - what a call that must assert dies of */
#ifndef TESTS_CORE_DEATH_H
#define TESTS_CORE_DEATH_H

#include "tests/test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The signal that ends @fn(@data) in a process of its own; 0: none. */
static inline int death_signal_of(void (*fn)(gpointer data), gpointer data)
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit none = { 0, 0 };

        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(SIGABRT, SIG_DFL);
        /* GLib says "Bail out!" on one, which TAP takes to heart. */
        (void)close(STDOUT_FILENO);
        (void)close(STDERR_FILENO);
        fn(data);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

#endif
