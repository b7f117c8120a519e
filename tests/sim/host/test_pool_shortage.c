/* Tests of sim/host/process_pool.c during shortages */
#include <sys/mman.h>

#include "tests/sim/host/pool_fixture.h"

/* ---- shortage of file descriptors ---------------------------------------- */

typedef struct {
    guint n_done, n_failed, n_said;
    char *reason; /* The struct owns the reason of the first failure. */
} Tally;

static void count_finished_point(gpointer self, guint point,
                                 const GString *text, const char *reason)
{
    Tally *tally = self;

    (void)point;
    (void)text;
    tally->n_done++;
    tally->n_failed += reason != NULL;
    if (!tally->reason)
        tally->reason = g_strdup(reason);
}

static void record_message_text(gpointer self, const char *text)
{
    Tally *tally = self;

    tally->n_said++;
    assert_non_null(strstr(text, "Too many open files"));
}

static void compute_small_point(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)point;
    (void)out;
    g_usleep(1000);
}

static ProcessPool pool_with_few_descriptors(Tally *tally, guint n_points,
                                             guint n_jobs)
{
    return (ProcessPool){ .n_points = n_points,
                          .n_jobs = n_jobs,
                          .work = compute_small_point,
                          .point_ended = count_finished_point,
                          .print_message = record_message_text,
                          .self = tally };
}

/* Limits the number of descriptors to @most and opens all but @n_free of
 * them. */
static GArray *exhaust_file_descriptors(guint most, guint n_free,
                                        struct rlimit *old)
{
    GArray *taken = g_array_new(FALSE, FALSE, sizeof(int));
    struct rlimit limit;
    int fd;

    getrlimit(RLIMIT_NOFILE, old);
    limit = *old;
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while ((fd = dup(STDERR_FILENO)) >= 0)
        g_array_append_val(taken, fd);
    for (guint i = 0; i < n_free && taken->len > 0; i++) {
        close(g_array_index(taken, int, taken->len - 1));
        g_array_set_size(taken, taken->len - 1);
    }
    return taken;
}

static void release_file_descriptors(GArray *taken, const struct rlimit *old)
{
    for (guint i = 0; i < taken->len; i++)
        close(g_array_index(taken, int, i));
    g_array_unref(taken);
    setrlimit(RLIMIT_NOFILE, old);
}

static void test_more_jobs_than_descriptors_are_fewer_jobs(void **state)
{
    Tally tally = { 0 };
    const ProcessPool pool = pool_with_few_descriptors(&tally, 60, 50);
    struct rlimit old;
    GArray *taken = exhaust_file_descriptors(40, 8, &old);

    (void)state;
    alarm(60); /* The alarm ends the test if the shortage is permanent. */
    assert_int_equal(pool_run(&pool), 0);
    alarm(0);
    release_file_descriptors(taken, &old);
    assert_int_equal(tally.n_done, 60);
    assert_int_equal(tally.n_failed, 0);
    assert_int_equal(tally.n_said, 1);
}

static int one_of_them;

static void free_two_descriptors(int number)
{
    (void)number;
    close(one_of_them);
    close(one_of_them - 1);
}

static void call_handler_after_ms(guint ms, void (*handler)(int))
{
    const struct itimerval timer = { .it_value = { .tv_usec = ms * 1000 } };
    struct sigaction action = { .sa_handler = handler };

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void test_a_shortage_that_passes_costs_no_point(void **state)
{
    Tally tally = { 0 };
    const ProcessPool pool = pool_with_few_descriptors(&tally, 4, 2);
    struct rlimit old;
    GArray *taken = exhaust_file_descriptors(40, 0, &old);

    (void)state;
    one_of_them = g_array_index(taken, int, taken->len - 1);
    call_handler_after_ms(300, free_two_descriptors);
    assert_int_equal(pool_run(&pool), 0);
    g_array_set_size(taken, taken->len - 2);
    release_file_descriptors(taken, &old);
    assert_int_equal(tally.n_done, 4);
    assert_int_equal(tally.n_failed, 0);
    assert_int_equal(tally.n_said, 1);
}

static void terminate_on_signal(int number)
{
    (void)number;
    kill(getpid(), SIGTERM);
}

static void test_a_signal_ends_the_wait_in_a_shortage(void **state)
{
    Tally tally = { 0 };
    const ProcessPool pool = pool_with_few_descriptors(&tally, 4, 2);
    struct rlimit old;
    GArray *taken = exhaust_file_descriptors(40, 0, &old);

    (void)state;
    call_handler_after_ms(200, terminate_on_signal);
    assert_int_equal(pool_run(&pool), SIGTERM);
    release_file_descriptors(taken, &old);
    assert_int_equal(tally.n_done, 0);
}

static void test_points_fail_in_a_permanent_shortage(void **state)
{
    Tally tally = { 0 };
    ProcessPool pool = pool_with_few_descriptors(&tally, 1000, 2);
    struct rlimit old;
    GArray *taken = exhaust_file_descriptors(40, 0, &old);

    (void)state;
    /* The limit of patience holds for all points together, not for each one. */
    pool.patience_us = 200 * 1000;
    assert_int_equal(pool_run(&pool), 0);
    release_file_descriptors(taken, &old);
    assert_int_equal(tally.n_done, 1000);
    assert_int_equal(tally.n_failed, 1000);
    assert_string_equal(tally.reason, "no pipe: Too many open files");
    g_free(tally.reason);
}

/* ---- shortage of memory -------------------------------------------------- */

#define N_SHARED 20

typedef struct {
    Tally tally; /* The tally belongs to the parent process. */
    gint n_running, n_killed[N_SHARED], n_beside;
} Shared; /* This memory is shared with all child processes. */

/* Acts like a system that kills processes if several of them run. */
static void kill_own_process_at_first_try(gpointer self, guint point,
                                          GString *out)
{
    Shared *shared = self;
    gint n_beside = g_atomic_int_add(&shared->n_running, 1);

    (void)out;
    if (point % 8 == 3 && g_atomic_int_add(&shared->n_killed[point], 1) == 0) {
        g_atomic_int_add(&shared->n_running, -1);
        kill(getpid(), SIGKILL);
    }
    if (point % 8 == 3)
        g_atomic_int_add(&shared->n_beside, n_beside);
    g_usleep(1000);
    g_atomic_int_add(&shared->n_running, -1);
}

static void record_killed_message(gpointer self, const char *text)
{
    Tally *tally = self;

    tally->n_said++;
    assert_string_equal(
        text, "a worker was killed, probably because memory is short; its "
              "point runs again, alone, after all others");
}

static void test_a_killed_point_runs_again_alone(void **state)
{
    Shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ProcessPool pool = pool_with_few_descriptors(&shared->tally, N_SHARED, 3);

    (void)state;
    assert_true(shared != MAP_FAILED);
    pool.work = kill_own_process_at_first_try;
    pool.print_message = record_killed_message;
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(shared->tally.n_done, N_SHARED);
    assert_int_equal(shared->tally.n_failed, 0);
    assert_int_equal(shared->tally.n_said, 1);
    for (guint i = 0; i < N_SHARED; i++)
        assert_int_equal(shared->n_killed[i], i % 8 == 3 ? 2 : 0);
    assert_int_equal(shared->n_beside, 0);
    munmap(shared, sizeof *shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_jobs_than_descriptors_are_fewer_jobs),
        cmocka_unit_test(test_a_shortage_that_passes_costs_no_point),
        cmocka_unit_test(test_a_signal_ends_the_wait_in_a_shortage),
        cmocka_unit_test(test_points_fail_in_a_permanent_shortage),
        cmocka_unit_test(test_a_killed_point_runs_again_alone),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
