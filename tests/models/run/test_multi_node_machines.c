/* test_multi_node_machines.c - Tests of machines of many nodes: hierarchical
 * collectives, switches that add, and symmetry reduction. */
#include "tests/system_fixture.h"

#define LINK "links: 2, bandwidth: 25 GB/s, latency: 500 ns"

/* Returns @count nodes of eight NPUs with one NIC per NPU, on rails. */
static const char *cluster_topology_text(uint32_t count, const char *inner,
                                         const char *outer)
{
    return format_text(
        "{kind: nested, count: %u, inner: {kind: switch, npus: 8, "
        "links: 18, bandwidth: 20 GB/s, latency: 250 ns%s}, "
        "nics: 8, nic: {bandwidth: 60 GB/s, latency: 250 ns}, "
        "rails: true, outer: {kind: switch, npus: %u, "
        "bandwidth: 50 GB/s, latency: 500 ns%s}}",
        count, inner, count, outer);
}

static Setup all_reduce_setup(const char *topology, const char *payload,
                              const char *collectives)
{
    return (Setup){
        .topology = topology,
        .endpoint = "{kind: ideal}",
        .workload = format_text("{kind: collective, name: x, collective: "
                                "all-reduce, payload: %s}",
                                payload),
        .training = "{iterations: 1}",
        .collectives = collectives,
    };
}

/* The NPUs of one node represent 1,024 NPUs. The time is near its lower bound:
 * a NIC carries 2 (128 - 1) / 128 of an eighth of a GiB. */
static void test_one_simulated_node_represents_a_thousand_npus(void **state)
{
    static const char *const levels[] = { "[]", "[ring, ring]",
                                          "[direct, halving-doubling]" };
    const SimTime bound_ps =
        sim_time_from_bytes((UINT64_C(1) << 28) / 128 * 127, 50000000000);

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(levels); i++) {
        Setup s = all_reduce_setup(
            cluster_topology_text(128, "", ""), "1 GiB",
            format_text("{chunk: 16 MiB, message: 16 MiB, window: "
                        "64, levels: %s}",
                        levels[i]));
        SystemResult result = simulate_setup(&s);

        assert_int_equal(result.n_npus, 1024);
        assert_int_equal(result.n_simulated, 1);
        assert_true(result.iteration_ps >= bound_ps);
        assert_near_per_mille(result.iteration_ps, bound_ps, 100);
    }
}

/* The time is the same as on a single switch, since no other links are used. */
static void test_a_switch_dimension_adds_like_a_single_switch(void **state)
{
    static const char *const adds =
        "reduces: true, reduce_rate: 30 GB/s, reduce_latency: 70 ns, " LINK;
    Setup alone =
        all_reduce_setup(format_text("{kind: switch, npus: 4, %s}", adds),
                         "100 KiB", "{algorithm: in-switch}");
    const char *const grids[] = {
        "{kind: grid, dims: [{shape: switch, size: 4, %s}, {shape: line, size: "
        "3, " LINK "}]}",
        "{kind: grid, dims: [{shape: full, size: 3, " LINK
        "}, {shape: switch, size: 4, %s}]}",
    };

    (void)state;
    for (guint d = 0; d < G_N_ELEMENTS(grids); d++) {
        Setup s = all_reduce_setup(format_text(grids[d], adds), "1 B",
                                   "{algorithm: in-switch}");

        s.workload = format_text(
            "{kind: program, name: p, groups: [{name: g, dims: [%u]}], roles: "
            "[{name: r, ops: [{kind: collective, name: x, collective: "
            "all-reduce, bytes: 102400 B, group: g}]}]}",
            d);
        assert_int_equal(simulate_setup(&s).iteration_ps,
                         simulate_setup(&alone).iteration_ps);
    }
}

/* The time of one chunk is that of three phases. In the node, the payload goes
 * up and a part comes down when it is complete. Between nodes, the part goes up
 * and down packet by packet. In the node, the part then goes up and the payload
 * comes down as it arrives. */
static void test_switches_add_inside_and_between_nodes(void **state)
{
    Setup s = all_reduce_setup(
        cluster_topology_text(4, ", reduces: true", ", reduces: true"), "8 MiB",
        "{chunk: 8 MiB, message: 8 MiB, packet: 1 KiB, "
        "levels: [in-switch, in-switch]}");
    const uint64_t payload = 8 << 20, part = payload / 8;
    const uint64_t inner = UINT64_C(18) * 20000000000;
    uint64_t packet_ps = sim_time_from_bytes(1024, 50000000000);
    SimTime expected_ps =
        2 * (2 * 250000 + sim_time_from_bytes(payload, inner)) +
        2 * (250000 + 500000) + sim_time_from_bytes(part, inner) +
        sim_time_from_bytes(part, 50000000000) + 3 * packet_ps;
    SystemResult result = simulate_setup(&s);

    (void)state;
    assert_int_equal(result.n_simulated, 1);
    assert_near_per_mille(result.iteration_ps, expected_ps, 2);
    assert_true(result.iteration_ps >= expected_ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_simulated_node_represents_a_thousand_npus),
        cmocka_unit_test(test_a_switch_dimension_adds_like_a_single_switch),
        cmocka_unit_test(test_switches_add_inside_and_between_nodes),
    };

    return cmocka_run_group_tests_name("nodes", tests, NULL, NULL);
}
