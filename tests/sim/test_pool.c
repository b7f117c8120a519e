/* test_pool.c - sim/host/pool.h, memory.h: points that take too much */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/pool.h"
#include "tests/test.h"

#define N_POINTS 4
#define BAD      2 /* the point that something happens to */

#define MAX_PIECES 1000000 /* a gigabyte of small ones */

typedef struct {
    char *reasons[N_POINTS]; /* owned */
    guint n_done;
    gboolean stop;
} Results;

static void clear_results(Results *results)
{
    for (guint i = 0; i < N_POINTS; i++)
        g_free(results->reasons[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Results, clear_results)

static void done(gpointer self, guint point, const GString *text,
                 const char *reason)
{
    Results *results = self;

    (void)text;
    results->reasons[point] = g_strdup(reason);
    results->n_done++;
    results->stop = point == BAD;
}

/* All other points come out well. */
static void assert_reason(const Pool *pool, const Results *results,
                          const char *reason)
{
    signal(SIGSEGV, SIG_DFL); /* cmocka and sanitizers have it */
    assert_int_equal(pool_run(pool), 0);
    assert_int_equal(results->n_done, N_POINTS);
    for (guint i = 0; i < N_POINTS; i++) {
        if (i == BAD)
            assert_string_equal(results->reasons[i], reason);
        else
            assert_null(results->reasons[i]);
    }
}

static void hang(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == BAD)
        for (;;)
            pause();
}

static void test_a_point_that_hangs_is_ended(void **state)
{
    g_auto(Results) results = { 0 };
    const Pool pool = { .n_points = N_POINTS,
                        .n_jobs = 2,
                        .timeout_us = 250 * 1000,
                        .timeout_name = "250 ms",
                        .work = hang,
                        .done = done,
                        .self = &results };

    (void)state;
    assert_reason(&pool, &results, "took longer than 250 ms");
}

static void take_much_at_once(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == BAD)
        g_free(g_malloc(1024 * 1024 * 1024));
}

static gboolean is_sanitized(void)
{
#if defined __has_feature /* clang */
    return __has_feature(address_sanitizer);
#elif defined __SANITIZE_ADDRESS__
    return TRUE;
#else
    return FALSE;
#endif
}

/* The sanitizer has room for small pieces before they are asked for. */
static void take_many_pieces(gpointer self, guint point, GString *out)
{
    gsize n_bytes = is_sanitized() ? 512 * 1024 : 1000;

    (void)self;
    (void)out;
    for (guint n = 0; point == BAD && n < MAX_PIECES; n++)
        memset(g_malloc(n_bytes), 1, n_bytes);
}

static void bound_memory(void (*work)(gpointer self, guint point, GString *out))
{
    g_auto(Results) results = { 0 };
    const Pool pool = { .n_points = N_POINTS,
                        .n_jobs = 2,
                        .memory_bytes = 64 * 1024 * 1024,
                        .memory_name = "the limit",
                        .work = work,
                        .done = done,
                        .self = &results };

    assert_reason(&pool, &results, "asked for more memory than the limit");
}

static void test_a_point_that_wants_much_memory_at_once_is_ended(void **state)
{
    (void)state;
    bound_memory(take_much_at_once);
}

static void
test_a_point_that_takes_memory_in_small_pieces_is_ended(void **state)
{
    (void)state;
    bound_memory(take_many_pieces);
}

static void crash(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == BAD)
        kill(getpid(), SIGSEGV);
}

static void test_a_crash_with_memory_left_stays_a_crash(void **state)
{
    g_auto(Results) results = { 0 };
    const Pool pool = { .n_points = N_POINTS,
                        .n_jobs = 2,
                        .memory_bytes = 64 * 1024 * 1024,
                        .memory_name = "the limit",
                        .work = crash,
                        .done = done,
                        .self = &results };

    (void)state;
    assert_reason(&pool, &results, "killed by signal 11 (Segmentation fault)");
}

static void come_or_wait(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point > BAD)
        sleep(60);
}

static void test_a_pool_that_is_told_to_stop_leaves_no_child(void **state)
{
    g_auto(Results) results = { 0 };
    const Pool pool = { .n_points = N_POINTS,
                        .n_jobs = 1,
                        .work = come_or_wait,
                        .done = done,
                        .stop = &results.stop,
                        .self = &results };

    (void)state;
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(results.n_done, BAD + 1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void hang_up(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == 0)
        kill(getppid(), SIGHUP);
}

static void test_nohup_is_obeyed(void **state)
{
    g_auto(Results) results = { 0 };
    const Pool pool = { .n_points = N_POINTS,
                        .n_jobs = 1,
                        .work = hang_up,
                        .done = done,
                        .self = &results };

    (void)state;
    signal(SIGHUP, SIG_IGN);
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(results.n_done, N_POINTS);
    signal(SIGHUP, SIG_DFL);
    results.n_done = 0;
    assert_int_equal(pool_run(&pool), SIGHUP);
}

static void say_what_is_ignored(gpointer self, guint point, GString *out)
{
    struct sigaction action;

    (void)self;
    (void)point;
    sigaction(SIGINT, NULL, &action);
    if (action.sa_handler != SIG_IGN)
        abort();
    g_string_append(out, "ignored");
}

/* A terminal sends it to all; a child that died of it would have failed. */
static void test_children_leave_an_interrupt_to_their_parent(void **state)
{
    g_auto(Results) results = { 0 };
    const Pool pool = { .n_points = 1,
                        .n_jobs = 1,
                        .work = say_what_is_ignored,
                        .done = done,
                        .self = &results };

    (void)state;
    assert_int_equal(pool_run(&pool), 0);
    assert_null(results.reasons[0]);
}

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

/* A failed allocation is what is tested here, no bug. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_point_that_hangs_is_ended),
        cmocka_unit_test(test_a_point_that_wants_much_memory_at_once_is_ended),
        cmocka_unit_test(
            test_a_point_that_takes_memory_in_small_pieces_is_ended),
        cmocka_unit_test(test_a_crash_with_memory_left_stays_a_crash),
        cmocka_unit_test(test_a_pool_that_is_told_to_stop_leaves_no_child),
        cmocka_unit_test(test_nohup_is_obeyed),
        cmocka_unit_test(test_children_leave_an_interrupt_to_their_parent),
        cmocka_unit_test(test_more_jobs_than_descriptors_are_fewer_jobs),
        cmocka_unit_test(test_a_shortage_that_passes_costs_no_point),
        cmocka_unit_test(test_a_signal_ends_the_wait_for_what_is_short),
        cmocka_unit_test(test_a_shortage_that_stays_ends_in_a_reason),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
