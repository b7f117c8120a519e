/*
 * test_perturb.c - Tests of NPUs and links that differ, against closed forms in
 * which a slow one decides. The tolerance is
 * 0. */
#include "tests/models/run/perturb/perturb_fixture.h"

/* Nine kernels of 100 us. The last kernel ends after the last all-reduce. */
#define KERNEL_PS SIM_US(100)
#define KERNELS                                                                \
    "{kind: data-parallel, name: k, batch: 1, first_input_gradient: true, "    \
    "layers: [{kind: measured, name: l, repeat: 3, weights: 1000, "            \
    "forward_time: 100 us, input_gradient_time: 100 us, "                      \
    "weight_gradient_time: 100 us}]}"
#define MEASURED "compute: measured, gradient: fp32, "

static const Setup plain[] = {
    { .workload = KERNELS,
      .training = "{" MEASURED "iterations: 4, drain: false}" },
    { .topology = "{kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 1 us}",
      .endpoint = "{kind: ace}" },
    { .endpoint = "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}" },
};
static const Setup *const overlapped = &plain[0];

static const char *slow_link_text(uint32_t npu, const char *port,
                                  const char *factor)
{
    return format_text("{links: [{npu: %u, port: %s, bandwidth_factor: %s}]}",
                       npu, port, factor);
}

/* Only the numbers of simulated NPUs, hops and events may differ. */
static void assert_same_result(SystemResult a, SystemResult b)
{
    a.n_simulated = b.n_simulated;
    a.n_hops = b.n_hops;
    a.n_events = b.n_events;
    assert_memory_equal(&a, &b, sizeof a);
}

/* ---- perturbations without effect ---------------------------------------- */

static void test_an_empty_perturb_section_changes_nothing(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(plain); i++) {
        SystemResult without =
            run_with_perturbation(&plain[i], NULL, FOLD_REQUIRE);
        SystemResult with =
            run_with_perturbation(&plain[i], "{seed: 9}", FOLD_REQUIRE);
        SystemResult full =
            run_with_perturbation(&plain[i], "{jitter: 0 %}", FOLD_OFF);

        assert_memory_equal(&with, &without, sizeof with);
        assert_int_equal(full.n_simulated, full.n_npus);
        assert_same_result(full, without);
    }
}

static void test_a_perturbation_factor_of_1_changes_nothing(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(plain); i++) {
        SystemResult without =
            run_with_perturbation(&plain[i], NULL, FOLD_REQUIRE);
        const char *port = plain[i].topology ? "up" : "dim0+";
        SystemResult npu = run_with_perturbation(
            &plain[i], "{npus: [{npu: 0, time_factor: 1.0}]}", FOLD_AUTO);
        SystemResult link = run_with_perturbation(
            &plain[i], slow_link_text(3, port, "100 %"), FOLD_AUTO);

        assert_int_equal(npu.n_simulated, 1);
        assert_int_equal(link.n_simulated, 1);
        assert_same_result(npu, without);
        assert_same_result(link, without);
    }
}

/* ---- perturbations without symmetry reduction ---------------------------- */

static const char *const asymmetric[] = {
    "{jitter: 1 %}",
    "{npus: [{npu: 3, time_factor: 2}]}",
    "{links: [{npu: 0, port: dim0-, bandwidth_factor: 0.5}]}",
};

static const char *unfolded_reason_of(const char *perturb, FoldMode fold)
{
    Run run;
    const char *reason;

    (void)run_to_result(&run, &(Setup){ .perturb = perturb }, fold);
    reason = system_unfolded_reason(run.system);
    reason = reason ? keep_text_until_exit(reason) : NULL;
    run_clear(&run);
    return reason;
}

static void test_perturbations_prevent_symmetry_reduction(void **state)
{
    const char *reason = "`perturb` makes NPUs or links differ";

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(asymmetric); i++) {
        assert_setup_refused(&(Setup){ .perturb = asymmetric[i] }, FOLD_REQUIRE,
                             SYSTEM_ERROR, SYSTEM_ERROR_CANNOT_FOLD,
                             format_text("cannot fold: %s", reason));
        assert_string_equal(unfolded_reason_of(asymmetric[i], FOLD_AUTO),
                            reason);
        assert_string_equal(unfolded_reason_of(asymmetric[i], FOLD_OFF),
                            reason);
    }
    assert_null(unfolded_reason_of("{distribution: uniform}", FOLD_AUTO));
    assert_string_equal(unfolded_reason_of("{}", FOLD_OFF), "as asked for");
}

/* ---- NPUs that are slower than others ------------------------------------ */

static SystemResult run_with_straggler(uint32_t npu, const char *factor)
{
    const char *npus =
        format_text("{npus: [{npu: %u, time_factor: %s}]}", npu, factor);

    return run_with_perturbation(overlapped, npus, FOLD_AUTO);
}

/* The time of an iteration is the compute time of the slowest NPU. The mean of
 * all NPUs is reported as compute time, the remainder of the iteration as
 * exposed time. */
static void
test_an_overlapped_iteration_takes_the_slowest_compute_time(void **state)
{
    (void)state;
    for (uint32_t npu = 0; npu < 4; npu++) {
        SystemResult r = run_with_straggler(npu, "2");

        assert_int_equal(r.iteration_ps, 18 * KERNEL_PS);
        assert_int_equal(r.total_ps, 4 * 18 * KERNEL_PS);
        assert_int_equal(r.compute_ps, (3 * 9 + 18) * KERNEL_PS / 4);
        assert_int_equal(r.exposed_ps, r.iteration_ps - r.compute_ps);
        assert_int_equal(r.roofline_ps, 9 * KERNEL_PS);
        r = run_with_straggler(npu, "150.5 %");
        assert_int_equal(r.iteration_ps, 9 * KERNEL_PS / 1000 * 1505);
        /* The other NPUs are slower and determine the time. */
        r = run_with_straggler(npu, "0.5");
        assert_int_equal(r.iteration_ps, 9 * KERNEL_PS);
    }
}

/* ---- links that are slower than others ----------------------------------- */

/* A ring all-reduce of one chunk, with blocks of 100 kB that take 4 us on a
 * link. */
#define BLOCK_PS SIM_US(4)
#define CYCLE_PS SIM_NS(1)
#define WHOLE    "{chunk: 1 GiB, message: 1 GiB, packet: 1 kB}"

static SimTime ring_all_reduce_ps(uint32_t n, int latency_us, int cycles,
                                  const char *perturb)
{
    Setup s = {
        .topology = format_text("{kind: torus, dims: [{size: %u, links: 2, "
                                "bandwidth: 25 GB/s, latency: %d us}]}",
                                n, latency_us),
        .endpoint = format_text("{kind: ideal, message_cycles: %d}", cycles),
        .workload = single_collective_workload(COLL_ALL_REDUCE, n * 100000),
        .collectives = WHOLE,
    };

    return run_with_perturbation(&s, perturb, FOLD_AUTO).total_ps;
}

/* With a large latency, a block makes 2(n-1) hops. Two of them use the slow
 * link, and each costs one more block time. */
static void test_the_slowest_block_crosses_a_slow_link_twice(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 6; n++)
        for (uint32_t npu = 0; npu < n; npu++) {
            SimTime even_ps = ring_all_reduce_ps(n, 100, 1, NULL);

            assert_int_equal(even_ps,
                             2 * (n - 1) * (CYCLE_PS + BLOCK_PS + SIM_US(100)));
            assert_int_equal(
                ring_all_reduce_ps(n, 100, 1,
                                   slow_link_text(npu, "dim0+", "0.5")),
                even_ps + 2 * BLOCK_PS);
        }
}

/* Without latency, the slow link is never idle after its first cycle. All
 * 2(n-1) blocks take twice their time on it. */
static void test_a_slow_link_without_latency_limits_the_ring(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 6; n++) {
        SimTime even_ps = ring_all_reduce_ps(n, 0, 1, NULL);
        SimTime slow_ps =
            ring_all_reduce_ps(n, 0, 1, slow_link_text(n - 2, "dim0+", "0.5"));

        assert_int_equal(slow_ps, CYCLE_PS + 2 * (n - 1) * 2 * BLOCK_PS);
        assert_true(slow_ps > even_ps && slow_ps < 2 * even_ps);
    }
}

static void test_slowing_an_idle_link_has_no_effect(void **state)
{
    const char *fast = slow_link_text(2, "dim0+", "2.0");
    SystemResult even = run_with_perturbation(overlapped, NULL, FOLD_AUTO);
    SystemResult slow = run_with_perturbation(
        overlapped, slow_link_text(1, "dim0+", "0.1"), FOLD_AUTO);

    (void)state;
    assert_int_equal(slow.total_ps, even.total_ps);
    assert_true(slow.comm_ps > even.comm_ps);
    assert_int_equal(ring_all_reduce_ps(4, 0, 0, NULL), 6 * BLOCK_PS);
    assert_int_equal(ring_all_reduce_ps(4, 0, 0, fast), 6 * BLOCK_PS);
    /* With a large latency, the slowest path of 6 hops uses the fast link
     * once. */
    assert_int_equal(ring_all_reduce_ps(4, 100, 1, fast),
                     6 * (CYCLE_PS + BLOCK_PS + SIM_US(100)) - BLOCK_PS / 2);
    /* A single chunk uses the links of the + direction only. */
    assert_int_equal(
        ring_all_reduce_ps(4, 1, 1, slow_link_text(0, "dim0-", "0.001")),
        ring_all_reduce_ps(4, 1, 1, NULL));
}

/* ---- random jitter of kernels -------------------------------------------- */

#define JITTER "{jitter: 40 %%, distribution: %s, seed: %d}"

/* Returns the compute time of NPU @npu in the only iteration, as the sum over
 * kernels. */
static SimTime compute_ps(const Run *run, uint32_t npu)
{
    const OpGraph *graph = system_graph(run->system);
    SimTime sum_ps = 0;

    for (uint32_t op = 0; op < graph->ops->len; op++)
        if (op_graph_op(graph, op)->type == OP_COMPUTE)
            sum_ps +=
                perturb_kernel_factor_ppm(&run->config.perturb, npu, op, 0) *
                (KERNEL_PS / 1000000);
    return sum_ps;
}

/* An all-reduce of 12000 B in 4 blocks takes 6 hops. Each hop takes a cycle,
 * 3000 B at 25 GB/s, and 500 ns. */
#define HOP_PS (SIM_NS(1) + SIM_NS(120) + SIM_NS(500))

/* All six steps wait for the NPU that is ready last. */
static void test_the_slowest_jittered_npu_determines_the_time(void **state)
{
    Setup s = { .workload = KERNELS,
                .training = "{" MEASURED "iterations: 1, overlap: false}" };

    (void)state;
    for (int seed = 1; seed <= 10; seed++) {
        SimTime slowest_ps = 0;
        Run run;
        SystemResult r;

        s.perturb = format_text(JITTER, "exponential", seed);
        r = run_to_result(&run, &s, FOLD_AUTO);
        for (uint32_t npu = 0; npu < 4; npu++)
            slowest_ps = MAX(slowest_ps, compute_ps(&run, npu));
        assert_int_equal(r.total_ps, slowest_ps + 6 * HOP_PS);
        run_clear(&run);
    }
}

static void test_each_jitter_seed_and_distribution_has_one_result(void **state)
{
    static const char *const names[] = { "uniform", "normal", "exponential" };
    SystemResult r[6];

    (void)state;
    for (int i = 0; i < 6; i++) {
        const char *perturb = format_text(JITTER, names[i % 3], i / 3);
        SystemResult again =
            run_with_perturbation(overlapped, perturb, FOLD_AUTO);

        r[i] = run_with_perturbation(overlapped, perturb, FOLD_OFF);
        assert_memory_equal(&again, &r[i], sizeof again);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(r[i].total_ps, r[j].total_ps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_empty_perturb_section_changes_nothing),
        cmocka_unit_test(test_a_perturbation_factor_of_1_changes_nothing),
        cmocka_unit_test(test_perturbations_prevent_symmetry_reduction),
        cmocka_unit_test(
            test_an_overlapped_iteration_takes_the_slowest_compute_time),
        cmocka_unit_test(test_the_slowest_block_crosses_a_slow_link_twice),
        cmocka_unit_test(test_a_slow_link_without_latency_limits_the_ring),
        cmocka_unit_test(test_slowing_an_idle_link_has_no_effect),
        cmocka_unit_test(test_the_slowest_jittered_npu_determines_the_time),
        cmocka_unit_test(test_each_jitter_seed_and_distribution_has_one_result),
    };

    return cmocka_run_group_tests_name("perturb", tests, NULL, NULL);
}
