/* Tests of sim/host/process_pool.h: workers that run several points */
#include <dirent.h>
#include <stdio.h>

#include "tests/sim/host/pool_fixture.h"

#define N_MANY     60
#define LEAK_BYTES (8 * 1024 * 1024)

/* The results of all points. */
typedef struct {
    char *texts[N_MANY];   /* The struct owns this memory. */
    char *reasons[N_MANY]; /* The struct owns this memory. */
    guint n_done;
} PointResults;

static void clear_many_results(PointResults *many)
{
    for (guint i = 0; i < N_MANY; i++) {
        g_free(many->texts[i]);
        g_free(many->reasons[i]);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PointResults, clear_many_results)

static void keep_point_result(gpointer self, guint point, const GString *text,
                              const char *reason)
{
    PointResults *many = self;

    /* Each point must have exactly one result. */
    assert_null(many->texts[point]);
    assert_null(many->reasons[point]);
    many->texts[point] = g_strdup(reason ? NULL : text->str);
    many->reasons[point] = g_strdup(reason);
    many->n_done++;
}

static guint count_distinct_workers(const PointResults *many)
{
    g_autoptr(GHashTable) set = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < N_MANY; i++)
        if (many->texts[i])
            g_hash_table_add(set, many->texts[i]);
    return g_hash_table_size(set);
}

static ProcessPool
pool_with_work_function(PointResults *many, guint n_jobs,
                        void (*work)(gpointer self, guint point, GString *out))
{
    return (ProcessPool){ .n_points = N_MANY,
                          .n_jobs = n_jobs,
                          .work = work,
                          .point_ended = keep_point_result,
                          .self = many };
}

static void assert_all_points_done(const PointResults *many)
{
    assert_int_equal(many->n_done, N_MANY);
    for (guint i = 0; i < N_MANY; i++)
        assert_null(many->reasons[i]);
}

static void assert_no_child_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* ---- distribution of points among workers -------------------------------- */

static void return_worker_pid_of_point(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)point;
    g_string_append_printf(out, "%d", (int)getpid());
}

static void test_as_many_workers_as_jobs_do_all_points(void **state)
{
    g_auto(PointResults) many = { 0 };
    const ProcessPool pool =
        pool_with_work_function(&many, 3, return_worker_pid_of_point);

    (void)state;
    assert_int_equal(pool_run(&pool), 0);
    assert_all_points_done(&many);
    assert_true(count_distinct_workers(&many) <= 3);
    assert_no_child_left();
}

static void return_number_of_descriptors(gpointer self, guint point,
                                         GString *out)
{
    DIR *folder = opendir("/proc/self/fd");
    guint n = 0;

    (void)self;
    (void)point;
    while (readdir(folder))
        n++;
    closedir(folder);
    g_string_append_printf(out, "%u", n);
}

/* Otherwise the worker would not notice that the parent has closed its end. */
static void test_a_worker_does_not_keep_the_sockets_of_another(void **state)
{
    g_auto(PointResults) many = { 0 };
    const ProcessPool pool =
        pool_with_work_function(&many, 5, return_number_of_descriptors);

    (void)state;
    assert_int_equal(pool_run(&pool), 0);
    assert_all_points_done(&many);
    assert_int_equal(count_distinct_workers(&many), 1);
}

/* ---- points that are added later ----------------------------------------- */

static guint add_1000_to_point(gpointer self, guint point)
{
    (void)self;
    return point + 1000;
}

static void return_point_number(gpointer self, guint number, GString *out)
{
    (void)self;
    g_string_append_printf(out, "%u", number);
}

/* Adds eleven points at each call. */
static gboolean add_later_points(gpointer self, guint *n_points)
{
    const PointResults *many = self;

    assert_true(many->n_done <= *n_points);
    *n_points = MIN(*n_points + 11, N_MANY);
    return *n_points < N_MANY;
}

static void test_points_that_come_later_are_done_by_number(void **state)
{
    for (guint n = 0; n < N_MANY; n += 30) {
        g_auto(PointResults) many = { 0 };
        ProcessPool pool =
            pool_with_work_function(&many, 3, return_point_number);

        (void)state;
        pool.n_points = n;
        pool.number = add_1000_to_point;
        pool.find_more_points = add_later_points;
        assert_int_equal(pool_run(&pool), 0);
        assert_all_points_done(&many);
        assert_string_equal(many.texts[0], "1000");
        assert_string_equal(many.texts[N_MANY - 1], "1059");
    }
}

static gboolean add_no_points(gpointer self, guint *n_points)
{
    (void)self;
    (void)n_points;
    return FALSE;
}

static void test_a_pool_without_points_ends_when_none_come(void **state)
{
    g_auto(PointResults) many = { 0 };
    ProcessPool pool = pool_with_work_function(&many, 3, return_point_number);

    (void)state;
    pool.n_points = 0;
    pool.find_more_points = add_no_points;
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(many.n_done, 0);
}

/* ---- workers that die ---------------------------------------------------- */

#define VICTIM 30

static void kill_own_process(gpointer self, guint point, GString *out)
{
    if (point == VICTIM)
        kill(getpid(), SIGKILL);
    return_worker_pid_of_point(self, point, out);
}

static void exit_before_result(gpointer self, guint point, GString *out)
{
    if (point == VICTIM)
        _exit(0);
    return_worker_pid_of_point(self, point, out);
}

static void assert_only_victim_failed(const ProcessPool *pool,
                                      const PointResults *many,
                                      const char *reason)
{
    assert_int_equal(pool_run(pool), 0);
    assert_int_equal(many->n_done, N_MANY);
    for (guint i = 0; i < N_MANY; i++) {
        if (i == VICTIM)
            assert_string_equal(many->reasons[i], reason);
        else
            assert_null(many->reasons[i]);
    }
    assert_no_child_left();
}

static void test_a_worker_that_dies_loses_its_point_alone(void **state)
{
    for (guint n_jobs = 1; n_jobs <= 3; n_jobs++) {
        g_auto(PointResults) killed = { 0 }, gone = { 0 };
        const ProcessPool kills =
            pool_with_work_function(&killed, n_jobs, kill_own_process);
        const ProcessPool exits =
            pool_with_work_function(&gone, n_jobs, exit_before_result);

        (void)state;
        assert_only_victim_failed(
            &kills, &killed,
            "killed by signal 9 (Killed) twice, as where memory "
            "is short");
        assert_only_victim_failed(&exits, &gone, "ended with status 0");
    }
}

static void hang_at_late_point(gpointer self, guint point, GString *out)
{
    if (point == VICTIM)
        pause();
    return_worker_pid_of_point(self, point, out);
}

static void test_a_point_that_hangs_late_is_ended_once(void **state)
{
    g_auto(PointResults) many = { 0 };
    ProcessPool pool = pool_with_work_function(&many, 1, hang_at_late_point);
    gint64 start_us = g_get_monotonic_time();

    (void)state;
    pool.timeout_us = G_USEC_PER_SEC;
    pool.timeout_name = "1 s";
    assert_only_victim_failed(&pool, &many, "took longer than 1 s");
    assert_true(g_get_monotonic_time() - start_us < 2 * G_USEC_PER_SEC);
}

/* The worker has got its next point by then. */
static void kill_first_worker_from_outside(gpointer self, guint point,
                                           const GString *text,
                                           const char *reason)
{
    keep_point_result(self, point, text, reason);
    if (point == 0)
        kill((pid_t)g_ascii_strtoll(text->str, NULL, 10), SIGKILL);
}

static void sleep_briefly_at_point(gpointer self, guint point, GString *out)
{
    if (point > 0)
        g_usleep(2000);
    return_worker_pid_of_point(self, point, out);
}

static void test_a_worker_killed_from_outside_costs_no_point(void **state)
{
    g_auto(PointResults) many = { 0 };
    ProcessPool pool =
        pool_with_work_function(&many, 2, sleep_briefly_at_point);

    (void)state;
    pool.point_ended = kill_first_worker_from_outside;
    assert_int_equal(pool_run(&pool), 0);
    assert_all_points_done(&many);
    assert_no_child_left();
}

/* ---- memory that workers keep -------------------------------------------- */

/* Global and volatile, so that the compiler keeps the allocations. */
static char *volatile leaked;

static void leak_memory(gpointer self, guint point, GString *out)
{
    leaked = g_malloc(LEAK_BYTES);
    memset(leaked, 1 + (int)(point % 7), LEAK_BYTES);
    return_worker_pid_of_point(self, point, out);
}

static void test_a_worker_that_leaks_is_followed_by_a_fresh_one(void **state)
{
    g_auto(PointResults) many = { 0 };
    ProcessPool pool = pool_with_work_function(&many, 1, leak_memory);

    (void)state;
    pool.worker_bytes = 10 * LEAK_BYTES;
    assert_int_equal(pool_run(&pool), 0);
    assert_all_points_done(&many);
    assert_in_range(count_distinct_workers(&many), 4, 12);
}

/* The limit is that of the point, which would fit in a fresh worker. */
static void test_leaks_of_earlier_points_fail_no_point(void **state)
{
    g_auto(PointResults) many = { 0 };
    ProcessPool pool = pool_with_work_function(&many, 2, leak_memory);

    (void)state;
    pool.memory_bytes = 5 * LEAK_BYTES;
    pool.memory_name = "the limit";
    assert_int_equal(pool_run(&pool), 0);
    assert_all_points_done(&many);
}

static void allocate_too_much(gpointer self, guint point, GString *out)
{
    if (point == VICTIM)
        g_free(g_malloc(64 * LEAK_BYTES));
    return_worker_pid_of_point(self, point, out);
}

static void
test_a_point_that_is_too_large_for_a_fresh_worker_fails(void **state)
{
    g_auto(PointResults) many = { 0 };
    ProcessPool pool = pool_with_work_function(&many, 2, allocate_too_much);

    (void)state;
    pool.memory_bytes = 8 * LEAK_BYTES;
    pool.memory_name = "the limit";
    /* The default action replaces the signal handlers of cmocka and of
     * sanitizers. */
    signal(SIGSEGV, SIG_DFL);
    assert_only_victim_failed(&pool, &many,
                              "asked for more memory than the limit");
}

static void allocate_and_free_much(gpointer self, guint point, GString *out)
{
    g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < 2000; i++) {
        g_ptr_array_add(pieces, g_malloc(4000));
        memset(g_ptr_array_index(pieces, i), 1, 4000);
    }
    return_worker_pid_of_point(self, point, out);
}

static void test_freed_memory_does_not_replace_a_worker(void **state)
{
    g_auto(PointResults) many = { 0 };
    ProcessPool pool =
        pool_with_work_function(&many, 1, allocate_and_free_much);

    (void)state;
    pool.worker_bytes =
        20 * LEAK_BYTES; /* The limit is a third of all leaks. */
    assert_int_equal(pool_run(&pool), 0);
    assert_all_points_done(&many);
    assert_int_equal(count_distinct_workers(&many), 1);
}

/* The tests provoke failed allocations and leaks, so AddressSanitizer must
 * accept them. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:detect_leaks=0:quarantine_size_mb=32";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_many_workers_as_jobs_do_all_points),
        cmocka_unit_test(test_a_worker_does_not_keep_the_sockets_of_another),
        cmocka_unit_test(test_points_that_come_later_are_done_by_number),
        cmocka_unit_test(test_a_pool_without_points_ends_when_none_come),
        cmocka_unit_test(test_a_worker_that_dies_loses_its_point_alone),
        cmocka_unit_test(test_a_point_that_hangs_late_is_ended_once),
        cmocka_unit_test(test_a_worker_killed_from_outside_costs_no_point),
        cmocka_unit_test(test_a_worker_that_leaks_is_followed_by_a_fresh_one),
        cmocka_unit_test(test_leaks_of_earlier_points_fail_no_point),
        cmocka_unit_test(
            test_a_point_that_is_too_large_for_a_fresh_worker_fails),
        cmocka_unit_test(test_freed_memory_does_not_replace_a_worker),
    };

    return cmocka_run_group_tests_name("pool_living", tests, NULL, NULL);
}
