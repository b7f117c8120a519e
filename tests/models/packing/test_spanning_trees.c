/* test_spanning_trees.c - Tests of packed trees and rings: their structure,
 * that they fit the links, and the rate that they reach. */
#include "tests/models/packing/packing_fixture.h"

#include "models/packing/disjoint_rings.h"
#include "models/packing/spanning_trees.h"

static gboolean is_spanning_tree(const uint32_t *parents, uint32_t n)
{
    uint32_t n_roots = 0;

    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t ancestor = rank;

        n_roots += parents[rank] == rank ? 1 : 0;
        for (uint32_t i = 0; i < n; i++)
            ancestor = parents[ancestor];
        if (parents[ancestor] != ancestor)
            return FALSE;
    }
    return n_roots == 1;
}

static void check_packed_trees(const PackGraph *graph, const PackTrees *trees)
{
    uint32_t n_shares = 0;

    for (uint32_t t = 0; t < trees->n_trees; t++) {
        assert_true(is_spanning_tree(pack_tree_parents(trees, t), graph->n));
        n_shares += trees->den > 0 ? trees->shares[t] : 0;
    }
    if (trees->n_trees > 0)
        assert_true(pack_trees_utilisation(graph, trees) < 1 + 1e-9);
    if (trees->den > 0)
        assert_true(
            n_shares < pack_trees_total_rate(trees) * trees->den + 1e-6 &&
            n_shares > pack_trees_total_rate(trees) * trees->den - 1e-6);
}

static void test_both_tree_packings_fill_a_dgx1v(void **state)
{
    PackGraph graph = dgx1_graph(TRUE);

    (void)state;
    /* Ranks 4 to 7 are equivalent to ranks 0 to 3 by symmetry. */
    for (uint32_t root = 0; root < 4; root++) {
        g_autoptr(PackTrees) many =
            pack_trees_by_weights(&graph, PACK_DOWN, root, PACK_EPSILON);
        g_autoptr(PackTrees) few = pack_trees_choose_fewest(&graph, many, 0, 1);

        check_packed_trees(&graph, many);
        check_packed_trees(&graph, few);
        assert_true(pack_trees_total_rate(many) >= 5.99);
        assert_true(pack_trees_total_rate(few) == 6);
        assert_true(few->n_trees <= 6);
        for (uint32_t t = 0; t < few->n_trees; t++)
            assert_int_equal(pack_tree_parents(few, t)[root], root);
    }
}

static void test_a_smaller_epsilon_packs_trees_nearer_to_the_bound(void **state)
{
    PackGraph graph = dgx1_graph(TRUE);
    g_autoptr(PackTrees) near =
        pack_trees_by_weights(&graph, PACK_BOTH, PACK_ANY_ROOT, 0.05);
    g_autoptr(PackTrees) far =
        pack_trees_by_weights(&graph, PACK_BOTH, PACK_ANY_ROOT, 0.5);

    (void)state;
    check_packed_trees(&graph, near);
    check_packed_trees(&graph, far);
    assert_true(pack_trees_total_rate(near) > pack_trees_total_rate(far));
    assert_true(pack_trees_total_rate(near) > 24.0 / 7 * 0.999);
    assert_true(pack_trees_total_rate(near) < 24.0 / 7 + 1e-9);
}

/* No packing exceeds the bound of its graph. Trees of one direction reach it
 * exactly. */
static void test_packed_trees_reach_the_bound_of_random_graphs(void **state)
{
    GRand *rng = g_rand_new_with_seed(7);

    (void)state;
    for (guint i = 0; i < 40; i++) {
        uint32_t n = 2 + i % 5;
        PackGraph graph = random_graph(rng, n, 3), turned;
        uint32_t root = i % n;

        pack_graph_transpose(&graph, &turned);
        for (PackUse use = PACK_DOWN; use <= PACK_BOTH; use++) {
            g_autoptr(PackTrees) trees =
                pack_fewest_trees_by_ilp(&graph, use, root);
            double bound =
                pack_broadcast_bound(use == PACK_UP ? &turned : &graph, root);

            check_packed_trees(&graph, trees);
            if (use == PACK_BOTH)
                bound = pack_ratio_to_double(pack_all_reduce_bound(&graph));
            assert_true(pack_trees_total_rate(trees) <= bound + 1e-9);
            assert_true(pack_trees_total_rate(trees) >=
                        bound * (use == PACK_BOTH ? 1 - PACK_TOLERANCE : 1) -
                            1e-9);
        }
    }
    g_rand_free(rng);
}

static void test_the_number_of_disjoint_trees_is_the_minimum_cut(void **state)
{
    PackGraph graph = dgx1_graph(FALSE);

    (void)state;
    for (uint32_t root = 0; root < graph.n; root++) {
        g_autoptr(PackTrees) down =
            pack_trees_disjoint(&graph, PACK_DOWN, root);
        g_autoptr(PackTrees) up = pack_trees_disjoint(&graph, PACK_UP, root);

        check_packed_trees(&graph, down);
        check_packed_trees(&graph, up);
        assert_true(pack_trees_total_rate(down) == 4);
        assert_true(pack_trees_total_rate(up) == 4);
    }
}

static void test_an_unreachable_rank_leaves_no_trees(void **state)
{
    PackGraph graph = { .n = 3, .links = { { 0, 2, 0 }, { 2, 0, 0 } } };
    g_autoptr(PackTrees) down = pack_fewest_trees_by_ilp(&graph, PACK_DOWN, 0);
    g_autoptr(PackTrees) both =
        pack_fewest_trees_by_ilp(&graph, PACK_BOTH, PACK_ANY_ROOT);
    g_autoptr(PackRings) rings = pack_disjoint_rings(&graph);

    (void)state;
    assert_int_equal(down->n_trees, 0);
    assert_int_equal(both->n_trees, 0);
    assert_int_equal(rings->n_rings, 0);
    assert_int_equal(pack_broadcast_bound(&graph, 0), 0);
    assert_int_equal(pack_all_reduce_bound(&graph).num, 0);
}

/* A switch with six ports per rank, such as a DGX-2. Broadcast trees and
 * all-reduce trees both fill the ports, with one or two hops. */
static void test_packed_trees_on_a_switch_fill_its_ports(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 16; n++) {
        PackGraph graph = { .n = n, .n_ports = 6 };
        g_autoptr(PackTrees) down =
            pack_fewest_trees_by_ilp(&graph, PACK_DOWN, n - 1);
        g_autoptr(PackTrees) both =
            pack_fewest_trees_by_ilp(&graph, PACK_BOTH, PACK_ANY_ROOT);
        double bound = pack_ratio_to_double(pack_all_reduce_bound(&graph));

        check_packed_trees(&graph, down);
        check_packed_trees(&graph, both);
        assert_int_equal(both->n_trees, n);
        assert_true(ABS(pack_trees_total_rate(down) - 6) < 1e-9);
        assert_true(ABS(pack_trees_total_rate(both) - bound) < 1e-9);
        for (uint32_t t = 0; t < n; t++)
            assert_int_equal(pack_tree_depth(pack_tree_parents(both, t), n), 1);
    }
}

/* A ring of 12 has more ranks than the exact method can enumerate partitions
 * of. The ring holds two chains in each direction, minus the link that closes
 * the ring. */
static void test_trees_of_twelve_ranks_are_packed(void **state)
{
    PackGraph ring = { .n = 12 };
    g_autoptr(PackTrees) down = NULL;
    g_autoptr(PackTrees) both = NULL;

    (void)state;
    for (uint32_t i = 0; i < 12; i++)
        pack_graph_add_links(&ring, i, (i + 1) % 12, 1);
    down = pack_fewest_trees_by_ilp(&ring, PACK_DOWN, 5);
    both = pack_fewest_trees_by_ilp(&ring, PACK_BOTH, PACK_ANY_ROOT);
    check_packed_trees(&ring, down);
    check_packed_trees(&ring, both);
    assert_true(pack_trees_total_rate(down) == 2);
    assert_true(pack_trees_total_rate(both) >= 1);
    assert_true(pack_trees_total_rate(both) <= 12.0 / 11 + 1e-9);
}

static void test_a_packed_tree_is_rooted_at_its_middle(void **state)
{
    PackGraph line = { .n = 7 };
    g_autoptr(PackTrees) trees = NULL;

    (void)state;
    for (uint32_t i = 1; i < 7; i++)
        pack_graph_add_links(&line, i - 1, i, 1);
    trees = pack_fewest_trees_by_ilp(&line, PACK_BOTH, PACK_ANY_ROOT);
    assert_int_equal(trees->n_trees, 1);
    assert_int_equal(pack_tree_parents(trees, 0)[3], 3);
    assert_int_equal(pack_tree_depth(pack_tree_parents(trees, 0), 7), 3);
}

/* ---- packed rings -------------------------------------------------------- */

static void check_packed_rings(const PackGraph *graph, const PackRings *rings)
{
    uint32_t taken[PACK_MAX_RANKS][PACK_MAX_RANKS] = { { 0 } };

    for (uint32_t r = 0; r < rings->n_rings; r++) {
        const uint32_t *order = pack_ring(rings, r);
        uint64_t seen = 0;
        uint64_t all = G_MAXUINT64 >> (64 - graph->n);

        for (uint32_t i = 0; i < graph->n; i++) {
            seen |= UINT64_C(1) << order[i];
            taken[order[i]][order[(i + 1) % graph->n]]++;
        }
        assert_int_equal(seen, all);
    }
    for (uint32_t a = 0; a < graph->n; a++)
        for (uint32_t b = 0; b < graph->n; b++)
            assert_true(graph->n_ports > 0 ||
                        taken[a][b] <= graph->links[a][b]);
}

static void test_packed_rings_fit_and_their_number_is_maximal(void **state)
{
    static const struct {
        uint32_t n, n_links, n_rings;
    } cases[] = {
        /* With one link per pair, n - 1 rings fit, except for n = 4 and n = 6
         * (Tillson). */
        { 2, 3, 3 }, { 3, 1, 2 }, { 4, 1, 2 }, { 5, 1, 4 },
        { 6, 1, 4 }, { 4, 2, 6 }, { 7, 1, 6 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PackGraph graph = complete_graph(cases[i].n, cases[i].n_links);
        g_autoptr(PackRings) rings = pack_disjoint_rings(&graph);

        check_packed_rings(&graph, rings);
        assert_int_equal(rings->n_rings, cases[i].n_rings);
    }
}

/* Each pair has two links. For 4 and 6 ranks, no n - 1 disjoint rings exist. */
static void test_packed_rings_use_all_links_of_a_full_mesh(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 16; n++) {
        PackGraph mesh = { .n = n };
        uint32_t taken[16][16] = { { 0 } }, most = n - 1;
        g_autoptr(PackRings) rings = NULL;

        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = a + 1; b < n; b++)
                pack_graph_add_links(&mesh, a, b, 2);
        rings = pack_disjoint_rings(&mesh);
        if (n != 4 && n != 6)
            assert_int_equal(rings->n_rings, 2 * most);
        assert_true(rings->is_exact);
        for (uint32_t r = 0; r < rings->n_rings; r++)
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t *order = pack_ring(rings, r);

                assert_true(++taken[order[i]][order[(i + 1) % n]] <= 2);
            }
    }
}

static void test_packed_rings_of_many_ranks_fit(void **state)
{
    PackGraph on_switch = { .n = 16, .n_ports = 6 }, cube = { .n = 64 };
    g_autoptr(PackRings) switch_rings = pack_disjoint_rings(&on_switch);
    g_autoptr(PackRings) cube_rings = NULL;

    (void)state;
    check_packed_rings(&on_switch, switch_rings);
    assert_int_equal(switch_rings->n_rings, 6);
    assert_true(switch_rings->is_exact);
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t step = 1; step < 64; step *= 4) {
            uint32_t up = i / step % 4 == 3 ? i - 3 * step : i + step;

            pack_graph_add_links(&cube, i, up, 1);
        }
    cube_rings = pack_disjoint_rings(&cube);
    check_packed_rings(&cube, cube_rings);
    assert_true(cube_rings->n_rings >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_tree_packings_fill_a_dgx1v),
        cmocka_unit_test(
            test_a_smaller_epsilon_packs_trees_nearer_to_the_bound),
        cmocka_unit_test(test_packed_trees_reach_the_bound_of_random_graphs),
        cmocka_unit_test(test_the_number_of_disjoint_trees_is_the_minimum_cut),
        cmocka_unit_test(test_an_unreachable_rank_leaves_no_trees),
        cmocka_unit_test(test_packed_trees_on_a_switch_fill_its_ports),
        cmocka_unit_test(test_trees_of_twelve_ranks_are_packed),
        cmocka_unit_test(test_a_packed_tree_is_rooted_at_its_middle),
        cmocka_unit_test(test_packed_rings_fit_and_their_number_is_maximal),
        cmocka_unit_test(test_packed_rings_use_all_links_of_a_full_mesh),
        cmocka_unit_test(test_packed_rings_of_many_ranks_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
