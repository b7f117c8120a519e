/* test_role_placement.c - Tests of models/collectives/role_placement.h: the
 * placement of roles and groups on NPUs. */
#include "tests/models/collectives/plan_fixture.h"

#include "models/collectives/role_placement.h"

typedef struct {
    Fixture f;
    OpGraph *graph;
    const ConfigNode *node;
} TestGraph;

static TestGraph test_graph_new(const char *topology)
{
    TestGraph s = { .f = platform_fixture_new(topology),
                    .graph = op_graph_new() };

    s.node = config_doc_root(s.f.doc);
    (void)op_graph_add_layer(s.graph, "x");
    return s;
}

static void test_graph_free(TestGraph *s)
{
    op_graph_free(s->graph);
    platform_fixture_free(&s->f);
}

static uint32_t add_role_to_test_graph(TestGraph *s, const char *name,
                                       OpRole role)
{
    role.name = (char *)name;
    role.node = s->node;
    return op_graph_add_role(s->graph, &role);
}

static uint32_t add_group_to_graph(TestGraph *s, OpGroup group)
{
    group.name = (char *)"g";
    group.node = s->node;
    return op_graph_add_group(s->graph, &group);
}

static void add_graph_operation(TestGraph *s, uint32_t op)
{
    g_array_index(s->graph->ops, Op, op).node = s->node;
}

/* Adds a collective of the first @n_roles roles. */
static uint32_t add_collective_to_graph(TestGraph *s, uint32_t group,
                                        uint32_t n_roles)
{
    uint32_t op =
        op_graph_add_collective(s->graph, 0, OP_FORWARD, COLL_ALL_REDUCE, 1, 0);

    op_graph_set_roles(s->graph, op,
                       role_sets_first_n(s->graph->role_sets, n_roles));
    op_graph_set_group(s->graph, op, group);
    add_graph_operation(s, op);
    return op;
}

static uint32_t add_send_to_graph(TestGraph *s, uint32_t group, uint32_t from,
                                  uint32_t to)
{
    uint32_t op =
        op_graph_add_send(s->graph, 0, OP_FORWARD, group, from, to, 1, 0);

    op_graph_set_message_roles(s->graph, op,
                               role_sets_of_one_role(s->graph->role_sets, 0),
                               role_sets_of_one_role(s->graph->role_sets, 1));
    add_graph_operation(s, op);
    return op;
}

static void assert_placement_error(TestGraph s, const char *message)
{
    GError *error = NULL;
    CollPlacement placement;

    op_graph_check(s.graph);
    if (coll_placement_init(&placement, s.graph, s.f.topology, &error)) {
        assert_null(message);
        coll_placement_clear(&placement);
    } else if (!message || !strstr(error->message, message)) {
        fail_msg("%s", error->message);
    }
    g_clear_error(&error);
    test_graph_free(&s);
}

#define TORUS                                                                  \
    "{ kind: torus, dims: [{ size: 4, " LINK " }, { size: 2, " LINK " }] }"
#define EIGHT GROUP("switch", 8)

static void test_all_npus_have_the_first_role_by_default(void **state)
{
    TestGraph s = test_graph_new(TORUS);
    uint32_t op = add_collective_to_graph(&s, OP_GROUP_ALL, 1);
    CollPlacement placement;

    (void)state;
    assert_true(coll_placement_init(&placement, s.graph, s.f.topology, NULL));
    assert_null(placement.roles);
    for (uint32_t npu = 0; npu < 8; npu++)
        assert_true(coll_placement_npu_runs_op(&placement, npu,
                                               op_graph_op(s.graph, op)));
    assert_int_equal(
        coll_placement_members(&placement, op_graph_op(s.graph, op))->n_ranks,
        8);
    coll_placement_clear(&placement);
    test_graph_free(&s);
}

static void test_roles_are_given_by_dimension_stride_or_list(void **state)
{
    static const guint8 expected[] = { 0, 1, 2, 2, 3, 1, 2, 2 };
    uint32_t first[] = { 0 }, other[] = { 4 };
    TestGraph s = test_graph_new(TORUS);
    CollPlacement placement;

    (void)state;
    add_role_to_test_graph(
        &s, "a", (OpRole){ .ranks_by = RANKS_LIST, .n_ids = 1, .ids = first });
    add_role_to_test_graph(
        &s, "b",
        (OpRole){
            .ranks_by = RANKS_STRIDE, .size = 4, .stride = 1, .remainder = 1 });
    add_role_to_test_graph(
        &s, "c",
        (OpRole){ .ranks_by = RANKS_DIM, .dim = 0, .first = 2, .last = 3 });
    add_role_to_test_graph(
        &s, "d", (OpRole){ .ranks_by = RANKS_LIST, .n_ids = 1, .ids = other });
    assert_true(coll_placement_init(&placement, s.graph, s.f.topology, NULL));
    for (uint32_t npu = 0; npu < 8; npu++)
        assert_int_equal(coll_placement_role(&placement, npu), expected[npu]);
    coll_placement_clear(&placement);
    test_graph_free(&s);
}

static TestGraph graph_of_two_halves(void)
{
    TestGraph s = test_graph_new(TORUS);

    add_role_to_test_graph(&s, "low",
                           (OpRole){ .ranks_by = RANKS_DIM, .dim = 1 });
    add_role_to_test_graph(
        &s, "high",
        (OpRole){ .ranks_by = RANKS_DIM, .dim = 1, .first = 1, .last = 1 });
    return s;
}

static void test_roles_must_cover_all_npus_and_be_disjoint(void **state)
{
    uint32_t far[] = { 8 }, twice[] = { 1, 1 };
    TestGraph s = test_graph_new(TORUS);

    (void)state;
    add_role_to_test_graph(&s, "low",
                           (OpRole){ .ranks_by = RANKS_DIM, .dim = 1 });
    assert_placement_error(
        s, "t.yaml:1:1: ranks: NPU 4 has no role, neither this nor one of "
           "the others");
    s = graph_of_two_halves();
    add_role_to_test_graph(
        &s, "none",
        (OpRole){
            .ranks_by = RANKS_STRIDE, .size = 4, .stride = 1, .remainder = 3 });
    assert_placement_error(s, "ranks: NPU 3 has the role 'low' already");
    s = test_graph_new(EIGHT);
    add_role_to_test_graph(
        &s, "far", (OpRole){ .ranks_by = RANKS_LIST, .n_ids = 1, .ids = far });
    assert_placement_error(s, "ranks: there is no NPU 8 on a platform of 8");
    s = test_graph_new(EIGHT);
    add_role_to_test_graph(
        &s, "2", (OpRole){ .ranks_by = RANKS_LIST, .n_ids = 2, .ids = twice });
    assert_placement_error(s, "ranks: NPU 1 is listed twice");
    s = test_graph_new(EIGHT);
    add_role_to_test_graph(&s, "dim",
                           (OpRole){ .ranks_by = RANKS_DIM, .dim = 1 });
    assert_placement_error(
        s, "ranks: there is no dimension 1 on a platform of 1, counted");
    s = test_graph_new(TORUS);
    add_role_to_test_graph(
        &s, "dim",
        (OpRole){ .ranks_by = RANKS_DIM, .dim = 1, .first = 2, .last = 2 });
    assert_placement_error(
        s, "ranks: dimension 1 has size 2, and no 2 counted from 0");
    s = test_graph_new(EIGHT);
    add_role_to_test_graph(
        &s, "3", (OpRole){ .ranks_by = RANKS_STRIDE, .size = 3, .stride = 1 });
    assert_placement_error(
        s, "ranks: 3 NPUs at a stride of 1 do not divide the platform's 8");
}

static void test_collectives_need_groups_within_a_role(void **state)
{
    uint32_t listed[] = { 0, 1, 4 };
    uint32_t pairs[] = { 0, 1, 5, 6, 2, 4, 3, 7 };
    TestGraph s = graph_of_two_halves();

    (void)state;
    add_collective_to_graph(
        &s,
        add_group_to_graph(
            &s, (OpGroup){ .grouped_by = GROUP_DIMS, .dims_mask = 1 }),
        1);
    assert_placement_error(s, NULL);
    s = graph_of_two_halves();
    add_collective_to_graph(
        &s,
        add_group_to_graph(
            &s, (OpGroup){ .grouped_by = GROUP_DIMS, .dims_mask = 2 }),
        2);
    assert_placement_error(s, NULL);
    s = graph_of_two_halves();
    add_collective_to_graph(&s, OP_GROUP_ALL, 1);
    assert_placement_error(
        s, "group: NPU 0 takes part, and NPU 4 of the same group does not");
    s = graph_of_two_halves();
    add_collective_to_graph(
        &s,
        add_group_to_graph(&s, (OpGroup){ .grouped_by = GROUP_LISTS,
                                          .size = 3,
                                          .n_lists = 1,
                                          .ids = listed }),
        2);
    assert_placement_error(s,
                           "group: NPU 2 takes part and is in no group of 'g'");
    s = graph_of_two_halves();
    add_collective_to_graph(
        &s,
        add_group_to_graph(&s, (OpGroup){ .grouped_by = GROUP_LISTS,
                                          .size = 2,
                                          .n_lists = 4,
                                          .ids = pairs }),
        1);
    /* Each of the first two pairs has one role. */
    assert_placement_error(
        s, "group: NPU 2 takes part, and NPU 4 of the same group does not");
}

static uint32_t group_of_rank_pairs(TestGraph *s)
{
    return add_group_to_graph(
        s, (OpGroup){ .grouped_by = GROUP_STRIDE, .size = 2, .stride = 4 });
}

static void test_messages_go_from_rank_to_rank_of_a_group(void **state)
{
    uint32_t one[] = { 0, 4 };
    TestGraph s = graph_of_two_halves();

    (void)state;
    add_send_to_graph(&s, group_of_rank_pairs(&s), 0, 1);
    assert_placement_error(s, NULL);
    s = graph_of_two_halves();
    add_send_to_graph(&s, group_of_rank_pairs(&s), 1, 0);
    assert_placement_error(
        s, "group: NPU 0 sends, but is rank 0 of its group, not 1");
    s = graph_of_two_halves();
    add_send_to_graph(&s, group_of_rank_pairs(&s), 0, 2);
    assert_placement_error(s, "to: a group of 'g' has 2 ranks, counted from 0");
    s = graph_of_two_halves();
    add_send_to_graph(
        &s,
        add_group_to_graph(&s, (OpGroup){ .grouped_by = GROUP_LISTS,
                                          .size = 2,
                                          .n_lists = 1,
                                          .ids = one }),
        0, 1);
    assert_placement_error(s,
                           "group: NPU 1 takes part and is in no group of 'g'");
}

/* NPUs 0 and 1 are workers. NPU 2 would receive the message, but has the role
 * "o", which has no operation for it. NPU 3 is the server. */
static void test_a_message_needs_a_sender_and_a_receiver_role(void **state)
{
    TestGraph s = test_graph_new(GROUP("switch", 4));
    uint32_t workers[] = { 0, 1 }, server[] = { 3 }, other[] = { 2 };

    (void)state;
    add_role_to_test_graph(
        &s, "w",
        (OpRole){ .ranks_by = RANKS_LIST, .n_ids = 2, .ids = workers });
    add_role_to_test_graph(
        &s, "s", (OpRole){ .ranks_by = RANKS_LIST, .n_ids = 1, .ids = server });
    add_role_to_test_graph(
        &s, "o", (OpRole){ .ranks_by = RANKS_LIST, .n_ids = 1, .ids = other });
    add_send_to_graph(
        &s,
        add_group_to_graph(
            &s,
            (OpGroup){ .grouped_by = GROUP_STRIDE, .size = 2, .stride = 2 }),
        0, 1);
    assert_placement_error(
        s, "group: a message from NPU 0 to NPU 2 has nobody who receives");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_npus_have_the_first_role_by_default),
        cmocka_unit_test(test_roles_are_given_by_dimension_stride_or_list),
        cmocka_unit_test(test_roles_must_cover_all_npus_and_be_disjoint),
        cmocka_unit_test(test_collectives_need_groups_within_a_role),
        cmocka_unit_test(test_messages_go_from_rank_to_rank_of_a_group),
        cmocka_unit_test(test_a_message_needs_a_sender_and_a_receiver_role),
    };

    return cmocka_run_group_tests_name("cast", tests, NULL, NULL);
}
