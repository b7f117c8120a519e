/* test_interrupt.c - sim/host/interrupt.h: signals end us soon, and nothing is
 * left lying about */
#include "sim/host/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/host/output.h"
#include "tests/test.h"

#define MAX_S 60 /* what hangs has failed by then; an end takes a second */

/* The file that each of them is in the midst of. */
static char *path;

static int set_up(void **state)
{
    *state = g_dir_make_tmp("acesim-XXXXXX", NULL);
    path = g_build_filename(*state, "a.csv", NULL);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    int status = rmdir(*state); /* which fails when anything is left */

    g_free(path);
    g_free(*state);
    return status;
}

static void begin_file(void)
{
    char *temporary; /* the process ends before it could be freed */

    if (output_begin(path, &temporary) < 0)
        _exit(1);
}

/* How a child ends that does this. */
static int end_of(void (*work)(void))
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        alarm(MAX_S);
        work();
        _exit(1);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void compute_for_ever(void)
{
    Interrupt interrupt;

    interrupt_begin(&interrupt);
    begin_file();
    raise(SIGTERM);
    for (volatile guint i = 0;; i++)
        ;
}

static void test_who_does_not_look_is_ended_with_the_same_status(void **state)
{
    int status = end_of(compute_for_ever);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CLI_SIGNALLED + SIGTERM);
}

static void be_asked_again_and_again(void)
{
    Interrupt interrupt;

    interrupt_begin(&interrupt);
    begin_file();
    for (;;) {
        raise(SIGTERM);
        g_usleep(1000);
    }
}

static void test_asking_again_does_not_put_it_off(void **state)
{
    int status = end_of(be_asked_again_and_again);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CLI_SIGNALLED + SIGTERM);
}

static void be_told(void)
{
    interrupt_default();
    begin_file();
    raise(SIGHUP);
}

static void test_outside_it_ends_as_ever_but_for_its_files(void **state)
{
    int status = end_of(be_told);

    (void)state;
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGHUP);
}

static void ignore_hangups(void)
{
    signal(SIGHUP, SIG_IGN);
    interrupt_default();
    raise(SIGHUP);
    _exit(7);
}

static void test_what_is_ignored_stays_ignored(void **state)
{
    int status = end_of(ignore_hangups);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void take_time(void)
{
    Interrupt interrupt;

    interrupt_begin(&interrupt);
    raise(SIGTERM);
    if (interrupt_number() == SIGTERM)
        interrupt_take_time();
    interrupt_end(&interrupt);
    g_usleep(1500 * 1000);
    _exit(7);
}

static void test_who_looked_may_take_time_to_end(void **state)
{
    int status = end_of(take_time);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_who_does_not_look_is_ended_with_the_same_status, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(test_asking_again_does_not_put_it_off,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            test_outside_it_ends_as_ever_but_for_its_files, set_up, tear_down),
        cmocka_unit_test(test_what_is_ignored_stays_ignored),
        cmocka_unit_test(test_who_looked_may_take_time_to_end),
    };

    return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
