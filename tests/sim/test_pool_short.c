/* test_pool_short.c - what is short for a while, sim/host/pool.c */
#include "tests/sim/pool_fixture.h"

/* ---- what is short for a while ---------------------------------------- */

typedef struct {
    guint n_done, n_failed, n_said;
    char *reason; /* owned: of the first that failed */
} Tally;

static void count(gpointer self, guint point, const GString *text,
                  const char *reason)
{
    Tally *tally = self;

    (void)point;
    (void)text;
    tally->n_done++;
    tally->n_failed += reason != NULL;
    if (!tally->reason)
        tally->reason = g_strdup(reason);
}

static void say(gpointer self, const char *text)
{
    Tally *tally = self;

    tally->n_said++;
    assert_non_null(strstr(text, "Too many open files"));
}

static void do_little(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)point;
    (void)out;
    g_usleep(1000);
}

static Pool short_pool(Tally *tally, guint n_points, guint n_jobs)
{
    return (Pool){ .n_points = n_points,
                   .n_jobs = n_jobs,
                   .work = do_little,
                   .done = count,
                   .say = say,
                   .self = tally };
}

/* Sets how many descriptors there may be, and takes all but @n_free of them. */
static GArray *take_descriptors(guint most, guint n_free, struct rlimit *old)
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

static void give_back(GArray *taken, const struct rlimit *old)
{
    for (guint i = 0; i < taken->len; i++)
        close(g_array_index(taken, int, i));
    g_array_unref(taken);
    setrlimit(RLIMIT_NOFILE, old);
}

static void test_more_jobs_than_descriptors_are_fewer_jobs(void **state)
{
    Tally tally = { 0 };
    const Pool pool = short_pool(&tally, 60, 50);
    struct rlimit old;
    GArray *taken = take_descriptors(40, 8, &old);

    (void)state;
    alarm(60); /* it was for ever */
    assert_int_equal(pool_run(&pool), 0);
    alarm(0);
    give_back(taken, &old);
    assert_int_equal(tally.n_done, 60);
    assert_int_equal(tally.n_failed, 0);
    assert_int_equal(tally.n_said, 1);
}

static int one_of_them;

static void free_two(int number)
{
    (void)number;
    close(one_of_them);
    close(one_of_them - 1);
}

static void after(guint ms, void (*handler)(int))
{
    const struct itimerval timer = { .it_value = { .tv_usec = ms * 1000 } };
    struct sigaction action = { .sa_handler = handler };

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void test_a_shortage_that_passes_costs_no_point(void **state)
{
    Tally tally = { 0 };
    const Pool pool = short_pool(&tally, 4, 2);
    struct rlimit old;
    GArray *taken = take_descriptors(40, 0, &old);

    (void)state;
    one_of_them = g_array_index(taken, int, taken->len - 1);
    after(300, free_two);
    assert_int_equal(pool_run(&pool), 0);
    g_array_set_size(taken, taken->len - 2);
    give_back(taken, &old);
    assert_int_equal(tally.n_done, 4);
    assert_int_equal(tally.n_failed, 0);
    assert_int_equal(tally.n_said, 1);
}

static void terminate(int number)
{
    (void)number;
    kill(getpid(), SIGTERM);
}

static void test_a_signal_ends_the_wait_for_what_is_short(void **state)
{
    Tally tally = { 0 };
    const Pool pool = short_pool(&tally, 4, 2);
    struct rlimit old;
    GArray *taken = take_descriptors(40, 0, &old);

    (void)state;
    after(200, terminate);
    assert_int_equal(pool_run(&pool), SIGTERM);
    give_back(taken, &old);
    assert_int_equal(tally.n_done, 0);
}

static void test_a_shortage_that_stays_ends_in_a_reason(void **state)
{
    Tally tally = { 0 };
    Pool pool = short_pool(&tally, 1000, 2);
    struct rlimit old;
    GArray *taken = take_descriptors(40, 0, &old);

    (void)state;
    pool.patience_us = 200 * 1000; /* in all, not for each point */
    assert_int_equal(pool_run(&pool), 0);
    give_back(taken, &old);
    assert_int_equal(tally.n_done, 1000);
    assert_int_equal(tally.n_failed, 1000);
    assert_string_equal(tally.reason, "no pipe: Too many open files");
    g_free(tally.reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_jobs_than_descriptors_are_fewer_jobs),
        cmocka_unit_test(test_a_shortage_that_passes_costs_no_point),
        cmocka_unit_test(test_a_signal_ends_the_wait_for_what_is_short),
        cmocka_unit_test(test_a_shortage_that_stays_ends_in_a_reason),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
