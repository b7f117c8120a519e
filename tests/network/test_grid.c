/* test_grid.c - Tests of grids, whose dimensions are rings, lines, switches or
 * full connections. */
#include "tests/network/topology_walk.h"

#include "network/paths.h"

static void test_two_directions_divide_the_links_of_a_ring(void **state)
{
    g_autoptr(Topology) topology = topology_from_valid_yaml(
        "{ kind: torus, dims: ["
        "{ size: 4, links: 6, bandwidth: 200 GB/s, latency: 72.29 ns,"
        "  efficiency: 94 % }, "
        "{ size: 3, links: 5, direction: one, bandwidth: 1001 B/s,"
        "  latency: 0 s, efficiency: 50 % }] }");
    static const TopologyPort expected[] = {
        { "dim0+", 0, TOPOLOGY_NEAR, 3, 200000000000, 188000000000, 72290, 0,
          0 },
        { "dim0-", 0, TOPOLOGY_NEAR, 3, 200000000000, 188000000000, 72290, 0,
          0 },
        { "dim1+", 1, TOPOLOGY_NEAR, 5, 1001, 500, 0, 0, 0 },
    };

    (void)state;
    assert_int_equal(topology_n_ports(topology), G_N_ELEMENTS(expected));
    for (uint32_t p = 0; p < G_N_ELEMENTS(expected); p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        assert_string_equal(port->name, expected[p].name);
        assert_int_equal(port->dim, expected[p].dim);
        assert_int_equal(port->n_links, expected[p].n_links);
        assert_int_equal(port->bandwidth_bytes_per_s,
                         expected[p].bandwidth_bytes_per_s);
        assert_int_equal(port->payload_bytes_per_s,
                         expected[p].payload_bytes_per_s);
        assert_int_equal(port->latency_ps, expected[p].latency_ps);
    }
}

/* Follows the links to @dst and returns their number. The dimension of the
 * links must never decrease. */
static uint32_t count_hops_of_path(const Topology *topology, uint32_t src,
                                   uint32_t dst, uint32_t way)
{
    uint32_t n_hops = 0, last_dim = 0;

    for (uint32_t at = src; at != dst; n_hops++) {
        uint32_t link;

        if (n_hops > topology_n_nodes(topology))
            fail_msg("%u to %u: a loop", src, dst);
        at = next_hop_of_path(topology, at, dst, way, &link);
        assert_true(port_of_link(topology, link)->dim >= last_dim);
        last_dim = port_of_link(topology, link)->dim;
    }
    return n_hops;
}

/* Returns the number of links of the shortest path between two coordinates of
 * dimension @d. */
static uint32_t grid_distance_in_dimension(const Example *example,
                                           const Topology *topology, uint32_t d,
                                           uint32_t from, uint32_t to)
{
    uint32_t size = example->sizes[d];
    uint32_t ahead = (to + size - from) % size;

    switch (topology_dimension(topology, d)->shape) {
    case TOPOLOGY_RING:
        return example->one_way >> d & 1 ? ahead : MIN(ahead, size - ahead);
    case TOPOLOGY_LINE:
        return MAX(from, to) - MIN(from, to);
    case TOPOLOGY_SWITCH:
        return from == to ? 0 : 2;
    case TOPOLOGY_FULL:
        return from == to ? 0 : 1;
    default:
        fail_msg("%s: dimension %u has no shape", example->text, d);
        return 0;
    }
}

static void check_shortest_distance(const Example *example,
                                    const Topology *topology, uint32_t src,
                                    uint32_t dst, uint32_t way)
{
    uint32_t sum = 0, a = src, b = dst;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        uint32_t size = example->sizes[d];

        sum += grid_distance_in_dimension(example, topology, d, a % size,
                                          b % size);
        a /= size;
        b /= size;
    }
    assert_int_equal(count_hops_of_path(topology, src, dst, way), sum);
}

static void test_paths_are_shortest_and_in_order_of_dimensions(void **state)
{
    static const char *const kinds[] = { "torus", "mesh", "grid", "switch",
                                         "fully-connected" };

    (void)state;
    for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++)
        for_each_topology_path(kinds[k], check_shortest_distance);
}

static void check_switch_per_row(const Example *example,
                                 const Topology *topology)
{
    uint32_t n_switches = 0;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        if (topology_dimension(topology, d)->shape == TOPOLOGY_SWITCH)
            n_switches += topology_n_npus(topology) / example->sizes[d];
    assert_int_equal(topology_n_nodes(topology) - topology_n_npus(topology),
                     n_switches);
}

static void test_every_row_has_its_own_switch(void **state)
{
    (void)state;
    for_each_topology_example("grid", check_switch_per_row);
    for_each_topology_example("switch", check_switch_per_row);
}

static void test_a_switch_adds_if_configured(void **state)
{
    g_autoptr(Topology) plain = topology_from_valid_yaml(GROUP("switch", 4));
    g_autoptr(Topology) adding = topology_from_valid_yaml(
        "{kind: switch, npus: 4, reduces: true, reduce_rate: 30 GB/s, "
        "reduce_latency: 70 ns, " LINK "}");
    uint32_t link;

    (void)state;
    assert_null(topology_in_switch_adder(plain, 0));
    assert_int_equal(topology_in_switch_adder(adding, 0)->bytes_per_s,
                     UINT64_C(30000000000));
    assert_int_equal(topology_in_switch_adder(adding, 0)->latency_ps, 70000);
    /* The path from an NPU to itself passes the switch. */
    assert_int_equal(next_hop_of_path(adding, 3, 3, TOPOLOGY_PATH_UP(0), &link),
                     4);
    assert_int_equal(
        topology_path_id_after_switch(adding, 3, TOPOLOGY_PATH_UP(0)),
        TOPOLOGY_PATH_UP(0));
    assert_int_equal(
        topology_path_id_after_switch(adding, 4, TOPOLOGY_PATH_UP(0)), 0);
    assert_int_equal(next_hop_of_path(adding, 4, 3, 0, &link), 3);
}

static void check_port_per_peer(const Example *example,
                                const Topology *topology)
{
    uint32_t n = example->sizes[0];

    assert_int_equal(topology_n_ports(topology), n - 1);
    for (uint32_t src = 0; src < n; src++) {
        uint64_t ports = 0;

        for (uint32_t dst = 0; dst < n; dst++) {
            uint32_t link;

            if (dst == src)
                continue;
            assert_int_equal(next_hop_of_path(topology, src, dst, 0, &link),
                             dst);
            ports |= UINT64_C(1) << link % (n - 1);
        }
        assert_int_equal(ports, (UINT64_C(1) << (n - 1)) - 1);
    }
}

static void test_a_full_connection_has_one_hop_and_a_port_per_peer(void **state)
{
    (void)state;
    for_each_topology_example("fully-connected", check_port_per_peer);
}

/* The two path ids differ exactly if the destination is half a ring away. */
static void check_ties_by_path_id(const Example *example,
                                  const Topology *topology, uint32_t src,
                                  uint32_t dst, uint32_t way)
{
    uint32_t a = src, b = dst, d = 0, size, link, other;
    gboolean is_tie;

    for (; a % example->sizes[d] == b % example->sizes[d]; d++) {
        a /= example->sizes[d];
        b /= example->sizes[d];
    }
    size = example->sizes[d];
    is_tie = topology_dimension(topology, d)->shape == TOPOLOGY_RING &&
             !(example->one_way >> d & 1) &&
             2 * grid_distance_in_dimension(example, topology, d, a % size,
                                            b % size) ==
                 size;
    (void)next_hop_of_path(topology, src, dst, way, &link);
    (void)next_hop_of_path(topology, src, dst, !way, &other);
    assert_int_equal(port_of_link(topology, link)->dim, d);
    assert_int_equal(link != other, is_tie);
}

static void test_the_path_id_only_breaks_ties_between_directions(void **state)
{
    (void)state;
    for_each_topology_path("torus", check_ties_by_path_id);
    for_each_topology_path("mesh", check_ties_by_path_id);
    for_each_topology_path("grid", check_ties_by_path_id);
}

static void test_a_line_has_no_links_beyond_its_ends(void **state)
{
    g_autoptr(Topology) line = topology_from_valid_yaml(MESH(LINE(8)));
    uint32_t n_there = 0;

    (void)state;
    for (uint32_t link = 0; link < topology_n_links(line); link++)
        n_there += topology_link_target(line, link) != TOPOLOGY_NONE;
    assert_int_equal(n_there, 14);
    assert_int_equal(topology_link_target(line, 0), 1);
    assert_int_equal(topology_link_target(line, 1), TOPOLOGY_NONE);
    assert_int_equal(topology_link_target(line, 2 * 7), TOPOLOGY_NONE);
    assert_int_equal(topology_link_target(line, 2 * 7 + 1), 6);
}

static void test_topology_errors_have_file_line_and_column(void **state)
{
    static const struct {
        const char *text;
        ConfigErrorCode code;
        const char *message;
    } cases[] = {
        { "{ kind: torus, dims: [" BOTH(4) ", { size: 2, links: 3, " LINK
                                           " }] }",
          CONFIG_ERROR_CONFLICT,
          "t.yaml:1:110: links: 3 cannot be shared between two "
          "directions; give 'links: 4' or 'direction: one'" },
        { "{ kind: torus, dims: [{ size: 4, " LINK " }] }",
          CONFIG_ERROR_CONFLICT,
          "t.yaml:1:33: links: 1 cannot be shared between two "
          "directions; give 'links: 2' or 'direction: one'" },
        { TORUS(BOTH(4096) ", " BOTH(4097)), CONFIG_ERROR_RANGE,
          "t.yaml:1:32: dims: more than 16777216 NPUs" },
        { TORUS(BOTH(16777216) ", " BOTH(16777216) ", " BOTH(
              16777216) ", " BOTH(16777216)),
          CONFIG_ERROR_RANGE, "t.yaml:1:32: dims: more than 16777216 NPUs" },
        { TORUS(BOTH(16777217)), CONFIG_ERROR_RANGE,
          "t.yaml:1:41: size: 16777217 is outside [1, 16777216]" },
        { GRID("{ shape: line, size: 4, links: 3, " LINK " }"),
          CONFIG_ERROR_CONFLICT,
          "t.yaml:1:63: links: 3 cannot be shared between two "
          "directions; give 'links: 4'" },
        { GRID("{ shape: full, size: 4, direction: one, " LINK " }"),
          CONFIG_ERROR_CONFLICT,
          "t.yaml:1:67: direction: only a ring can be driven one way" },
        { GRID("{ shape: full, size: 5000, " LINK " }"), CONFIG_ERROR_RANGE,
          "t.yaml:1:53: size: no more than 4096 NPUs can be joined each with "
          "each" },
        { GROUP("switch", 16777217), CONFIG_ERROR_RANGE,
          "t.yaml:1:33: npus: 16777217 is outside [1, 16777216] or "
          "auto" },
        { GROUP("fully-connected", 4097), CONFIG_ERROR_RANGE,
          "t.yaml:1:42: npus: 4097 is outside [1, 4096]" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;

        assert_null(topology_from_yaml(cases[i].text, &error));
        assert_config_error(error, cases[i].code, cases[i].message);
    }
}

static void test_a_ring_of_one_npu_may_have_an_odd_number_of_links(void **state)
{
    g_autoptr(Topology) one =
        topology_from_valid_yaml(TORUS("{ size: 1, " LINK " }"));
    g_autoptr(Topology) way = topology_from_valid_yaml(TORUS(ONE(3)));

    (void)state;
    assert_int_equal(topology_n_npus(one), 1);
    assert_int_equal(topology_get_port(way, 0)->n_links, 1);
}

static void test_the_largest_torus_is_a_torus(void **state)
{
    g_autoptr(Topology) topology =
        topology_from_valid_yaml(TORUS(BOTH(4096) ", " BOTH(4096)));

    (void)state;
    assert_int_equal(topology_n_npus(topology), TOPOLOGY_MAX_NPUS);
    assert_int_equal(count_hops_of_path(topology, 0, TOPOLOGY_MAX_NPUS - 1, 0),
                     2);
    assert_int_equal(count_hops_of_path(topology, 0, 4096 * 1024 + 2048, 0),
                     1024 + 2048);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_directions_divide_the_links_of_a_ring),
        cmocka_unit_test(test_paths_are_shortest_and_in_order_of_dimensions),
        cmocka_unit_test(test_every_row_has_its_own_switch),
        cmocka_unit_test(test_a_switch_adds_if_configured),
        cmocka_unit_test(
            test_a_full_connection_has_one_hop_and_a_port_per_peer),
        cmocka_unit_test(test_the_path_id_only_breaks_ties_between_directions),
        cmocka_unit_test(test_a_line_has_no_links_beyond_its_ends),
        cmocka_unit_test(test_topology_errors_have_file_line_and_column),
        cmocka_unit_test(
            test_a_ring_of_one_npu_may_have_an_odd_number_of_links),
        cmocka_unit_test(test_the_largest_torus_is_a_torus),
    };

    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
