/* Tests that skipping repeated iterations and repeated periods within an
 * iteration does not change the critical path: all rows are equal to those of
 * the full simulation.  Systems are random; ACESIM_DRAWS=n draws n times as
 * many. */
#include "tests/system_fixture.h"

#include "models/observe/critical_path.h"
#include "models/run/steady/skip_mode.h"

#define N_SYSTEMS 120

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: ideal, message_cycles: 300, step_time: 200 ns, launch_time: 2 us}",
    "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
    ("{kind: baseline, sms: 80, memory_bandwidth: 90 GB/s, "
     "only_while_communicating: true}"),
    "{kind: ace, sram: 256 KiB}",
    "{kind: ace, sram: 44 KiB, fsms: 6, chunks_per_fsm: 1, alu_width: 4 B}",
    ("{kind: copy-engine, engines: 3, copy_launch: 200 ns, sms: 2, "
     "memory_bandwidth: 60 GB/s}"),
    ("{kind: host, staging_bandwidth: 40 GB/s, reduce_bandwidth: 60 GB/s, "
     "message_cycles: 300}"),
};

static const char *const hbms[] = { "{bandwidth: 900 GB/s}",
                                    "{bandwidth: 250 GB/s, policy: shared}" };
static const char *const schedulers[] = { "lifo", "fifo", "priority" };
static const char *const directions[] = { "both", "one" };
static const char *const ways[] = { "fixed", "rotated" };

#define PICK(rand, from)                                                       \
    ((from)[g_rand_int_range((rand), 0, (gint32)G_N_ELEMENTS(from))])

/* Returns a random workload in which one of @large layers is large. */
static const char *draw_workload_text(GRand *rand, int large)
{
    g_autoptr(GString) layers = g_string_new(NULL);
    int n = g_rand_int_range(rand, 2, 9);

    for (int i = 0; i < n; i++)
        g_string_append_printf(
            layers,
            "%s{kind: counted, name: gap%d}, {kind: linear, name: l%d, in: %d, "
            "out: %d}",
            i > 0 ? ", " : "", i, i, g_rand_int_range(rand, 8, 200),
            g_rand_int_range(
                rand, 8, g_rand_int_range(rand, 0, large) > 0 ? 400 : 8000));
    return format_text(
        "{kind: data-parallel, name: d, batch: %d, layers: [%s]}",
        g_rand_int_range(rand, 1, 64), layers->str);
}

static void draw_path_setup(GRand *rand, int large, int n_iterations,
                            Setup *ret)
{
    *ret = (Setup){
        .topology = format_text(
            "{kind: torus, dims: [{size: %d, links: 2, bandwidth: %d GB/s, "
            "latency: 90 ns}, {size: 3, links: 2, direction: %s, "
            "bandwidth: 16 GB/s, latency: 300 ns}]}",
            g_rand_int_range(rand, 2, 5), g_rand_int_range(rand, 1, 5) * 16,
            PICK(rand, directions)),
        .npu = format_text("{sms: 80, clock: 1 GHz, flops: 20 TFLOPS, "
                           "launch_overhead: %d us, hbm: %s}",
                           g_rand_int_range(rand, 0, 3) *
                               (g_rand_int_range(rand, 0, large) > 1 ? 1 : 60),
                           PICK(rand, hbms)),
        .endpoint = PICK(rand, endpoints),
        .workload = draw_workload_text(rand, large),
        .training =
            format_text("{iterations: %d, drain: %s, overlap: %s}",
                        n_iterations, g_rand_boolean(rand) ? "true" : "false",
                        g_rand_boolean(rand) ? "true" : "false"),
        .collectives = format_text(
            "{chunk: %d B, packet: 256 B, message: 1024 B, window: %d, "
            "scheduler: %s, order: %s}",
            g_rand_int_range(rand, 2000, 9000),
            1 << g_rand_int_range(rand, 0, 6), PICK(rand, schedulers),
            PICK(rand, ways)),
    };
}

/* Rows, and their times in queues of the same and of other collectives. */
#define N_TIMES (3 * PATH_N)

/* Returns the number of skipped chunks. */
static uint64_t follow_path_and_count_skipped_chunks(const Setup *setup,
                                                     FoldMode fold,
                                                     SkipMode skip,
                                                     SimTime *ret_ps)
{
    g_autoptr(CriticalPath) path = NULL;
    GError *error = NULL;
    uint64_t n_skipped;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config,
                            (RunOptions){ .fold = fold, .skip = skip }, &error);
    assert_no_error(error);
    path = critical_path_new(run.system, 0);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    critical_path_finish(path, system_result(run.system).total_ps);
    for (uint32_t row = 0; row < PATH_N; row++) {
        ret_ps[row] = critical_path_row_time_ps(path, row);
        ret_ps[PATH_N + row] =
            critical_path_row_queue_time_ps(path, row, FALSE);
        ret_ps[2 * PATH_N + row] =
            critical_path_row_queue_time_ps(path, row, TRUE);
    }
    n_skipped = system_n_skipped(run.system);
    run_clear(&run);
    return n_skipped;
}

/* Compares random systems.  Every @every-th is simulated without folding.
 * Returns the number of systems in which something was skipped. */
static guint compare_random_systems(guint n, guint32 seed, int large,
                                    int n_iterations, guint every)
{
    GRand *rand = g_rand_new_with_seed(random_seed(seed));
    guint n_skipping = 0;

    for (guint i = 0; i < n; i++) {
        FoldMode fold = i % every == 0 ? FOLD_OFF : FOLD_AUTO;
        SimTime all_ps[N_TIMES], ps[N_TIMES];
        Setup s;

        draw_path_setup(rand, large,
                        n_iterations > 0 ? n_iterations : 2 + (int)i % 4, &s);
        assert_int_equal(
            follow_path_and_count_skipped_chunks(&s, fold, SKIP_OFF, all_ps),
            0);
        for (SkipMode skip = SKIP_AUTO; skip <= SKIP_CHECK; skip++) {
            if (skip == SKIP_OFF)
                continue;
            n_skipping +=
                follow_path_and_count_skipped_chunks(&s, fold, skip, ps) > 0 &&
                skip == SKIP_AUTO;
            if (memcmp(ps, all_ps, sizeof ps) != 0)
                fail_msg("%s: the path is another", setup_text(&s));
        }
    }
    g_rand_free(rand);
    if (g_getenv("ACESIM_DRAWS"))
        print_message("%u of %u skip\n", n_skipping, n);
    return n_skipping;
}

static void
test_skipped_iterations_do_not_change_the_critical_path(void **state)
{
    guint n = n_random_draws(N_SYSTEMS);

    (void)state;
    assert_true(compare_random_systems(n, 31, 1000, 0, 3) > n / 6);
}

/* With one iteration, only periods within it can be skipped. */
static void test_skipped_periods_do_not_change_the_critical_path(void **state)
{
    guint n = n_random_draws(N_SYSTEMS);

    (void)state;
    assert_true(compare_random_systems(n, 32, 3, 1, n) > n / 3);
}

static void test_skipping_both_does_not_change_the_critical_path(void **state)
{
    guint n = n_random_draws(N_SYSTEMS / 2);

    (void)state;
    assert_true(compare_random_systems(n, 33, 4, 0, n) > n / 3);
}

/* The lookup, after which an all-to-all begins, finds all SMs occupied when the
 * last all-reduce ends, and gets them in the same time step. */
static void
test_a_stalled_first_kernel_is_not_the_end_of_an_iteration(void **state)
{
    const Setup setup = {
        .topology = "{kind: torus, dims: [{size: 4, links: 2, bandwidth: "
                    "16 GB/s, latency: 90 ns}]}",
        .npu = "{sms: 80, clock: 1 GHz, flops: 20 TFLOPS, launch_overhead: "
               "1 us, hbm: {bandwidth: 900 GB/s}}",
        .endpoint = "{kind: baseline, sms: 80, memory_bandwidth: 900 GB/s, "
                    "only_while_communicating: true}",
        .workload = "{kind: dlrm, name: d, batch: 16, embedding: {tables: 4, "
                    "dimension: 16, lookups: 4}, bottom: [{name: b, in: 64, "
                    "out: 16}], top: [{name: t, in: 80, out: 64}]}",
        .training = "{iterations: 4, overlap: false}",
        .collectives = "{chunk: 4096 B, packet: 256 B, message: 1024 B}",
    };
    SimTime all_ps[N_TIMES], ps[N_TIMES], once_ps[N_TIMES];
    Setup once = setup;
    uint64_t n_once;

    (void)state;
    once.training = "{iterations: 1, overlap: false}";
    n_once = follow_path_and_count_skipped_chunks(&once, FOLD_AUTO, SKIP_AUTO,
                                                  once_ps);
    (void)follow_path_and_count_skipped_chunks(&setup, FOLD_AUTO, SKIP_OFF,
                                               all_ps);
    assert_true(follow_path_and_count_skipped_chunks(
                    &setup, FOLD_AUTO, SKIP_AUTO, ps) > 4 * n_once);
    assert_memory_equal(ps, all_ps, sizeof ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_skipped_iterations_do_not_change_the_critical_path),
        cmocka_unit_test(test_skipped_periods_do_not_change_the_critical_path),
        cmocka_unit_test(test_skipping_both_does_not_change_the_critical_path),
        cmocka_unit_test(
            test_a_stalled_first_kernel_is_not_the_end_of_an_iteration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
