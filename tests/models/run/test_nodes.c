/* Machines of many nodes: collectives by level, on switches that add, folded */
#include "tests/system_fixture.h"

#define LINK "links: 2, bandwidth: 25 GB/s, latency: 500 ns"

/* @count nodes of eight NPUs, a NIC each, on rails. */
static const char *machine(uint32_t count, const char *inner, const char *outer)
{
    return text_of("{kind: nested, count: %u, inner: {kind: switch, npus: 8, "
                   "links: 18, bandwidth: 20 GB/s, latency: 250 ns%s}, "
                   "nics: 8, nic: {bandwidth: 60 GB/s, latency: 250 ns}, "
                   "rails: true, outer: {kind: switch, npus: %u, "
                   "bandwidth: 50 GB/s, latency: 500 ns%s}}",
                   count, inner, count, outer);
}

static Setup all_reduce(const char *topology, const char *payload,
                        const char *collectives)
{
    return (Setup){
        .topology = topology,
        .endpoint = "{kind: ideal}",
        .workload = text_of("{kind: collective, name: x, collective: "
                            "all-reduce, payload: %s}",
                            payload),
        .training = "{iterations: 1}",
        .collectives = collectives,
    };
}

/* 1,024 NPUs are those of one node, and by the bound no sooner than they can
 * be: a NIC carries 2 (128 - 1) / 128 of an eighth of a GiB. */
static void test_a_thousand_npus_are_those_of_one_node(void **state)
{
    static const char *const levels[] = { "[]", "[ring, ring]",
                                          "[direct, halving-doubling]" };
    const SimTime least_ps =
        sim_time_from_bytes((UINT64_C(1) << 28) / 128 * 127, 50000000000);

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(levels); i++) {
        Setup s = all_reduce(machine(128, "", ""), "1 GiB",
                             text_of("{chunk: 16 MiB, message: 16 MiB, window: "
                                     "64, levels: %s}",
                                     levels[i]));
        SystemResult result = result_of(&s);

        assert_int_equal(result.n_npus, 1024);
        assert_int_equal(result.n_simulated, 8);
        assert_true(result.iteration_ps >= least_ps);
        assert_near(result.iteration_ps, least_ps, 100);
    }
}

/* The same time as on a switch by itself: nothing else is on the way. */
static void test_a_row_that_adds_is_a_switch_that_adds(void **state)
{
    static const char *const adds =
        "reduces: true, reduce_rate: 30 GB/s, reduce_latency: 70 ns, " LINK;
    Setup alone = all_reduce(text_of("{kind: switch, npus: 4, %s}", adds),
                             "100 KiB", "{algorithm: in-switch}");
    const char *const grids[] = {
        "{kind: grid, dims: [{shape: switch, size: 4, %s}, {shape: line, size: "
        "3, " LINK "}]}",
        "{kind: grid, dims: [{shape: full, size: 3, " LINK
        "}, {shape: switch, size: 4, %s}]}",
    };

    (void)state;
    for (guint d = 0; d < G_N_ELEMENTS(grids); d++) {
        Setup s = all_reduce(text_of(grids[d], adds), "1 B",
                             "{algorithm: in-switch}");

        s.workload = text_of(
            "{kind: program, name: p, groups: [{name: g, dims: [%u]}], roles: "
            "[{name: r, ops: [{kind: collective, name: x, collective: "
            "all-reduce, bytes: 102400 B, group: g}]}]}",
            d);
        assert_int_equal(result_of(&s).iteration_ps,
                         result_of(&alone).iteration_ps);
    }
}

/* Of one chunk: up in the node, down the part that is the NPU's when all is
 * there; up and down between nodes, packet by packet; up with the part, and
 * down with all as it comes. */
static void test_nodes_add_within_and_their_switch_among_them(void **state)
{
    Setup s =
        all_reduce(machine(4, ", reduces: true", ", reduces: true"), "8 MiB",
                   "{chunk: 8 MiB, message: 8 MiB, packet: 1 KiB, "
                   "levels: [in-switch, in-switch]}");
    const uint64_t payload = 8 << 20, part = payload / 8;
    const uint64_t inner = UINT64_C(18) * 20000000000;
    uint64_t packet_ps = sim_time_from_bytes(1024, 50000000000);
    SimTime due_ps = 2 * (2 * 250000 + sim_time_from_bytes(payload, inner)) +
                     2 * (250000 + 500000) + sim_time_from_bytes(part, inner) +
                     sim_time_from_bytes(part, 50000000000) + 3 * packet_ps;
    SystemResult result = result_of(&s);

    (void)state;
    assert_int_equal(result.n_simulated, 8);
    assert_near(result.iteration_ps, due_ps, 2);
    assert_true(result.iteration_ps >= due_ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_thousand_npus_are_those_of_one_node),
        cmocka_unit_test(test_a_row_that_adds_is_a_switch_that_adds),
        cmocka_unit_test(test_nodes_add_within_and_their_switch_among_them),
    };

    return cmocka_run_group_tests_name("nodes", tests, NULL, NULL);
}
