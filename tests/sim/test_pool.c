/* test_pool.c - sim/host/pool.h, memory.h: points that take too much */
#include "tests/sim/pool_fixture.h"

#include "sim/core/lines.h"

#define MAX_PIECES 1000000 /* a gigabyte of small ones */

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

/* Which is none of GLib's. */
static void take_lines(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == BAD)
        lines_free(lines_new(1024 * 1024 * 1024));
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

static void test_a_point_that_wants_many_lines_at_once_is_ended(void **state)
{
    (void)state;
    bound_memory(take_lines);
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
        cmocka_unit_test(test_a_point_that_wants_many_lines_at_once_is_ended),
        cmocka_unit_test(
            test_a_point_that_takes_memory_in_small_pieces_is_ended),
        cmocka_unit_test(test_a_crash_with_memory_left_stays_a_crash),
        cmocka_unit_test(test_a_pool_that_is_told_to_stop_leaves_no_child),
        cmocka_unit_test(test_nohup_is_obeyed),
        cmocka_unit_test(test_children_leave_an_interrupt_to_their_parent),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
