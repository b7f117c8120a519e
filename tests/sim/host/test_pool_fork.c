/* Tests of sim/host/process_pool.h when no more processes can be created
 *
 * The limit of processes does not apply to root, so this file replaces fork().
 * It refuses like the system, or calls the original. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/process_pool.h"
#include "tests/test.h"

typedef struct {
    guint n_done, n_failed, n_said;
    char *reason; /* The struct owns the reason of the first failure. */
} Tally;

/* The state of the replaced fork(). */
/* The maximum number of child processes at a time. */
static guint most_children;
static guint n_children;
/* The time before which no child process can be created. */
static gint64 closed_until_us;
static int refusal; /* The errno that a refused fork() returns. */
static guint n_refused;

pid_t fork(void)
{
    pid_t (*system_fork)(void);
    pid_t pid;

    if (n_children >= most_children ||
        g_get_monotonic_time() < closed_until_us) {
        n_refused++;
        errno = refusal;
        return -1;
    }
    *(void **)&system_fork = dlsym(RTLD_NEXT, "fork");
    pid = system_fork();
    n_children += pid > 0;
    return pid;
}

pid_t waitpid(pid_t child, int *status, int options)
{
    pid_t (*system_waitpid)(pid_t child, int *status, int options);
    pid_t pid;

    *(void **)&system_waitpid = dlsym(RTLD_NEXT, "waitpid");
    pid = system_waitpid(child, status, options);
    n_children -= pid > 0;
    return pid;
}

static void compute_small_point(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)point;
    g_string_append(out, "done");
}

static void count_finished_point(gpointer self, guint point,
                                 const GString *text, const char *reason)
{
    Tally *tally = self;

    (void)point;
    (void)text;
    tally->n_done++;
    tally->n_failed += reason != NULL;
    if (reason && !tally->reason)
        tally->reason = g_strdup(reason);
}

static void record_message_text(gpointer self, const char *text)
{
    assert_non_null(strstr(text, "no process: Resource temporarily"));
    ((Tally *)self)->n_said++;
}

static ProcessPool pool_of_numbered_points(Tally *tally, guint n_points)
{
    *tally = (Tally){ 0 };
    n_children = n_refused = 0;
    closed_until_us = 0;
    refusal = EAGAIN;
    most_children = G_MAXUINT;
    return (ProcessPool){ .n_points = n_points,
                          .n_jobs = 8,
                          .work = compute_small_point,
                          .point_ended = count_finished_point,
                          .print_message = record_message_text,
                          .self = tally };
}

static void test_fewer_processes_than_jobs_cost_no_point(void **state)
{
    Tally tally;
    const ProcessPool pool = pool_of_numbered_points(&tally, 40);

    (void)state;
    most_children = 2;
    assert_int_equal(pool_run(&pool), 0);
    assert_true(n_refused > 0);
    assert_int_equal(tally.n_done, 40);
    assert_int_equal(tally.n_failed, 0);
    assert_int_equal(tally.n_said, 1);
}

static void test_no_process_for_a_while_costs_no_point(void **state)
{
    Tally tally;
    const ProcessPool pool = pool_of_numbered_points(&tally, 4);

    (void)state;
    closed_until_us = g_get_monotonic_time() + 200 * 1000;
    assert_int_equal(pool_run(&pool), 0);
    /* The pool waits between its attempts to create a process. */
    assert_true(n_refused > 1 && n_refused < 100);
    assert_int_equal(tally.n_done, 4);
    assert_int_equal(tally.n_failed, 0);
}

static void test_points_fail_if_no_process_can_ever_be_created(void **state)
{
    Tally tally;
    ProcessPool pool = pool_of_numbered_points(&tally, 100);

    (void)state;
    most_children = 0;
    pool.patience_us = 100 * 1000;
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(tally.n_done, 100);
    assert_int_equal(tally.n_failed, 100);
    assert_string_equal(tally.reason,
                        "no process: Resource temporarily unavailable");
    g_free(tally.reason);
}

static void test_a_permanent_error_is_not_waited_for(void **state)
{
    Tally tally;
    const ProcessPool pool = pool_of_numbered_points(&tally, 3);

    (void)state;
    most_children = 0;
    refusal = ENOSYS;
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(n_refused, 3);
    assert_int_equal(tally.n_failed, 3);
    assert_int_equal(tally.n_said, 0);
    assert_string_equal(tally.reason, "no process: Function not implemented");
    g_free(tally.reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fewer_processes_than_jobs_cost_no_point),
        cmocka_unit_test(test_no_process_for_a_while_costs_no_point),
        cmocka_unit_test(test_points_fail_if_no_process_can_ever_be_created),
        cmocka_unit_test(test_a_permanent_error_is_not_waited_for),
    };

    return cmocka_run_group_tests_name("pool_fork", tests, NULL, NULL);
}
