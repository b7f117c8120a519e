/* test_plan_groups.c - Tests of models/collectives/collective_plan.c: groups of
 * some NPUs, and messages. */
#include "tests/models/collectives/plan_fixture.h"

#include "models/collectives/plan_cache.h"

static const CollChoices auto_choices = { 0 };

static CollPlan plan_for_group(const Fixture *f, CollKind kind,
                               const CollMembers *members, int algorithm)
{
    CollRequest request = {
        .kind = kind, .members = members, .payload_bytes = 1, .to = 1
    };
    CollChoices choices = { .algorithm = algorithm, .node = f->config.node };
    GError *error = NULL;
    CollPlan plan;

    if (!coll_plan_init(&plan, &request, &choices, f->topology, &error))
        fail_msg("%s", error->message);
    return plan;
}

static CollMembers members_of_group(const Fixture *f, OpGroup group)
{
    CollMembers m;

    group.node = f->config.node;
    assert_true(coll_members_init(&m, &group, f->topology, NULL));
    return m;
}

/* Asserts that @plan does within each group what @small does on a platform of
 * the group's size. test_plan.c verifies such plans. */
static void assert_equivalent_plans(const CollPlan *plan,
                                    const CollMembers *members,
                                    const CollPlan *small)
{
    assert_int_equal(plan->n_phases, small->n_phases);
    for (uint32_t p = 0; p < plan->n_phases; p++) {
        const CollPhase *a = &plan->phases[p], *b = &small->phases[p];

        assert_ptr_equal(a->algorithm, b->algorithm);
        assert_int_equal(a->group.kind, b->group.kind);
        assert_int_equal(a->group.n_ranks, b->group.n_ranks);
        assert_int_equal(a->divisor, b->divisor);
        assert_int_equal(a->n_steps, b->n_steps);
        assert_int_equal(a->n_reducing, b->n_reducing);
        for (uint32_t npu = 0; npu < members->n_npus; npu++) {
            uint32_t rank = coll_members_rank_of_npu(members, npu);

            assert_int_equal(coll_rank_of_npu(a, npu),
                             coll_rank_of_npu(b, rank));
            for (uint32_t r = 0; r < a->group.n_ranks; r++)
                assert_int_equal(
                    coll_npu_of_rank(a, npu, r),
                    coll_members_npu_in_same_group(
                        members, npu, coll_npu_of_rank(b, rank, r)));
        }
    }
}

static void test_a_group_of_some_dimensions_is_a_smaller_torus(void **state)
{
    static const struct {
        uint32_t mask, sizes[5];
    } cases[] = { { 1, { 4 } },      { 2, { 3 } },    { 4, { 2 } },
                  { 3, { 4, 3 } },   { 5, { 4, 2 } }, { 6, { 3, 2 } },
                  { 7, { 4, 3, 2 } } };
    Fixture f = torus_fixture_new(SIZES(4, 3, 2), "both");

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        CollMembers m =
            members_of_group(&f, (OpGroup){ .grouped_by = GROUP_DIMS,
                                            .dims_mask = cases[i].mask });
        Fixture small = torus_fixture_new(cases[i].sizes, "both");

        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            CollPlan plan = plan_for_group(&f, kind, &m, COLL_AUTO), expected;

            assert_true(
                plan_for_fixture(&expected, &small, kind, COLL_AUTO, NULL));
            assert_equivalent_plans(&plan, &m, &expected);
            assert_int_equal(plan.dims_mask, plan.by_dims ? cases[i].mask : 0);
        }
        platform_fixture_free(&small);
    }
    platform_fixture_free(&f);
}

/* A switch dimension lies between the two ring dimensions, so the ids of a ring
 * are not contiguous. */
static void test_ring_dimensions_of_a_grid_are_a_torus(void **state)
{
    Fixture f = platform_fixture_new(
        "{ kind: grid, dims: [{ shape: ring, size: 4, " LINK
        " }, { shape: switch, size: 2, " LINK
        " }, { shape: ring, size: 3, " LINK " }] }");
    Fixture small = torus_fixture_new(SIZES(4, 3), "both");
    CollMembers rings = members_of_group(
        &f, (OpGroup){ .grouped_by = GROUP_DIMS, .dims_mask = 5 });
    CollMembers row = members_of_group(
        &f, (OpGroup){ .grouped_by = GROUP_DIMS, .dims_mask = 2 });
    CollMembers both = members_of_group(
        &f, (OpGroup){ .grouped_by = GROUP_DIMS, .dims_mask = 3 });

    (void)state;
    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
        CollPlan plan = plan_for_group(&f, kind, &rings, COLL_AUTO), expected;

        assert_true(plan_for_fixture(&expected, &small, kind, COLL_AUTO, NULL));
        assert_equivalent_plans(&plan, &rings, &expected);
        assert_false(plan_for_group(&f, kind, &row, COLL_AUTO).by_dims);
        plan = plan_for_group(&f, kind, &both, COLL_AUTO);
        assert_int_equal(plan.by_dims, coll_kind_has_halves(kind));
        assert_false(plan.may_reorder);
    }
    platform_fixture_free(&small);
    platform_fixture_free(&f);
}

/* Groups of any kind have a plan on any fabric, with one or two phases of the
 * whole group. Examples are pairs of a ring of 4, and listed NPUs. */
static void test_any_group_has_plans_for_all_collectives(void **state)
{
    const char *const fabrics[] = {
        "{ kind: torus, dims: [{ size: 4, " LINK " }, { size: 3, " LINK " }] }",
        GROUP("switch", 12),
        GROUP("fully-connected", 12),
    };
    uint32_t ids[] = { 3, 0, 11, 4, 7, 2 };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(fabrics); i++) {
        Fixture f = platform_fixture_new(fabrics[i]);
        CollMembers all[] = {
            members_of_group(&f, (OpGroup){ .grouped_by = GROUP_STRIDE,
                                            .size = 2,
                                            .stride = 1 }),
            members_of_group(&f, (OpGroup){ .grouped_by = GROUP_STRIDE,
                                            .size = 3,
                                            .stride = 2 }),
            members_of_group(&f, (OpGroup){ .grouped_by = GROUP_LISTS,
                                            .size = 3,
                                            .n_lists = 2,
                                            .ids = ids }),
        };

        for (guint g = 0; g < G_N_ELEMENTS(all); g++)
            for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
                CollPlan plan = plan_for_group(&f, kind, &all[g], COLL_AUTO);

                assert_false(plan.by_dims);
                assert_in_range(plan.n_phases, 1, 2);
                for (uint32_t p = 0; p < plan.n_phases; p++)
                    assert_int_equal(plan.phases[p].group.n_ranks,
                                     all[g].n_ranks);
            }
        coll_members_clear(&all[2]);
        platform_fixture_free(&f);
    }
}

static void test_a_point_to_point_message_is_one_block(void **state)
{
    Fixture f = platform_fixture_new(GROUP("switch", 8));
    CollMembers m = members_of_group(
        &f, (OpGroup){ .grouped_by = GROUP_STRIDE, .size = 4, .stride = 2 });
    CollPlan plan = plan_for_group(&f, COLL_SEND, &m, COLL_AUTO);
    const CollPhase *phase = &plan.phases[0];

    (void)state;
    assert_int_equal(plan.n_phases, 1);
    assert_int_equal(plan.reduces, 0);
    assert_ptr_equal(phase->algorithm, &coll_p2p);
    assert_int_equal(phase->n_blocks, 1);
    assert_int_equal(phase->max_blocks, 1);
    assert_false(phase->is_uniform);
    assert_int_equal(coll_block_bytes(phase, 1001), 1001);
    assert_int_equal(coll_sent_bytes(phase, 1001), 1001);
    assert_int_equal(phase->sample_npu, 0);
    platform_fixture_free(&f);
}

static void test_a_message_plan_has_one_sender_and_one_receiver(void **state)
{
    (void)state;
    for (uint32_t from = 0; from < 5; from++)
        for (uint32_t to = 0; to < 5; to++) {
            CollGroup group = {
                .kind = COLL_SEND, .n_ranks = 5, .from = from, .to = to
            };

            assert_int_equal(coll_p2p.supports(&group), from != to);
            for (uint32_t rank = 0; rank < 5 && from != to; rank++) {
                CollStep step;

                coll_p2p.step(&group, rank, 0, &step);
                assert_int_equal(step.n_blocks, rank == from);
                assert_int_equal(step.recv_none, rank != to);
                assert_int_equal(coll_step_n_received_blocks(&step),
                                 rank == to);
                if (rank == from)
                    assert_int_equal(step.send_to, to);
                if (rank == to)
                    assert_int_equal(step.recv_from, from);
            }
        }
}

static void test_the_sample_rank_of_a_message_is_the_sender(void **state)
{
    Fixture f = platform_fixture_new(GROUP("switch", 8));
    CollMembers all = coll_members_all_npus(8);
    CollRequest request = { .kind = COLL_SEND,
                            .members = &all,
                            .payload_bytes = 64,
                            .from = 5,
                            .to = 2 };
    CollPlan plan;

    (void)state;
    assert_true(
        coll_plan_init(&plan, &request, &auto_choices, f.topology, NULL));
    assert_int_equal(plan.phases[0].sample_rank, 5);
    assert_int_equal(plan.phases[0].sample_npu, 5);
    assert_int_equal(coll_sent_bytes(&plan.phases[0], 64), 64);
    platform_fixture_free(&f);
}

static void test_equal_plans_are_made_once(void **state)
{
    Fixture f = torus_fixture_new(SIZES(4, 2), "both");
    g_autoptr(OpGraph) graph = op_graph_new();
    uint32_t row = op_graph_add_group(
        graph, &(OpGroup){ .grouped_by = GROUP_DIMS, .dims_mask = 1 });
    uint32_t layer = op_graph_add_layer(graph, "x");
    const CollPlanned *planned_ops[6];
    CollPlans plans;
    CollPlacement placement;

    (void)state;
    for (guint i = 0; i < 6; i++) {
        uint32_t op = op_graph_add_collective(
            graph, layer, OP_FORWARD,
            i % 3 == 2 ? COLL_ALL_GATHER : COLL_ALL_REDUCE, 100 + i, 0);

        op_graph_set_group(graph, op, i % 3 == 1 ? row : OP_GROUP_ALL);
    }
    assert_true(coll_placement_init(&placement, graph, f.topology, NULL));
    coll_plans_init(&plans, &placement, f.topology, &auto_choices,
                    COLL_ORDER_AUTO, 1 << 20);
    for (guint i = 0; i < 6; i++)
        planned_ops[i] =
            coll_plans_find_or_make(&plans, op_graph_op(graph, i), NULL, NULL);
    assert_int_equal(plans.plans->len, 3);
    for (guint i = 0; i < 3; i++)
        assert_ptr_equal(planned_ops[i], planned_ops[i + 3]);
    assert_int_equal(planned_ops[1]->plan.n_phases, 1);
    assert_true(planned_ops[0]->orders.n > 0);
    coll_plans_clear(&plans);
    coll_placement_clear(&placement);
    platform_fixture_free(&f);
}

/* Asserts that the NPUs of each group are those whose coordinates lie in the
 * parts, and that ranks count the parts from the lowest dimension up. */
static void assert_parts_form_groups(const CollMembers *members,
                                     const CollDimPart *parts, uint32_t n)
{
    for (uint32_t npu = 0; npu < members->n_npus; npu++)
        for (uint32_t rank = 0; rank < members->n_ranks; rank++) {
            uint32_t expected = npu, rest = rank;

            for (uint32_t i = 0; i < n; i++) {
                uint32_t own = npu / parts[i].stride % parts[i].size;

                expected += (rest % parts[i].size - own) * parts[i].stride;
                rest /= parts[i].size;
            }
            assert_int_equal(coll_members_npu_in_same_group(members, npu, rank),
                             expected);
        }
}

/* Divides all groups by stride on a 4x6x2 grid. */
static void test_groups_are_divided_by_dimensions(void **state)
{
    static const uint32_t sizes[] = { 4, 6, 2 };
    uint32_t n_divided = 0, n_refused = 0;

    (void)state;
    for (uint32_t stride = 1; stride <= 24; stride++)
        for (uint32_t size = 2; size * stride <= 48; size++) {
            CollDimPart parts[G_N_ELEMENTS(sizes)];
            CollMembers m;
            uint32_t n;

            if (48 % (size * stride) != 0)
                continue;
            m = coll_members_by_stride(48, size, stride);
            if (!coll_members_split_into_dims(&m, sizes, G_N_ELEMENTS(sizes),
                                              parts, &n)) {
                n_refused++;
                continue;
            }
            n_divided++;
            assert_parts_form_groups(&m, parts, n);
        }
    /* In 20 of the 35 families, the coordinates of each group form a product.
     * Three NPUs side by side, for example, do not divide a dimension
     * of four. */
    assert_int_equal(n_divided, 20);
    assert_int_equal(n_refused, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_are_divided_by_dimensions),
        cmocka_unit_test(test_a_group_of_some_dimensions_is_a_smaller_torus),
        cmocka_unit_test(test_ring_dimensions_of_a_grid_are_a_torus),
        cmocka_unit_test(test_any_group_has_plans_for_all_collectives),
        cmocka_unit_test(test_a_point_to_point_message_is_one_block),
        cmocka_unit_test(test_a_message_plan_has_one_sender_and_one_receiver),
        cmocka_unit_test(test_the_sample_rank_of_a_message_is_the_sender),
        cmocka_unit_test(test_equal_plans_are_made_once),
    };

    return cmocka_run_group_tests_name("plan_groups", tests, NULL, NULL);
}
