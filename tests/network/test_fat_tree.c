/* Tests of topologies/fat_tree.c: hops, ways up, parts that fold, mistakes. */
#include "tests/network/topology_walk.h"

#define TREE(more) "{ kind: fat-tree, " more ", " LINK " }"

static uint32_t hops(const Topology *t, uint32_t src, uint32_t dst,
                     uint32_t way)
{
    uint32_t n = 0, link;

    for (uint32_t at = src; at != dst; n++)
        at = hop(t, at, dst, way, &link);
    return n;
}

static void test_a_way_turns_where_both_ends_are_below(void **state)
{
    static const struct {
        const char *text;
        uint32_t dst, n_hops;
    } cases[] = {
        { TREE("npus: 16, radix: 4, levels: 3"), 1, 2 },
        { TREE("npus: 16, radix: 4, levels: 3"), 2, 4 },
        { TREE("npus: 16, radix: 4, levels: 3"), 15, 6 },
        { TREE("npus: 1024, radix: 64"), 31, 2 },
        { TREE("npus: 1024, radix: 64"), 32, 4 },
        { TREE("npus: 1024, radix: 64, oversubscription: 3"), 47, 2 },
        { TREE("npus: 1024, radix: 64, oversubscription: 3"), 48, 4 },
        { TREE("npus: 9, levels: 1"), 8, 2 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Topology) t = topology_built(cases[i].text);

        for (uint32_t way = 0; way < 2; way++) {
            assert_int_equal(hops(t, 0, cases[i].dst, way), cases[i].n_hops);
            assert_int_equal(hops(t, cases[i].dst, 0, way), cases[i].n_hops);
        }
    }
}

/* 64 ports: 32 down and up; 3:1 leaves 16 up, so 16 spines. */
static void test_there_are_as_many_switches_as_ports_ask_for(void **state)
{
    g_autoptr(Topology) full = topology_built(TREE("npus: 1024, radix: 64"));
    g_autoptr(Topology) over =
        topology_built(TREE("npus: 960, radix: 64, oversubscription: 3"));
    g_autoptr(Topology) three =
        topology_built(TREE("npus: 16, radix: 4, levels: 3"));

    (void)state;
    assert_int_equal(topology_n_nodes(full), 1024 + 32 + 32);
    assert_int_equal(topology_n_links(full), 2 * (1024 + 1024));
    assert_int_equal(topology_n_nodes(over), 960 + 20 + 16);
    assert_int_equal(topology_n_links(over), 2 * (960 + 320));
    assert_int_equal(topology_n_nodes(three), 16 + 8 + 8 + 4);
    assert_int_equal(topology_n_links(three), 2 * (16 + 16 + 16));
}

static void test_equal_parts_fold_and_others_do_not(void **state)
{
    g_autoptr(Topology) leaves = topology_built(TREE("npus: 96, radix: 64"));
    g_autoptr(Topology) pods =
        topology_built(TREE("npus: 16, radix: 4, levels: 3"));
    g_autoptr(Topology) partly = topology_built(TREE("npus: 97, radix: 64"));

    (void)state;
    assert_int_equal(topology_symmetry(leaves)->unit_ends, 32);
    assert_int_equal(topology_symmetry(leaves)->dims[0].size, 3);
    assert_int_equal(topology_symmetry(pods)->unit_ends, 4);
    assert_int_equal(topology_symmetry(pods)->dims[0].size, 4);
    assert_int_equal(topology_symmetry(partly)->unit_ends, 97);
}

/* The spine of the way from NPU 0 to each NPU of the second leaf. */
static guint count_spines(const char *more)
{
    g_autofree char *text =
        g_strdup_printf(TREE("npus: 64, radix: 64, %s"), more);
    g_autoptr(Topology) t = topology_built(text);
    g_autoptr(GHashTable) spines = g_hash_table_new(NULL, NULL);

    for (uint32_t dst = 32; dst < 64; dst++) {
        uint32_t link, leaf = hop(t, 0, dst, 0, &link);

        g_hash_table_add(spines, GUINT_TO_POINTER(hop(t, leaf, dst, 0, &link)));
    }
    return g_hash_table_size(spines);
}

static void test_destinations_spread_over_all_a_hash_over_most(void **state)
{
    guint n = count_spines("seed: 1");

    (void)state;
    assert_int_equal(count_spines("equal_cost: destination"), 32);
    assert_true(n > 12 && n < 32); /* of 32 balls in 32 bins 20 are expected */
    assert_int_equal(n, count_spines("seed: 1"));
}

static void test_mistakes_name_file_line_and_column(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(topology_build(TREE("npus: 9, radix: 4"), &error));
    assert_config_error(error, CONFIG_ERROR_RANGE,
                        "t.yaml:1:35: npus: 9 are more than the 8 below 2 "
                        "levels of switches of 4 ports");
    assert_null(topology_build(TREE("radix: 4"), &error));
    assert_config_error(error, CONFIG_ERROR_MISSING_KEY,
                        "t.yaml:1:11: missing key 'npus' (how many it joins)");
    assert_null(
        topology_build(TREE("npus: 8000000, radix: 4096, levels: 2"), &error));
    assert_config_error(error, CONFIG_ERROR_RANGE,
                        "t.yaml:1:35: npus: more than 1048576 links of a part "
                        "below the top");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_way_turns_where_both_ends_are_below),
        cmocka_unit_test(test_there_are_as_many_switches_as_ports_ask_for),
        cmocka_unit_test(test_equal_parts_fold_and_others_do_not),
        cmocka_unit_test(test_destinations_spread_over_all_a_hash_over_most),
        cmocka_unit_test(test_mistakes_name_file_line_and_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
