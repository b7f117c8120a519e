/*
 * lock_holder_fixture.h - a process that holds a lock or claim until its parent
 * ends it
 */
#ifndef TESTS_SIM_SHARD_LOCK_HOLDER_FIXTURE_H
#define TESTS_SIM_SHARD_LOCK_HOLDER_FIXTURE_H

#include <sys/types.h>
#include <unistd.h>

#include "tests/test.h"

/* Starts a child process in which @take must return TRUE. The child ends when
 * *@fd is closed, without releasing anything. */
static inline pid_t lock_holder_new(gboolean (*take)(gconstpointer self),
                                    gconstpointer self, int *fd)
{
    int up[2], down[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(up), 0);
    assert_int_equal(pipe(down), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(down[1]);
        if (write(up[1], take(self) ? "y" : "n", 1) == 1)
            (void)!read(down[0], &byte, 1);
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    assert_int_equal(read(up[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(up[0]);
    *fd = down[1];
    return pid;
}

#endif
