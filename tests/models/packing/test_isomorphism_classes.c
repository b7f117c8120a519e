/*
 * test_isomorphism_classes.c - Tests of models/packing/isomorphism_classes.c.
 *
 * Equivalence classes of GPU sets, and the trees and rings that fit each class.
 * The 46 classes of a DGX-1V and the 14 of a DGX-1P are compared with published
 * data, row by row.
 */
#include "tests/models/packing/packing_fixture.h"

#include <string.h>

#include "models/packing/disjoint_rings.h"
#include "models/packing/isomorphism_classes.h"
#include "models/packing/tree_rate_bounds.h"
#include "sim/core/csv.h"

static char *class_row_text(const CsvTable *table, guint row)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint c = 0; c < csv_table_n_columns(table); c++)
        g_string_append_printf(text, "%s%s", c ? "," : "",
                               csv_table_text(table, row, c));
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *isomorphism_class_text(const char *machine,
                                    const PackGraph *machine_graph,
                                    const PackClass *class)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(PackRings) rings = NULL;
    PackGraph graph;
    PackRatio trees, ring;

    pack_graph_subgraph(machine_graph, class->ranks, class->n_ranks, &graph);
    rings = pack_disjoint_rings(&graph);
    assert_true(rings->is_exact);
    trees = pack_all_reduce_bound(&graph);
    ring = pack_ring_rate(graph.n, rings->n_rings);
    g_string_append_printf(text, "%s,%u,", machine, graph.n);
    for (uint32_t i = 0; i < graph.n; i++)
        g_string_append_printf(text, "%s%u", i ? " " : "", class->ranks[i]);
    g_string_append_printf(text, ",%u,%u,%u,%u,%u,%u,%u,%u",
                           (unsigned)class->n_sets, pack_graph_n_links(&graph),
                           pack_broadcast_bound(&graph, 0), trees.num,
                           trees.den, rings->n_rings, ring.num, ring.den);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
test_isomorphism_classes_of_a_dgx1_match_published_ones(void **state)
{
    const char *source = g_getenv("SRCDIR");
    g_autofree char *path = g_build_filename(
        source ? source : ".", "validate/data/topology/dgx1_classes.csv", NULL);
    GError *error = NULL;
    g_autoptr(CsvTable) table = csv_table_load(path, &error);
    guint row = 0;

    (void)state;
    assert_no_error(error);
    for (guint volta = 2; volta-- > 0;) {
        PackGraph graph = dgx1_graph(volta == 1);
        g_autoptr(GArray) classes = pack_find_isomorphism_classes(&graph, 3, 8);

        assert_int_equal(classes->len, volta ? 46 : 14);
        for (guint i = 0; i < classes->len; i++, row++) {
            g_autofree char *found =
                isomorphism_class_text(volta ? "dgx1v" : "dgx1p", &graph,
                                       &g_array_index(classes, PackClass, i));
            g_autofree char *expected = class_row_text(table, row);

            assert_string_equal(found, expected);
        }
    }
    assert_int_equal(row, csv_table_n_rows(table));
}

/* Each connected set belongs to exactly one class, so the class sizes add up to
 * the number of connected sets. */
static void test_every_connected_gpu_set_is_in_one_class(void **state)
{
    PackGraph graph = dgx1_graph(TRUE);
    g_autoptr(GArray) classes = pack_find_isomorphism_classes(&graph, 1, 8);
    uint64_t sum = 0, n_connected = 0;

    (void)state;
    for (guint i = 0; i < classes->len; i++)
        sum += g_array_index(classes, PackClass, i).n_sets;
    for (uint32_t set = 1; set < 256; set++) {
        uint32_t ranks[8], n = 0;
        PackGraph picked;

        for (uint32_t r = 0; r < 8; r++)
            if (set >> r & 1)
                ranks[n++] = r;
        pack_graph_subgraph(&graph, ranks, n, &picked);
        n_connected += pack_graph_is_connected(&picked) ? 1 : 0;
    }
    assert_int_equal(sum, n_connected);
}

static void test_renumbering_ranks_keeps_the_isomorphism_class(void **state)
{
    static const uint32_t order[] = { 3, 1, 7, 0, 5, 2, 6, 4 };
    PackGraph graph = dgx1_graph(TRUE), renamed, other = dgx1_graph(FALSE);

    (void)state;
    pack_graph_subgraph(&graph, order, 8, &renamed);
    assert_true(pack_graphs_are_isomorphic(&graph, &renamed));
    assert_false(pack_graphs_are_isomorphic(&graph, &other));
    /* Both graphs have six links, and each rank has two of them. One graph is a
     * ring of six, the other consists of two triangles. */
    renamed = (PackGraph){ .n = 6 };
    other = (PackGraph){ .n = 6 };
    for (uint32_t i = 0; i < 6; i++) {
        pack_graph_add_links(&renamed, i, (i + 1) % 6, 1);
        pack_graph_add_links(&other, i, i / 3 * 3 + (i + 1) % 3, 1);
    }
    assert_false(pack_graphs_are_isomorphic(&renamed, &other));
}

static void test_on_a_switch_all_sets_of_one_size_are_equivalent(void **state)
{
    PackGraph graph = { .n = 16, .n_ports = 6 };
    g_autoptr(GArray) classes = pack_find_isomorphism_classes(&graph, 3, 16);

    (void)state;
    assert_int_equal(classes->len, 14);
    assert_int_equal(g_array_index(classes, PackClass, 0).n_sets, 560);
    assert_int_equal(g_array_index(classes, PackClass, 13).n_sets, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_isomorphism_classes_of_a_dgx1_match_published_ones),
        cmocka_unit_test(test_every_connected_gpu_set_is_in_one_class),
        cmocka_unit_test(test_renumbering_ranks_keeps_the_isomorphism_class),
        cmocka_unit_test(test_on_a_switch_all_sets_of_one_size_are_equivalent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
