/*
 * test_wait_causes.c - tests of models/run/wait_causes.c
 *
 * With F and B the times of a unit forward and backward, and messages that take
 * next to nothing, the bubble of each stage of p is (p - 1) (F + B) in a
 * pipeline by gpipe, 1f1b and interleaved (with the units of a chunk).
 */
#include "tests/system_fixture.h"
#include "tests/workloads/segments_fixture.h"

#include "models/run/steady/skip_mode.h"
#include "models/run/stream_times.h"

#define F_PS SIM_US(10000)
#define B_PS SIM_US(23000)
/* More than all messages of a schedule take together. */
#define SLACK_PS SIM_US(1)

static SimTime sum_of(const StreamTimes *times)
{
    SimTime sum_ps = times->compute_ps;

    for (guint i = 0; i < WAIT_N_CAUSES; i++)
        sum_ps += times->wait_ps[i];
    return sum_ps;
}

static void assert_near(SimTime ps, SimTime expected_ps, const char *what)
{
    SimTime off_ps = ps > expected_ps ? ps - expected_ps : expected_ps - ps;

    if (off_ps > SLACK_PS)
        fail_msg("%s: %" G_GUINT64_FORMAT " ps, not %" G_GUINT64_FORMAT, what,
                 ps, expected_ps);
}

/* Runs a pipeline of @p NPUs with @m micro-batches. */
static void run_pipeline(Run *run, const char *schedule, uint32_t p, uint32_t v,
                         uint32_t m)
{
    g_autofree char *chunks =
        v > 1 ? g_strdup_printf(", chunks: %u", v) : g_strdup("");
    const Setup setup = {
        .topology = format_text("{kind: switch, npus: %u, links: 1, bandwidth: "
                                "10 TB/s, latency: 1 ps}",
                                p),
        .workload = format_text(
            "{kind: program, name: pipe, mesh: {pp: %u}, schedule: {kind: %s, "
            "micro_batches: %u%s}, segments: ["
            "{name: forward, pass: forward, passes_on: 1 B, ops: [{kind: "
            "kernel, name: f, flop: 1, time: 10 ms}]}, "
            "{name: backward, pass: backward, passes_on: 1 B, ops: [{kind: "
            "kernel, name: b, flop: 1, time: 23 ms}]}]}",
            p, schedule, m, chunks),
        .training = "{iterations: 1, compute: measured, optimiser: none}",
        .endpoint = "{kind: ideal}",
    };
    GError *error = NULL;

    read_run_setup(run, &setup);
    run->system = system_new(&run->config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    assert_true(system_run(run->system, &error));
}

static void check_pipeline(const char *schedule, uint32_t p, uint32_t v,
                           uint32_t m)
{
    SimTime bubble_ps = (p - 1) * (F_PS + B_PS);
    Run run;

    run_pipeline(&run, schedule, p, v, m);
    assert_int_equal(system_n_simulated_npus(run.system), p);
    for (uint32_t s = 0; s < p; s++) {
        StreamTimes times = system_stream_times_of_npu(run.system, s);
        const SimTime *wait_ps = times.wait_ps;

        assert_int_equal(sum_of(&times), system_result(run.system).total_ps);
        assert_int_equal(times.compute_ps, m * v * (F_PS + B_PS));
        assert_near(stream_times_bubble_ps(&times), bubble_ps, schedule);
        assert_near(wait_ps[WAIT_PP], 0, "pp");
        assert_int_equal(wait_ps[WAIT_TP] + wait_ps[WAIT_CP] +
                             wait_ps[WAIT_EP] + wait_ps[WAIT_DP] +
                             wait_ps[WAIT_OTHER],
                         0);
        if (!g_str_equal(schedule, "gpipe"))
            continue;
        /* all forward passes come first */
        assert_near(wait_ps[WAIT_WARM_UP],
                    s * F_PS + (p - 1 - s) * (F_PS + B_PS), "warm-up");
        assert_near(wait_ps[WAIT_COOL_DOWN], s * B_PS, "cool-down");
    }
    run_clear(&run);
}

static void test_bubbles_are_those_of_the_closed_forms(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 6; p++)
        for (uint32_t n = 1; n <= 3; n++) {
            check_pipeline("gpipe", p, 1, n * p);
            check_pipeline("1f1b", p, 1, n * p);
            check_pipeline("interleaved", p, 2, n * p);
            check_pipeline("interleaved", p, 3, n * p);
        }
}

static void test_the_last_stage_of_1f1b_waits_at_the_ends_only(void **state)
{
    StreamTimes times;
    Run run;

    (void)state;
    run_pipeline(&run, "1f1b", 4, 1, 12);
    times = system_stream_times_of_npu(run.system, 3);
    assert_near(times.wait_ps[WAIT_WARM_UP], 3 * F_PS, "warm-up");
    assert_near(times.wait_ps[WAIT_COOL_DOWN], 3 * B_PS, "cool-down");
    assert_near(times.wait_ps[WAIT_IMBALANCE], 0, "imbalance");
    run_clear(&run);
}

/* ---- random programs ----------------------------------------------------- */

static void run_drawn(Run *run, const Setup *setup, FoldMode fold,
                      SkipMode skip)
{
    GError *error = NULL;

    read_run_setup(run, setup);
    run->system = system_new(
        &run->config, (RunOptions){ .fold = fold, .skip = skip }, &error);
    assert_no_error(error);
    assert_true(system_run(run->system, &error));
}

static void assert_same(const StreamTimes *a, const StreamTimes *b,
                        const Setup *setup)
{
    if (memcmp(a, b, sizeof *a) != 0)
        fail_msg("times differ: %s", setup->workload);
}

/* Folded, in full, and without skipping: each NPU has the same times, which add
 * up to the run. */
static void test_times_of_each_npu_add_up(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    SimTime exposed_ps[WAIT_N_CAUSES] = { 0 };

    (void)state;
    for (guint i = 0; i < 50; i++) {
        DrawnSegments drawn = draw_segments(rand);
        g_autofree char *workload = segments_yaml(rand, &drawn);
        uint32_t n = drawn.tp * drawn.dp * drawn.pp;
        const Setup setup = {
            .topology = format_text("{kind: switch, npus: %u, links: 1, "
                                    "bandwidth: 64 GB/s, latency: 128 ns}",
                                    n),
            .workload = workload,
            .training = "{iterations: 5, compute: measured, optimiser: none}",
            .collectives = "{chunk: 32 KiB, message: 32 KiB}",
        };
        Run folded, full, plain;
        StreamTimes mean;

        if (n < 2)
            continue;
        run_drawn(&folded, &setup, FOLD_AUTO, SKIP_AUTO);
        run_drawn(&full, &setup, FOLD_OFF, SKIP_AUTO);
        run_drawn(&plain, &setup, FOLD_AUTO, SKIP_OFF);
        for (uint32_t npu = 0; npu < n; npu++) {
            StreamTimes times = system_stream_times_of_npu(full.system, npu);
            uint32_t class = system_representative_npu(folded.system, npu);
            StreamTimes other =
                system_stream_times_of_npu(folded.system, class);

            assert_int_equal(sum_of(&times),
                             system_result(full.system).total_ps);
            assert_same(&times, &other, &setup);
            other = system_stream_times_of_npu(plain.system, class);
            assert_same(&times, &other, &setup);
            for (guint k = 0; k < WAIT_N_CAUSES; k++)
                exposed_ps[k] += times.wait_ps[k];
        }
        mean = system_stream_times(folded.system);
        assert_int_equal(sum_of(&mean),
                         system_result(folded.system).iteration_ps);
        assert_int_equal(mean.compute_ps,
                         system_result(folded.system).compute_ps);
        run_clear(&folded);
        run_clear(&full);
        run_clear(&plain);
    }
    assert_true(exposed_ps[WAIT_TP] > 0 && exposed_ps[WAIT_PP] > 0 &&
                exposed_ps[WAIT_DP] > 0 && exposed_ps[WAIT_WARM_UP] > 0 &&
                exposed_ps[WAIT_COOL_DOWN] > 0);
    assert_int_equal(
        exposed_ps[WAIT_CP] + exposed_ps[WAIT_EP] + exposed_ps[WAIT_OTHER], 0);
}

static void test_a_late_rank_is_an_imbalance_of_the_others(void **state)
{
    const Setup setup = {
        .topology = "{kind: switch, npus: 2, links: 1, bandwidth: 10 TB/s, "
                    "latency: 1 ps}",
        .workload =
            "{kind: program, name: late, mesh: {tp: 2}, roles: [{name: r, "
            "ops: ["
            "{kind: kernel, name: a, flop: 1, times: [10 us, 23 us]}, "
            "{kind: collective, name: c, collective: all-reduce, bytes: 1 B, "
            "axis: tp, after: [a]}, "
            "{kind: kernel, name: b, flop: 1, time: 5 us, after: [c]}]}]}",
        .training = "{iterations: 1, compute: measured, optimiser: none}",
        .endpoint = "{kind: ideal}",
    };
    StreamTimes times;
    Run run;

    (void)state;
    run_drawn(&run, &setup, FOLD_OFF, SKIP_AUTO);
    times = system_stream_times_of_npu(run.system, 0);
    assert_int_equal(times.compute_ps, SIM_US(15));
    assert_near(times.wait_ps[WAIT_IMBALANCE], SIM_US(13), "imbalance");
    times = system_stream_times_of_npu(run.system, 1);
    assert_int_equal(times.wait_ps[WAIT_IMBALANCE], 0);
    assert_true(times.wait_ps[WAIT_TP] > 0);
    run_clear(&run);
}

/* Skipped iterations count as those that are simulated. */
static void test_skipped_iterations_have_their_waits(void **state)
{
    const Setup setup = {
        .topology = "{kind: switch, npus: 4, links: 1, bandwidth: 64 GB/s, "
                    "latency: 128 ns}",
        .workload =
            "{kind: program, name: loop, mesh: {dp: 4}, roles: [{name: "
            "r, ops: ["
            "{kind: kernel, name: a, flop: 1, time: 10 us, after: ['g@-1']}, "
            "{kind: collective, name: c, collective: all-reduce, bytes: 1 MiB, "
            "axis: dp, after: [a]}, "
            "{kind: kernel, name: b, flop: 1, time: 5 us, after: [c]}, "
            "{kind: collective, name: g, collective: all-reduce, bytes: 4 MiB, "
            "axis: dp, after: [b]}]}]}",
        .training = "{iterations: 50, compute: measured, optimiser: none}",
    };
    Run skipped, plain;
    StreamTimes a, b;

    (void)state;
    run_drawn(&skipped, &setup, FOLD_AUTO, SKIP_AUTO);
    run_drawn(&plain, &setup, FOLD_AUTO, SKIP_OFF);
    assert_true(system_n_skipped(skipped.system) > 0);
    a = system_stream_times_of_npu(skipped.system, 0);
    b = system_stream_times_of_npu(plain.system, 0);
    assert_same(&a, &b, &setup);
    assert_true(a.wait_ps[WAIT_DP] > 0);
    assert_int_equal(sum_of(&a), system_result(plain.system).total_ps);
    run_clear(&skipped);
    run_clear(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bubbles_are_those_of_the_closed_forms),
        cmocka_unit_test(test_the_last_stage_of_1f1b_waits_at_the_ends_only),
        cmocka_unit_test(test_times_of_each_npu_add_up),
        cmocka_unit_test(test_skipped_iterations_have_their_waits),
        cmocka_unit_test(test_a_late_rank_is_an_imbalance_of_the_others),
    };

    return cmocka_run_group_tests_name("wait_causes", tests, NULL, NULL);
}
