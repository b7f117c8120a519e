/* Tests of models/stacks/rank_locality.c: rates of edges that share links and
 * limits, and servers. */
#include "models/stacks/rank_locality.h"
#include "tests/network/topology_fixture.h"

#define GB   UINT64_C(1000000000)
#define LINK "bandwidth: 24 GB/s, latency: 1 us"
/* Three NPUs on a switch.  Two of them reach it with 10 GB/s in total. */
#define SERVER                                                                 \
    "{ kind: graph, nodes: [{ name: a, kind: npu }, { name: b, kind: npu }, "  \
    "{ name: c, kind: npu }, { name: s, kind: switch }, "                      \
    "{ name: n, kind: nic }], links: [{ from: a, to: s, " LINK                 \
    " }, { from: b, to: s, " LINK " }, { from: c, to: s, " LINK                \
    " }, { from: s, to: n, " LINK " }], limits: [{ name: root, bandwidth: "    \
    "10 GB/s, links: [[a, s], [b, s]] }] }"
#define SERVERS                                                                \
    "{ kind: nested, count: 3, nics: 0, inner: " SERVER                        \
    ", outer: { kind: switch, npus: 3, " LINK " } }"

static uint64_t rate_of_simultaneous_edges(const Topology *topology,
                                           const NpuEdge *edges, uint32_t n)
{
    return rank_locality_shared_edge_rate(topology, edges, NULL, n,
                                          TOPOLOGY_PLANE(TOPOLOGY_NEAR));
}

/* Two edges on one link get half of its rate each, and likewise on one limit,
 * on every server as on the first. */
static void test_edges_share_links_and_limits_of_their_server(void **state)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(SERVERS);

    (void)state;
    for (uint32_t server = 0; server < 3; server++) {
        uint32_t a = 3 * server, b = a + 1, c = a + 2;
        const NpuEdge from_c[] = { { c, a } };
        const NpuEdge out_of_c[] = { { c, a }, { c, b } };
        const NpuEdge limited[] = { { a, c } };
        const NpuEdge both[] = { { a, c }, { b, c } };

        assert_int_equal(rate_of_simultaneous_edges(t, from_c, 1), 24 * GB);
        assert_int_equal(rate_of_simultaneous_edges(t, out_of_c, 2), 12 * GB);
        assert_int_equal(rate_of_simultaneous_edges(t, limited, 1), 10 * GB);
        assert_int_equal(rate_of_simultaneous_edges(t, both, 2), 5 * GB);
    }
}

/* Edges on different servers share neither links nor limits. */
static void test_edges_of_several_servers_do_not_share(void **state)
{
    static const NpuEdge edges[] = { { 0, 2 }, { 4, 5 }, { 6, 8 } };
    g_autoptr(Topology) t = topology_from_valid_yaml(SERVERS);

    (void)state;
    assert_int_equal(rate_of_simultaneous_edges(t, edges, G_N_ELEMENTS(edges)),
                     10 * GB);
}

static void test_npus_that_need_no_network_are_a_server(void **state)
{
    static const uint32_t npus[] = { 4, 0, 3, 8, 2, 5 };
    static const uint32_t expected[] = { 0, 1, 0, 2, 1, 0 };
    uint32_t servers[G_N_ELEMENTS(npus)];
    g_autoptr(Topology) t = topology_from_valid_yaml(SERVERS);

    (void)state;
    assert_int_equal(
        rank_locality_find_servers(t, npus, G_N_ELEMENTS(npus), servers), 3);
    assert_memory_equal(servers, expected, sizeof expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges_share_links_and_limits_of_their_server),
        cmocka_unit_test(test_edges_of_several_servers_do_not_share),
        cmocka_unit_test(test_npus_that_need_no_network_are_a_server),
    };

    return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
