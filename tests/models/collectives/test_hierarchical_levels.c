/* test_hierarchical_levels.c - Tests of
 * models/collectives/planning/dimension_phases.c: a phase for
 * each dimension. */
#include "tests/models/collectives/plan_fixture.h"

#include "models/collectives/planning/dimension_phases.h"

#define LEVEL(shape, size) "{ shape: " shape ", size: " #size ", " LINK " }"

/* Four nodes of eight NPUs on a switch, with one rail per local index. */
#define MACHINE                                                                \
    "{ kind: nested, count: 4, inner: " GROUP(                                 \
        "switch", 8) ", nics: 8, nic: "                                        \
                     "{ bandwidth: 25 GB/s }, rails: true, outer: " GROUP(     \
                         "switch", 4) " }"

typedef struct {
    CollKind kind;
    const char *name;
    uint32_t dim;
    uint64_t divisor;
} Expected;

static void assert_plan_phases(const CollPlan *plan, const Expected *expected,
                               uint32_t n)
{
    assert_int_equal(plan->n_phases, n);
    for (uint32_t p = 0; p < n; p++) {
        const CollPhase *phase = &plan->phases[p];

        assert_int_equal(phase->group.kind, expected[p].kind);
        assert_string_equal(phase->algorithm->name, expected[p].name);
        assert_int_equal(phase->dim, expected[p].dim);
        assert_int_equal(phase->divisor, expected[p].divisor);
    }
}

#define ASSERT_PHASES(plan, ...)                                               \
    do {                                                                       \
        const Expected expected[] = { __VA_ARGS__ };                           \
        assert_plan_phases(plan, expected, G_N_ELEMENTS(expected));            \
    } while (0)

static CollPlan plan_by_topology_level(const Fixture *f, CollKind kind,
                                       const CollAlgorithm *inner,
                                       const CollAlgorithm *outer)
{
    static const CollDimPart parts[] = { { .dim = 0, .size = 8, .stride = 1 },
                                         { .dim = 1, .size = 4, .stride = 8 } };
    const CollAlgorithm *levels[COLL_MAX_DIMS] = { inner, outer };
    uint32_t wrong;
    CollPlan plan;

    assert_true(coll_plan_init_by_dim(&plan, kind, f->topology, parts,
                                      G_N_ELEMENTS(parts), levels, &wrong));
    return plan;
}

static void test_an_all_reduce_goes_up_and_down_the_levels(void **state)
{
    Fixture f = platform_fixture_new(MACHINE);
    CollPlan plan =
        plan_by_topology_level(&f, COLL_ALL_REDUCE, &coll_ring, NULL);

    (void)state;
    ASSERT_PHASES(&plan, { COLL_REDUCE_SCATTER, "ring", 0, 1 },
                  { COLL_ALL_REDUCE, "halving-doubling", 1, 8 },
                  { COLL_ALL_GATHER, "ring", 0, 1 });
    /* NPUs with the same local index form a group of the second phase. */
    for (uint32_t npu = 0; npu < 32; npu++)
        for (uint32_t r = 0; r < 4; r++)
            assert_int_equal(coll_npu_of_rank(&plan.phases[1], npu, r),
                             npu % 8 + 8 * r);
    assert_true(plan.by_dims);
    assert_false(plan.may_reorder);
    platform_fixture_free(&f);
}

static void test_half_collectives_pass_levels_once(void **state)
{
    Fixture f = platform_fixture_new(MACHINE);
    CollPlan plan =
        plan_by_topology_level(&f, COLL_REDUCE_SCATTER, NULL, &coll_direct);

    (void)state;
    ASSERT_PHASES(&plan, { COLL_REDUCE_SCATTER, "halving-doubling", 0, 1 },
                  { COLL_REDUCE_SCATTER, "direct", 1, 8 });
    plan = plan_by_topology_level(&f, COLL_ALL_GATHER, NULL, &coll_direct);
    ASSERT_PHASES(&plan, { COLL_ALL_GATHER, "direct", 1, 8 },
                  { COLL_ALL_GATHER, "halving-doubling", 0, 1 });
    platform_fixture_free(&f);
}

static void test_a_level_without_all_reduce_has_two_phases(void **state)
{
    Fixture f = platform_fixture_new(MACHINE);
    CollPlan plan =
        plan_by_topology_level(&f, COLL_ALL_REDUCE, &coll_direct, &coll_direct);

    (void)state;
    ASSERT_PHASES(&plan, { COLL_REDUCE_SCATTER, "direct", 0, 1 },
                  { COLL_REDUCE_SCATTER, "direct", 1, 8 },
                  { COLL_ALL_GATHER, "direct", 1, 8 },
                  { COLL_ALL_GATHER, "direct", 0, 1 });
    platform_fixture_free(&f);
}

static void test_auto_chooses_by_the_shape_of_each_dimension(void **state)
{
    Fixture f = platform_fixture_new(
        "{ kind: grid, dims: [" LEVEL("full", 3) ", " LEVEL(
            "ring", 4) ", " LEVEL("line", 1) ", " LEVEL("switch",
                                                        6) ", " LEVEL("line",
                                                                      2) "] }");
    CollPlan plan;

    (void)state;
    assert_true(plan_for_fixture(&plan, &f, COLL_ALL_REDUCE, COLL_AUTO, NULL));
    ASSERT_PHASES(
        &plan, { COLL_REDUCE_SCATTER, "direct", 0, 1 },
        { COLL_REDUCE_SCATTER, "ring", 1, 3 },
        { COLL_REDUCE_SCATTER, "ring", 3, 12 },
        { COLL_ALL_REDUCE, "ring", 4, 72 }, { COLL_ALL_GATHER, "ring", 3, 12 },
        { COLL_ALL_GATHER, "ring", 1, 3 }, { COLL_ALL_GATHER, "direct", 0, 1 });
    assert_true(plan.phases[1].may_reverse);
    assert_false(plan.phases[2].may_reverse);
    assert_false(plan.phases[3].may_reverse);
    platform_fixture_free(&f);
}

static void test_a_torus_plan_ignores_levels(void **state)
{
    Fixture f = torus_fixture_new(SIZES(4, 2, 2), "both");
    CollPlan plan;

    (void)state;
    assert_true(plan_for_fixture(&plan, &f, COLL_ALL_REDUCE, COLL_AUTO, NULL));
    assert_true(plan.may_reorder);
    ASSERT_PHASES(&plan, { COLL_REDUCE_SCATTER, "ring", 0, 1 },
                  { COLL_ALL_REDUCE, "ring", 1, 4 },
                  { COLL_ALL_REDUCE, "ring", 2, 4 },
                  { COLL_ALL_GATHER, "ring", 0, 1 });
    platform_fixture_free(&f);
}

static void assert_levels_refused(const char *yaml, CollKind kind,
                                  const char *text)
{
    static const ConfigField fields[] = {
        { .key = "topology",
          .type = CONFIG_KIND,
          .registry = &topology_registry },
        { .key = "levels",
          .type = CONFIG_LIST,
          .offset = sizeof(ConfigVariant),
          .max = COLL_MAX_DIMS,
          .item = &coll_level_item,
          .item_size = sizeof(int) },
        CONFIG_END,
    };
    struct {
        ConfigVariant topology;
        ConfigList levels;
    } config = { 0 };
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", yaml, strlen(yaml), NULL);
    g_autoptr(Topology) topology = NULL;
    g_autoptr(GError) error = NULL;
    CollMembers all;
    CollPlan plan;

    assert_true(config_doc_read(doc, fields, &config, NULL));
    topology = topology_new(&config.topology, NULL);
    all = coll_members_all_npus(topology_n_npus(topology));
    assert_false(coll_plan_init(
        &plan,
        &(CollRequest){ .kind = kind, .members = &all, .payload_bytes = 1 },
        &(CollChoices){ .levels = &config.levels,
                        .node = config.topology.node },
        topology, &error));
    if (!strstr(error->message, text))
        fail_msg("%s", error->message);
}

static void test_levels_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    assert_levels_refused(
        "{ topology: " MACHINE ", levels: [ring, ring, ring] }",
        COLL_ALL_REDUCE, "levels: 3, but the platform has 2 dimensions");
    assert_levels_refused(
        "{ topology: " MACHINE ", levels: [auto, in-switch] }", COLL_ALL_REDUCE,
        "levels: 'in-switch' has no part in an all-reduce of 4 NPUs "
        "along dimension 1 of a nested");
    assert_levels_refused(
        "{ topology: " MACHINE ", levels: [hierarchical] }", COLL_ALL_GATHER,
        "levels: 'hierarchical' has no part in an all-gather of 8 "
        "NPUs along dimension 0 of a nested");
}

static void test_a_group_inside_a_dimension_has_no_levels(void **state)
{
    Fixture f = platform_fixture_new(MACHINE);
    CollMembers half = coll_members_by_stride(32, 4, 1);
    CollRequest request = { .kind = COLL_ALL_REDUCE,
                            .members = &half,
                            .payload_bytes = 1 };
    CollChoices choices = { .node = f.config.node };
    g_autoptr(GError) error = NULL;
    CollPlan plan;

    (void)state;
    while (
        !g_str_equal(coll_algorithm_names[choices.algorithm], "hierarchical"))
        choices.algorithm++;
    assert_false(coll_plan_init(&plan, &request, &choices, f.topology, &error));
    assert_non_null(strstr(error->message,
                           "'hierarchical' has no all-reduce for 4 NPUs on a "
                           "nested; these have: auto, ring"));
    platform_fixture_free(&f);
}

static CollPlan auto_plan_of_stride(const Fixture *f, CollKind kind,
                                    uint32_t size, uint32_t stride)
{
    CollMembers members =
        coll_members_by_stride(topology_n_npus(f->topology), size, stride);
    CollPlan plan;

    assert_true(coll_plan_init(
        &plan,
        &(CollRequest){ .kind = kind, .members = &members, .payload_bytes = 1 },
        &(CollChoices){ .node = f->config.node }, f->topology, NULL));
    return plan;
}

/* Two NPUs of each node form a group, so that it uses two NICs of each. */
static void test_a_group_with_a_part_of_each_node_has_levels(void **state)
{
    Fixture f = platform_fixture_new(MACHINE);
    CollPlan plan = auto_plan_of_stride(&f, COLL_ALL_REDUCE, 8, 4);

    (void)state;
    ASSERT_PHASES(&plan, { COLL_REDUCE_SCATTER, "halving-doubling", 0, 1 },
                  { COLL_ALL_REDUCE, "halving-doubling", 1, 2 },
                  { COLL_ALL_GATHER, "halving-doubling", 0, 1 });
    /* NPU 13 has index 5 in node 1. Its peer in the node has index 1. */
    assert_int_equal(coll_npu_of_rank(&plan.phases[0], 13, 0), 9);
    assert_int_equal(coll_npu_of_rank(&plan.phases[0], 13, 1), 13);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(coll_npu_of_rank(&plan.phases[1], 13, r), 5 + 8 * r);
    plan = auto_plan_of_stride(&f, COLL_ALL_GATHER, 8, 4);
    ASSERT_PHASES(&plan, { COLL_ALL_GATHER, "halving-doubling", 1, 2 },
                  { COLL_ALL_GATHER, "halving-doubling", 0, 1 });
    /* One NPU of each node, and two nodes of four: no second level. */
    plan = auto_plan_of_stride(&f, COLL_ALL_REDUCE, 4, 8);
    assert_int_equal(plan.n_phases, 1);
    plan = auto_plan_of_stride(&f, COLL_ALL_REDUCE, 2, 16);
    assert_int_equal(plan.n_phases, 1);
    platform_fixture_free(&f);
}

/* Half of a ring is no ring of neighbours. */
static void test_a_part_of_a_ring_is_no_level(void **state)
{
    Fixture f = platform_fixture_new(
        "{ kind: grid, dims: [" LEVEL("ring", 4) ", " LEVEL("switch", 4) "] }");
    CollPlan plan = auto_plan_of_stride(&f, COLL_ALL_REDUCE, 8, 2);

    (void)state;
    assert_int_equal(plan.n_phases, 1);
    assert_false(plan.by_dims);
    platform_fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_all_reduce_goes_up_and_down_the_levels),
        cmocka_unit_test(test_half_collectives_pass_levels_once),
        cmocka_unit_test(test_a_level_without_all_reduce_has_two_phases),
        cmocka_unit_test(test_auto_chooses_by_the_shape_of_each_dimension),
        cmocka_unit_test(test_a_torus_plan_ignores_levels),
        cmocka_unit_test(test_levels_that_do_not_fit_are_refused),
        cmocka_unit_test(test_a_group_inside_a_dimension_has_no_levels),
        cmocka_unit_test(test_a_group_with_a_part_of_each_node_has_levels),
        cmocka_unit_test(test_a_part_of_a_ring_is_no_level),
    };

    return cmocka_run_group_tests_name("levels", tests, NULL, NULL);
}
