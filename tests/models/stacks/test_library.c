/* Tests of models/stacks/rule_based_library.c: rules, and exact costs */
#include "tests/models/stacks/library_fixture.h"

#define RING "{collective: all-reduce, algorithm: ring}"
#define OPEN_MPI                                                               \
    "rules: [{collective: all-reduce, most_bytes: 9999 B, algorithm: "         \
    "recursive-doubling-any}, " RING "]"

static void assert_algorithm(uint32_t n, const char *stack, CollKind kind,
                             uint64_t bytes, const char *algorithm)
{
    Done done = run_workload_of_fixture(
        host_switch_text(n), stack, single_collective_workload(kind, bytes));

    if (algorithm)
        assert_string_equal(done.algorithm, algorithm);
    else
        assert_null(done.algorithm);
    g_free(done.algorithm);
}

static void
test_the_first_matching_library_rule_chooses_the_algorithm(void **state)
{
    const char *by_ranks =
        "rules: [{collective: all-gather, algorithm: bruck}, {most_ranks: 4, "
        "algorithm: recursive-doubling}, {least_bytes: 1 KiB, algorithm: "
        "halving-doubling}, {algorithm: ring}]";

    (void)state;
    assert_algorithm(4, OPEN_MPI, COLL_ALL_REDUCE, 9999,
                     "recursive-doubling-any");
    assert_algorithm(4, OPEN_MPI, COLL_ALL_REDUCE, 10000, "ring");
    assert_algorithm(4, OPEN_MPI, COLL_ALL_GATHER, 10000, NULL);
    assert_algorithm(4, by_ranks, COLL_ALL_GATHER, 4096, "bruck");
    assert_algorithm(4, by_ranks, COLL_ALL_REDUCE, 4096, "recursive-doubling");
    assert_algorithm(8, by_ranks, COLL_ALL_REDUCE, 1024, "halving-doubling");
    assert_algorithm(8, by_ranks, COLL_ALL_REDUCE, 1016, "ring");
    /* A rule for all kinds does not apply to kinds that its algorithm cannot
     * do. */
    assert_algorithm(8, by_ranks, COLL_ALL_TO_ALL, 4096, NULL);
}

/* The ring takes launch + 2 (n - 1) x (step + message), and a rendezvous for
 * messages above the limit. */
static void test_a_ring_pays_launch_steps_and_rendezvous(void **state)
{
    const char *stack =
        OPEN_MPI ", launch_time: 29 us, step_time: 16 us, eager_limit: 4000 B, "
                 "rendezvous_time: 37 us";

    (void)state;
    for (uint64_t n = 4; n <= 8; n++)
        for (uint64_t bytes = 3999; bytes <= 4001; bytes++) {
            SimTime step_ps = 16 * US + (bytes > 4000 ? 37 * US : 0);

            assert_int_equal(
                took_ps((uint32_t)n, stack, COLL_ALL_REDUCE, n * bytes),
                29 * US + 2 * (n - 1) * (step_ps + host_hop_time_ps(bytes)));
        }
}

static void test_doubling_sends_the_whole_payload_in_each_step(void **state)
{
    const char *stack = OPEN_MPI ", step_time: 25 us";

    (void)state;
    for (uint32_t log = 1; log <= 4; log++)
        assert_int_equal(took_ps(1U << log, stack, COLL_ALL_REDUCE, 8192),
                         log * (25 * US + host_hop_time_ps(8192)));
}

/* The messages of a halving algorithm differ in size, and each pays by its own
 * size. */
static void test_each_library_message_pays_by_its_size(void **state)
{
    const char *stack =
        "rules: [{algorithm: halving-doubling}], step_time: 3 us, eager_limit: "
        "10 KiB, rendezvous_time: 7 us, copy_bandwidth: 2 GB/s";
    SimTime expected_ps = 0;

    (void)state;
    for (uint64_t bytes = 32768; bytes >= 4096; bytes /= 2)
        expected_ps += 2 * (3 * US + (bytes > 10240 ? 7 * US : 0) +
                            BYTE_PS / 2 * bytes + host_hop_time_ps(bytes));
    assert_int_equal(took_ps(16, stack, COLL_ALL_REDUCE, 65536), expected_ps);
}

/* The collective makes 2 queries, and 3 more for each message of 2 (n - 1)
 * steps. */
static void test_a_pointer_cache_saves_every_query(void **state)
{
    const char *stack =
        "rules: [" RING "], launch_time: 5 us, step_time: 3 us, "
        "pointer_query: 2 us, collective_queries: 2, message_queries: 3, "
        "pointer_cache: %s%s";

    (void)state;
    for (uint32_t n = 2; n <= 16; n *= 2) {
        SimTime known_ps =
            5 * US + 2 * (n - 1) * (3 * US + host_hop_time_ps(1000));

        assert_int_equal(took_ps(n, format_text(stack, "true", ""),
                                 COLL_ALL_REDUCE, n * 1000),
                         known_ps);
        assert_int_equal(took_ps(n, format_text(stack, "false", ""),
                                 COLL_ALL_REDUCE, n * 1000),
                         known_ps + 4 * US + 2 * (n - 1) * 6 * US);
        /* A matching row of `messages` does not remove the queries. */
        assert_int_equal(
            took_ps(n,
                    format_text(stack, "false", ", messages: [{time: 3 us}]"),
                    COLL_ALL_REDUCE, n * 1000),
            known_ps + 4 * US + 2 * (n - 1) * 6 * US);
    }
}

static void test_registration_is_paid_once_or_each_time(void **state)
{
    const char *stack = "rules: [" RING "], registration_time: 50 us, "
                        "eager_limit: 500 B, registration: %s";
    SimTime steps_ps = 6 * host_hop_time_ps(1000);

    (void)state;
    assert_int_equal(
        took_ps(4, format_text(stack, "once"), COLL_ALL_REDUCE, 4000),
        steps_ps);
    assert_int_equal(
        took_ps(4, format_text(stack, "collective"), COLL_ALL_REDUCE, 4000),
        steps_ps + 50 * US);
    assert_int_equal(
        took_ps(4, format_text(stack, "message"), COLL_ALL_REDUCE, 4000),
        steps_ps + 6 * 50 * US);
    assert_int_equal(
        took_ps(4, format_text(stack, "message"), COLL_ALL_REDUCE, 2000),
        6 * host_hop_time_ps(500));
}

static void test_library_message_costs_depend_on_ranks_too(void **state)
{
    const char *stack =
        "rules: [" RING "], step_time: 9 us, messages: [{most_ranks: 2, time: "
        "1 us}, {least_ranks: 4, most_ranks: 4, reach: near, time: 3 us}, "
        "{least_ranks: 8, reach: network, time: 5 us}]";

    (void)state;
    assert_int_equal(took_ps(2, stack, COLL_ALL_REDUCE, 2000),
                     2 * (1 * US + host_hop_time_ps(1000)));
    assert_int_equal(took_ps(4, stack, COLL_ALL_REDUCE, 4000),
                     6 * (3 * US + host_hop_time_ps(1000)));
    assert_int_equal(took_ps(8, stack, COLL_ALL_REDUCE, 8000),
                     14 * (9 * US + host_hop_time_ps(1000)));
}

/* Two machines of two NPUs: every other step of a ring leaves a machine. */
static void test_the_cost_of_a_step_depends_on_its_distance(void **state)
{
    const char *nodes =
        "{kind: nested, count: 2, rails: false, inner: {kind: switch, npus: 2, "
        "bandwidth: 1 GB/s, latency: 1 us}, nics: 1, nic: {bandwidth: 1 GB/s, "
        "latency: 1 us}, outer: {kind: switch, npus: 2, bandwidth: 1 GB/s, "
        "latency: 1 us}}";
    const char *stack = "rules: [" RING "], step_time: 1 us%s";
    const char *work = single_collective_workload(COLL_ALL_REDUCE, 4000);
    Done plain = run_workload_of_fixture(nodes, format_text(stack, ""), work);
    Done network = run_workload_of_fixture(
        nodes, format_text(stack, ", network_step: 31 us"), work);
    Done near = run_workload_of_fixture(
        nodes, format_text(stack, ", near_step: 500 ns"), work);

    (void)state;
    assert_int_equal(network.took_ps, plain.took_ps + 3 * 30 * US);
    assert_true(near.took_ps <= plain.took_ps);
    g_free(plain.algorithm);
    g_free(network.algorithm);
    g_free(near.algorithm);
}

static void
test_efficiency_makes_messages_longer_and_limits_do_not(void **state)
{
    const char *stack = "rules: [" RING "], efficiency: 40 %, eager_limit: "
                        "1000 B, rendezvous_time: 5 us";

    (void)state;
    assert_int_equal(took_ps(4, stack, COLL_ALL_REDUCE, 4000),
                     6 * host_hop_time_ps(2500));
    assert_int_equal(took_ps(4, stack, COLL_ALL_REDUCE, 4004),
                     6 * (5 * US + host_hop_time_ps(2503)));
}

static void test_point_to_point_and_star_pay_without_a_rule(void **state)
{
    const char *stack = "rules: [], launch_time: 4 us, step_time: 3 us";
    const char *sends =
        "{kind: program, name: p, groups: [{name: pair, size: 2}], roles: "
        "[{name: a, ranks: {list: [0]}, ops: [{kind: send, name: s, group: "
        "pair, from: 0, to: 1, bytes: 1000 B}]}, {name: b, ranks: {list: [1]}, "
        "ops: [{kind: receive, name: s, group: pair, from: 0, to: 1, bytes: "
        "1000 B}]}]}";
    Done done = run_workload_of_fixture(host_switch_text(2), stack, sends);

    (void)state;
    assert_int_equal(done.took_ps, 7 * US + host_hop_time_ps(1000));
    assert_string_equal(done.algorithm, coll_p2p.name);
    g_free(done.algorithm);
}

static void test_library_costs_may_be_switched_off(void **state)
{
    const char *stack = OPEN_MPI ", launch_time: 29 us, step_time: 16 us, "
                                 "eager_limit: 1 B, rendezvous_time: 9 us, "
                                 "costs: false";

    (void)state;
    assert_int_equal(took_ps(4, stack, COLL_ALL_REDUCE, 12000),
                     6 * host_hop_time_ps(3000));
}

/* A rule can set the piece size: a chain forwards one piece while it receives
 * the next. */
static void test_a_library_rule_may_give_the_piece_size(void **state)
{
    const char *whole = "rules: [{algorithm: chain}]";
    const char *cut = "rules: [{algorithm: chain, chunk: 1000 B}]";

    (void)state;
    assert_int_equal(took_ps(4, whole, COLL_BROADCAST, 100000),
                     3 * host_hop_time_ps(100000));
    assert_true(took_ps(4, cut, COLL_BROADCAST, 100000) <
                100000 * BYTE_PS + 3 * host_hop_time_ps(1000) + 200 * US);
}

static void test_a_library_rule_names_its_algorithm(void **state)
{
    const Setup setup = { .stack =
                              "{kind: library, rules: [{algorithm: auto}]}" };

    (void)state;
    assert_setup_refused(
        &setup, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_RANGE,
        "run.yaml:8:44: algorithm: a rule of a library names one; "
        "what has no rule is left to `collectives`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_the_first_matching_library_rule_chooses_the_algorithm),
        cmocka_unit_test(test_a_ring_pays_launch_steps_and_rendezvous),
        cmocka_unit_test(test_doubling_sends_the_whole_payload_in_each_step),
        cmocka_unit_test(test_each_library_message_pays_by_its_size),
        cmocka_unit_test(test_a_pointer_cache_saves_every_query),
        cmocka_unit_test(test_registration_is_paid_once_or_each_time),
        cmocka_unit_test(test_library_message_costs_depend_on_ranks_too),
        cmocka_unit_test(test_the_cost_of_a_step_depends_on_its_distance),
        cmocka_unit_test(
            test_efficiency_makes_messages_longer_and_limits_do_not),
        cmocka_unit_test(test_point_to_point_and_star_pay_without_a_rule),
        cmocka_unit_test(test_library_costs_may_be_switched_off),
        cmocka_unit_test(test_a_library_rule_may_give_the_piece_size),
        cmocka_unit_test(test_a_library_rule_names_its_algorithm),
    };

    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
