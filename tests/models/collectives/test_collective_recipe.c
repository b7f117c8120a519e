/* test_collective_recipe.c - Tests of models/collectives/plan_cache.c: a recipe
 * of a stack becomes one plan per channel. */
#include "tests/models/collectives/plan_fixture.h"

#include "models/collectives/plan_cache.h"

static const CollProtocol protocol = {
    .name = "LL", .wire_num = 2, .wire_den = 1, .step_ps = { 1, 2, 3 }
};

static CollRecipe *ring_recipe_new(uint32_t n_channels)
{
    CollRecipe *recipe = g_new0(CollRecipe, 1);

    recipe->algorithm = "ring";
    recipe->protocol = &protocol;
    recipe->chunk_bytes = recipe->message_bytes = recipe->window = CONFIG_AUTO;
    recipe->n_channels = n_channels;
    recipe->channels = g_new0(CollChannel, n_channels);
    for (uint32_t c = 0; c < n_channels; c++)
        recipe->channels[c] =
            (CollChannel){ .algorithm = &coll_ring, .share = 1 };
    return recipe;
}

static uint32_t *copy_ring_order(const uint32_t *order, uint32_t n)
{
    return g_memdup2(order, n * sizeof(uint32_t));
}

typedef struct {
    Fixture f;
    OpGraph *graph;
    CollPlacement placement;
    CollPlans plans;
} Case;

/* The graph has an operation on the two groups of four of a switch of eight,
 * and one on all NPUs. */
static void recipe_case_init(Case *c, CollKind kind)
{
    uint32_t half, layer;

    c->f = platform_fixture_new(GROUP("switch", 8));
    c->graph = op_graph_new();
    half = op_graph_add_group(
        c->graph,
        &(OpGroup){ .grouped_by = GROUP_STRIDE, .size = 4, .stride = 1 });
    layer = op_graph_add_layer(c->graph, "x");
    for (guint i = 0; i < 2; i++)
        op_graph_set_group(c->graph,
                           op_graph_add_collective(c->graph, layer, OP_FORWARD,
                                                   kind, 1 << 20, 0),
                           i == 0 ? half : OP_GROUP_ALL);
    assert_true(
        coll_placement_init(&c->placement, c->graph, c->f.topology, NULL));
    coll_plans_init(&c->plans, &c->placement, c->f.topology,
                    &(CollChoices){ .node = c->f.config.node }, COLL_ORDER_AUTO,
                    1 << 20);
}

static void recipe_case_clear(Case *c)
{
    coll_plans_clear(&c->plans);
    coll_placement_clear(&c->placement);
    op_graph_free(c->graph);
    platform_fixture_free(&c->f);
}

static void test_each_recipe_channel_has_a_plan_in_its_ring_order(void **state)
{
    static const uint32_t order[] = { 2, 0, 3, 1 };
    g_autoptr(CollRecipe) recipe = ring_recipe_new(2);
    const CollPlanned *planned;
    const CollPhase *phase;
    Case c;

    (void)state;
    recipe_case_init(&c, COLL_ALL_REDUCE);
    recipe->channels[1].order = copy_ring_order(order, 4);
    recipe->channels[1].plane = TOPOLOGY_PLANE(TOPOLOGY_HOST);
    planned = coll_plans_find_or_make(&c.plans, op_graph_op(c.graph, 0), recipe,
                                      NULL);
    assert_int_equal(planned->orders.n, 2);
    assert_ptr_equal(planned->recipe, recipe);
    assert_int_equal(planned->orders.plans[0].phases[0].plane, 0);
    assert_null(planned->orders.plans[0].phases[0].members.ids);
    phase = &planned->orders.plans[1].phases[0];
    assert_int_equal(phase->plane, TOPOLOGY_PLANE(TOPOLOGY_HOST));
    assert_ptr_equal(planned->orders.plans[1].recipe, recipe);
    for (uint32_t npu = 0; npu < 8; npu++)
        for (uint32_t r = 0; r < 4; r++) {
            assert_int_equal(coll_npu_of_rank(phase, npu, r),
                             npu / 4 * 4 + order[r]);
            assert_int_equal(coll_rank_of_npu(phase, npu / 4 * 4 + order[r]),
                             r);
        }
    recipe_case_clear(&c);
}

static void test_equal_recipes_are_planned_once(void **state)
{
    g_autoptr(CollRecipe) one = ring_recipe_new(1), other = ring_recipe_new(1);
    const Op *op;
    Case c;

    (void)state;
    recipe_case_init(&c, COLL_ALL_REDUCE);
    op = op_graph_op(c.graph, 1);
    assert_ptr_equal(coll_plans_find_or_make(&c.plans, op, one, NULL),
                     coll_plans_find_or_make(&c.plans, op, one, NULL));
    assert_ptr_not_equal(coll_plans_find_or_make(&c.plans, op, one, NULL),
                         coll_plans_find_or_make(&c.plans, op, other, NULL));
    assert_null(coll_plans_find_or_make(&c.plans, op, NULL, NULL)->recipe);
    assert_int_equal(c.plans.plans->len, 3);
    recipe_case_clear(&c);
}

static void test_recipe_channels_get_chunks_by_their_shares(void **state)
{
    g_autoptr(CollRecipe) recipe = ring_recipe_new(3);
    uint32_t n_given[3] = { 0 };
    const CollOrders *orders;
    Case c;

    (void)state;
    recipe_case_init(&c, COLL_ALL_REDUCE);
    recipe->channels[0].share = 5;
    recipe->channels[1].share = 0;
    recipe->channels[2].share = 3;
    orders = &coll_plans_find_or_make(&c.plans, op_graph_op(c.graph, 1), recipe,
                                      NULL)
                  ->orders;
    for (uint32_t i = 0; i < COLL_ORDER_SEQUENCE; i++) {
        uint32_t o =
            (uint32_t)(coll_orders_plan_of_chunk(orders, i) - orders->plans);

        n_given[o]++;
        /* The count never differs from the channel's share by more than a
         * chunk. */
        assert_true(labs(8L * n_given[0] - 5L * (i + 1)) <= 8);
        assert_true(labs(8L * n_given[2] - 3L * (i + 1)) <= 8);
    }
    assert_int_equal(n_given[1], 0);
    recipe_case_clear(&c);
}

static void test_sixty_four_recipe_channels_are_used_equally(void **state)
{
    g_autoptr(CollRecipe) recipe = ring_recipe_new(64);
    const CollOrders *orders;
    Case c;

    (void)state;
    recipe_case_init(&c, COLL_ALL_REDUCE);
    orders = &coll_plans_find_or_make(&c.plans, op_graph_op(c.graph, 1), recipe,
                                      NULL)
                  ->orders;
    for (uint32_t i = 0; i < 640; i++)
        assert_ptr_equal(coll_orders_plan_of_chunk(orders, i),
                         &orders->plans[i % 64]);
    for (uint32_t o = 0; o < 64; o++)
        assert_int_equal(orders->shares[o], COLL_ORDER_SEQUENCE / 64);
    recipe_case_clear(&c);
}

static void test_an_unsupported_recipe_is_refused(void **state)
{
    g_autoptr(CollRecipe) recipe = ring_recipe_new(2);
    GError *error = NULL;
    Case c;

    (void)state;
    recipe_case_init(&c, COLL_ALL_REDUCE);
    recipe->channels[1].algorithm = &coll_in_switch;
    assert_null(coll_plans_find_or_make(&c.plans, op_graph_op(c.graph, 0),
                                        recipe, &error));
    assert_non_null(strstr(error->message, "stack: its ring has no all-reduce "
                                           "for 4 NPUs on a switch"));
    g_error_free(error);
    assert_int_equal(c.plans.plans->len, 0);
    recipe_case_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_recipe_channel_has_a_plan_in_its_ring_order),
        cmocka_unit_test(test_equal_recipes_are_planned_once),
        cmocka_unit_test(test_recipe_channels_get_chunks_by_their_shares),
        cmocka_unit_test(test_sixty_four_recipe_channels_are_used_equally),
        cmocka_unit_test(test_an_unsupported_recipe_is_refused),
    };

    return cmocka_run_group_tests_name("recipe", tests, NULL, NULL);
}
