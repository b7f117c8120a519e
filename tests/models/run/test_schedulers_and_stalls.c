/* test_schedulers_and_stalls.c - Tests of schedulers, of runs that cannot end,
 * and that faster links do not slow a run. */
#include "tests/models/run/training_fixture.h"

/* ---- schedulers of collectives ------------------------------------------- */

static const char *const orders[] = { "lifo", "fifo", "priority" };

static void test_every_scheduler_sends_all_collectives(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult first = run_on_ace_platform(endpoints[e], workloads[w],
                                                     "{iterations: 2}", NULL);

            for (int i = 0; i < 12; i++) {
                SystemResult r = run_on_ace_platform(
                    endpoints[e], workloads[w], "{iterations: 2}",
                    format_text("{scheduler: %s, preempt: %s, window: %d}",
                                orders[i % 3], i / 3 % 2 ? "true" : "false",
                                i / 6 ? 64 : 1));

                assert_int_equal(r.sent_bytes, first.sent_bytes);
                assert_int_equal(r.hbm_comm_write_bytes,
                                 first.hbm_comm_write_bytes);
                assert_int_equal(r.iteration_ps, r.compute_ps + r.exposed_ps);
            }
        }
}

/* The gradient of the last layer is ready first, and fifo serves it first. The
 * gradient of the first layer, which the next iteration needs first, is ready
 * last. */
static void test_lifo_and_fifo_schedulers_differ(void **state)
{
    const char *layers = "{kind: data-parallel, name: two, batch: 1, layers: ["
                         "{kind: linear, name: first, in: 64, out: 2048}, "
                         "{kind: linear, name: last, in: 2048, out: 4096}]}";
    SystemResult lifo = run_on_ace_platform(IDEAL, layers, "{iterations: 3}",
                                            "{scheduler: lifo, window: 4}");
    SystemResult fifo = run_on_ace_platform(IDEAL, layers, "{iterations: 3}",
                                            "{scheduler: fifo, window: 4}");

    (void)state;
    assert_true(lifo.iteration_ps != fifo.iteration_ps);
    assert_int_equal(lifo.sent_bytes, fifo.sent_bytes);
}

/* Returns how long the last update of the tables waits for a small all-to-all,
 * which is issued while a large all-reduce is in flight. */
static SimTime wait_for_all_to_all(const char *collectives)
{
    Setup s = {
        .workload =
            "{kind: dlrm, name: wide, batch: 8, "
            "embedding: {tables: 4, dimension: 64, lookups: 4}, "
            "bottom: [{name: b1, in: 64, out: 64}], "
            "top: [{name: t1, in: 320, out: 8192}, {name: t2, in: 8192, "
            "out: 1}]}",
        .collectives = collectives,
    };
    Run run;
    SimTime wait_ps;

    run_to_result(&run, &s, FOLD_AUTO);
    assert_string_equal(g_ptr_array_index(system_graph(run.system)->layers, 0),
                        "embedding");
    wait_ps = system_layer_wait_ps(run.system, 0, OP_UPDATE);
    run_clear(&run);
    return wait_ps;
}

/* The all-reduce takes 157 us, one of its chunks about 7 us, and the all-to-all
 * 1 us. */
static void test_urgent_collectives_overtake_others(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(orders); i++) {
        assert_true(wait_for_all_to_all(format_text(
                        "{scheduler: %s, window: 1}", orders[i])) < SIM_US(10));
        assert_true(wait_for_all_to_all(format_text(
                        "{scheduler: %s, window: 1, preempt: false}",
                        orders[i])) > SIM_US(100));
    }
}

/* ---- runs that stall or are refused -------------------------------------- */

/* Asserts that a run stalls. No configuration that passes the checks is known
 * to stall, so the NPU loses one SM after the checks. */
static void assert_stall_message(const Setup *setup, const char *const *phrases)
{
    GError *error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    run.config.platform.npu.n_sms--;
    assert_false(system_run(run.system, &error));
    assert_non_null(error);
    assert_true(g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED));
    for (; *phrases; phrases++)
        if (!strstr(error->message, *phrases))
            fail_msg("'%s' lacks '%s'", error->message, *phrases);
    g_clear_error(&error);
    run_clear(&run);
}

static void assert_system_refused(const Setup *setup, const char *message)
{
    GError *error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    assert_null(run.system);
    assert_non_null(error);
    assert_string_equal(error->message, message);
    g_clear_error(&error);
    run_clear(&run);
}

static void
test_an_endpoint_that_leaves_compute_nothing_is_an_error(void **state)
{
    const Setup sms = {
        .endpoint = "{kind: baseline, sms: 80, memory_bandwidth: 450 GB/s}",
        .workload = SMALL_DP,
    };
    const Setup bandwidth = {
        .endpoint = "{kind: ace, memory_bandwidth: 900 GB/s}",
        .workload = SMALL_DLRM,
    };

    (void)state;
    assert_system_refused(&sms, "run.yaml:3:11: the endpoint leaves compute "
                                "nothing: it takes 80 of 80 SMs and 450 of 900 "
                                "GB/s of HBM for good");
    assert_system_refused(&bandwidth,
                          "run.yaml:3:11: the endpoint leaves compute "
                          "nothing: it takes 0 of 80 SMs and 900 of "
                          "900 GB/s of HBM for good");
}

/* The side stream works, but the main stream waits for SMs. */
static void test_a_stall_message_names_what_waits(void **state)
{
    const Setup s = {
        .npu = "{sms: 8, clock: 1 GHz, flops: 100 TFLOPS, side_sms: 1, "
               "hbm: {bandwidth: 900 GB/s}}",
        .endpoint = "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}",
        .workload = SMALL_DLRM,
        .training = "{optimised: true, iterations: 3}",
    };
    const char *const phrases[] = { "the run stalled at ",
                                    "kernel of b1 (update) has no SMs",
                                    " waits for all-to-all of ", NULL };

    (void)state;
    assert_stall_message(&s, phrases);
}

/* ---- faster links do not slow a run -------------------------------------- */

/* A list schedule has anomalies, which are limited to 2 % here. The order of
 * dimensions is chosen for each collective alone. A faster link may therefore
 * choose an order that is worse for several parallel collectives. Of these 300
 * runs, one is 2.9 % slower: DLRM on 3x2 changes to another order at 160
 * GB/s. */
#define MOST_SLOWER_PERCENT 4
#define N_SLOWER            1

static void test_faster_links_do_not_slow_a_run(void **state)
{
    GRand *rand = g_rand_new_with_seed(33);
    guint n_slower = 0;

    (void)state;
    for (int i = 0; i < 60; i++) {
        int size = g_rand_int_range(rand, 2, 6);
        int other = g_rand_int_range(rand, 1, 4);
        gsize e = (gsize)g_rand_int_range(rand, 0, G_N_ELEMENTS(endpoints));
        gsize w = (gsize)g_rand_int_range(rand, 0, 2);
        int order = g_rand_int_range(rand, 0, 3);
        SimTime before_ps = SIM_TIME_MAX;

        for (int gb_per_s = 5; gb_per_s <= 160; gb_per_s *= 2) {
            Setup s = {
                .topology = format_text(
                    "{kind: torus, dims: ["
                    "{size: %d, links: 2, bandwidth: %d GB/s, latency: 70 ns}, "
                    "{size: %d, links: 2, bandwidth: %d GB/s, latency: 400 ns}]}",
                    size, gb_per_s, other, gb_per_s),
                .endpoint = endpoints[e],
                .workload = workloads[w],
                .training = "{iterations: 2}",
                .collectives = format_text("{scheduler: %s}", orders[order]),
            };
            SystemResult r = simulate_setup(&s);

            if (before_ps != SIM_TIME_MAX &&
                r.total_ps > before_ps + before_ps / 50)
                n_slower++;
            if (before_ps != SIM_TIME_MAX &&
                r.total_ps > before_ps + before_ps / 100 * MOST_SLOWER_PERCENT)
                fail_msg("%s: %" G_GUINT64_FORMAT
                         " ps after %" G_GUINT64_FORMAT,
                         setup_text(&s), r.total_ps, before_ps);
            before_ps = r.total_ps;
        }
    }
    g_rand_free(rand);
    assert_true(n_slower <= N_SLOWER);
}

static void test_runs_are_deterministic(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult a = run_on_ace_platform(endpoints[e], workloads[w],
                                                 "{iterations: 2}", NULL);
            SystemResult b = run_on_ace_platform(endpoints[e], workloads[w],
                                                 "{iterations: 2}", NULL);

            assert_memory_equal(&a, &b, sizeof(a));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scheduler_sends_all_collectives),
        cmocka_unit_test(test_lifo_and_fifo_schedulers_differ),
        cmocka_unit_test(test_urgent_collectives_overtake_others),
        cmocka_unit_test(
            test_an_endpoint_that_leaves_compute_nothing_is_an_error),
        cmocka_unit_test(test_a_stall_message_names_what_waits),
        cmocka_unit_test(test_faster_links_do_not_slow_a_run),
        cmocka_unit_test(test_runs_are_deterministic),
    };

    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
