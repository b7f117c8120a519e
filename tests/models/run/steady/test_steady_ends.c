/*
 * test_steady_ends.c - iterations are skipped in spite of stale events
 *
 * A kernel that begins as the last collective ends has its share changed in the
 * same instant.  Its first end event is then stale.  Iterations are skipped
 * nevertheless.
 */
#include "tests/system_fixture.h"

#include "models/run/steady/skip_mode.h"

static const Setup in_turn = {
    .topology = "{kind: torus, dims: [{size: 4, links: 2, bandwidth: 32 GB/s, "
                "latency: 90 ns}, {size: 3, links: 2, bandwidth: 16 GB/s, "
                "latency: 300 ns}]}",
    .npu = "{sms: 80, clock: 1245 MHz, flops: 20 TFLOPS, "
           "hbm: {bandwidth: 900 GB/s, policy: shared}}",
    .endpoint = "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s, "
                "only_while_communicating: true}",
    .workload =
        "{kind: data-parallel, name: d, batch: 16, layers: ["
        "{kind: linear, name: a, in: 512, out: 512}, {kind: counted, name: gap1}, "
        "{kind: linear, name: b, in: 600, out: 1000}]}",
    .training = "{iterations: 5, overlap: false}",
    .collectives = "{chunk: 64 KiB, packet: 256 B, message: 8 KiB, window: 64, "
                   "scheduler: lifo}",
};

static SystemResult run_with_skip_mode(FoldMode fold, SkipMode mode,
                                       uint64_t *n_skipped)
{
    SystemResult result;
    GError *error = NULL;
    Run run;

    read_run_setup(&run, &in_turn);
    run.system = system_new(&run.config,
                            (RunOptions){ .fold = fold, .skip = mode }, &error);
    assert_no_error(error);
    assert_true(system_run(run.system, &error));
    result = system_result(run.system);
    result.n_events = 0;
    *n_skipped = system_n_skipped(run.system);
    run_clear(&run);
    return result;
}

static void test_iterations_are_skipped_in_spite_of_a_stale_event(void **state)
{
    static const FoldMode folds[] = { FOLD_AUTO, FOLD_OFF };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(folds); i++) {
        uint64_t none, some;
        SystemResult all = run_with_skip_mode(folds[i], SKIP_OFF, &none);
        SystemResult rest = run_with_skip_mode(folds[i], SKIP_AUTO, &some);

        assert_int_equal(none, 0);
        assert_true(some > 0);
        assert_memory_equal(&all, &rest, sizeof all);
        (void)run_with_skip_mode(folds[i], SKIP_CHECK, &some);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterations_are_skipped_in_spite_of_a_stale_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
