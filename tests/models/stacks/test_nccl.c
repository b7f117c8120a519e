/*
 * Tests that NCCL's recipes take the times that formulas give, on endpoints
 * without costs, and which algorithms and protocols are chosen by size and by
 * pins.
 *
 * In the formulas t(b) is the time of b bytes on a link.  A step includes the
 * latency of near links, so that latency is not
 * added. */
#include "tests/models/stacks/nccl_fixture.h"

/* ---- costs of NCCL protocols --------------------------------------------- */

/* A step of 3 KiB sends 8 KiB on the wire. */
static void test_ll_sends_flags_with_the_data(void **state)
{
    SimTime step_ps = SIM_NS(600) + transfer_time_ps(8192, RATE) +
                      transfer_time_ps(PACKET, RATE);

    (void)state;
    assert_int_equal(
        collective_time_on(PAIR, "{kind: nccl, algorithm: ring, protocol: LL}",
                           COLL_ALL_REDUCE, 6 << 10),
        SIM_NS(6600) + 2 * step_ps);
}

static void test_simple_sends_data_alone(void **state)
{
    SimTime step_ps = SIM_NS(3400) + transfer_time_ps(MIB(1), RATE) +
                      transfer_time_ps(PACKET, RATE);

    (void)state;
    assert_int_equal(
        collective_time_on(PAIR,
                           "{kind: nccl, algorithm: ring, protocol: Simple, "
                           "Simple: {slice: 1 MiB}}",
                           COLL_ALL_REDUCE, MIB(2)),
        SIM_NS(8400) + 2 * step_ps);
}

/* Two steps of 400 ns: the remainder of the 600 ns is the latency of two
 * links. */
static void test_the_critical_path_has_the_time_of_protocol_steps(void **state)
{
    Done done =
        run_collective_on(PAIR, "{kind: nccl, algorithm: ring, protocol: LL}",
                          COLL_ALL_REDUCE, 6 << 10);

    (void)state;
    assert_int_equal(done.step_ps, 2 * SIM_NS(400));
    run_clear(&done.run);
}

/* A send and its receive are one step. */
static void test_a_message_is_launched_and_takes_a_step(void **state)
{
    Done done = run_workload_of_fixture(
        PAIR, "{kind: nccl, Simple: {slice: 1 MiB}}",
        "{kind: program, name: message, roles: [{name: first, ranks: {size: 2, at: 0}, ops: [{kind: send, name: m, "
        "group: all, from: 0, to: 1, bytes: 1 MiB}]}, {name: second, ranks: "
        "{size: 2, at: 1}, ops: [{kind: receive, name: m, group: all, from: "
        "0, to: 1, bytes: 1 MiB}]}]}");

    (void)state;
    assert_string_equal(done.recipe->algorithm, "P2P");
    assert_int_equal(done.iteration_ps, SIM_NS(8400) + SIM_NS(3400) +
                                            transfer_time_ps(MIB(1), RATE) +
                                            transfer_time_ps(PACKET, RATE));
    run_clear(&done.run);
}

/* The latency of the network is added to the network step. */
static void test_a_step_over_a_longer_distance_costs_more(void **state)
{
    static const char stack[] = "{kind: nccl, algorithm: ring, protocol: LL, "
                                "LL: {efficiency: 100 %}}";
    SimTime near_ps =
        collective_time_on("{kind: switch, npus: 2, reach: near, " LINK "}",
                           stack, COLL_ALL_REDUCE, 512);
    SimTime far_ps =
        collective_time_on("{kind: switch, npus: 2, reach: network, " LINK "}",
                           stack, COLL_ALL_REDUCE, 512);

    (void)state;
    assert_int_equal(far_ps - near_ps, 2 * SIM_NS(2700 - 400));
}

static void test_without_costs_only_links_take_time(void **state)
{
    SimTime step_ps = 2 * SIM_NS(100) + transfer_time_ps(3 << 10, RATE) +
                      transfer_time_ps(PACKET, RATE);

    (void)state;
    assert_int_equal(
        collective_time_on(PAIR,
                           "{kind: nccl, algorithm: ring, protocol: "
                           "LL, costs: false}",
                           COLL_ALL_REDUCE, 6 << 10),
        2 * step_ps);
}

/* GPUs that forward data of a tree reach only a fraction of the rate; with two
 * GPUs, none forwards data. */
static void test_trees_lose_a_share_of_links_from_three_gpus_on(void **state)
{
    static const char as_it_is[] =
        "{kind: nccl, algorithm: tree, protocol: Simple}";
    static const char half[] = "{kind: nccl, algorithm: tree, protocol: "
                               "Simple, tree_efficiency: 46 %}";
    double three =
        (double)collective_time_on(TRIPLE, half, COLL_ALL_REDUCE, MIB(64)) /
        (double)collective_time_on(TRIPLE, as_it_is, COLL_ALL_REDUCE, MIB(64));

    (void)state;
    assert_int_equal(
        collective_time_on(PAIR, half, COLL_ALL_REDUCE, MIB(64)),
        collective_time_on(PAIR, as_it_is, COLL_ALL_REDUCE, MIB(64)));
    assert_true(three > 1.95 && three < 2);
}

/* ---- NCCL's choice of algorithm and protocol ----------------------------- */

/* Returns the protocol as a number that grows with the payload for which it is
 * best. */
static int protocol_rank_of_outcome(const Done *done)
{
    static const char *const names[] = { "LL", "LL128", "Simple" };

    for (int i = 0; i < (int)G_N_ELEMENTS(names); i++)
        if (g_str_equal(done->recipe->protocol->name, names[i]))
            return i;
    fail_msg("protocol %s", done->recipe->protocol->name);
    return 0;
}

static void test_protocols_follow_each_other_as_payloads_grow(void **state)
{
    int last = 0;

    (void)state;
    for (uint64_t bytes = 1 << 10; bytes <= MIB(64); bytes *= 4) {
        Done done =
            run_collective_on(PAIR, "{kind: nccl}", COLL_ALL_REDUCE, bytes);

        assert_true(protocol_rank_of_outcome(&done) >= last);
        last = protocol_rank_of_outcome(&done);
        run_clear(&done.run);
    }
    assert_int_equal(last, 2);
}

static void
test_small_payloads_use_rings_and_large_ones_the_switch(void **state)
{
    Done little =
        run_collective_on(EIGHT, "{kind: nccl}", COLL_ALL_REDUCE, 1 << 10);
    Done much =
        run_collective_on(EIGHT, "{kind: nccl}", COLL_ALL_REDUCE, MIB(64));

    (void)state;
    assert_string_equal(little.recipe->algorithm, "Ring");
    assert_string_equal(much.recipe->algorithm, "NVLS");
    assert_true(much.recipe->predicted_ps > little.recipe->predicted_ps);
    run_clear(&little.run);
    run_clear(&much.run);
}

/* Between machines, trees take fewer steps. */
static void test_every_collective_is_proved_on_several_machines(void **state)
{
    static const struct {
        CollKind kind;
        const char *algorithm, *name;
    } cases[] = {
        { COLL_ALL_REDUCE, "ring", "Ring" },
        { COLL_ALL_REDUCE, "tree", "Tree" },
        { COLL_ALL_REDUCE, "nvls-tree", "NVLSTree" },
        { COLL_ALL_REDUCE, "auto", "Tree" },
        { COLL_REDUCE_SCATTER, "auto", "Ring" },
        { COLL_ALL_GATHER, "auto", "Ring" },
        { COLL_BROADCAST, "auto", "Ring" },
        { COLL_REDUCE, "auto", "Ring" },
        { COLL_ALL_TO_ALL, "ring", "P2P" },
        { COLL_SHIFT, "ring", "P2P" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *stack =
            g_strdup_printf("{kind: nccl, algorithm: %s}", cases[i].algorithm);
        Done done = run_collective_on(NODES, stack, cases[i].kind, 96 << 10);

        assert_string_equal(done.recipe->algorithm, cases[i].name);
        run_clear(&done.run);
    }
}

static void test_a_pinned_choice_that_does_not_exist_is_refused(void **state)
{
    const Setup setup = { .topology = PAIR,
                          .endpoint = IDEAL,
                          .collectives = OWN,
                          .stack = "{kind: nccl, algorithm: nvls}" };

    (void)state;
    assert_setup_refused(
        &setup, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:8:32: algorithm: all-reduce of 2 NPUs: no switch between GPUs of a machine adds (`reduces`)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ll_sends_flags_with_the_data),
        cmocka_unit_test(test_simple_sends_data_alone),
        cmocka_unit_test(test_the_critical_path_has_the_time_of_protocol_steps),
        cmocka_unit_test(test_a_message_is_launched_and_takes_a_step),
        cmocka_unit_test(test_a_step_over_a_longer_distance_costs_more),
        cmocka_unit_test(test_without_costs_only_links_take_time),
        cmocka_unit_test(test_trees_lose_a_share_of_links_from_three_gpus_on),
        cmocka_unit_test(test_protocols_follow_each_other_as_payloads_grow),
        cmocka_unit_test(
            test_small_payloads_use_rings_and_large_ones_the_switch),
        cmocka_unit_test(test_every_collective_is_proved_on_several_machines),
        cmocka_unit_test(test_a_pinned_choice_that_does_not_exist_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
