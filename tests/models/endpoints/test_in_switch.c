/* Tests of collectives in a switch that adds (network/transport/meeting.c and
 * models/collectives/algorithms/in_switch.c) through whole runs, against closed
 * forms */
#include "tests/system_fixture.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define NS     1000
#define IDEAL  "{kind: ideal, message_cycles: 0}"

/* Bytes take 10 ps each on a link; packets are of 512 bytes. */
#define SWITCH(n, what)                                                        \
    text_of("{kind: switch, npus: %d, reduces: true, bandwidth: 100 GB/s, "    \
            "latency: 500 ns%s}",                                              \
            n, what)
#define ONE_CHUNK                                                              \
    "{algorithm: in-switch, chunk: 1 GiB, message: 1 GiB, packet: 512 B}"

static SystemResult run_one(const char *topology, CollKind kind,
                            uint64_t payload_bytes)
{
    Setup s = { .topology = topology,
                .endpoint = IDEAL,
                .workload = one_collective(kind, payload_bytes),
                .collectives = ONE_CHUNK };

    return result_of(&s);
}

/* ---- one message ------------------------------------------------------ */

/* Up: S / B.  Down: a packet behind it, and the latency of two links, whatever
 * the number of NPUs. */
static void test_an_all_reduce_is_up_and_down_once(void **state)
{
    const int n_npus[] = { 2, 3, 8, 64 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(n_npus); i++) {
        SystemResult r =
            run_one(SWITCH(n_npus[i], ""), COLL_ALL_REDUCE, 192000);

        assert_int_equal(r.total_ps, 192000 * 10 + 512 * 10 + 2 * 500 * NS);
        assert_int_equal(r.sent_bytes, 192000);
        assert_int_equal(r.n_hops, 2);
    }
}

/* S up, then the sum of the own block down, when it is whole. */
static void test_a_reduce_scatter_is_up_and_a_part_down(void **state)
{
    SystemResult r = run_one(SWITCH(8, ""), COLL_REDUCE_SCATTER, 192000);

    (void)state;
    assert_int_equal(r.total_ps, 192000 * 10 + 24000 * 10 + 2 * 500 * NS);
    assert_int_equal(r.sent_bytes, 192000);
}

/* The first packet up, then all blocks down, the own one too. */
static void test_an_all_gather_is_a_part_up_and_all_down(void **state)
{
    SystemResult r = run_one(SWITCH(8, ""), COLL_ALL_GATHER, 192000);

    (void)state;
    assert_int_equal(r.total_ps, 512 * 10 + 192000 * 10 + 2 * 500 * NS);
    assert_int_equal(r.sent_bytes, 24000);
}

/* At 25 GB/s a byte takes 40 ps; it works as one more link in between. */
static void test_a_slow_adder_is_one_more_link(void **state)
{
    const char *adder = ", reduce_rate: 25 GB/s, reduce_latency: 300 ns";
    SystemResult r = run_one(SWITCH(8, adder), COLL_ALL_REDUCE, 192000);

    (void)state;
    assert_int_equal(r.total_ps,
                     512 * 10 + 192000 * 40 + 512 * 10 + (2 * 500 + 300) * NS);
    r = run_one(SWITCH(8, adder), COLL_ALL_GATHER, 192000);
    assert_int_equal(r.total_ps, 512 * 10 + 192000 * 10 + 2 * 500 * NS);
}

/* ---- many ------------------------------------------------------------- */

/* The bound is S / B, or S / what is added a second, where n links of a ring
 * carry 2 (n-1)/n S. */
static void test_many_chunks_reach_the_bound(void **state)
{
    Setup s = { .endpoint = IDEAL,
                .workload = one_collective(COLL_ALL_REDUCE, MIB(64)) };
    SimTime bound_ps = MIB(64) * 10, in_switch_ps, ring_ps;

    (void)state;
    s.topology = SWITCH(16, "");
    in_switch_ps = result_of(&s).total_ps; /* by auto */
    assert_true(in_switch_ps > bound_ps);
    assert_near(in_switch_ps, bound_ps, 5);
    s.topology = SWITCH(16, ", reduce_rate: 80 GB/s");
    assert_near(result_of(&s).total_ps, MIB(64) * 100 / 8, 5);
    s.collectives = "{algorithm: ring}";
    s.topology = SWITCH(16, "");
    ring_ps = result_of(&s).total_ps;
    assert_true(ring_ps >= 2 * bound_ps * 15 / 16);
}

/* ---- what it costs an NPU --------------------------------------------- */

/* A baseline reads what it sends once and adds nothing; copy engines need no
 * SMs. */
static void test_nothing_is_reduced_at_an_npu(void **state)
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
                    .workload = one_collective(COLL_ALL_REDUCE, MIB(1)),
                    .collectives = "{algorithm: in-switch}" };
        SystemResult r = result_of(&s);

        assert_int_equal(r.hbm_comm_read_bytes, MIB(1));
        assert_int_equal(r.hbm_comm_write_bytes, MIB(1));
        s.workload = one_collective(COLL_REDUCE_SCATTER, MIB(1));
        r = result_of(&s);
        assert_int_equal(r.hbm_comm_read_bytes, MIB(1));
        assert_int_equal(r.hbm_comm_write_bytes, MIB(1) / n);
        s.workload = one_collective(COLL_ALL_GATHER, MIB(1));
        r = result_of(&s);
        assert_int_equal(r.hbm_comm_read_bytes, MIB(1) / n);
        assert_int_equal(r.hbm_comm_write_bytes, MIB(1));
        s.workload = one_collective(COLL_ALL_TO_ALL, MIB(1));
        r = result_of(&s); /* direct, as always */
        assert_int_equal(r.hbm_comm_read_bytes, MIB(1) / n * (n - 1));
    }
}

/* Bound by HBM when it is shared: what comes in is charged, as much as it is.
 */
static void test_a_shared_hbm_charges_what_comes_down(void **state)
{
    Setup s = { .topology = SWITCH(8, ""),
                .npu = "{sms: 80, clock: 1 GHz, flops: 1 TFLOPS, "
                       "hbm: {bandwidth: 20 GB/s, policy: shared}}",
                .endpoint = "{kind: baseline, sms: 40, memory_bandwidth: 20 "
                            "GB/s}",
                .workload = one_collective(COLL_ALL_GATHER, MIB(16)),
                .collectives = "{algorithm: in-switch}" };

    (void)state;
    assert_near(result_of(&s).total_ps, MIB(16) * 50 / 8 * 9, 10);
}

/* ---- out of step ------------------------------------------------------ */

/* The sum of all waits for the one that comes last: a kernel of 100 us that
 * takes twice as long there, while the seven others have sent theirs, so that a
 * collective is under way all that time. */
static void test_the_switch_waits_for_a_straggler(void **state)
{
    Setup s = {
        .topology = SWITCH(8, ""),
        .endpoint = IDEAL,
        .workload = "{kind: data-parallel, name: d, batch: 16, layers: "
                    "[{kind: linear, name: a, in: 400, out: 400}]}",
    };
    SystemResult in_step = result_of(&s), r;

    (void)state;
    s.perturb = "{npus: [{npu: 5, time_factor: 2}]}";
    r = result_of(&s);
    assert_int_equal(r.total_ps, in_step.total_ps + in_step.compute_ps);
    assert_int_equal(r.comm_ps, in_step.comm_ps + in_step.compute_ps);
}

static void test_packets_cannot_meet(void **state)
{
    const Setup s = { .topology = SWITCH(8, ""),
                      .collectives = "{fidelity: packet}" };

    (void)state;
    assert_refused(&s, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                   "run.yaml:6:25: fidelity: packets do not meet in a switch "
                   "that adds; take `message`, or another algorithm than "
                   "in-switch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_all_reduce_is_up_and_down_once),
        cmocka_unit_test(test_a_reduce_scatter_is_up_and_a_part_down),
        cmocka_unit_test(test_an_all_gather_is_a_part_up_and_all_down),
        cmocka_unit_test(test_a_slow_adder_is_one_more_link),
        cmocka_unit_test(test_many_chunks_reach_the_bound),
        cmocka_unit_test(test_nothing_is_reduced_at_an_npu),
        cmocka_unit_test(test_a_shared_hbm_charges_what_comes_down),
        cmocka_unit_test(test_the_switch_waits_for_a_straggler),
        cmocka_unit_test(test_packets_cannot_meet),
    };

    return cmocka_run_group_tests_name("in-switch", tests, NULL, NULL);
}
