/* Tests of NCCL among several machines: private NICs, trees between switches,
 * and switches of the network that reduce. */
#include "tests/models/stacks/nccl_fixture.h"

/* The network reduces at @Rate on each of two rails. */
#define SHARP(Inside, Rate)                                                    \
    "{kind: nested, count: 2, inner: {kind: switch, npus: 2, " Inside          \
    "links: 4, bandwidth: 32 GB/s, latency: 100 ns}, nics: 2, nic: {"          \
    "bandwidth: 32 GB/s, latency: 100 ns}, rails: true, outer: {kind: "        \
    "switch, npus: 2, bandwidth: 32 GB/s, latency: 1 us, reduces: true, "      \
    "reduce_rate: " Rate "}}"

/* The launch, and half of the payload through each rail's switch at its reduce
 * rate.  The first and the last piece also go through the machines. */
static void
test_sharp_takes_the_rate_of_the_switch_between_machines(void **state)
{
    SimTime rail_ps = transfer_time_ps(MIB(32), 16 * GB);
    SimTime done_ps = collective_time_on(SHARP("", "16 GB/s"),
                                         "{kind: nccl, algorithm: collnet}",
                                         COLL_ALL_REDUCE, MIB(64));

    (void)state;
    assert_true(done_ps > SIM_NS(31000) + rail_ps);
    assert_true(done_ps < SIM_NS(31000) + rail_ps + rail_ps / 10);
    assert_true(collective_time_on(SHARP("", "0 GB/s"),
                                   "{kind: nccl, algorithm: collnet}",
                                   COLL_ALL_REDUCE, MIB(64)) < done_ps);
}

/* If the switches of machines also reduce, the launch of CollNet is added to
 * that of NVLS. */
static void test_sharp_is_launched_on_top_of_nvls(void **state)
{
    static const char stack[] = "{kind: nccl, algorithm: collnet}";
    SimTime links_ps = 2 * SIM_NS(1000 + 100 + 2 * 100);
    SimTime done_ps = collective_time_on(SHARP("reduces: true, ", "0 GB/s"),
                                         stack, COLL_ALL_REDUCE, 1 << 10);

    (void)state;
    assert_true(done_ps > SIM_NS(31400 + 18000) + links_ps);
    assert_true(done_ps < SIM_NS(31400 + 18000 + 1000) + links_ps);
}

/* PAT takes log2 n steps and a time proportional to the ranks.  Rings are
 * faster with LL for small payloads and with Simple for large ones. */
static void test_pat_gathers_where_machines_have_one_gpu(void **state)
{
    static const char machines[] =
        "{kind: switch, npus: 16, reach: network, links: 1, bandwidth: "
        "32 GB/s, latency: 1 us}";
    Done pat =
        run_collective_on(machines, "{kind: nccl}", COLL_ALL_GATHER, MIB(1));
    Done ring =
        run_collective_on(machines, "{kind: nccl}", COLL_ALL_GATHER, MIB(64));
    SimTime least_ps = 16 * SIM_NS(2800) + 4 * SIM_NS(4000 + 2000) +
                       transfer_time_ps(MIB(1) / 16 * 15 / 3 * 4, RATE);

    (void)state;
    assert_string_equal(pat.recipe->algorithm, "PAT");
    assert_string_equal(ring.recipe->algorithm, "Ring");
    assert_true(pat.iteration_ps >= least_ps);
    assert_true(pat.iteration_ps < least_ps + least_ps / 10);
    run_clear(&pat.run);
    run_clear(&ring.run);
    assert_true(collective_time_on(machines, "{kind: nccl, algorithm: pat}",
                                   COLL_REDUCE_SCATTER, MIB(1)) >= least_ps);
}

/* Two machines of four GPUs.  Each pair of GPUs shares a NIC of 8 GB/s. */
#define WITH_NICS                                                              \
    "{kind: nested, count: 2, rails: false, outer: {kind: switch, "            \
    "bandwidth: 8 GB/s, latency: 1 us}, inner: {kind: graph, npus_forward: "   \
    "false, nodes: [{name: g0, kind: npu}, {name: g1, kind: npu}, {name: g2, " \
    "kind: npu}, {name: g3, kind: npu}, {name: n0, kind: nic}, {name: n1, "    \
    "kind: nic}, {name: p0, kind: pcie}, {name: p1, kind: pcie}], links: ["    \
    "{from: g0, to: g1, " NVLINK "}, {from: g1, to: g2, " NVLINK "}, "         \
    "{from: g2, to: g3, " NVLINK "}, {from: g3, to: g0, " NVLINK "}, "         \
    "{from: g0, to: p0, " PCIE "}, {from: g1, to: p0, " PCIE "}, "             \
    "{from: g2, to: p1, " PCIE "}, {from: g3, to: p1, " PCIE "}, "             \
    "{from: n0, to: p0, " PCIE "}, {from: n1, to: p1, " PCIE "}, "             \
    "{from: p0, to: p1, " PCIE "}]}}"
#define NVLINK "bandwidth: 32 GB/s, latency: 100 ns"
#define PCIE   "bandwidth: 12 GB/s, latency: 100 ns"

/* 7/8 of a payload leave a machine by two NICs. */
static void test_rings_leave_a_machine_by_all_its_nics(void **state)
{
    SimTime least_ps = transfer_time_ps(MIB(64) / 8 * 7, 2 * 8 * GB);
    Done done = run_collective_on(
        WITH_NICS, "{kind: nccl, algorithm: ring, protocol: Simple}",
        COLL_ALL_GATHER, MIB(64));

    (void)state;
    assert_int_equal(done.recipe->n_channels, 2);
    assert_true(done.iteration_ps > least_ps);
    assert_true(done.iteration_ps < least_ps + least_ps / 10);
    run_clear(&done.run);
}

/* An all-reduce of 64 MiB among the NPUs of @List, in this order. */
#define AMONG(List)                                                            \
    "{kind: jobs, name: jobs, jobs: [{name: job, ranks: {list: " List "}, "    \
    "workload: {kind: collective, name: c, collective: all-reduce, payload: "  \
    "64 MiB}}]}"

/* An all-reduce of 64 MiB in a group with the ranks of @List. */
#define IN_GROUP(List)                                                         \
    "{kind: program, name: p, groups: [{name: g, ranks: [" List "]}], roles: " \
    "[{name: r, ops: [{kind: collective, name: c, collective: all-reduce, "    \
    "group: g, bytes: 64 MiB}]}]}"

static SimTime workload_time_among_nodes_ps(const char *stack,
                                            const char *workload)
{
    Done done = run_workload_of_fixture(WITH_NICS, stack, workload);

    run_clear(&done.run);
    return done.iteration_ps;
}

/* One GPU of one machine and three of the other are joined by one NIC.  Rings
 * send 1.5 times the payload of 64 MiB through it, and trees the whole payload
 * once. */
static void test_machines_may_have_different_numbers_of_gpus(void **state)
{
    static const char *const groups[] = { AMONG("[0, 4, 5, 6]"),
                                          AMONG("[0, 1, 2, 4]"),
                                          AMONG("[0, 1, 3, 6]") };
    SimTime ring_ps = transfer_time_ps(MIB(96), 8 * GB);
    SimTime tree_ps = transfer_time_ps(MIB(64), 8 * GB);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
        SimTime ps = workload_time_among_nodes_ps(
            "{kind: nccl, algorithm: ring, protocol: Simple}", groups[i]);

        assert_true(ps > ring_ps && ps < ring_ps + ring_ps / 5);
        ps = workload_time_among_nodes_ps(
            "{kind: nccl, algorithm: tree, protocol: Simple}", groups[i]);
        assert_true(ps > tree_ps && ps < tree_ps + tree_ps / 5);
    }
    assert_true(workload_time_among_nodes_ps("{kind: nccl}",
                                             AMONG("[0, 1, 4, 5, 6, 7]")) > 0);
    assert_true(workload_time_among_nodes_ps("{kind: blink}",
                                             AMONG("[0, 1, 4, 5, 6, 7]")) > 0);
}

/* Channels go from machine to machine, whatever the order of the group's
 * ranks. */
static void test_ranks_of_a_machine_need_not_follow_each_other(void **state)
{
    static const char stack[] = "{kind: nccl, algorithm: ring}";

    (void)state;
    assert_int_equal(
        workload_time_among_nodes_ps(stack,
                                     IN_GROUP("[0, 4, 1, 5, 2, 6, 3, 7]")),
        workload_time_among_nodes_ps(stack, AMONG("[0, 1, 2, 3, 4, 5, 6, 7]")));
}

static Done run_on_tree_of_switches(uint32_t n_nodes, uint64_t payload_bytes)
{
    g_autofree char *topology = g_strdup_printf(
        "{kind: nested, count: %u, inner: {kind: switch, npus: 4, reduces: "
        "true, " LINK "}, nics: 4, nic: {bandwidth: 32 GB/s, latency: 100 ns}, "
        "rails: true, outer: {kind: switch, npus: %u, "
        "bandwidth: 32 GB/s, latency: 1 us}}",
        n_nodes, n_nodes);

    return run_collective_on(topology, "{kind: nccl, algorithm: nvls-tree}",
                             COLL_ALL_REDUCE, payload_bytes);
}

static SimTime tree_of_switches_ps(uint32_t n_nodes)
{
    Done done = run_on_tree_of_switches(n_nodes, 8);

    run_clear(&done.run);
    return done.iteration_ps;
}

/* A step of 14 us, and the latency of a GPU's link and the network's in both
 * directions; less than 1 ns is for bytes.  The data of two children are sent
 * at the same time. */
static void test_trees_between_switches_take_two_steps_a_level(void **state)
{
    SimTime level_ps = 2 * (SIM_US(14) + 2 * (SIM_US(1) + SIM_NS(100)));
    SimTime of_two_ps = tree_of_switches_ps(2);

    (void)state;
    for (uint32_t n_nodes = 3; n_nodes <= 9; n_nodes++) {
        uint64_t n_more = n_nodes > 8 ? 3 : n_nodes > 4 ? 2 : 1;
        SimTime more_ps = tree_of_switches_ps(n_nodes) - of_two_ps;

        assert_true(more_ps >= n_more * level_ps);
        assert_true(more_ps < n_more * (level_ps + SIM_NS(1)));
    }
}

static void test_chunks_take_turns_along_both_trees(void **state)
{
    (void)state;
    for (uint32_t n_nodes = 2; n_nodes <= 7; n_nodes++) {
        Done done = run_on_tree_of_switches(n_nodes, MIB(1));

        assert_int_equal(done.recipe->n_channels, 2);
        assert_int_equal(2 * done.recipe->chunk_bytes, MIB(1));
        run_clear(&done.run);
    }
}

/* 4 HGX H100, where NCCL occupies 24 SMs of each GPU. */
static SimTime mean_iteration_time_ps(uint32_t n_iterations,
                                      const char *collectives)
{
    Setup setup = {
        .topology =
            "{kind: nested, count: 4, inner: {kind: switch, npus: 8, links: "
            "18, bandwidth: 25 GB/s, latency: 300 ns, efficiency: 82 %, "
            "reduces: true, reduce_rate: 263 GB/s}, nics: 8, nic: {bandwidth: "
            "63 GB/s, latency: 250 ns, efficiency: 91 %}, rails: true, outer: "
            "{kind: switch, npus: 4, bandwidth: 50 GB/s, latency: 1 us, "
            "efficiency: 96 %}}",
        .npu = "{sms: 132, clock: 1.98 GHz, flops: 989 TFLOPS, hbm: "
               "{bandwidth: 3.35 TB/s, efficiency: 96.74 %, turnaround: 7 %, "
               "write_loss: 3 %, policy: shared}}",
        .endpoint = "{kind: baseline, sms: 24, memory_bandwidth: 1200 GB/s, "
                    "only_while_communicating: true}",
        .workload = single_collective_workload(COLL_ALL_REDUCE, MIB(1024)),
        .training =
            format_text("{iterations: %u, optimiser: none}", n_iterations),
        .collectives = collectives,
        .stack = "{kind: nccl, algorithm: tree}",
    };

    return simulate_setup(&setup).iteration_ps;
}

/* Ranks of a tree are not synchronised.  Ranks that have finished the first
 * collective start the second, which would overtake the first on other ranks if
 * the newest had priority. */
static void test_collectives_go_in_the_order_of_their_stream(void **state)
{
    SimTime alone_ps = mean_iteration_time_ps(1, OWN);

    (void)state;
    assert_near_per_mille(mean_iteration_time_ps(2, OWN), alone_ps, 10);
    assert_true(
        mean_iteration_time_ps(2, "{chunk: auto, message: auto, window: auto, "
                                  "packet: 256 B, scheduler: lifo}") >
        alone_ps + alone_ps / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_sharp_takes_the_rate_of_the_switch_between_machines),
        cmocka_unit_test(test_sharp_is_launched_on_top_of_nvls),
        cmocka_unit_test(test_pat_gathers_where_machines_have_one_gpu),
        cmocka_unit_test(test_rings_leave_a_machine_by_all_its_nics),
        cmocka_unit_test(test_machines_may_have_different_numbers_of_gpus),
        cmocka_unit_test(test_ranks_of_a_machine_need_not_follow_each_other),
        cmocka_unit_test(test_trees_between_switches_take_two_steps_a_level),
        cmocka_unit_test(test_chunks_take_turns_along_both_trees),
        cmocka_unit_test(test_collectives_go_in_the_order_of_their_stream),
    };

    return cmocka_run_group_tests_name("nccl_nodes", tests, NULL, NULL);
}
