/* test_symmetry_reduction.c - Tests of the classes of equivalent NPUs, given
 * roles, groups and messages. */
#include "tests/network/topology_fixture.h"

#include "models/run/prepare/symmetry_reduction.h"

#define LINK         "links: 2, bandwidth: 25 GB/s, latency: 500 ns"
#define RING(n)      "{size: " #n ", " LINK "}"
#define TORUS(dims)  "{kind: torus, dims: [" dims "]}"
#define SWITCH(n)    "{kind: switch, npus: " #n ", " LINK "}"
#define CONNECTED(n) "{kind: fully-connected, npus: " #n ", " LINK "}"
#define MAX_NPUS     64

typedef struct {
    Topology *topology;
    SymmetryReduction *alike;
    uint32_t n;
} Case;

static Case begin_graph_on_topology(const char *text)
{
    Case c = { .topology = topology_from_valid_yaml(text) };

    c.alike = symmetry_reduction_new(c.topology);
    c.n = topology_n_npus(c.topology);
    assert_true(c.n <= MAX_NPUS);
    return c;
}

/* Asserts the number of simulated NPUs and the reason why there are not fewer;
 * NULL: no reason. */
static void assert_n_simulated(Case *c, uint32_t n, const char *expected_reason)
{
    g_autofree char *reason = NULL;
    g_autoptr(SymmetryFold) fold = symmetry_reduction_find(c->alike, &reason);

    assert_int_equal(symmetry_fold_n_simulated_ends(fold), n);
    if (expected_reason)
        assert_string_equal(reason, expected_reason);
    else
        assert_null(reason);
    symmetry_reduction_free(c->alike);
    topology_free(c->topology);
}

static CollGroup group_of_consecutive_ranks(uint32_t n)
{
    return (CollGroup){ .n_ranks = n, .n_dims = 1, .dims = { n } };
}

static void test_one_npu_is_simulated_without_constraints(void **state)
{
    Case torus = begin_graph_on_topology(TORUS(RING(4) ", " RING(2)));
    Case star = begin_graph_on_topology(SWITCH(6));

    (void)state;
    assert_n_simulated(&torus, 1, NULL);
    assert_n_simulated(&star, 1, NULL);
}

static void test_two_stages_on_a_torus_are_two_npu_classes(void **state)
{
    static const uint32_t stages[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
    Case c = begin_graph_on_topology(TORUS(RING(4) ", " RING(2)));
    CollMembers rows = coll_members_by_stride(8, 4, 1);
    CollMembers pairs = coll_members_by_stride(8, 2, 4);
    CollGroup grid = group_of_consecutive_ranks(4);

    (void)state;
    symmetry_reduction_add_colours(c.alike, stages, "stages differ");
    symmetry_reduction_add_groups(c.alike, &rows, &grid, RANKS_ROTATED,
                                  "rows differ");
    symmetry_reduction_add_message(c.alike, &pairs, 0, 1,
                                   "a message goes one way");
    assert_n_simulated(&c, 2, "stages differ");
}

static void test_two_stages_on_a_switch_are_two_npu_classes(void **state)
{
    static const uint32_t stages[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
    Case c = begin_graph_on_topology(SWITCH(8));
    CollMembers rows = coll_members_by_stride(8, 4, 1);
    CollMembers pairs = coll_members_by_stride(8, 2, 4);
    CollGroup grid = group_of_consecutive_ranks(4);

    (void)state;
    symmetry_reduction_add_colours(c.alike, stages, "stages differ");
    symmetry_reduction_add_groups(c.alike, &rows, &grid, RANKS_XORED,
                                  "rows differ");
    symmetry_reduction_add_message(c.alike, &pairs, 0, 1,
                                   "a message goes one way");
    assert_n_simulated(&c, 2, "stages differ");
}

static void
test_interleaved_workers_and_servers_are_two_npu_classes(void **state)
{
    static const uint32_t roles[] = { 0, 1, 0, 1, 0, 1, 0, 1 };
    Case star = begin_graph_on_topology(SWITCH(8));
    Case ring = begin_graph_on_topology(TORUS(RING(8)));

    (void)state;
    symmetry_reduction_add_colours(star.alike, roles, "roles");
    assert_n_simulated(&star, 2, "roles");
    symmetry_reduction_add_colours(ring.alike, roles, "roles");
    assert_n_simulated(&ring, 2, "roles");
}

static void test_one_slow_npu_leaves_no_symmetry(void **state)
{
    static const uint32_t slow[] = { 0, 0, 0, 1, 0, 0, 0, 0 };
    Case c = begin_graph_on_topology(TORUS(RING(8)));

    (void)state;
    symmetry_reduction_add_colours(c.alike, slow, "NPU 3 is slow");
    assert_n_simulated(&c, 8, "NPU 3 is slow");
}

static void test_translations_map_groups_to_groups(void **state)
{
    Case parts = begin_graph_on_topology(TORUS(RING(8)));
    Case every = begin_graph_on_topology(TORUS(RING(8)));
    CollMembers quarters = coll_members_by_stride(8, 4, 1);
    CollMembers alternate = coll_members_by_stride(8, 4, 2);
    CollGroup grid = group_of_consecutive_ranks(4);

    (void)state;
    symmetry_reduction_add_groups(parts.alike, &quarters, &grid, RANKS_ROTATED,
                                  "quarters");
    assert_n_simulated(&parts, 4, "quarters");
    symmetry_reduction_add_groups(every.alike, &alternate, &grid, RANKS_ROTATED,
                                  "odd");
    assert_n_simulated(&every, 1, NULL);
}

static void test_symmetries_preserve_distinct_ranks(void **state)
{
    Case c = begin_graph_on_topology(TORUS(RING(8)));
    Case x = begin_graph_on_topology(TORUS(RING(8)));
    CollMembers alternate = coll_members_by_stride(8, 4, 2);
    CollGroup grid = group_of_consecutive_ranks(4);

    (void)state;
    symmetry_reduction_add_groups(c.alike, &alternate, &grid, RANKS_FIXED,
                                  "odd");
    assert_n_simulated(&c, 8, "odd");
    symmetry_reduction_add_groups(x.alike, &alternate, &grid, RANKS_XORED,
                                  "odd");
    assert_n_simulated(&x, 4, "odd");
}

static void test_a_message_constrains_only_two_ranks(void **state)
{
    Case c = begin_graph_on_topology(SWITCH(8));
    CollMembers fours = coll_members_by_stride(8, 4, 1);

    (void)state;
    /* Only ranks 0 and 1 of each group take part, so messages go from 0 to 1
     * and from 4 to 5. */
    symmetry_reduction_add_message(c.alike, &fours, 0, 1, "messages");
    assert_n_simulated(&c, 4, "messages");
}

static void
test_groups_along_both_dimensions_preserve_all_translations(void **state)
{
    Case c = begin_graph_on_topology(TORUS(RING(4) ", " RING(4)));
    CollMembers rows = coll_members_by_stride(16, 4, 1);
    CollMembers columns = coll_members_by_stride(16, 4, 4);
    CollGroup grid = group_of_consecutive_ranks(4);

    (void)state;
    symmetry_reduction_add_groups(c.alike, &rows, &grid, RANKS_ROTATED, "rows");
    symmetry_reduction_add_groups(c.alike, &columns, &grid, RANKS_ROTATED,
                                  "columns");
    assert_n_simulated(&c, 1, NULL);
}

static void test_pairwise_links_distinguish_peers(void **state)
{
    Case c = begin_graph_on_topology(CONNECTED(8));
    CollMembers all = coll_members_all_npus(8);
    CollGroup grid = group_of_consecutive_ranks(8);

    (void)state;
    symmetry_reduction_add_groups(c.alike, &all, &grid, RANKS_XORED, "XOR");
    assert_n_simulated(&c, 4, "XOR");
}

/* Groups of pairs, of experts, of the remainder of a stage, and of a whole
 * stage. Ranks by XOR get one dimension per bit. They must not use up the
 * dimensions that stages need. */
static void test_nested_groups_on_a_switch_are_one_npu_class(void **state)
{
    static const uint32_t sizes[] = { 2, 4, 3, 12 }, strides[] = { 1, 2, 8, 2 };
    Case c = begin_graph_on_topology(SWITCH(48));
    CollMembers members[G_N_ELEMENTS(sizes)];
    CollGroup grids[G_N_ELEMENTS(sizes)];

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        members[i] = coll_members_by_stride(48, sizes[i], strides[i]);
        grids[i] = group_of_consecutive_ranks(sizes[i]);
        symmetry_reduction_add_groups(c.alike, &members[i], &grids[i],
                                      i < 2 ? RANKS_XORED : RANKS_ROTATED,
                                      "groups");
    }
    assert_n_simulated(&c, 1, NULL);
}

#define NODES_WITH_NICS(count, n, nics)                                        \
    "{kind: nested, count: " #count ", inner: " SWITCH(                        \
        n) ", nics: " #nics                                                    \
           ", nic: {bandwidth: 50 GB/s}, rails: true, outer: " SWITCH(         \
               count) "}"
#define NODES(count, n) NODES_WITH_NICS(count, n, n)

/* NPUs with the same local index communicate by XOR of the node. Since the
 * nodes are on a switch, any order of nodes will do. */
static void test_nodes_on_a_switch_may_be_in_any_order(void **state)
{
    CollMembers across = coll_members_by_stride(32, 8, 4);
    CollMembers within = coll_members_by_stride(32, 4, 1);
    CollMembers all = coll_members_all_npus(32);
    CollGroup of_8 = group_of_consecutive_ranks(8),
              of_4 = group_of_consecutive_ranks(4),
              of_32 = group_of_consecutive_ranks(32);
    Case c = begin_graph_on_topology(NODES(8, 4)),
         slow = begin_graph_on_topology(NODES(8, 4)),
         whole = begin_graph_on_topology(NODES(8, 4));
    uint32_t colours[32] = { 0 };

    (void)state;
    symmetry_reduction_add_groups(c.alike, &across, &of_8, RANKS_XORED,
                                  "across");
    symmetry_reduction_add_groups(c.alike, &within, &of_4, RANKS_XORED,
                                  "within");
    assert_n_simulated(&c, 1, NULL);
    /* The nodes are not equivalent if one of them differs. */
    colours[4] = 1;
    symmetry_reduction_add_groups(slow.alike, &across, &of_8, RANKS_XORED,
                                  "across");
    symmetry_reduction_add_colours(slow.alike, colours, "one is slow");
    assert_n_simulated(&slow, 32, "one is slow");
    /* If peers have other local indices, the NPUs are equivalent by XOR of the
     * node and of the NPU within it. */
    symmetry_reduction_add_groups(whole.alike, &all, &of_32, RANKS_XORED,
                                  "whole");
    assert_n_simulated(&whole, 1, NULL);
}

/* The NPUs of a node are equivalent if each has a NIC and a rail of its own.
 * They are two classes if pairs of them have a role. */
static void test_npus_of_a_node_on_rails_are_equivalent(void **state)
{
    static const uint32_t roles[] = { 0, 0, 1, 1, 0, 0, 1, 1 };
    Case own = begin_graph_on_topology(NODES(2, 4)),
         shared = begin_graph_on_topology(NODES_WITH_NICS(2, 4, 2)),
         pairs = begin_graph_on_topology(NODES(2, 4)),
         fixed = begin_graph_on_topology(NODES(2, 4));
    CollMembers within = coll_members_by_stride(8, 4, 1);
    CollGroup grid = group_of_consecutive_ranks(4);

    (void)state;
    assert_n_simulated(&own, 1, NULL);
    assert_n_simulated(&shared, 4,
                       "a nested has 4 NPUs with different connections");
    symmetry_reduction_add_colours(pairs.alike, roles, "roles");
    assert_n_simulated(&pairs, 2, "roles");
    symmetry_reduction_add_groups(fixed.alike, &within, &grid, RANKS_FIXED,
                                  "one root");
    assert_n_simulated(&fixed, 4, "one root");
}

/* Two nodes of @n NPUs below each leaf, or the NICs of two NPUs. */
#define NODES_ON_TREES(n, rails)                                               \
    "{kind: nested, count: 4, inner: " SWITCH(                                 \
        n) ", nics: " #n ", nic: {" LINK "}, rails: " rails                    \
           ", outer: {kind: fat-tree, radix: 4, " LINK "}}"

static void test_nodes_below_a_leaf_are_distinguished(void **state)
{
    Case rails = begin_graph_on_topology(NODES_ON_TREES(3, "true")),
         tree = begin_graph_on_topology(NODES_ON_TREES(2, "false")),
         small = begin_graph_on_topology(NODES_ON_TREES(1, "false"));

    (void)state;
    assert_n_simulated(&rails, 2, "2 nodes share links of the outer topology");
    assert_n_simulated(&tree, 2,
                       "a nested has 2 NPUs with different connections");
    assert_n_simulated(&small, 2,
                       "a nested has 2 NPUs with different connections");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_npu_is_simulated_without_constraints),
        cmocka_unit_test(test_nodes_on_a_switch_may_be_in_any_order),
        cmocka_unit_test(test_npus_of_a_node_on_rails_are_equivalent),
        cmocka_unit_test(test_nodes_below_a_leaf_are_distinguished),
        cmocka_unit_test(test_two_stages_on_a_torus_are_two_npu_classes),
        cmocka_unit_test(test_two_stages_on_a_switch_are_two_npu_classes),
        cmocka_unit_test(
            test_interleaved_workers_and_servers_are_two_npu_classes),
        cmocka_unit_test(test_one_slow_npu_leaves_no_symmetry),
        cmocka_unit_test(test_translations_map_groups_to_groups),
        cmocka_unit_test(test_nested_groups_on_a_switch_are_one_npu_class),
        cmocka_unit_test(test_symmetries_preserve_distinct_ranks),
        cmocka_unit_test(test_a_message_constrains_only_two_ranks),
        cmocka_unit_test(
            test_groups_along_both_dimensions_preserve_all_translations),
        cmocka_unit_test(test_pairwise_links_distinguish_peers),
    };

    return cmocka_run_group_tests_name("alike", tests, NULL, NULL);
}
