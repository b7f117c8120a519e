/* test_in_switch_reduction.c - Tests of collectives in a switch that adds, in
 * whole runs against closed forms.
 *
 * The code is in network/transport/in_switch_reduction.c and
 * models/collectives/algorithms/in_switch.c. */
#include "tests/system_fixture.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define NS     1000
#define IDEAL  "{kind: ideal, message_cycles: 0}"

/* A byte takes 10 ps on a link. Packets have 512 bytes. */
#define SWITCH(n, what)                                                        \
    format_text(                                                               \
        "{kind: switch, npus: %d, reduces: true, bandwidth: 100 GB/s, "        \
        "latency: 500 ns%s}",                                                  \
        n, what)
#define ONE_CHUNK                                                              \
    "{algorithm: in-switch, chunk: 1 GiB, message: 1 GiB, packet: 512 B}"

static SystemResult simulate_one_collective(const char *topology, CollKind kind,
                                            uint64_t payload_bytes)
{
    Setup s = { .topology = topology,
                .endpoint = IDEAL,
                .workload = single_collective_workload(kind, payload_bytes),
                .collectives = ONE_CHUNK };

    return simulate_setup(&s);
}

/* ---- one message through a switch that adds ------------------------------ */

/* The way up takes S / B. The way down adds one packet and the latency of two
 * links, for any number of NPUs. */
static void test_in_switch_all_reduce_sends_up_and_down_once(void **state)
{
    const int n_npus[] = { 2, 3, 8, 64 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(n_npus); i++) {
        SystemResult r = simulate_one_collective(SWITCH(n_npus[i], ""),
                                                 COLL_ALL_REDUCE, 192000);

        assert_int_equal(r.total_ps, 192000 * 10 + 512 * 10 + 2 * 500 * NS);
        assert_int_equal(r.sent_bytes, 192000);
        assert_int_equal(r.n_hops, 2);
    }
}

/* The way up takes S / B. The complete sum of the rank's own block is then sent
 * down. */
static void test_in_switch_reduce_scatter_sends_a_block_down(void **state)
{
    SystemResult r =
        simulate_one_collective(SWITCH(8, ""), COLL_REDUCE_SCATTER, 192000);

    (void)state;
    assert_int_equal(r.total_ps, 192000 * 10 + 24000 * 10 + 2 * 500 * NS);
    assert_int_equal(r.sent_bytes, 192000);
}

/* The first packet is sent up, then all blocks are sent down, including the
 * rank's own. */
static void test_in_switch_all_gather_sends_a_block_up(void **state)
{
    SystemResult r =
        simulate_one_collective(SWITCH(8, ""), COLL_ALL_GATHER, 192000);

    (void)state;
    assert_int_equal(r.total_ps, 512 * 10 + 192000 * 10 + 2 * 500 * NS);
    assert_int_equal(r.sent_bytes, 24000);
}

/* The adder takes 40 ps per byte at 25 GB/s, and acts like one more link
 * between up and down. */
static void test_a_slow_switch_adder_acts_like_one_more_link(void **state)
{
    const char *adder = ", reduce_rate: 25 GB/s, reduce_latency: 300 ns";
    SystemResult r =
        simulate_one_collective(SWITCH(8, adder), COLL_ALL_REDUCE, 192000);

    (void)state;
    assert_int_equal(r.total_ps,
                     512 * 10 + 192000 * 40 + 512 * 10 + (2 * 500 + 300) * NS);
    r = simulate_one_collective(SWITCH(8, adder), COLL_ALL_GATHER, 192000);
    assert_int_equal(r.total_ps, 512 * 10 + 192000 * 10 + 2 * 500 * NS);
}

/* ---- many chunks through a switch that adds ------------------------------ */

/* The bound is S divided by the smaller of B and the adder's rate. A ring needs
 * 2 (n-1)/n S / B. */
static void test_many_in_switch_chunks_reach_the_bound(void **state)
{
    Setup s = { .endpoint = IDEAL,
                .workload =
                    single_collective_workload(COLL_ALL_REDUCE, MIB(64)) };
    SimTime bound_ps = MIB(64) * 10, in_switch_ps, ring_ps;

    (void)state;
    s.topology = SWITCH(16, "");
    /* The run uses the chunk size that `auto` chooses. */
    in_switch_ps = simulate_setup(&s).total_ps;
    assert_true(in_switch_ps > bound_ps);
    assert_near_per_mille(in_switch_ps, bound_ps, 5);
    s.topology = SWITCH(16, ", reduce_rate: 80 GB/s");
    assert_near_per_mille(simulate_setup(&s).total_ps, MIB(64) * 100 / 8, 5);
    s.collectives = "{algorithm: ring}";
    s.topology = SWITCH(16, "");
    ring_ps = simulate_setup(&s).total_ps;
    assert_true(ring_ps >= 2 * bound_ps * 15 / 16);
}

/* ---- costs of in-switch collectives at an NPU ---------------------------- */

/* A baseline reads the bytes that it sends once and adds nothing. Copy engines
 * need no SMs. */
static void test_in_switch_sums_need_no_reduction_at_npus(void **state)
{
    const char *const endpoints[] = {
        "{kind: baseline, sms: 2, memory_bandwidth: 100 GB/s}",
        "{kind: copy-engine, memory_bandwidth: 100 GB/s}",
    };
    const uint64_t n = 8;

    (void)state;
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
        Setup s = { .topology = SWITCH((int)n, ""),
                    .endpoint = endpoints[e],
                    .workload =
                        single_collective_workload(COLL_ALL_REDUCE, MIB(1)),
                    .collectives = "{algorithm: in-switch}" };
        SystemResult r = simulate_setup(&s);

        assert_int_equal(r.hbm_comm_read_bytes, MIB(1));
        assert_int_equal(r.hbm_comm_write_bytes, MIB(1));
        s.workload = single_collective_workload(COLL_REDUCE_SCATTER, MIB(1));
        r = simulate_setup(&s);
        assert_int_equal(r.hbm_comm_read_bytes, MIB(1));
        assert_int_equal(r.hbm_comm_write_bytes, MIB(1) / n);
        s.workload = single_collective_workload(COLL_ALL_GATHER, MIB(1));
        r = simulate_setup(&s);
        assert_int_equal(r.hbm_comm_read_bytes, MIB(1) / n);
        assert_int_equal(r.hbm_comm_write_bytes, MIB(1));
        s.workload = single_collective_workload(COLL_ALL_TO_ALL, MIB(1));
        r = simulate_setup(&s); /* The collective uses the direct algorithm. */
        assert_int_equal(r.hbm_comm_read_bytes, MIB(1) / n * (n - 1));
    }
}

/* A shared HBM is the limit: incoming bytes are charged in full. */
static void test_shared_hbm_charges_incoming_in_switch_bytes(void **state)
{
    Setup s = { .topology = SWITCH(8, ""),
                .npu = "{sms: 80, clock: 1 GHz, flops: 1 TFLOPS, "
                       "hbm: {bandwidth: 20 GB/s, policy: shared}}",
                .endpoint = "{kind: baseline, sms: 40, memory_bandwidth: 20 "
                            "GB/s}",
                .workload =
                    single_collective_workload(COLL_ALL_GATHER, MIB(16)),
                .collectives = "{algorithm: in-switch}" };

    (void)state;
    assert_near_per_mille(simulate_setup(&s).total_ps, MIB(16) * 50 / 8 * 9,
                          10);
}

/* ---- in-switch collectives with unequal NPUs ----------------------------- */

/* Every sum waits for the last NPU. A kernel of 100 us takes twice as long
 * there. The other seven NPUs have sent their messages, so a collective is in
 * flight for all of that time. */
static void test_an_in_switch_sum_waits_for_a_straggler(void **state)
{
    Setup s = {
        .topology = SWITCH(8, ""),
        .endpoint = IDEAL,
        .workload = "{kind: data-parallel, name: d, batch: 16, layers: "
                    "[{kind: linear, name: a, in: 400, out: 400}]}",
    };
    SystemResult equal = simulate_setup(&s), r;

    (void)state;
    s.perturb = "{npus: [{npu: 5, time_factor: 2}]}";
    r = simulate_setup(&s);
    assert_int_equal(r.total_ps, equal.total_ps + equal.compute_ps);
    assert_int_equal(r.comm_ps, equal.comm_ps + equal.compute_ps);
}

static void test_in_switch_sums_refuse_packet_fidelity(void **state)
{
    const Setup s = { .topology = SWITCH(8, ""),
                      .collectives = "{fidelity: packet}" };

    (void)state;
    assert_setup_refused(
        &s, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:6:25: fidelity: packets do not meet in a switch "
        "that adds; take `message`, or another algorithm than "
        "in-switch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_switch_all_reduce_sends_up_and_down_once),
        cmocka_unit_test(test_in_switch_reduce_scatter_sends_a_block_down),
        cmocka_unit_test(test_in_switch_all_gather_sends_a_block_up),
        cmocka_unit_test(test_a_slow_switch_adder_acts_like_one_more_link),
        cmocka_unit_test(test_many_in_switch_chunks_reach_the_bound),
        cmocka_unit_test(test_in_switch_sums_need_no_reduction_at_npus),
        cmocka_unit_test(test_shared_hbm_charges_incoming_in_switch_bytes),
        cmocka_unit_test(test_an_in_switch_sum_waits_for_a_straggler),
        cmocka_unit_test(test_in_switch_sums_refuse_packet_fidelity),
    };

    return cmocka_run_group_tests_name("in-switch", tests, NULL, NULL);
}
