/* test_fat_tree.c - Tests of topologies/fat_tree.c: hops, choice of upward
 * paths, symmetry reduction, and errors. */
#include <stdio.h>

#include "tests/network/topology_walk.h"

#define TREE(more) "{ kind: fat-tree, " more ", " LINK " }"

static uint32_t count_hops_of_path(const Topology *topology, uint32_t src,
                                   uint32_t dst, uint32_t way)
{
    uint32_t n = 0, link;

    for (uint32_t at = src; at != dst; n++)
        at = next_hop_of_path(topology, at, dst, way, &link);
    return n;
}

static void test_a_path_turns_at_the_lowest_common_switch(void **state)
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
        g_autoptr(Topology) t = topology_from_valid_yaml(cases[i].text);

        for (uint32_t way = 0; way < 2; way++) {
            assert_int_equal(count_hops_of_path(t, 0, cases[i].dst, way),
                             cases[i].n_hops);
            assert_int_equal(count_hops_of_path(t, cases[i].dst, 0, way),
                             cases[i].n_hops);
        }
    }
}

/* A switch has 64 ports: 32 lead down and 32 up. With 3:1, 48 lead down and 16
 * up, so there are 16 spines. */
static void test_the_ports_determine_the_number_of_switches(void **state)
{
    g_autoptr(Topology) full =
        topology_from_valid_yaml(TREE("npus: 1024, radix: 64"));
    g_autoptr(Topology) over = topology_from_valid_yaml(
        TREE("npus: 960, radix: 64, oversubscription: 3"));
    g_autoptr(Topology) three =
        topology_from_valid_yaml(TREE("npus: 16, radix: 4, levels: 3"));
    g_autoptr(Topology) over_three = topology_from_valid_yaml(
        TREE("npus: 192, radix: 8, levels: 3, oversubscription: 3"));
    g_autoptr(Topology) thin = topology_from_valid_yaml(
        TREE("npus: 12, radix: 4, oversubscription: 8"));

    (void)state;
    assert_int_equal(topology_n_nodes(full), 1024 + 32 + 32);
    assert_int_equal(topology_n_links(full), 2 * (1024 + 1024));
    assert_int_equal(topology_n_nodes(over), 960 + 20 + 16);
    assert_int_equal(topology_n_links(over), 2 * (960 + 320));
    assert_int_equal(topology_n_nodes(three), 16 + 8 + 8 + 4);
    assert_int_equal(topology_n_links(three), 2 * (16 + 16 + 16));
    /* Leaves have 6 ports down and 2 up; only leaves are oversubscribed. */
    assert_int_equal(topology_n_nodes(over_three), 192 + 32 + 16 + 8);
    assert_int_equal(topology_n_links(over_three), 2 * (192 + 64 + 64));
    /* Each leaf has one port up, however few ports there are. */
    assert_int_equal(topology_n_nodes(thin), 12 + 4 + 1);
    assert_int_equal(topology_n_links(thin), 2 * (12 + 4));
}

static void test_only_equal_subtrees_are_symmetric(void **state)
{
    g_autoptr(Topology) leaves =
        topology_from_valid_yaml(TREE("npus: 96, radix: 64"));
    g_autoptr(Topology) pods =
        topology_from_valid_yaml(TREE("npus: 16, radix: 4, levels: 3"));
    g_autoptr(Topology) partly =
        topology_from_valid_yaml(TREE("npus: 97, radix: 64"));

    (void)state;
    assert_int_equal(topology_get_symmetry(leaves)->unit_ends, 32);
    assert_int_equal(topology_get_symmetry(leaves)->dims[0].size, 3);
    assert_int_equal(topology_get_symmetry(pods)->unit_ends, 4);
    assert_int_equal(topology_get_symmetry(pods)->dims[0].size, 4);
    assert_int_equal(topology_get_symmetry(partly)->unit_ends, 97);
}

/* A hash depends on the distance between units, so that only translations keep
 * all paths; the number of the target is the same in every order of units. */
static void test_units_may_be_permuted_unless_paths_are_hashed(void **state)
{
    static const struct {
        const char *more;
        gboolean any_order;
    } cases[] = {
        { "npus: 96, radix: 64", FALSE },
        { "npus: 96, radix: 64, equal_cost: destination", TRUE },
        { "npus: 16, radix: 4, levels: 3", FALSE },
        { "npus: 16, radix: 4, levels: 3, equal_cost: destination", TRUE },
        { "npus: 8, radix: 8, levels: 1", TRUE },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf(TREE("%s"), cases[i].more);
        g_autoptr(Topology) t = topology_from_valid_yaml(text);

        assert_true(topology_get_symmetry(t)->dims[0].translates);
        assert_int_equal(topology_get_symmetry(t)->any_order,
                         cases[i].any_order);
    }
}

/* Returns the number of spines on the paths from NPU 0 to the NPUs of the
 * second leaf. */
static guint count_spines_used(const char *more)
{
    g_autofree char *text =
        g_strdup_printf(TREE("npus: 64, radix: 64, %s"), more);
    g_autoptr(Topology) t = topology_from_valid_yaml(text);
    g_autoptr(GHashTable) spines = g_hash_table_new(NULL, NULL);

    for (uint32_t dst = 32; dst < 64; dst++) {
        uint32_t link, leaf = next_hop_of_path(t, 0, dst, 0, &link);

        g_hash_table_add(
            spines, GUINT_TO_POINTER(next_hop_of_path(t, leaf, dst, 0, &link)));
    }
    return g_hash_table_size(spines);
}

static void test_destinations_use_all_spines_and_a_hash_most(void **state)
{
    guint n = count_spines_used("seed: 1");

    (void)state;
    assert_int_equal(count_spines_used("equal_cost: destination"), 32);
    /* When 32 balls fall into 32 bins, about 20 bins are occupied on
     * average. */
    assert_true(n > 12 && n < 32);
    assert_int_equal(n, count_spines_used("seed: 1"));
}

/* Returns the switch of the top level on the path from NPU 0 to @dst. The path
 * has @n_levels hops up. */
static uint32_t top_switch_of_path(const Topology *topology, uint32_t dst,
                                   guint n_levels, uint32_t way)
{
    uint32_t at = 0, link;

    for (guint l = 0; l < n_levels; l++)
        at = next_hop_of_path(topology, at, dst, way, &link);
    return at;
}

/* Counts the NPUs from @from on that each of @n_tops switches of the top level
 * serves. Sets the smallest and the largest count. */
static void count_destinations_per_top_switch(const char *text, uint32_t from,
                                              guint n_tops, guint *ret_least,
                                              guint *ret_most)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(text);
    g_autofree guint *n = g_new0(guint, n_tops);
    uint32_t first = topology_n_nodes(t) - n_tops;

    for (uint32_t dst = from; dst < topology_n_npus(t); dst++)
        n[top_switch_of_path(t, dst, 3, 0) - first]++;
    *ret_least = *ret_most = n[0];
    for (guint i = 1; i < n_tops; i++) {
        *ret_least = MIN(*ret_least, n[i]);
        *ret_most = MAX(*ret_most, n[i]);
    }
}

/* With radix 4, 4 switches of the top level serve 12 NPUs of other pods, 3
 * each. With radix 16, 64 switches serve 960 NPUs, 15 each. */
static void test_levels_choose_independently(void **state)
{
    guint least, most;

    (void)state;
    count_destinations_per_top_switch(
        TREE("npus: 16, radix: 4, levels: 3, equal_cost: destination"), 4, 4,
        &least, &most);
    assert_int_equal(least, 3);
    assert_int_equal(most, 3);
    count_destinations_per_top_switch(
        TREE("npus: 1024, radix: 16, levels: 3, equal_cost: destination"), 64,
        64, &least, &most);
    assert_int_equal(least, 15);
    assert_int_equal(most, 15);
    /* Among 960 balls in 64 bins, a bin is empty for one in 50,000 seeds. */
    count_destinations_per_top_switch(TREE("npus: 1024, radix: 16, levels: 3"),
                                      64, 64, &least, &most);
    assert_true(least > 0);
    assert_true(most < 45);
}

/* Returns the number of NPUs of the second leaf to which the paths of the two
 * configurations differ. */
static guint count_different_paths(const char *more, uint32_t way,
                                   const char *other_more, uint32_t other_way)
{
    g_autofree char *text =
        g_strdup_printf(TREE("npus: 64, radix: 64, %s"), more);
    g_autofree char *other_text =
        g_strdup_printf(TREE("npus: 64, radix: 64, %s"), other_more);
    g_autoptr(Topology) t = topology_from_valid_yaml(text);
    g_autoptr(Topology) other = topology_from_valid_yaml(other_text);
    guint n = 0;

    for (uint32_t dst = 32; dst < 64; dst++)
        n += top_switch_of_path(t, dst, 2, way) !=
             top_switch_of_path(other, dst, 2, other_way);
    return n;
}

/* Two hashes choose the same of 32 spines once by chance. */
static void test_a_hash_depends_on_the_seed_and_the_path_id(void **state)
{
    (void)state;
    assert_int_equal(count_different_paths("seed: 1", 0, "seed: 1", 0), 0);
    assert_true(count_different_paths("seed: 1", 0, "seed: 2", 0) > 24);
    assert_true(count_different_paths("seed: 1", 0, "seed: 1", 1) > 24);
    assert_int_equal(count_different_paths("equal_cost: destination", 0,
                                           "equal_cost: destination", 1),
                     0);
}

/* A port is named by its direction, the level above, the number of the lower
 * node among those of its level and unit, and the number of the parent. */
static void test_port_names_tell_the_child_and_the_parent(void **state)
{
    /* The tree has 192 NPUs, 32 leaves of 6 NPUs, 16 switches above the leaves
     * and 8 at the top.  A leaf has 2 parents, and they have 4. */
    static const uint32_t first[] = { 0, 192, 224, 240, 248 };
    static const uint32_t n_parents[] = { 1, 2, 4 };
    g_autoptr(Topology) t = topology_from_valid_yaml(
        TREE("npus: 192, radix: 8, levels: 3, oversubscription: 3"));
    uint32_t parents[3][192][4] = { 0 };

    (void)state;
    for (uint32_t port = 0; port < topology_n_ports(t); port++) {
        const char *name = topology_get_port(t, port)->name;
        gboolean is_up = g_str_has_prefix(name, "up");
        unsigned level, child, parent;
        uint32_t from, to;

        assert_int_equal(sscanf(name + strlen(is_up ? "up" : "down"),
                                "%u.%u.%u", &level, &child, &parent),
                         3);
        assert_true(topology_get_link_nodes(t, port, &from, &to));
        assert_int_equal(is_up ? from : to, first[level - 1] + child);
        assert_true(parent < n_parents[level - 1]);
        assert_in_range(is_up ? to : from, first[level], first[level + 1] - 1);
        /* Both directions lead to the same parent, and parents are numbered in
         * the order of their nodes. */
        if (is_up)
            parents[level - 1][child][parent] = to;
        else
            assert_int_equal(parents[level - 1][child][parent], from);
        if (parent > 0)
            assert_true((is_up ? to : from) >
                        parents[level - 1][child][parent - 1]);
    }
}

/* A leaf of 8 NPUs and a switch of the middle level have 8 parents each.  Two
 * switches choose the same of 8 parents for 1 of 8 of the 960 NPUs of other
 * pods by chance. */
static void test_each_switch_hashes_for_itself(void **state)
{
    g_autoptr(Topology) t =
        topology_from_valid_yaml(TREE("npus: 1024, radix: 16, levels: 3"));
    guint n_leaves_agree = 0, n_middles_agree = 0;
    uint32_t link, other_link, leaf = next_hop_of_path(t, 0, 64, 0, &link);
    uint32_t other_leaf = next_hop_of_path(t, 8, 64, 0, &link);
    uint32_t first_leaf = 1024, first_middle = first_leaf + 128;

    (void)state;
    assert_int_equal(leaf, first_leaf);
    assert_int_equal(other_leaf, first_leaf + 1);
    for (uint32_t dst = 64; dst < 1024; dst++) {
        n_leaves_agree += next_hop_of_path(t, leaf, dst, 0, &link) ==
                          next_hop_of_path(t, other_leaf, dst, 0, &other_link);
        /* The port has the number of the parent. */
        next_hop_of_path(t, first_middle, dst, 0, &link);
        next_hop_of_path(t, first_middle + 1, dst, 0, &other_link);
        n_middles_agree += link / 2 % 8 == other_link / 2 % 8;
    }
    assert_in_range(n_leaves_agree, 60, 240);
    assert_in_range(n_middles_agree, 60, 240);
}

/* The choice depends on the distance in units, so NPU 32 reaches NPU 64 as NPU
 * 0 reaches NPU 32: the hops are the same links of the next unit. */
static void
test_units_at_the_same_distance_choose_corresponding_links(void **state)
{
    g_autoptr(Topology) t =
        topology_from_valid_yaml(TREE("npus: 128, radix: 64"));
    uint32_t n_ports = topology_n_ports(t);

    (void)state;
    for (uint32_t dst = 32; dst < 64; dst++) {
        uint32_t link, next_link;

        next_hop_of_path(t, 128, dst, 0, &link);
        next_hop_of_path(t, 129, dst + 32, 0, &next_link);
        assert_int_equal(next_link, link + n_ports);
    }
}

static void test_links_are_as_many_and_as_fast_as_given(void **state)
{
    g_autoptr(Topology) t =
        topology_from_valid_yaml(TREE("npus: 96, radix: 64, links: 3"));

    (void)state;
    for (uint32_t i = 0; i < topology_n_ports(t); i++) {
        const TopologyPort *port = topology_get_port(t, i);

        assert_int_equal(port->n_links, 3);
        assert_int_equal(port->bandwidth_bytes_per_s, 25000000000);
        assert_int_equal(port->latency_ps, 10000);
    }
}

static void test_topology_errors_have_file_line_and_column(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(topology_from_yaml(TREE("npus: 9, radix: 4"), &error));
    assert_config_error(error, CONFIG_ERROR_RANGE,
                        "t.yaml:1:35: npus: 9 are more than the 8 below 2 "
                        "levels of switches of 4 ports");
    assert_null(topology_from_yaml(TREE("radix: 4"), &error));
    assert_config_error(error, CONFIG_ERROR_MISSING_KEY,
                        "t.yaml:1:11: missing key 'npus' (how many it joins)");
    assert_null(topology_from_yaml(
        TREE("npus: 8000000, radix: 4096, levels: 2"), &error));
    assert_config_error(error, CONFIG_ERROR_RANGE,
                        "t.yaml:1:35: npus: more than 1048576 links of a part "
                        "below the top");
}

/* A switch of the second of three levels has 32 ports down, so 1024 NPUs fit
 * below the switches of that level. */
static void test_levels_above_all_npus_change_nothing(void **state)
{
    static const struct {
        const char *more, *fewer;
        uint32_t n_units;
    } cases[] = {
        { TREE("npus: 512, radix: 64, levels: 3"),
          TREE("npus: 512, radix: 64, levels: 2"), 16 },
        { TREE("npus: 8, radix: 8, levels: 4, oversubscription: 2"),
          TREE("npus: 8, radix: 8, levels: 2, oversubscription: 2"), 1 },
        { TREE("npus: 4, radix: 8, levels: 3, equal_cost: destination"),
          TREE("npus: 4, radix: 8, levels: 1"), 4 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Topology) more = topology_from_valid_yaml(cases[i].more);
        g_autoptr(Topology) fewer = topology_from_valid_yaml(cases[i].fewer);
        uint32_t n = topology_n_npus(more), link, same;

        assert_int_equal(topology_n_links(more), topology_n_links(fewer));
        assert_int_equal(topology_get_symmetry(more)->unit_ends,
                         n / cases[i].n_units);
        for (uint32_t dst = 1; dst < n; dst += 7)
            for (uint32_t at = 0; at != dst;) {
                uint32_t next = next_hop_of_path(more, at, dst, 0, &link);

                assert_int_equal(next,
                                 next_hop_of_path(fewer, at, dst, 0, &same));
                assert_int_equal(link, same);
                at = next;
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_path_turns_at_the_lowest_common_switch),
        cmocka_unit_test(test_the_ports_determine_the_number_of_switches),
        cmocka_unit_test(test_only_equal_subtrees_are_symmetric),
        cmocka_unit_test(test_units_may_be_permuted_unless_paths_are_hashed),
        cmocka_unit_test(test_destinations_use_all_spines_and_a_hash_most),
        cmocka_unit_test(test_levels_choose_independently),
        cmocka_unit_test(test_a_hash_depends_on_the_seed_and_the_path_id),
        cmocka_unit_test(test_port_names_tell_the_child_and_the_parent),
        cmocka_unit_test(test_each_switch_hashes_for_itself),
        cmocka_unit_test(
            test_units_at_the_same_distance_choose_corresponding_links),
        cmocka_unit_test(test_links_are_as_many_and_as_fast_as_given),
        cmocka_unit_test(test_levels_above_all_npus_change_nothing),
        cmocka_unit_test(test_topology_errors_have_file_line_and_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
