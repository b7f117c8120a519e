/* Tests of sim/host/interrupt.h: signals end the process soon and leave no
 * files behind */
#include "sim/host/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/host/output.h"
#include "tests/test.h"

/* A process that hangs fails the test after this time; a normal end takes a
 * second. */
#define MAX_S 60

/* The file that a child is writing. */
static char *path;

static int set_up_interrupt_test(void **state)
{
    *state = g_dir_make_tmp("acesim-XXXXXX", NULL);
    path = g_build_filename(*state, "a.csv", NULL);
    return *state ? 0 : -1;
}

static int tear_down_interrupt_test(void **state)
{
    /* Removing the folder fails if a file is left in it. */
    int status = rmdir(*state);

    g_free(path);
    g_free(*state);
    return status;
}

static void create_unfinished_file(void)
{
    /* The path is not freed, because the process ends before. */
    char *temporary;

    if (output_open_temporary(path, &temporary) < 0)
        _exit(1);
}

/* Returns the wait status of a child that calls @work. */
static int exit_status_of_child(void (*work)(void))
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

static void compute_without_end(void)
{
    Interrupt interrupt;

    interrupt_begin_deferring(&interrupt);
    create_unfinished_file();
    raise(SIGTERM);
    for (volatile guint i = 0;; i++)
        ;
}

static void test_a_busy_process_is_ended_with_the_same_status(void **state)
{
    int status = exit_status_of_child(compute_without_end);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CLI_SIGNALLED + SIGTERM);
}

static void raise_signal_repeatedly(void)
{
    Interrupt interrupt;

    interrupt_begin_deferring(&interrupt);
    create_unfinished_file();
    for (;;) {
        raise(SIGTERM);
        g_usleep(1000);
    }
}

static void test_a_second_signal_does_not_extend_the_deadline(void **state)
{
    int status = exit_status_of_child(raise_signal_repeatedly);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CLI_SIGNALLED + SIGTERM);
}

static void raise_signal_with_default_action(void)
{
    interrupt_install_default();
    create_unfinished_file();
    raise(SIGHUP);
}

static void
test_by_default_a_signal_ends_the_process_without_its_files(void **state)
{
    int status = exit_status_of_child(raise_signal_with_default_action);

    (void)state;
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGHUP);
}

static void ignore_hangup_signal(void)
{
    signal(SIGHUP, SIG_IGN);
    interrupt_install_default();
    raise(SIGHUP);
    _exit(7);
}

static void test_ignored_signals_stay_ignored(void **state)
{
    int status = exit_status_of_child(ignore_hangup_signal);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void exit_after_cancelled_deadline(void)
{
    Interrupt interrupt;

    interrupt_begin_deferring(&interrupt);
    raise(SIGTERM);
    if (interrupt_signal_number() == SIGTERM)
        interrupt_cancel_deadline();
    interrupt_end_deferring(&interrupt);
    g_usleep(1500 * 1000);
    _exit(7);
}

static void test_a_cancelled_deadline_lets_the_process_end_later(void **state)
{
    int status = exit_status_of_child(exit_after_cancelled_deadline);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_a_busy_process_is_ended_with_the_same_status,
            set_up_interrupt_test, tear_down_interrupt_test),
        cmocka_unit_test_setup_teardown(
            test_a_second_signal_does_not_extend_the_deadline,
            set_up_interrupt_test, tear_down_interrupt_test),
        cmocka_unit_test_setup_teardown(
            test_by_default_a_signal_ends_the_process_without_its_files,
            set_up_interrupt_test, tear_down_interrupt_test),
        cmocka_unit_test(test_ignored_signals_stay_ignored),
        cmocka_unit_test(test_a_cancelled_deadline_lets_the_process_end_later),
    };

    return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
