/* test_dimension_orders.c - Tests of models/collectives/dimension_orders.c: the
 * dimension with which each chunk begins.
 *
 * The chosen orders are compared with the best possible division of the payload
 * among orders. */
#include "tests/system_fixture.h"

#include <math.h>

#include "models/collectives/dimension_orders.h"
#include "tests/models/collectives/plan_of_all_npus.h"

#define MIB   (UINT64_C(1) << 20)
#define SLOW  "bandwidth: 25 GB/s, latency: 400 ns}"
#define EVEN  "{size: 4, links: 2, " SLOW
#define LOCAL "{size: 4, links: 2, bandwidth: 200 GB/s, latency: 70 ns}"

static const ConfigField fields[] = {
    { .key = "topology", .type = CONFIG_KIND, .registry = &topology_registry },
    CONFIG_END,
};

typedef struct {
    ConfigDoc *doc;
    ConfigVariant config;
    Topology *topology;
    CollOrders orders;
} Fixture;

static Fixture order_fixture_new(const char *dims, CollKind kind,
                                 CollOrder rule)
{
    g_autofree char *yaml =
        g_strdup_printf("topology: {kind: torus, dims: [%s]}\n", dims);
    GError *error = NULL;
    Fixture f = { 0 };
    CollPlan plan;

    f.doc = config_doc_parse("t.yaml", yaml, strlen(yaml), &error);
    if (f.doc && config_doc_read(f.doc, fields, &f.config, &error))
        f.topology = topology_new(&f.config, &error);
    if (!f.topology || !plan_on_topology(&plan, f.topology, kind, COLL_AUTO,
                                         f.config.node, &error))
        fail_msg("%s", error->message);
    coll_orders_init(&f.orders, rule, &plan, f.topology, MIB);
    return f;
}

static void order_fixture_free(Fixture *f)
{
    coll_orders_clear(&f->orders);
    topology_free(f->topology);
    config_doc_free(f->doc);
}

/* Asserts the dimensions with which chunks 0, 1, ... begin. Each digit of
 * @expected is a dimension. */
static void assert_first_dimensions(const char *dims, CollKind kind,
                                    CollOrder rule, const char *expected)
{
    Fixture f = order_fixture_new(dims, kind, rule);

    for (uint64_t i = 0; expected[i]; i++) {
        const CollPlan *plan = coll_orders_plan_of_chunk(&f.orders, i);

        assert_int_equal(plan->phases[0].dim, expected[i] - '0');
    }
    order_fixture_free(&f);
}

static void test_fixed_order_is_that_of_the_platform(void **state)
{
    (void)state;
    assert_first_dimensions(EVEN ", " EVEN ", " EVEN, COLL_ALL_REDUCE,
                            COLL_ORDER_FIXED, "000000");
    assert_first_dimensions(EVEN ", " EVEN ", " EVEN, COLL_ALL_GATHER,
                            COLL_ORDER_FIXED, "222222");
}

static void test_rotated_order_begins_with_each_dimension_in_turn(void **state)
{
    (void)state;
    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++)
        assert_first_dimensions(LOCAL ", " EVEN ", " EVEN, kind,
                                COLL_ORDER_ROTATED,
                                !coll_kind_has_halves(kind) ? "000000"
                                : kind == COLL_ALL_GATHER   ? "201201"
                                                            : "012012");
    assert_first_dimensions("{size: 1, " SLOW ", " EVEN ", " EVEN,
                            COLL_ALL_REDUCE, COLL_ORDER_ROTATED, "121212");
}

static void
test_auto_order_begins_equally_often_with_equal_dimensions(void **state)
{
    (void)state;
    assert_first_dimensions(EVEN ", " EVEN ", " EVEN, COLL_ALL_REDUCE,
                            COLL_ORDER_AUTO, "012012012");
    assert_first_dimensions(EVEN ", " EVEN, COLL_REDUCE_SCATTER,
                            COLL_ORDER_AUTO, "010101");
}

static void
test_auto_order_never_begins_with_a_much_slower_dimension(void **state)
{
    static const char *const tori[] = { LOCAL ", " EVEN ", " EVEN,
                                        LOCAL ", " EVEN };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(tori); i++) {
        Fixture f =
            order_fixture_new(tori[i], COLL_ALL_REDUCE, COLL_ORDER_AUTO);

        assert_int_equal(f.orders.n, 1);
        assert_int_equal(f.orders.shares[0], COLL_ORDER_SEQUENCE);
        assert_int_equal(f.orders.plans[0].phases[0].dim, 0);
        order_fixture_free(&f);
    }
    /* The slow dimension is not used first even if it is the platform's first
     * dimension. */
    assert_first_dimensions(EVEN ", " LOCAL, COLL_ALL_REDUCE, COLL_ORDER_AUTO,
                            "11111");
}

/* ---- comparison with the best division of the payload -------------------- */

#define MAX_PLANS 6

/* Returns three dimensions with sizes of 2 to 16 and rates of 25 to 400
 * GB/s. */
static char *draw_random_dims(GRand *rand)
{
    GString *text = g_string_new(NULL);

    for (int d = 0; d < 3; d++)
        g_string_append_printf(
            text,
            "%s{size: %d, direction: one, bandwidth: %d GB/s, latency: 1 ns}",
            d > 0 ? ", " : "", 1 << g_rand_int_range(rand, 1, 5),
            25 << g_rand_int_range(rand, 0, 5));
    return g_string_free(text, FALSE);
}

static void link_loads_of_plan(const Fixture *f, const CollPlan *plan,
                               double *ret)
{
    for (uint32_t d = 0; d < 3; d++)
        ret[d] = 0;
    for (uint32_t p = 0; p < plan->n_phases; p++) {
        const CollPhase *phase = &plan->phases[p];

        ret[phase->dim] += (double)coll_sent_bytes(phase, MIB) /
                           (double)topology_get_port(f->topology, phase->dim)
                               ->payload_bytes_per_s;
    }
}

/*
 * Returns a lower bound on the time of the busiest dimension, by duality.
 *
 *     max_d sum_o f_o load[o][d]  >=  min_o sum_d w_d load[o][d]
 *
 * holds for all fractions f of the payload and all weights w >= 0 of dimensions
 * with sum 1. The bound is the maximum over a grid of
 * weights. */
static double bound_of_link_loads(double loads[][3], uint32_t n)
{
    const int grid = 40;
    double best = 0;

    for (int a = 0; a <= grid; a++)
        for (int b = 0; a + b <= grid; b++) {
            double least = INFINITY;

            for (uint32_t o = 0; o < n; o++)
                least = MIN(least, a * loads[o][0] + b * loads[o][1] +
                                       (grid - a - b) * loads[o][2]);
            best = MAX(best, least / grid);
        }
    return best;
}

static double load_excess_over_bound(const char *dims, CollKind kind)
{
    Fixture f = order_fixture_new(dims, kind, COLL_ORDER_AUTO);
    static const uint32_t orders[MAX_PLANS][3] = {
        { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
        { 0, 2, 1 }, { 1, 0, 2 }, { 2, 1, 0 },
    };
    double loads[MAX_PLANS][3], sum[3] = { 0 }, each[3], most;
    CollPlan plan;

    for (uint32_t o = 0; o < MAX_PLANS; o++) {
        coll_plan_init_rings(&plan, kind, f.topology, orders[o], 3);
        link_loads_of_plan(&f, &plan, loads[o]);
    }
    for (uint32_t i = 0; i < COLL_ORDER_SEQUENCE; i++) {
        link_loads_of_plan(&f, coll_orders_plan_of_chunk(&f.orders, i), each);
        for (uint32_t d = 0; d < 3; d++)
            sum[d] += each[d] / COLL_ORDER_SEQUENCE;
    }
    order_fixture_free(&f);
    most = MAX(sum[0], MAX(sum[1], sum[2]));
    return most / bound_of_link_loads(loads, MAX_PLANS) - 1;
}

/* The grid of weights makes the bound up to 2 % too small. */
static void test_auto_order_is_near_the_bound_on_random_tori(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(6);
    double sum = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        g_autofree char *dims = draw_random_dims(rand);
        double more = load_excess_over_bound(dims, i % 2 ? COLL_ALL_REDUCE
                                                         : COLL_REDUCE_SCATTER);

        if (more > 0.06)
            fail_msg("%.1f %% above the bound: %s", 100 * more, dims);
        sum += more;
    }
    assert_true(sum / 100 < 0.01);
}

/* ---- whole runs with each order of dimensions ---------------------------- */

static double all_reduce_time_on_cube_ps(const char *order,
                                         const char *endpoint)
{
    Setup s = {
        .topology = "{kind: torus, dims: [" EVEN ", " EVEN ", " EVEN "]}",
        .endpoint = endpoint,
        .workload = single_collective_workload(COLL_ALL_REDUCE, 16 * MIB),
        .collectives = format_text("{window: 256, order: %s}", order),
    };

    return (double)simulate_setup(&s).total_ps;
}

/* The load of the first dimension falls from 1.5 to 0.75 bytes per payload
 * byte, and is the same in each dimension. */
static void test_equal_dimensions_are_used_equally_in_a_run(void **state)
{
    (void)state;
    assert_true(all_reduce_time_on_cube_ps("auto", "{kind: ideal}") <
                0.6 * all_reduce_time_on_cube_ps("fixed", "{kind: ideal}"));
    assert_float_equal(all_reduce_time_on_cube_ps("auto", "{kind: ideal}"),
                       all_reduce_time_on_cube_ps("rotated", "{kind: ideal}"),
                       0);
    assert_true(all_reduce_time_on_cube_ps("auto", "{kind: ace}") <
                0.7 * all_reduce_time_on_cube_ps("fixed", "{kind: ace}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_order_is_that_of_the_platform),
        cmocka_unit_test(test_rotated_order_begins_with_each_dimension_in_turn),
        cmocka_unit_test(
            test_auto_order_begins_equally_often_with_equal_dimensions),
        cmocka_unit_test(
            test_auto_order_never_begins_with_a_much_slower_dimension),
        cmocka_unit_test(test_auto_order_is_near_the_bound_on_random_tori),
        cmocka_unit_test(test_equal_dimensions_are_used_equally_in_a_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
