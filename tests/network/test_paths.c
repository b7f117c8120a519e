/* test_paths.c - Tests of paths that are restricted to some kinds of links
 * (paths.h, path_id.h), on graphs of machines. */
#include "network/paths.h"
#include "tests/network/topology_fixture.h"

#define ALL      0
#define NEAR     TOPOLOGY_PLANE(TOPOLOGY_NEAR)
#define HOST     TOPOLOGY_PLANE(TOPOLOGY_HOST)
#define OUT      TOPOLOGY_PLANE(TOPOLOGY_NETWORK)
#define LINK     "bandwidth: 25 GB/s, latency: 10 ns"
#define TO(a, b) "{ from: " #a ", to: " #b ", " LINK " }"

/* Three GPUs in a line of near links. GPUs a and b share a PCIe switch with a
 * NIC, c is attached to the CPU, and a router is behind the NIC. */
#define NODES                                                                  \
    "nodes: [{ name: a, kind: npu }, { name: b, kind: npu }, "                 \
    "{ name: c, kind: npu }, { name: plx, kind: pcie }, "                      \
    "{ name: root, kind: cpu }, { name: n, kind: nic }, "                      \
    "{ name: r, kind: router }]"
#define LINKS                                                                  \
    "links: [" TO(a, b) ", " TO(b, c) ", " TO(a, plx) ", " TO(b, plx) ", " TO( \
        plx, root) ", " TO(c, root) ", " TO(plx, n) ", " TO(n, r) "]"
#define MACHINE(more) "{ kind: graph, " NODES ", " LINKS more " }"
#define GPUS          MACHINE(", npus_forward: false")

static uint32_t count_hops_of_path(const Topology *topology, uint32_t src,
                                   uint32_t dst, uint32_t plane)
{
    uint32_t n = 0;

    for (uint32_t at = src; at != dst; n++) {
        uint32_t link =
            topology_next_link(topology, at, dst, TOPOLOGY_PATH_ID(plane, 0));

        assert_int_not_equal(link, TOPOLOGY_NONE);
        at = topology_link_target(topology, link);
    }
    return n;
}

static TopologyReach reach_between_nodes(const Topology *topology, uint32_t src,
                                         uint32_t dst, uint32_t plane)
{
    return topology_path_reach(topology, src, dst, TOPOLOGY_PATH_ID(plane, 1));
}

/* ---- reach of links and paths -------------------------------------------- */

static void check_link_reaches(const char *text, TopologyReach expected)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(text);

    for (uint32_t p = 0; p < topology_n_ports(t); p++)
        assert_int_equal(topology_get_port(t, p)->reach, expected);
    assert_int_equal(reach_between_nodes(t, 0, topology_n_npus(t) - 1, ALL),
                     expected);
}

static void test_a_link_is_near_unless_it_says_otherwise(void **state)
{
    (void)state;
    check_link_reaches("{ kind: switch, npus: 4, " LINK " }", TOPOLOGY_NEAR);
    check_link_reaches("{ kind: torus, dims: [{ size: 4, links: 2, " LINK
                       " }] }",
                       TOPOLOGY_NEAR);
    check_link_reaches("{ kind: switch, npus: 4, reach: host, " LINK " }",
                       TOPOLOGY_HOST);
    check_link_reaches("{ kind: fully-connected, npus: 4, reach: network, " LINK
                       " }",
                       TOPOLOGY_NETWORK);
    check_link_reaches(
        "{ kind: graph, nodes: [{ name: a, kind: npu }, { name: b, "
        "kind: npu }], links: [{ from: a, to: b, reach: network, " LINK " }] }",
        TOPOLOGY_NETWORK);
}

static void test_the_reach_of_a_graphs_link_follows_from_its_nodes(void **state)
{
    static const struct {
        const char *name;
        TopologyReach reach;
    } expected[] = {
        { "a-b", TOPOLOGY_NEAR },      { "plx-b", TOPOLOGY_HOST },
        { "plx-root", TOPOLOGY_HOST }, { "c-root", TOPOLOGY_HOST },
        { "plx-n", TOPOLOGY_HOST },    { "r-n", TOPOLOGY_NETWORK },
    };
    g_autoptr(Topology) t = topology_from_valid_yaml(GPUS);
    guint n_found = 0;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(expected); i++)
        for (uint32_t p = 0; p < topology_n_ports(t); p++) {
            if (strcmp(topology_get_port(t, p)->name, expected[i].name) != 0)
                continue;
            assert_int_equal(topology_get_port(t, p)->reach, expected[i].reach);
            n_found++;
        }
    assert_int_equal(n_found, G_N_ELEMENTS(expected));
}

/* ---- planes of links ----------------------------------------------------- */

static void test_a_path_stays_in_its_plane(void **state)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(MACHINE(""));

    (void)state;
    assert_int_equal(count_hops_of_path(t, 0, 1, ALL), 1);
    assert_int_equal(count_hops_of_path(t, 0, 1, NEAR), 1);
    assert_int_equal(count_hops_of_path(t, 0, 1, HOST), 2);
    assert_int_equal(count_hops_of_path(t, 0, 2, NEAR), 2);
    assert_int_equal(count_hops_of_path(t, 0, 2, HOST | OUT), 3);
    assert_int_equal(reach_between_nodes(t, 0, 1, ALL), TOPOLOGY_NEAR);
    assert_int_equal(reach_between_nodes(t, 0, 1, HOST), TOPOLOGY_HOST);
    assert_int_equal(reach_between_nodes(t, 0, 2, HOST | OUT), TOPOLOGY_HOST);
    assert_int_equal(reach_between_nodes(t, 0, 1, OUT), TOPOLOGY_N_REACHES);
}

static void test_gpus_do_not_forward(void **state)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(GPUS);

    (void)state;
    assert_int_equal(count_hops_of_path(t, 0, 2, ALL), 3);
    assert_int_equal(reach_between_nodes(t, 0, 2, ALL), TOPOLOGY_HOST);
    assert_int_equal(reach_between_nodes(t, 0, 2, NEAR), TOPOLOGY_N_REACHES);
    assert_int_equal(topology_next_link(t, 0, 2, TOPOLOGY_PATH_ID(NEAR, 0)),
                     TOPOLOGY_NONE);
    assert_int_equal(reach_between_nodes(t, 1, 2, NEAR), TOPOLOGY_NEAR);
}

static void
test_a_missing_path_in_a_plane_is_reported_where_requested(void **state)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(GPUS);
    g_autoptr(ConfigDoc) doc = config_doc_parse("t.yaml", "{}", 2, NULL);
    GError *error = NULL;

    (void)state;
    assert_true(
        topology_check_path(t, 0, 2, ALL, config_doc_root(doc), &error));
    assert_true(
        topology_check_path(t, 0, 1, NEAR, config_doc_root(doc), &error));
    assert_no_error(error);
    assert_false(
        topology_check_path(t, 0, 2, NEAR, config_doc_root(doc), &error));
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:1:1: no way from NPU 0 to NPU 2 keeps to links "
                        "that are near");
    assert_false(
        topology_check_path(t, 0, 2, NEAR | OUT, config_doc_root(doc), &error));
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:1:1: no way from NPU 0 to NPU 2 keeps to links "
                        "that are near or network");
}

static void test_planes_hold_inside_the_nodes_of_a_cluster(void **state)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(
        "{ kind: nested, count: 2, inner: " GPUS
        ", outer: { kind: switch, npus: 2, " LINK " } }");

    (void)state;
    assert_int_equal(count_hops_of_path(t, 3, 4, NEAR), 1);
    assert_int_equal(count_hops_of_path(t, 3, 4, HOST), 2);
    assert_int_equal(reach_between_nodes(t, 3, 5, NEAR), TOPOLOGY_N_REACHES);
    assert_int_equal(reach_between_nodes(t, 0, 4, ALL), TOPOLOGY_NETWORK);
    assert_int_equal(reach_between_nodes(t, 0, 4, HOST | OUT),
                     TOPOLOGY_NETWORK);
    assert_int_equal(reach_between_nodes(t, 0, 4, HOST), TOPOLOGY_N_REACHES);
    assert_int_equal(reach_between_nodes(t, 0, 4, NEAR), TOPOLOGY_N_REACHES);
}

static void test_added_nics_belong_to_the_host(void **state)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(
        "{ kind: nested, count: 2, inner: { kind: switch, npus: 4, " LINK
        " }, nics: 4, nic: { " LINK " }, rails: true, "
        "outer: { kind: switch, npus: 2, " LINK " } }");

    (void)state;
    assert_int_equal(reach_between_nodes(t, 0, 1, NEAR), TOPOLOGY_NEAR);
    assert_int_equal(reach_between_nodes(t, 0, 1, HOST), TOPOLOGY_N_REACHES);
    assert_int_equal(reach_between_nodes(t, 0, 4, HOST | OUT),
                     TOPOLOGY_NETWORK);
    assert_int_equal(reach_between_nodes(t, 0, 5, HOST | OUT),
                     TOPOLOGY_N_REACHES);
    assert_int_equal(reach_between_nodes(t, 0, 5, ALL), TOPOLOGY_NETWORK);
}

/* ---- fragments of a machine ---------------------------------------------- */

static void test_a_fragment_has_only_the_allocated_npus(void **state)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(
        MACHINE(", npus_forward: false, allocate: [2, 0], "
                "limits: [{ name: one, bandwidth: 1 GB/s, "
                "links: [[b, plx]] }, { name: two, bandwidth: "
                "1 GB/s, links: [[b, plx], [a, plx]] }]"));

    (void)state;
    assert_int_equal(topology_n_npus(t), 2);
    assert_int_equal(topology_n_nodes(t), 6);
    /* The fragment lacks the links a-b, b-c and b-plx. */
    assert_int_equal(topology_n_ports(t), 10);
    assert_int_equal(reach_between_nodes(t, 0, 1, ALL), TOPOLOGY_HOST);
    assert_string_equal(
        topology_get_port(t, topology_next_link(t, 0, 1, 0))->name, "c-root");
    assert_int_equal(topology_n_limits(t), 1);
    assert_string_equal(topology_get_limit(t, 0)->name, "two");
    assert_int_equal(topology_get_limit(t, 0)->n_ports, 1);
}

static void check_topology_refused(const char *text, const char *message)
{
    g_autoptr(GError) error = NULL;

    assert_null(topology_from_yaml(text, &error));
    assert_non_null(error);
    assert_true(g_str_has_prefix(error->message, "t.yaml:1:"));
    if (!g_str_has_suffix(error->message, message))
        fail_msg("'%s' is not '%s'", error->message, message);
}

static void test_topology_errors_have_file_line_and_column(void **state)
{
    (void)state;
    check_topology_refused(MACHINE(", allocate: [0, 3]"),
                           "allocate: NPU 3 is none of 3");
    check_topology_refused(MACHINE(", allocate: [0, 1, 0]"),
                           "allocate: NPU 0 is given twice");
    check_topology_refused(
        "{ kind: graph, npus_forward: false, nodes: [{ name: a, "
        "kind: npu }, { name: b, kind: npu }, { name: c, kind: npu "
        "}], links: [" TO(a, b) ", " TO(b, c) "] }",
        "links: no way leads from 'a' to 'c'; NPUs pass nothing on "
        "(npus_forward)");
    check_topology_refused("{ kind: switch, npus: 2, reach: far, " LINK " }",
                           "reach: unknown value 'far'; did you mean 'near'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_link_is_near_unless_it_says_otherwise),
        cmocka_unit_test(
            test_the_reach_of_a_graphs_link_follows_from_its_nodes),
        cmocka_unit_test(test_a_path_stays_in_its_plane),
        cmocka_unit_test(test_gpus_do_not_forward),
        cmocka_unit_test(
            test_a_missing_path_in_a_plane_is_reported_where_requested),
        cmocka_unit_test(test_planes_hold_inside_the_nodes_of_a_cluster),
        cmocka_unit_test(test_added_nics_belong_to_the_host),
        cmocka_unit_test(test_a_fragment_has_only_the_allocated_npus),
        cmocka_unit_test(test_topology_errors_have_file_line_and_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
