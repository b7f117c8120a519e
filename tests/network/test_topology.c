/*
 * test_topology.c - Tests of properties that every topology must have.
 *
 * The tests walk the registry. A new kind must add examples.
 */
#include "tests/network/topology_walk.h"

static void test_every_topology_kind_has_examples(void **state)
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

static void check_dimensions_and_ports(const Example *example,
                                       const Topology *topology)
{
    uint32_t n_npus = 1;
    uint32_t n_dims = 0;

    for (; n_dims < TOPOLOGY_MAX_DIMS && example->sizes[n_dims]; n_dims++)
        n_npus *= example->sizes[n_dims];
    assert_string_equal(topology_kind(topology), example->kind);
    assert_int_equal(topology_n_npus(topology), n_npus);
    assert_true(topology_n_nodes(topology) >= n_npus);
    assert_int_equal(topology_n_dims(topology), n_dims);
    for (uint32_t d = 0; d < n_dims; d++) {
        assert_int_equal(topology_dimension(topology, d)->size,
                         example->sizes[d]);
        if (topology_is_torus(topology))
            assert_int_equal(topology_dimension(topology, d)->both_ways,
                             !(example->one_way >> d & 1));
    }
    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        assert_non_null(port->name);
        assert_true(port->dim < n_dims);
        assert_true(port->n_links > 0);
        assert_int_equal(port->bandwidth_bytes_per_s, 25000000000);
        assert_int_equal(port->payload_bytes_per_s, 25000000000);
        assert_int_equal(port->latency_ps, SIM_NS(10));
    }
}

static void test_dimensions_and_ports_match_the_configuration(void **state)
{
    (void)state;
    for_each_topology_example(NULL, check_dimensions_and_ports);
}

static void check_links_and_port_names(const Example *example,
                                       const Topology *topology)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

    (void)example;
    for (uint32_t p = 0; p < topology_n_ports(topology); p++)
        assert_true(g_hash_table_add(
            names, (gpointer)topology_get_port(topology, p)->name));
    for (uint32_t link = 0; link < topology_n_links(topology); link++) {
        uint32_t from, to;
        gboolean is_there = topology_get_link_nodes(topology, link, &from, &to);

        assert_int_equal(topology_link_target(topology, link), to);
        if (!is_there) {
            assert_true(from == TOPOLOGY_NONE && to == TOPOLOGY_NONE);
            continue;
        }
        assert_true(from < topology_n_nodes(topology));
        assert_true(to < topology_n_nodes(topology) && to != from);
    }
}

static void test_links_join_nodes_and_port_names_are_unique(void **state)
{
    (void)state;
    for_each_topology_example(NULL, check_links_and_port_names);
}

static void
test_only_tori_have_rings_and_only_full_meshes_have_pairs(void **state)
{
    g_autoptr(Topology) torus = topology_from_valid_yaml(TORUS(BOTH(3)));
    g_autoptr(Topology) star = topology_from_valid_yaml(GROUP("switch", 4));
    g_autoptr(Topology) full =
        topology_from_valid_yaml(GROUP("fully-connected", 4));

    (void)state;
    assert_true(topology_is_torus(torus));
    assert_false(topology_is_torus(star));
    assert_false(topology_is_torus(full));
    assert_false(topology_has_link_per_npu_pair(torus));
    assert_false(topology_has_link_per_npu_pair(star));
    assert_true(topology_has_link_per_npu_pair(full));
}

static void check_path_reaches(const Example *example, const Topology *topology,
                               uint32_t src, uint32_t dst, uint32_t way)
{
    uint32_t n_hops = 0, link;

    (void)example;
    for (uint32_t at = src; at != dst; n_hops++) {
        if (n_hops > topology_n_nodes(topology))
            fail_msg("%u to %u: a loop", src, dst);
        at = next_hop_of_path(topology, at, dst, way, &link);
    }
    assert_true(n_hops > 0);
}

static void test_following_next_hops_reaches_every_destination(void **state)
{
    (void)state;
    for_each_topology_path(NULL, check_path_reaches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_topology_kind_has_examples),
        cmocka_unit_test(test_dimensions_and_ports_match_the_configuration),
        cmocka_unit_test(test_links_join_nodes_and_port_names_are_unique),
        cmocka_unit_test(
            test_only_tori_have_rings_and_only_full_meshes_have_pairs),
        cmocka_unit_test(test_following_next_hops_reaches_every_destination),
    };

    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
