/* Tests of sim/host/process_pool.h and memory.h: points that exceed their
 * limits */
#include "tests/sim/host/pool_fixture.h"

#include "sim/core/cache_lines.h"

/* The pieces together take a gigabyte in small blocks. */
#define MAX_PIECES 1000000

/* Asserts that point BAD fails for @reason and all other points succeed. */
static void assert_failure_reason(const ProcessPool *pool,
                                  const Results *results, const char *reason)
{
    /* The default action replaces the signal handlers of cmocka and of
     * sanitizers. */
    signal(SIGSEGV, SIG_DFL);
    assert_int_equal(pool_run(pool), 0);
    assert_int_equal(results->n_done, N_POINTS);
    for (guint i = 0; i < N_POINTS; i++) {
        if (i == BAD)
            assert_string_equal(results->reasons[i], reason);
        else
            assert_null(results->reasons[i]);
    }
}

static void hang_at_one_point(gpointer self, guint point, GString *out)
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
    const ProcessPool pool = { .n_points = N_POINTS,
                               .n_jobs = 2,
                               .timeout_us = 250 * 1000,
                               .timeout_name = "250 ms",
                               .work = hang_at_one_point,
                               .point_ended = done,
                               .self = &results };

    (void)state;
    assert_failure_reason(&pool, &results, "took longer than 250 ms");
}

static void allocate_large_block(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == BAD)
        g_free(g_malloc(1024 * 1024 * 1024));
}

static gboolean is_built_with_sanitizer(void)
{
#if defined __has_feature /* The compiler clang defines __has_feature. */
    return __has_feature(address_sanitizer);
#elif defined __SANITIZE_ADDRESS__
    return TRUE;
#else
    return FALSE;
#endif
}

/* AddressSanitizer reserves memory for small blocks in advance. */
static void allocate_small_pieces(gpointer self, guint point, GString *out)
{
    gsize n_bytes = is_built_with_sanitizer() ? 512 * 1024 : 1000;

    (void)self;
    (void)out;
    for (guint n = 0; point == BAD && n < MAX_PIECES; n++)
        memset(g_malloc(n_bytes), 1, n_bytes);
}

/* Allocates memory that is not GLib's. */
static void allocate_many_lines(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == BAD)
        cache_lines_free(cache_lines_alloc(1024 * 1024 * 1024));
}

static void limit_memory_and_run(void (*work)(gpointer self, guint point,
                                              GString *out))
{
    g_auto(Results) results = { 0 };
    const ProcessPool pool = { .n_points = N_POINTS,
                               .n_jobs = 2,
                               .memory_bytes = 64 * 1024 * 1024,
                               .memory_name = "the limit",
                               .work = work,
                               .point_ended = done,
                               .self = &results };

    assert_failure_reason(&pool, &results,
                          "asked for more memory than the limit");
}

static void test_a_point_that_allocates_a_large_block_fails(void **state)
{
    (void)state;
    limit_memory_and_run(allocate_large_block);
}

static void test_a_point_that_allocates_many_lines_fails(void **state)
{
    (void)state;
    limit_memory_and_run(allocate_many_lines);
}

static void
test_a_point_that_takes_memory_in_small_pieces_is_ended(void **state)
{
    (void)state;
    limit_memory_and_run(allocate_small_pieces);
}

static void crash_at_one_point(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == BAD)
        kill(getpid(), SIGSEGV);
}

static void test_a_crash_with_memory_left_stays_a_crash(void **state)
{
    g_auto(Results) results = { 0 };
    const ProcessPool pool = { .n_points = N_POINTS,
                               .n_jobs = 2,
                               .memory_bytes = 64 * 1024 * 1024,
                               .memory_name = "the limit",
                               .work = crash_at_one_point,
                               .point_ended = done,
                               .self = &results };

    (void)state;
    assert_failure_reason(&pool, &results,
                          "killed by signal 11 (Segmentation fault)");
}

static void hang_after_failed_point(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point > BAD)
        sleep(60);
}

static void test_a_stopped_pool_leaves_no_child(void **state)
{
    g_auto(Results) results = { 0 };
    const ProcessPool pool = { .n_points = N_POINTS,
                               .n_jobs = 1,
                               .work = hang_after_failed_point,
                               .point_ended = done,
                               .stop = &results.stop,
                               .self = &results };

    (void)state;
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(results.n_done, BAD + 1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void raise_hangup_at_point(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == 0)
        kill(getppid(), SIGHUP);
}

static void test_a_pool_obeys_nohup(void **state)
{
    g_auto(Results) results = { 0 };
    const ProcessPool pool = { .n_points = N_POINTS,
                               .n_jobs = 1,
                               .work = raise_hangup_at_point,
                               .point_ended = done,
                               .self = &results };

    (void)state;
    signal(SIGHUP, SIG_IGN);
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(results.n_done, N_POINTS);
    signal(SIGHUP, SIG_DFL);
    results.n_done = 0;
    assert_int_equal(pool_run(&pool), SIGHUP);
}

static void check_sigint_is_ignored(gpointer self, guint point, GString *out)
{
    struct sigaction action;

    (void)self;
    (void)point;
    sigaction(SIGINT, NULL, &action);
    if (action.sa_handler != SIG_IGN)
        abort();
    g_string_append(out, "ignored");
}

/* A terminal sends SIGINT to the whole process group; a child that it ended
 * would look like a failed point. */
static void test_children_leave_an_interrupt_to_their_parent(void **state)
{
    g_auto(Results) results = { 0 };
    const ProcessPool pool = { .n_points = 1,
                               .n_jobs = 1,
                               .work = check_sigint_is_ignored,
                               .point_ended = done,
                               .self = &results };

    (void)state;
    assert_int_equal(pool_run(&pool), 0);
    assert_null(results.reasons[0]);
}

/* ---- options of AddressSanitizer ----------------------------------------- */

/* The tests provoke failed allocations, so AddressSanitizer must return
 * NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* ---- an external process that counts as a worker ------------------------- */

/* An external process that works in parallel with the pool until point BAD is
 * done. */
typedef struct {
    Results results;
    int fds[2];
    pid_t pids[N_POINTS];
    gboolean has_ended, is_early;
} ExternalProcess;

static void return_worker_pid(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)point;
    g_usleep(20000); /* The pause lets a second worker get points, too. */
    g_string_append_printf(out, "%d", (int)getpid());
}

static void record_worker_pid(gpointer self, guint point, const GString *text,
                              const char *reason)
{
    ExternalProcess *beside = self;

    assert_null(reason);
    beside->pids[point] = (pid_t)g_ascii_strtoll(text->str, NULL, 10);
    beside->results.n_done++;
    if (point == BAD)
        assert_int_equal(write(beside->fds[1], "x", 1), 1);
}

static gboolean external_process_ended(gpointer self)
{
    ExternalProcess *beside = self;
    char byte;

    assert_int_equal(read(beside->fds[0], &byte, 1), 1);
    beside->has_ended = TRUE;
    beside->is_early = beside->results.n_done <= BAD;
    return FALSE;
}

static void run_with_external_process(guint n_points, ExternalProcess *beside)
{
    const ProcessPool pool = { .n_points = n_points,
                               .n_jobs = 2,
                               .work = return_worker_pid,
                               .point_ended = record_worker_pid,
                               .continue_other = external_process_ended,
                               .other_self = beside,
                               .other_fd = beside->fds[0],
                               .self = beside };

    assert_int_equal(pool_run(&pool), 0);
    assert_true(beside->has_ended);
    assert_int_equal(beside->results.n_done, n_points);
    close(beside->fds[0]);
    close(beside->fds[1]);
}

static void test_an_external_process_counts_as_a_worker(void **state)
{
    ExternalProcess beside = { 0 };

    (void)state;
    assert_int_equal(pipe(beside.fds), 0);
    run_with_external_process(N_POINTS, &beside);
    assert_false(beside.is_early);
    for (guint i = 1; i <= BAD; i++)
        assert_int_equal(beside.pids[i], beside.pids[0]);
}

static void
test_a_pool_without_points_waits_for_the_external_process(void **state)
{
    ExternalProcess beside = { 0 };

    (void)state;
    assert_int_equal(pipe(beside.fds), 0);
    assert_int_equal(write(beside.fds[1], "x", 1), 1);
    run_with_external_process(0, &beside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_point_that_hangs_is_ended),
        cmocka_unit_test(test_a_point_that_allocates_a_large_block_fails),
        cmocka_unit_test(test_a_point_that_allocates_many_lines_fails),
        cmocka_unit_test(
            test_a_point_that_takes_memory_in_small_pieces_is_ended),
        cmocka_unit_test(test_a_crash_with_memory_left_stays_a_crash),
        cmocka_unit_test(test_a_stopped_pool_leaves_no_child),
        cmocka_unit_test(test_a_pool_obeys_nohup),
        cmocka_unit_test(test_children_leave_an_interrupt_to_their_parent),
        cmocka_unit_test(test_an_external_process_counts_as_a_worker),
        cmocka_unit_test(
            test_a_pool_without_points_waits_for_the_external_process),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
