/*
 * NPUs and links that are not alike: closed forms where a slow one decides,
 * and many random systems that must not stall.  Tolerance is 0.
 */
#include "tests/system_fixture.h"

#include <signal.h>
#include <unistd.h>

#define GB 1000000000 /* per second */

/* ---- the same with nothing perturbed ---------------------------------- */

#define LAYERS                                                                 \
    "{kind: data-parallel, name: d, batch: 16, layers: ["                      \
    "{kind: linear, name: a, in: 100, out: 101}, "                             \
    "{kind: linear, name: b, in: 101, out: 150}]}"

static const Setup plain[] = {
    { .workload = LAYERS, .training = "{iterations: 2}" },
    { .endpoint = "{kind: ace}", .collectives = "{chunk: 16 KiB}" },
    { .topology = "{kind: switch, npus: 5, bandwidth: 25 GB/s, "
                  "latency: 500 ns}",
      .endpoint = "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
      .workload = LAYERS },
};

static SystemResult run_with(const Setup *base, const char *perturb,
                             FoldMode fold)
{
    Setup s = *base;
    Run run;
    SystemResult r;

    s.perturb = perturb;
    r = run_setup(&run, &s, fold);
    run_clear(&run);
    return r;
}

/* What differs by nature is how much was simulated. */
static void assert_same(SystemResult a, SystemResult b)
{
    G_STATIC_ASSERT(sizeof a % sizeof(uint64_t) == 0);
    a.n_simulated = b.n_simulated;
    a.n_hops = b.n_hops;
    a.n_events = b.n_events;
    assert_memory_equal(&a, &b, sizeof a);
}

static void test_an_empty_section_changes_nothing_and_folds(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(plain); i++) {
        SystemResult without = run_with(&plain[i], NULL, FOLD_REQUIRE);
        SystemResult with = run_with(&plain[i], "{}", FOLD_REQUIRE);

        assert_int_equal(with.n_simulated, 1);
        assert_memory_equal(&with, &without, sizeof with);
    }
}

static void test_no_jitter_in_full_is_the_folded_run(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(plain); i++) {
        SystemResult without = run_with(&plain[i], NULL, FOLD_REQUIRE);
        SystemResult full =
            run_with(&plain[i], "{jitter: 0 %, seed: 9}", FOLD_OFF);

        assert_int_equal(full.n_simulated, full.n_npus);
        assert_same(full, without);
    }
}

static void test_a_factor_of_1_runs_in_full_and_changes_nothing(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(plain); i++) {
        SystemResult without = run_with(&plain[i], NULL, FOLD_REQUIRE);
        SystemResult npu = run_with(
            &plain[i], "{npus: [{npu: 0, time_factor: 1.0}]}", FOLD_AUTO);
        SystemResult link = run_with(
            &plain[i],
            text_of("{links: [{npu: 3, port: %s, bandwidth_factor: 100 %%}]}",
                    plain[i].topology ? "up" : "dim0+"),
            FOLD_AUTO);

        assert_int_equal(npu.n_simulated, npu.n_npus);
        assert_int_equal(link.n_simulated, link.n_npus);
        assert_same(npu, without);
        assert_same(link, without);
    }
}

/* ---- why it is not folded --------------------------------------------- */

static const char *const unlike[] = {
    "{jitter: 1 %}",
    "{npus: [{npu: 3, time_factor: 2}]}",
    "{links: [{npu: 0, port: dim0-, bandwidth_factor: 0.5}]}",
};

static void test_what_tells_npus_apart_cannot_be_folded(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(unlike); i++)
        assert_refused(&(Setup){ .perturb = unlike[i] }, FOLD_REQUIRE,
                       SYSTEM_ERROR, SYSTEM_ERROR_CANNOT_FOLD,
                       "cannot fold: `perturb` makes NPUs or links differ");
}

static void assert_reason(const char *perturb, FoldMode fold,
                          const char *reason)
{
    Run run;

    (void)run_setup(&run, &(Setup){ .perturb = perturb }, fold);
    if (reason)
        assert_string_equal(system_unfolded_reason(run.system), reason);
    else
        assert_null(system_unfolded_reason(run.system));
    run_clear(&run);
}

static void test_the_reason_for_a_full_run_is_kept(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(unlike); i++) {
        assert_reason(unlike[i], FOLD_AUTO,
                      "`perturb` makes NPUs or links differ");
        assert_reason(unlike[i], FOLD_OFF,
                      "`perturb` makes NPUs or links differ");
    }
    assert_reason("{seed: 3, distribution: uniform}", FOLD_AUTO, NULL);
    assert_reason("{}", FOLD_OFF, "as asked for");
}

/* ---- stragglers ------------------------------------------------------- */

/* Nine kernels of 100 us; the last outlasts the last all-reduce. */
#define KERNEL_PS SIM_US(100)
#define KERNELS                                                                \
    "{kind: data-parallel, name: k, batch: 1, first_input_gradient: true, "    \
    "layers: [{kind: measured, name: l, repeat: 3, weights: 1000, "            \
    "forward_time: 100 us, input_gradient_time: 100 us, "                      \
    "weight_gradient_time: 100 us}]}"
#define MEASURED "compute: measured, gradient: fp32, "

static const Setup overlapped = {
    .workload = KERNELS,
    .training = "{" MEASURED "iterations: 4, drain: false}",
};

static SystemResult with_straggler(const Setup *s, uint32_t npu,
                                   const char *factor)
{
    return run_with(
        s, text_of("{npus: [{npu: %u, time_factor: %s}]}", npu, factor),
        FOLD_AUTO);
}

/* iteration = slowest NPU's compute, whichever it is; the mean of all is
 * reported as compute, the rest of the iteration as exposed. */
static void test_an_overlapped_iteration_is_the_slowest_compute(void **state)
{
    (void)state;
    for (uint32_t npu = 0; npu < 4; npu++) {
        SystemResult r = with_straggler(&overlapped, npu, "2");

        assert_int_equal(r.iteration_ps, 18 * KERNEL_PS);
        assert_int_equal(r.total_ps, 4 * 18 * KERNEL_PS);
        assert_int_equal(r.compute_ps, (3 * 9 + 18) * KERNEL_PS / 4);
        assert_int_equal(r.exposed_ps, r.iteration_ps - r.compute_ps);
        assert_int_equal(r.roofline_ps, 9 * KERNEL_PS);
        r = with_straggler(&overlapped, npu, "150.5 %");
        assert_int_equal(r.iteration_ps, 9 * KERNEL_PS / 1000 * 1505);
    }
}

static void test_a_fast_npu_waits_for_the_others(void **state)
{
    SystemResult r = with_straggler(&overlapped, 1, "0.5");

    (void)state;
    assert_int_equal(r.iteration_ps, 9 * KERNEL_PS);
    assert_int_equal(r.compute_ps, (3 * 9 + 4.5) * KERNEL_PS / 4);
}

/* 12000 B in 4 blocks take 6 steps of a cycle, 3000 B at 25 GB/s, 500 ns. */
#define STEPS_PS (6 * (SIM_NS(1) + SIM_NS(120) + SIM_NS(500)))

/* The steps begin at the straggler, so its compute and all six steps add. */
static void test_without_overlap_the_steps_come_after_the_slowest(void **state)
{
    const Setup s = { .workload = KERNELS,
                      .training = "{" MEASURED "iterations: 3, "
                                  "overlap: false}" };

    (void)state;
    for (uint32_t npu = 0; npu < 4; npu++)
        assert_int_equal(with_straggler(&s, npu, "2").total_ps,
                         3 * (18 * KERNEL_PS + STEPS_PS));
}

/* ---- links ------------------------------------------------------------ */

/* A ring all-reduce of one chunk, blocks of 100 kB: 4 us on a link. */
#define BLOCK_PS SIM_US(4)
#define CYCLE_PS SIM_NS(1)
#define WHOLE    "{chunk: 1 GiB, message: 1 GiB, packet: 1 kB}"

static SimTime ring_ps(uint32_t n, int latency_us, int cycles,
                       const char *perturb)
{
    Setup s = {
        .topology = text_of("{kind: torus, dims: [{size: %u, links: 2, "
                            "bandwidth: 25 GB/s, latency: %d us}]}",
                            n, latency_us),
        .endpoint = text_of("{kind: ideal, message_cycles: %d}", cycles),
        .workload = one_collective(COLL_ALL_REDUCE, n * 100000),
        .collectives = WHOLE,
    };

    return run_with(&s, perturb, FOLD_AUTO).total_ps;
}

static const char *link_text(uint32_t npu, const char *port, const char *factor)
{
    return text_of("{links: [{npu: %u, port: %s, bandwidth_factor: %s}]}", npu,
                   port, factor);
}

/* Latency decides: a block makes 2(n-1) hops, two of them over the slow link,
 * each k times as long, so 2(k-1) times a block's time comes on top. */
static void test_a_slow_link_is_crossed_twice_by_the_slowest(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 6; n++)
        for (uint32_t npu = 0; npu < n; npu++) {
            SimTime even_ps = ring_ps(n, 100, 1, NULL);

            assert_int_equal(even_ps,
                             2 * (n - 1) * (CYCLE_PS + BLOCK_PS + SIM_US(100)));
            assert_int_equal(ring_ps(n, 100, 1, link_text(npu, "dim0+", "0.5")),
                             even_ps + 2 * BLOCK_PS);
            assert_int_equal(
                ring_ps(n, 100, 1, link_text(npu, "dim0+", "25 %")),
                even_ps + 6 * BLOCK_PS);
        }
}

/* Bandwidth decides: the slow link is never idle after its first cycle, and
 * all 2(n-1) blocks take twice their time on it. */
static void test_a_slow_link_without_latency_decides_alone(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 6; n++) {
        SimTime even_ps = ring_ps(n, 0, 1, NULL);
        SimTime slow_ps = ring_ps(n, 0, 1, link_text(n - 2, "dim0+", "0.5"));

        assert_int_equal(slow_ps, CYCLE_PS + 2 * (n - 1) * 2 * BLOCK_PS);
        assert_true(slow_ps > even_ps && slow_ps < 2 * even_ps);
    }
}

static void test_a_fast_link_changes_nothing_when_others_bind(void **state)
{
    const char *fast = link_text(2, "dim0+", "2.0");

    (void)state;
    assert_int_equal(ring_ps(4, 0, 0, NULL), 6 * BLOCK_PS);
    assert_int_equal(ring_ps(4, 0, 0, fast), 6 * BLOCK_PS);
    /* with latency, the worst path of 6 hops crosses it once */
    assert_int_equal(ring_ps(4, 100, 1, fast),
                     6 * (CYCLE_PS + BLOCK_PS + SIM_US(100)) - BLOCK_PS / 2);
}

static void test_a_link_that_nothing_takes_does_not_matter(void **state)
{
    (void)state; /* the only chunk goes the + way round */
    assert_int_equal(ring_ps(4, 1, 1, link_text(0, "dim0-", "0.001")),
                     ring_ps(4, 1, 1, NULL));
}

static void test_behind_compute_a_slow_link_does_not_matter(void **state)
{
    SystemResult even = run_with(&overlapped, NULL, FOLD_AUTO);
    SystemResult slow =
        run_with(&overlapped, link_text(1, "dim0+", "0.1"), FOLD_AUTO);

    (void)state;
    assert_int_equal(slow.total_ps, even.total_ps);
    assert_true(slow.comm_ps > even.comm_ps);
}

/* Two NPUs, two steps, one of which in turn crosses the slow link; a message
 * sets out a packet, 40 ns, after it on the second hop. */
static void test_ports_of_every_topology_have_links_to_slow(void **state)
{
    static const struct {
        const char *kind, *port;
        int n_hops;
    } rows[] = { { "fully-connected", "to+1", 1 },
                 { "switch", "up", 2 },
                 { "switch", "down", 2 } };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        Setup s = { .topology = text_of("{kind: %s, npus: 2, "
                                        "bandwidth: 25 GB/s, latency: 10 us}",
                                        rows[i].kind),
                    .workload = one_collective(COLL_ALL_REDUCE, 200000),
                    .collectives = WHOLE };
        SimTime step_ps = CYCLE_PS + BLOCK_PS + SIM_US(10) * rows[i].n_hops +
                          SIM_NS(40) * (rows[i].n_hops - 1);

        assert_int_equal(run_with(&s, NULL, FOLD_OFF).total_ps, 2 * step_ps);
        for (uint32_t npu = 0; npu < 2; npu++)
            assert_int_equal(
                run_with(&s, link_text(npu, rows[i].port, "0.5"), FOLD_AUTO)
                    .total_ps,
                2 * step_ps + BLOCK_PS);
    }
}
