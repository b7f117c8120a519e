/*
 * test_closed_form.c - Tests of runs that have a closed form.
 *
 * Each test states its formula. The tolerance is 0 unless the test says
 * why. */
#include "tests/models/run/closed_form_fixture.h"

/* One chunk, which is one message per step. */
#define WHOLE "{chunk: 1 GiB, message: 1 GiB"

static uint64_t divide_rounding_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* ---- closed forms of ring collectives ------------------------------------ */

static const char *ring_topology_text(uint32_t n)
{
    return format_text("{kind: torus, dims: [{size: %u, direction: one, "
                       "bandwidth: 25 GB/s, latency: 500 ns}]}",
                       n);
}

static SystemResult simulate_on_ring(const char *topology, CollKind kind,
                                     uint64_t payload_bytes, int message_cycles,
                                     FoldMode fold)
{
    Setup s = { .topology = topology,
                .endpoint = format_text("{kind: ideal, message_cycles: %d}",
                                        message_cycles),
                .workload = single_collective_workload(kind, payload_bytes),
                .collectives = WHOLE "}" };
    Run run;
    SystemResult r = run_to_result(&run, &s, fold);

    run_clear(&run);
    return r;
}

static const uint32_t ring_sizes[] = { 2, 3, 16, 64, 256 };

/* The run takes 2 (n-1) x (S/n / B + latency). */
static void test_a_ring_all_reduce_takes_2n_minus_2_steps(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(ring_sizes); i++) {
        uint32_t n = ring_sizes[i];
        uint64_t block = divide_rounding_up(MIB(64), n);
        SystemResult r = simulate_on_ring(
            ring_topology_text(n), COLL_ALL_REDUCE, MIB(64), 0, FOLD_AUTO);

        assert_int_equal(r.iteration_ps,
                         2 * (n - 1) *
                             (transfer_time_ps(block, 25 * GB) + SIM_NS(500)));
        assert_int_equal(r.sent_bytes, 2 * (n - 1) * block);
        assert_int_equal(r.exposed_ps, r.iteration_ps);
        assert_int_equal(r.comm_ps, r.iteration_ps);
        assert_int_equal(r.compute_ps, 0);
    }
}

static void test_a_full_run_of_a_ring_has_the_same_form(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(ring_sizes); i++) {
        uint32_t n = ring_sizes[i];
        uint64_t block = divide_rounding_up(100001, n);
        SystemResult r = simulate_on_ring(ring_topology_text(n),
                                          COLL_ALL_REDUCE, 100001, 0, FOLD_OFF);

        assert_int_equal(r.n_simulated, n);
        assert_int_equal(r.iteration_ps,
                         2 * (n - 1) *
                             (transfer_time_ps(block, 25 * GB) + SIM_NS(500)));
    }
}

static void test_one_cycle_per_message_adds_one_cycle_per_step(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(ring_sizes); i++) {
        uint32_t n = ring_sizes[i];
        SystemResult none = simulate_on_ring(
            ring_topology_text(n), COLL_ALL_REDUCE, MIB(64), 0, FOLD_AUTO);
        SystemResult one = simulate_on_ring(
            ring_topology_text(n), COLL_ALL_REDUCE, MIB(64), 1, FOLD_AUTO);

        assert_int_equal(one.iteration_ps - none.iteration_ps,
                         2 * (n - 1) * SIM_NS(1));
    }
}

static void
test_a_reduce_scatter_or_all_gather_is_half_an_all_reduce(void **state)
{
    const CollKind kinds[] = { COLL_REDUCE_SCATTER, COLL_ALL_GATHER };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(ring_sizes); i++) {
        uint32_t n = ring_sizes[i];
        SystemResult both = simulate_on_ring(
            ring_topology_text(n), COLL_ALL_REDUCE, MIB(64), 1, FOLD_AUTO);

        for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
            SystemResult half = simulate_on_ring(
                ring_topology_text(n), kinds[k], MIB(64), 1, FOLD_AUTO);

            assert_int_equal(2 * half.iteration_ps, both.iteration_ps);
            assert_int_equal(2 * half.sent_bytes, both.sent_bytes);
        }
    }
}

static void test_link_efficiency_affects_bytes_but_not_latency(void **state)
{
    const char *topology = "{kind: torus, dims: [{size: 8, direction: one, "
                           "bandwidth: 25 GB/s, latency: 500 ns, "
                           "efficiency: 94 %}]}";
    SystemResult r =
        simulate_on_ring(topology, COLL_ALL_REDUCE, MIB(8), 0, FOLD_AUTO);

    (void)state;
    assert_int_equal(
        r.iteration_ps,
        14 * (transfer_time_ps(MIB(1), UINT64_C(23500000000)) + SIM_NS(500)));
}

/* One chunk uses one direction only, many chunks use both. */
static const char *bidirectional_ring_text(int n)
{
    return format_text("{kind: torus, dims: [{size: %d, links: 2, "
                       "bandwidth: 25 GB/s, latency: 500 ns}]}",
                       n);
}

static void test_one_chunk_uses_one_ring_direction(void **state)
{
    SystemResult one = simulate_on_ring(ring_topology_text(8), COLL_ALL_REDUCE,
                                        MIB(8), 0, FOLD_AUTO);
    SystemResult both = simulate_on_ring(bidirectional_ring_text(8),
                                         COLL_ALL_REDUCE, MIB(8), 0, FOLD_AUTO);

    (void)state;
    assert_int_equal(one.iteration_ps, both.iteration_ps);
}

/* The bound is 2(n-1)/n S / (2 B). One percent is allowed for filling and
 * draining the pipeline. */
static void
test_many_chunks_reach_the_bandwidth_of_both_directions(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 32; n *= 2) {
        Setup s = { .topology = bidirectional_ring_text((int)n),
                    .workload =
                        single_collective_workload(COLL_ALL_REDUCE, MIB(64)),
                    .collectives = "{window: 256}" };
        SystemResult r = simulate_setup(&s);
        SimTime bound_ps = transfer_time_ps(MIB(64) / n * 2 * (n - 1), 50 * GB);

        assert_true(r.iteration_ps >= bound_ps);
        assert_near_per_mille(r.iteration_ps, bound_ps, 10);
        assert_near_per_mille(r.net_bytes_per_s, 50 * GB, 10);
        assert_near_per_mille(r.net_cap_bytes_per_s, 50 * GB, 1);
    }
}

/* The cap is that of reference/ace-isca21.md, without the efficiency of
 * links. */
static void test_network_caps_of_four_platforms_equal_the_paper(void **state)
{
    const int sizes[][3] = {
        { 4, 2, 2 }, { 4, 4, 2 }, { 4, 4, 4 }, { 4, 8, 4 }
    };
    const uint64_t sent_ppm[] = { 2000000, 2125000, 2250000, 2312500 };
    const uint64_t cap_mb_per_s[] = { 400000, 283333, 300000, 264286 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
        Setup s = { .topology =
                        ace_torus_text(sizes[i][0], sizes[i][1], sizes[i][2]) };
        SystemResult r = simulate_setup(&s);

        assert_int_equal(r.sent_bytes, MIB(1) * sent_ppm[i] / 1000000);
        assert_near_per_mille(r.net_cap_bytes_per_s, cap_mb_per_s[i] * 940000,
                              1);
    }
}

/* ---- closed form of a shift --------------------------------------------- */

/* Each link of the ring carries one payload: S / B + latency, for any n. */
static void test_a_shift_on_a_ring_is_one_message_of_a_payload(void **state)
{
    static const FoldMode folds[] = { FOLD_AUTO, FOLD_OFF };

    (void)state;
    for (uint32_t n = 2; n <= 64; n = n * 3 / 2 + 1)
        for (gsize f = 0; f < G_N_ELEMENTS(folds); f++) {
            SystemResult r = simulate_on_ring(ring_topology_text(n), COLL_SHIFT,
                                              MIB(4), 0, folds[f]);

            assert_int_equal(r.iteration_ps,
                             transfer_time_ps(MIB(4), 25 * GB) + SIM_NS(500));
            assert_int_equal(r.sent_bytes, MIB(4));
        }
}

/* ---- closed forms of all-to-all ------------------------------------------ */

/* Every pair has its own link: S/n / B + latency. */
static void test_all_to_all_on_pairwise_links_is_one_message(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 17; n++) {
        Setup s = {
            .topology = format_text("{kind: fully-connected, npus: %u, "
                                    "bandwidth: 25 GB/s, latency: 500 ns}",
                                    n),
            .endpoint = "{kind: ideal, message_cycles: 0}",
            .workload = single_collective_workload(COLL_ALL_TO_ALL, MIB(4)),
            .collectives = WHOLE "}",
        };
        uint64_t block = divide_rounding_up(MIB(4), n);
        SystemResult r = simulate_setup(&s);

        assert_int_equal(r.iteration_ps,
                         transfer_time_ps(block, 25 * GB) + SIM_NS(500));
        assert_int_equal(r.sent_bytes, (n - 1) * block);
    }
}

/* Returns the bytes that leave an NPU in dimension @d, including forwarded
 * ones. For each pair of NPUs, a block takes the number of steps of the shorter
 * direction. */
static uint64_t all_to_all_bytes_on_link(const int *sizes, int d,
                                         uint64_t block)
{
    uint64_t sum = 0, others = 1;

    for (int x = 1; x < sizes[d]; x++)
        sum += (uint64_t)MIN(x, sizes[d] - x);
    for (int e = 0; e < 3; e++)
        others *= e == d ? 1 : (uint64_t)sizes[e];
    return sum * others * block;
}

/* A run is not faster than the busiest dimension permits. The two directions
 * are used equally only on average, and blocks of one chunk collide, so up to
 * 25 % more is allowed. */
static void test_all_to_all_on_a_torus_is_near_its_bandwidth_bound(void **state)
{
    const int sizes[][3] = {
        { 4, 2, 2 }, { 4, 4, 2 }, { 4, 4, 4 }, { 3, 2, 5 }, { 8, 1, 1 }
    };
    const uint64_t rates[] = { 376 * GB, 47 * GB, 47 * GB };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
        uint64_t n = (uint64_t)(sizes[i][0] * sizes[i][1] * sizes[i][2]);
        Setup s = { .topology =
                        ace_torus_text(sizes[i][0], sizes[i][1], sizes[i][2]),
                    .workload =
                        single_collective_workload(COLL_ALL_TO_ALL, MIB(4)) };
        SystemResult r = simulate_setup(&s);
        SimTime bound_ps = 0;

        for (int d = 0; d < 3; d++)
            bound_ps =
                MAX(bound_ps, transfer_time_ps(all_to_all_bytes_on_link(
                                                   sizes[i], d, MIB(4) / n),
                                               rates[d]));
        assert_true(r.iteration_ps >= bound_ps);
        if (r.iteration_ps > bound_ps / 4 * 5)
            fail_msg("%d x %d x %d: %" G_GUINT64_FORMAT
                     " ps, bound %" G_GUINT64_FORMAT,
                     sizes[i][0], sizes[i][1], sizes[i][2], r.iteration_ps,
                     bound_ps);
    }
}

/* ---- closed forms of switch collectives ---------------------------------- */

static const char *switch_topology_text(uint32_t n)
{
    return format_text("{kind: switch, npus: %u, bandwidth: 25 GB/s, "
                       "latency: 500 ns}",
                       n);
}

/* Two cut-through hops take t(message) + t(packet) + 2 latency. Messages have
 * S/2, S/4, ... S/n bytes, and the same back. */
static void test_halving_doubling_on_a_switch_is_the_sum_of_steps(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 64; n *= 2) {
        Setup s = { .topology = switch_topology_text(n),
                    .endpoint = "{kind: ideal, message_cycles: 0}",
                    .workload =
                        single_collective_workload(COLL_ALL_REDUCE, MIB(1)),
                    .collectives = WHOLE ", algorithm: halving-doubling}" };
        SimTime expected_ps = 0;

        for (uint64_t part = 2; part <= n; part *= 2)
            expected_ps += 2 * (transfer_time_ps(MIB(1) / part, 25 * GB) +
                                transfer_time_ps(256, 25 * GB) + SIM_NS(1000));
        assert_int_equal(simulate_setup(&s).iteration_ps, expected_ps);
        s.workload = single_collective_workload(COLL_REDUCE_SCATTER, MIB(1));
        assert_int_equal(simulate_setup(&s).iteration_ps, expected_ps / 2);
        s.workload = single_collective_workload(COLL_ALL_GATHER, MIB(1));
        assert_int_equal(simulate_setup(&s).iteration_ps, expected_ps / 2);
    }
}

static void test_a_ring_on_a_switch_takes_two_hops_a_step(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 17; n += 3) {
        Setup s = { .topology = switch_topology_text(n),
                    .endpoint = "{kind: ideal, message_cycles: 0}",
                    .workload =
                        single_collective_workload(COLL_ALL_REDUCE, MIB(1)),
                    .collectives = WHOLE ", algorithm: ring}" };

        assert_int_equal(
            simulate_setup(&s).iteration_ps,
            2 * (n - 1) *
                (transfer_time_ps(divide_rounding_up(MIB(1), n), 25 * GB) +
                 transfer_time_ps(256, 25 * GB) + SIM_NS(1000)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ring_all_reduce_takes_2n_minus_2_steps),
        cmocka_unit_test(test_a_full_run_of_a_ring_has_the_same_form),
        cmocka_unit_test(test_one_cycle_per_message_adds_one_cycle_per_step),
        cmocka_unit_test(
            test_a_reduce_scatter_or_all_gather_is_half_an_all_reduce),
        cmocka_unit_test(test_link_efficiency_affects_bytes_but_not_latency),
        cmocka_unit_test(test_one_chunk_uses_one_ring_direction),
        cmocka_unit_test(
            test_many_chunks_reach_the_bandwidth_of_both_directions),
        cmocka_unit_test(test_network_caps_of_four_platforms_equal_the_paper),
        cmocka_unit_test(test_a_shift_on_a_ring_is_one_message_of_a_payload),
        cmocka_unit_test(test_all_to_all_on_pairwise_links_is_one_message),
        cmocka_unit_test(
            test_all_to_all_on_a_torus_is_near_its_bandwidth_bound),
        cmocka_unit_test(test_halving_doubling_on_a_switch_is_the_sum_of_steps),
        cmocka_unit_test(test_a_ring_on_a_switch_takes_two_hops_a_step),
    };

    return cmocka_run_group_tests_name("closed_form", tests, NULL, NULL);
}
