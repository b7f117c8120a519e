/*
 * Properties that every topology must have.  The registry is walked: a new
 * kind has to bring its examples.
 */
#include "tests/network/topology_fixture.h"

#define LINK "bandwidth: 25 GB/s, latency: 10 ns"

#define BOTH(size)        "{ size: " #size ", links: 2, " LINK " }"
#define ONE(size)         "{ size: " #size ", direction: one, " LINK " }"
#define TORUS(dims)       "{ kind: torus, dims: [" dims "] }"
#define GROUP(kind, npus) "{ kind: " kind ", npus: " #npus ", " LINK " }"

typedef struct {
    const char *kind;
    const char *text;
    uint32_t sizes[TOPOLOGY_MAX_DIMS]; /* up to the first 0 */
    uint32_t one_way;                  /* bit d: dimension d */
} Example;

static const Example examples[] = {
    { "torus", TORUS(BOTH(1)), { 1 }, 0 },
    { "torus", TORUS(BOTH(2)), { 2 }, 0 },
    { "torus", TORUS(BOTH(3)), { 3 }, 0 },
    { "torus", TORUS(BOTH(4)), { 4 }, 0 },
    { "torus", TORUS(BOTH(9)), { 9 }, 0 },
    { "torus", TORUS(ONE(1)), { 1 }, 1 },
    { "torus", TORUS(ONE(2)), { 2 }, 1 },
    { "torus", TORUS(ONE(7)), { 7 }, 1 },
    { "torus", TORUS(BOTH(4) ", " BOTH(3)), { 4, 3 }, 0 },
    { "torus", TORUS(BOTH(3) ", " BOTH(4) ", " BOTH(2)), { 3, 4, 2 }, 0 },
    { "torus", TORUS(BOTH(1) ", " BOTH(5) ", " BOTH(1)), { 1, 5, 1 }, 0 },
    { "torus", TORUS(ONE(4) ", " BOTH(1) ", " BOTH(4)), { 4, 1, 4 }, 1 },
    { "torus", TORUS(BOTH(3) ", " ONE(2) ", " ONE(3)), { 3, 2, 3 }, 6 },
    { "torus",
      TORUS(BOTH(2) ", " BOTH(2) ", " BOTH(2) ", " BOTH(2) ", " BOTH(2)),
      { 2, 2, 2, 2, 2 },
      0 },
    { "switch", GROUP("switch", 1), { 1 }, 0 },
    { "switch", GROUP("switch", 2), { 2 }, 0 },
    { "switch", GROUP("switch", 9), { 9 }, 0 },
    { "switch", "{kind: switch, npus: 4, reduces: true, " LINK "}", { 4 }, 0 },
    { "fully-connected", GROUP("fully-connected", 1), { 1 }, 0 },
    { "fully-connected", GROUP("fully-connected", 2), { 2 }, 0 },
    { "fully-connected", GROUP("fully-connected", 9), { 9 }, 0 },
};

typedef void (*Check)(const Example *example, const Topology *topology);

static void for_each_example(const char *kind, Check check)
{
    for (gsize i = 0; i < G_N_ELEMENTS(examples); i++) {
        g_autoptr(Topology) topology = topology_built(examples[i].text);

        if (!kind || strcmp(examples[i].kind, kind) == 0)
            check(&examples[i], topology);
    }
}

static void test_every_kind_has_examples(void **state)
{
    (void)state;
    for (const ConfigKind *const *k = topology_registry.kinds; *k; k++) {
        guint n_examples = 0;

        for (gsize i = 0; i < G_N_ELEMENTS(examples); i++)
            if (strcmp(examples[i].kind, (*k)->name) == 0)
                n_examples++;
        if (n_examples == 0)
            fail_msg("no example of '%s'", (*k)->name);
    }
}

static void check_shape(const Example *example, const Topology *topology)
{
    uint32_t n_npus = 1;
    uint32_t n_dims = 0;

    for (; n_dims < TOPOLOGY_MAX_DIMS && example->sizes[n_dims]; n_dims++)
        n_npus *= example->sizes[n_dims];
    assert_string_equal(topology_kind(topology), example->kind);
    assert_int_equal(topology_n_npus(topology), n_npus);
    assert_int_equal(topology_n_dims(topology), n_dims);
    for (uint32_t d = 0; d < n_dims; d++) {
        assert_int_equal(topology_dim(topology, d)->size, example->sizes[d]);
        if (topology_is_torus(topology))
            assert_int_equal(topology_dim(topology, d)->both_ways,
                             !(example->one_way >> d & 1));
    }
    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_port(topology, p);

        assert_non_null(port->name);
        assert_true(port->dim < n_dims);
        assert_true(port->n_links > 0);
        assert_int_equal(port->bandwidth_bytes_per_s, 25000000000);
        assert_int_equal(port->payload_bytes_per_s, 25000000000);
        assert_int_equal(port->latency_ps, SIM_NS(10));
    }
}

static void test_dimensions_and_ports_are_those_of_the_config(void **state)
{
    (void)state;
    for_each_example(NULL, check_shape);
}

static void test_two_directions_share_the_links_one_has_them_all(void **state)
{
    g_autoptr(Topology) topology = topology_built(
        "{ kind: torus, dims: ["
        "{ size: 4, links: 6, bandwidth: 200 GB/s, latency: 72.29 ns,"
        "  efficiency: 94 % }, "
        "{ size: 3, links: 5, direction: one, bandwidth: 1001 B/s,"
        "  latency: 0 s, efficiency: 50 % }] }");
    static const TopologyPort expected[] = {
        { "dim0+", 0, 3, 200000000000, 188000000000, 72290 },
        { "dim0-", 0, 3, 200000000000, 188000000000, 72290 },
        { "dim1+", 1, 5, 1001, 500, 0 },
    };

    (void)state;
    assert_int_equal(topology_n_ports(topology), G_N_ELEMENTS(expected));
    for (uint32_t p = 0; p < G_N_ELEMENTS(expected); p++) {
        const TopologyPort *port = topology_port(topology, p);

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

static void test_only_a_torus_has_rings_only_all_to_all_links_pair(void **state)
{
    g_autoptr(Topology) torus = topology_built(TORUS(BOTH(3)));
    g_autoptr(Topology) star = topology_built(GROUP("switch", 4));
    g_autoptr(Topology) full = topology_built(GROUP("fully-connected", 4));

    (void)state;
    assert_true(topology_is_torus(torus));
    assert_false(topology_is_torus(star));
    assert_false(topology_is_torus(full));
    assert_false(topology_is_pairwise(torus));
    assert_false(topology_is_pairwise(star));
    assert_true(topology_is_pairwise(full));
}

typedef void (*WayCheck)(const Example *example, const Topology *topology,
                         uint32_t src, uint32_t dst, uint32_t way);

static void for_each_way(const char *kind, WayCheck check)
{
    for (gsize i = 0; i < G_N_ELEMENTS(examples); i++) {
        g_autoptr(Topology) topology = topology_built(examples[i].text);
        uint32_t n = topology_n_npus(topology);

        if (kind && strcmp(examples[i].kind, kind) != 0)
            continue;
        for (uint32_t src = 0; src < n; src++)
            for (uint32_t dst = 0; dst < n; dst++)
                for (uint32_t way = 0; way < 2 && dst != src; way++)
                    check(&examples[i], topology, src, dst, way);
    }
}

/* One hop; fails when it is no link of the topology. */
static uint32_t step(const Topology *topology, uint32_t at, uint32_t dst,
                     uint32_t way, uint32_t *ret_port)
{
    uint32_t owner = topology_next(topology, at, dst, way, ret_port);

    assert_true(owner < topology_n_npus(topology));
    assert_true(*ret_port < topology_n_ports(topology));
    if (at != TOPOLOGY_CORE)
        assert_int_equal(owner, at);
    return topology_end(topology, owner, *ret_port);
}

/* Follows the links to @dst; their dimensions must not go down. */
static uint32_t count_hops(const Topology *topology, uint32_t src, uint32_t dst,
                           uint32_t way)
{
    uint32_t n_hops = 0, last_dim = 0;

    for (uint32_t at = src; at != dst; n_hops++) {
        uint32_t port;

        if (n_hops > topology_n_npus(topology) + 1)
            fail_msg("%u to %u: a loop", src, dst);
        at = step(topology, at, dst, way, &port);
        assert_true(at == TOPOLOGY_CORE || at < topology_n_npus(topology));
        assert_true(topology_port(topology, port)->dim >= last_dim);
        last_dim = topology_port(topology, port)->dim;
    }
    return n_hops;
}

/* Links between the two coordinates along the ring, the shorter way. */
static uint32_t ring_distance(const Example *example, uint32_t d, uint32_t from,
                              uint32_t to)
{
    uint32_t size = example->sizes[d];
    uint32_t ahead = (to + size - from) % size;

    return example->one_way >> d & 1 ? ahead : MIN(ahead, size - ahead);
}

static void check_torus_distance(const Example *example,
                                 const Topology *topology, uint32_t src,
                                 uint32_t dst, uint32_t way)
{
    uint32_t distance = 0, a = src, b = dst;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        uint32_t size = example->sizes[d];

        distance += ring_distance(example, d, a % size, b % size);
        a /= size;
        b /= size;
    }
    assert_int_equal(count_hops(topology, src, dst, way), distance);
}

static void test_a_torus_takes_the_shortest_way_lowest_dimension(void **state)
{
    (void)state;
    for_each_way("torus", check_torus_distance);
}

static void check_two_hops(const Example *example, const Topology *topology,
                           uint32_t src, uint32_t dst, uint32_t way)
{
    uint32_t up, down;

    (void)example;
    assert_true(step(topology, src, dst, way, &up) == TOPOLOGY_CORE);
    assert_int_equal(step(topology, TOPOLOGY_CORE, dst, way, &down), dst);
    assert_int_not_equal(up, down);
}

static void test_a_switch_is_two_hops_up_and_down(void **state)
{
    (void)state;
    for_each_way("switch", check_two_hops);
}

static void test_a_switch_adds_if_it_is_said_to(void **state)
{
    g_autoptr(Topology) plain = topology_built(GROUP("switch", 4));
    g_autoptr(Topology) adding = topology_built(
        "{kind: switch, npus: 4, reduces: true, reduce_rate: 30 GB/s, "
        "reduce_latency: 70 ns, " LINK "}");
    uint32_t port;

    (void)state;
    assert_null(topology_adder(plain));
    assert_int_equal(topology_adder(adding)->bytes_per_s,
                     UINT64_C(30000000000));
    assert_int_equal(topology_adder(adding)->latency_ps, 70000);
    /* the way of an NPU to itself leads over the core */
    assert_int_equal(step(adding, 3, 3, 0, &port), TOPOLOGY_CORE);
    assert_int_equal(step(adding, TOPOLOGY_CORE, 3, 0, &port), 3);
}

static void check_one_hop(const Example *example, const Topology *topology)
{
    uint32_t n = example->sizes[0];

    assert_int_equal(topology_n_ports(topology), n - 1);
    for (uint32_t src = 0; src < n; src++) {
        uint64_t ports = 0;

        for (uint32_t dst = 0; dst < n; dst++) {
            uint32_t port;

            if (dst == src)
                continue;
            assert_int_equal(step(topology, src, dst, 0, &port), dst);
            ports |= UINT64_C(1) << port;
        }
        assert_int_equal(ports, (UINT64_C(1) << (n - 1)) - 1);
    }
}

static void test_full_connection_is_one_hop_on_a_port_of_its_own(void **state)
{
    (void)state;
    for_each_example("fully-connected", check_one_hop);
}

static void check_reaches(const Example *example, const Topology *topology,
                          uint32_t src, uint32_t dst, uint32_t way)
{
    (void)example;
    assert_true(count_hops(topology, src, dst, way) > 0);
}

static void test_following_next_reaches_every_destination(void **state)
{
    (void)state;
    for_each_way(NULL, check_reaches);
}

/* The two ways differ exactly where a ring is cut in half. */
static void check_ties(const Example *example, const Topology *topology,
                       uint32_t src, uint32_t dst, uint32_t way)
{
    uint32_t a = src, b = dst, d = 0, size, port, other;
    gboolean is_tie;

    for (; a % example->sizes[d] == b % example->sizes[d]; d++) {
        a /= example->sizes[d];
        b /= example->sizes[d];
    }
    size = example->sizes[d];
    is_tie = !(example->one_way >> d & 1) &&
             2 * ring_distance(example, d, a % size, b % size) == size;
    (void)step(topology, src, dst, way, &port);
    (void)step(topology, src, dst, !way, &other);
    assert_int_equal(topology_port(topology, port)->dim, d);
    assert_int_equal(port != other, is_tie);
}

static void test_way_settles_ties_between_directions_and_no_more(void **state)
{
    (void)state;
    for_each_way("torus", check_ties);
}

static uint32_t relative(const Topology *topology, uint32_t origin,
                         uint32_t node)
{
    g_autoptr(Fold) alike = fold_new_most(topology);

    return node == TOPOLOGY_CORE ? node : fold_seen(alike, origin, node);
}

static void check_bijection(const Example *example, const Topology *topology)
{
    uint32_t n = topology_n_npus(topology);

    (void)example;
    for (uint32_t origin = 0; origin < n; origin++) {
        uint64_t seen = 0;

        for (uint32_t node = 0; node < n; node++) {
            uint32_t image = relative(topology, origin, node);

            assert_true(image < n);
            seen |= UINT64_C(1) << image;
        }
        assert_int_equal(seen, (UINT64_C(1) << n) - 1);
        assert_int_equal(relative(topology, origin, origin), 0);
        assert_int_equal(relative(topology, 0, origin), origin);
    }
}

static void test_relative_takes_the_origin_to_zero_and_loses_none(void **state)
{
    (void)state;
    for_each_example(NULL, check_bijection);
}

/* Seen from any origin, each hop of each way is the same link class; the
 * core of a switch stays where it is. */
static void check_symmetry(const Example *example, const Topology *topology,
                           uint32_t src, uint32_t dst, uint32_t way)
{
    (void)example;
    for (uint32_t at = src, end; at != dst; at = end) {
        uint32_t port, owner = topology_next(topology, at, dst, way, &port);

        end = topology_end(topology, owner, port);
        for (uint32_t o = 0; o < topology_n_npus(topology); o++) {
            uint32_t to = relative(topology, o, dst);
            uint32_t rel_port;
            uint32_t rel_owner = topology_next(
                topology, relative(topology, o, at), to, way, &rel_port);

            assert_int_equal(rel_port, port);
            assert_int_equal(rel_owner, relative(topology, o, owner));
            assert_true(topology_end(topology, rel_owner, rel_port) ==
                        relative(topology, o, end));
        }
    }
}

static void test_relative_is_a_symmetry_of_all_ways(void **state)
{
    (void)state;
    for_each_way(NULL, check_symmetry);
}

static void test_errors_name_file_line_and_column(void **state)
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
        { GROUP("switch", 16777217), CONFIG_ERROR_RANGE,
          "t.yaml:1:33: npus: 16777217 is outside [1, 16777216]" },
        { GROUP("fully-connected", 4097), CONFIG_ERROR_RANGE,
          "t.yaml:1:42: npus: 4097 is outside [1, 4096]" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;

        assert_null(topology_build(cases[i].text, &error));
        assert_config_error(error, cases[i].code, cases[i].message);
    }
}

static void test_a_ring_of_one_npu_may_have_an_odd_number_of_links(void **state)
{
    g_autoptr(Topology) one = topology_built(TORUS("{ size: 1, " LINK " }"));
    g_autoptr(Topology) way = topology_built(TORUS(ONE(3)));

    (void)state;
    assert_int_equal(topology_n_npus(one), 1);
    assert_int_equal(topology_port(way, 0)->n_links, 1);
}

static void test_the_largest_torus_is_a_torus(void **state)
{
    g_autoptr(Topology) topology =
        topology_built(TORUS(BOTH(4096) ", " BOTH(4096)));

    (void)state;
    assert_int_equal(topology_n_npus(topology), TOPOLOGY_MAX_NPUS);
    assert_int_equal(count_hops(topology, 0, TOPOLOGY_MAX_NPUS - 1, 0), 2);
    assert_int_equal(count_hops(topology, 0, 4096 * 1024 + 2048, 0),
                     1024 + 2048);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_has_examples),
        cmocka_unit_test(test_dimensions_and_ports_are_those_of_the_config),
        cmocka_unit_test(test_two_directions_share_the_links_one_has_them_all),
        cmocka_unit_test(
            test_only_a_torus_has_rings_only_all_to_all_links_pair),
        cmocka_unit_test(test_a_torus_takes_the_shortest_way_lowest_dimension),
        cmocka_unit_test(test_a_switch_is_two_hops_up_and_down),
        cmocka_unit_test(test_a_switch_adds_if_it_is_said_to),
        cmocka_unit_test(test_full_connection_is_one_hop_on_a_port_of_its_own),
        cmocka_unit_test(test_following_next_reaches_every_destination),
        cmocka_unit_test(test_way_settles_ties_between_directions_and_no_more),
        cmocka_unit_test(test_relative_takes_the_origin_to_zero_and_loses_none),
        cmocka_unit_test(test_relative_is_a_symmetry_of_all_ways),
        cmocka_unit_test(test_errors_name_file_line_and_column),
        cmocka_unit_test(
            test_a_ring_of_one_npu_may_have_an_odd_number_of_links),
        cmocka_unit_test(test_the_largest_torus_is_a_torus),
    };

    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
