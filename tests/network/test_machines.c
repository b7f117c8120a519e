/* test_machines.c - Tests of the machines in configs/platforms: their links,
 * and distances between NPUs. */
#include "network/paths.h"
#include "tests/network/topology_fixture.h"

#define NEAR TOPOLOGY_PLANE(TOPOLOGY_NEAR)
#define HOST TOPOLOGY_PLANE(TOPOLOGY_HOST)

/* The rates of the links that leave an NPU, in MB/s before efficiency. */
static const struct {
    const char *name;
    uint32_t n_npus, near, host, network, n_nics;
} machines[] = {
    { "dgx-1p", 8, 80000, 15750, 0, 4 },
    { "dgx-1v", 8, 150000, 15750, 0, 4 },
    { "dgx-2", 16, 150000, 15750, 0, 8 },
    { "gcp-v100", 8, 150000, 15750, 0, 1 },
    { "p9-6v", 6, 100000, 50000, 0, 0 },
    { "pci-1-root", 8, 0, 15750, 0, 1 },
    { "pci-2-roots", 8, 0, 15750, 0, 1 },
    { "dgx-a100", 8, 300000, 0, 0, 0 },
    { "hgx-h100", 8, 450000, 0, 0, 0 },
    { "hgx-h200", 8, 450000, 0, 0, 0 },
    { "hgx-b200", 8, 900000, 0, 0, 0 },
    { "gb200-nvl72", 72, 900000, 0, 0, 0 },
    { "mi300x-8", 8, 448000, 0, 0, 0 },
    { "gaudi-3-8", 8, 525000, 0, 0, 0 },
    { "trn2-16", 16, 512000, 0, 0, 0 },
    { "trn2-ultraserver", 64, 640000, 0, 0, 0 },
    { "l40s-pcie-2", 2, 0, 31500, 0, 1 },
    { "l40s-pcie-4", 4, 0, 31500, 0, 1 },
    { "k80-pcie-8", 8, 0, 15750, 0, 1 },
    { "p40-pcie-4", 4, 0, 15750, 0, 1 },
    { "p100-pcie-8", 8, 0, 15750, 0, 1 },
    { "k80-pcie-2", 2, 0, 15750, 0, 1 },
    { "p100-pcie-4", 4, 0, 15750, 0, 1 },
    { "v100-pcie-4", 4, 0, 15750, 0, 1 },
    { "rtx2080ti-pcie-4", 4, 0, 15750, 0, 1 },
    { "tpu-v4-cube", 64, 300000, 0, 0, 0 },
    { "tpu-v5p-cube", 64, 600000, 0, 0, 0 },
    { "cluster-dgx-1v", 128, 150000, 15750, 6250, 64 },
    { "cluster-dgx-a100", 128, 300000, 31500, 25000, 128 },
    { "cluster-gcp-v100", 128, 150000, 15750, 1562, 16 },
    { "cluster-hgx-h100", 128, 450000, 63000, 50000, 128 },
    { "cluster-hgx-h200", 128, 450000, 63000, 50000, 128 },
    { "cluster-p40", 16, 0, 15750, 312, 4 },
    { "cluster-p4d", 128, 300000, 31500, 6250, 64 },
    { "cluster-p5", 128, 450000, 63000, 50000, 128 },
    { "cluster-dgx-a100-roce", 128, 300000, 31500, 25000, 128 },
    { "cluster-hgx-h100-2to1", 128, 450000, 63000, 50000, 128 },
    { "cluster-k80", 16, 0, 15750, 625, 8 },
    { "cluster-2080ti-10gbe", 32, 0, 15750, 312, 8 },
    { "cluster-2080ti-ib", 32, 0, 15750, 3125, 8 },
    { "cluster-2080ti-ipoib", 32, 0, 15750, 3125, 8 },
    { "cluster-p100-25gbe", 16, 0, 15750, 781, 4 },
    { "cluster-v100-pcie-10gbe", 16, 0, 15750, 312, 4 },
    { "cluster-v100-pcie-ib", 16, 0, 15750, 1700, 4 },
    { "cluster-1gbe", 8, 0, 0, 125, 0 },
};

static uint64_t outgoing_mb_per_s_of_npu(const Topology *topology,
                                         TopologyReach reach)
{
    return topology_mean_npu_bandwidth(topology, reach) / 1000000;
}

static void test_machines_have_the_links_of_their_data_sheets(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(machines); i++) {
        g_autoptr(Topology) t = topology_from_valid_yaml(machines[i].name);

        assert_int_equal(topology_n_npus(t), machines[i].n_npus);
        assert_int_equal(outgoing_mb_per_s_of_npu(t, TOPOLOGY_NEAR),
                         machines[i].near);
        assert_int_equal(outgoing_mb_per_s_of_npu(t, TOPOLOGY_HOST),
                         machines[i].host);
        assert_int_equal(outgoing_mb_per_s_of_npu(t, TOPOLOGY_NETWORK),
                         machines[i].network);
        assert_int_equal(topology_n_nics(t), machines[i].n_nics);
    }
}

static uint32_t count_hops_of_path(const Topology *topology, uint32_t src,
                                   uint32_t dst, uint32_t plane)
{
    uint32_t n = 0;

    for (uint32_t at = src; at != dst; n++) {
        uint32_t link =
            topology_next_link(topology, at, dst, TOPOLOGY_PATH_ID(plane, 0));

        if (link == TOPOLOGY_NONE)
            return 0;
        at = topology_link_target(topology, link);
    }
    return n;
}

static void test_distances_in_machines_are_right(void **state)
{
    static const struct {
        const char *name;
        /* The number of hops in each plane; 0 if there is no path. */
        uint32_t src, dst, all, near, host;
        TopologyReach reach;
    } cases[] = {
        { "dgx-1v", 0, 4, 1, 1, 5, TOPOLOGY_NEAR },
        { "dgx-1v", 0, 1, 1, 1, 2, TOPOLOGY_NEAR },
        { "dgx-1v", 0, 5, 5, 0, 5, TOPOLOGY_HOST },
        { "dgx-1p", 2, 7, 5, 0, 5, TOPOLOGY_HOST },
        { "dgx-2", 0, 15, 2, 2, 7, TOPOLOGY_NEAR },
        { "dgx-2", 0, 2, 2, 2, 4, TOPOLOGY_NEAR },
        { "gcp-v100", 0, 3, 4, 0, 4, TOPOLOGY_HOST },
        { "p9-6v", 0, 3, 3, 0, 3, TOPOLOGY_HOST },
        { "pci-1-root", 0, 7, 4, 0, 4, TOPOLOGY_HOST },
        { "pci-2-roots", 0, 7, 5, 0, 5, TOPOLOGY_HOST },
        { "l40s-pcie-4", 0, 3, 2, 0, 2, TOPOLOGY_HOST },
        { "hgx-h100", 0, 7, 2, 2, 2, TOPOLOGY_NEAR },
        { "mi300x-8", 0, 7, 1, 1, 1, TOPOLOGY_NEAR },
        { "tpu-v4-cube", 0, 42, 6, 6, 6, TOPOLOGY_NEAR },
        { "cluster-hgx-h100", 3, 11, 4, 4, 4, TOPOLOGY_NETWORK },
        { "cluster-hgx-h100", 3, 12, 6, 6, 6, TOPOLOGY_NETWORK },
        { "cluster-dgx-1v", 0, 8, 6, 0, 6, TOPOLOGY_NETWORK },
        { "cluster-2080ti-10gbe", 0, 3, 3, 0, 3, TOPOLOGY_HOST },
        { "cluster-2080ti-10gbe", 3, 7, 10, 0, 10, TOPOLOGY_NETWORK },
        { "cluster-k80", 0, 1, 2, 0, 2, TOPOLOGY_HOST },
        { "cluster-hgx-h100-2to1", 0, 31, 4, 4, 4, TOPOLOGY_NETWORK },
        { "cluster-hgx-h100-2to1", 0, 32, 6, 6, 6, TOPOLOGY_NETWORK },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Topology) t = topology_from_valid_yaml(cases[i].name);
        uint32_t src = cases[i].src, dst = cases[i].dst;

        assert_int_equal(count_hops_of_path(t, src, dst, 0), cases[i].all);
        assert_int_equal(count_hops_of_path(t, src, dst, NEAR), cases[i].near);
        assert_int_equal(count_hops_of_path(t, src, dst, HOST), cases[i].host);
        assert_int_equal(topology_path_reach(t, src, dst, 0), cases[i].reach);
    }
}

/* Each GPU of a DGX-1 has NVLinks to four neighbours. */
static void test_each_gpu_of_a_dgx_1_has_four_neighbours(void **state)
{
    static const struct {
        const char *name;
        uint32_t n_bricks;
    } cubes[] = { { "dgx-1p", 4 }, { "dgx-1v", 6 } };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cubes); i++) {
        g_autoptr(Topology) t = topology_from_valid_yaml(cubes[i].name);
        uint32_t n_links[8] = { 0 }, n_neighbours[8] = { 0 };

        for (uint32_t link = 0; link < topology_n_links(t); link++) {
            const TopologyPort *port = topology_get_port(t, link);
            uint32_t from, to;

            assert_true(topology_get_link_nodes(t, link, &from, &to));
            if (port->reach != TOPOLOGY_NEAR)
                continue;
            n_links[from] += port->n_links;
            n_neighbours[from]++;
        }
        for (uint32_t npu = 0; npu < 8; npu++) {
            assert_int_equal(n_links[npu], cubes[i].n_bricks);
            assert_int_equal(n_neighbours[npu], 4);
        }
    }
}

/* The number of ports of a cluster's network follows from the number of
 * nodes. */
static void test_the_size_of_a_network_follows_from_its_nodes(void **state)
{
    g_autoptr(Topology) rails = topology_from_valid_yaml(
        "{ kind: nested, count: 5, inner: hgx-h100, nics: 4, nic: { bandwidth: "
        "1 GB/s }, rails: true, outer: { kind: switch, bandwidth: 1 GB/s, "
        "latency: 1 us } }");
    g_autoptr(Topology) one = topology_from_valid_yaml(
        "{ kind: nested, count: 3, inner: dgx-1v, outer: { kind: switch, "
        "bandwidth: 1 GB/s, latency: 1 us } }");
    GError *error = NULL;

    (void)state;
    assert_int_equal(topology_n_npus(rails), 40);
    assert_int_equal(topology_n_npus(one), 24);
    assert_null(topology_from_yaml(
        "{ kind: switch, bandwidth: 1 GB/s, latency: 1 us }", &error));
    assert_config_error(error, CONFIG_ERROR_MISSING_KEY,
                        "t.yaml:1:11: missing key 'npus' (how many it joins)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines_have_the_links_of_their_data_sheets),
        cmocka_unit_test(test_distances_in_machines_are_right),
        cmocka_unit_test(test_each_gpu_of_a_dgx_1_has_four_neighbours),
        cmocka_unit_test(test_the_size_of_a_network_follows_from_its_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
