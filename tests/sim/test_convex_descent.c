/* test_convex_descent.c - tests of sim/study/convex_descent.h: a minimum is
 * found by evaluating few steps */
#include "sim/study/convex_descent.h"
#include "tests/test.h"

#include <math.h>

#define TOLERANCE 0.001

/* The cost of step i is a / (i + 1) + b (i + 1) + c, or costs[i] if .costs is
 * given. */
typedef struct {
    double a, b, c;
    const double *costs;
    guint n_evaluated;
    gboolean evaluated[256];
} CostLadder;

static double cost_of_step_counted(gpointer self, guint step)
{
    CostLadder *ladder = self;

    assert_false(ladder->evaluated[step]);
    ladder->evaluated[step] = TRUE;
    ladder->n_evaluated++;
    return ladder->costs
               ? ladder->costs[step]
               : ladder->a / (step + 1) + ladder->b * (step + 1) + ladder->c;
}

static DescentResult descend_ladder(CostLadder *ladder, guint n, guint first)
{
    const Descent descent = {
        n, first, TOLERANCE, DESCENT_UNKNOWN, cost_of_step_counted, ladder
    };

    return descent_find_minimum(&descent);
}

static double cost_of_step(const CostLadder *ladder, guint step)
{
    CostLadder copy = {
        ladder->a, ladder->b, ladder->c, ladder->costs, 0, { 0 }
    };

    return cost_of_step_counted(&copy, step);
}

static void test_a_unimodal_minimum_needs_few_evaluations(void **state)
{
    static const guint sizes[] = { 1, 2, 3, 5, 12, 80, 256 };

    (void)state;
    for (guint n = 0; n < G_N_ELEMENTS(sizes); n++) {
        for (guint best = 1; best <= 400; best += 1 + best / 4) {
            CostLadder ladder = { .a = best * best, .b = 1, .c = best };
            guint first = MIN(3, sizes[n] - 1);
            DescentResult r = descend_ladder(&ladder, sizes[n], first);
            double least = cost_of_step(&ladder, 0);

            for (guint i = 0; i < sizes[n]; i++)
                least = MIN(least, cost_of_step(&ladder, i));
            assert_true(cost_of_step(&ladder, r.step) <=
                        (1 + TOLERANCE) * least);
            assert_true(ladder.n_evaluated <= 4 + 3 * log2(sizes[n]));
        }
    }
}

static void
test_a_minimum_at_the_first_step_needs_three_evaluations(void **state)
{
    CostLadder ladder = { .a = 16, .b = 1 };
    DescentResult r = descend_ladder(&ladder, 80, 3);

    (void)state;
    assert_int_equal(r.step, 3);
    assert_int_equal(ladder.n_evaluated, 3);
    assert_true(ladder.evaluated[2] && ladder.evaluated[4]);
    assert_float_equal(r.rise, 0.2, 1e-9);
}

static void test_constant_costs_need_few_evaluations(void **state)
{
    CostLadder ladder = { .c = 5 };
    DescentResult r = descend_ladder(&ladder, 256, 3);

    (void)state;
    assert_true(ladder.n_evaluated <= 3);
    assert_true(r.step <= 3);
}

static void
test_the_smallest_evaluated_of_several_minima_is_returned(void **state)
{
    static const double costs[] = { 9, 4, 6, 3, 7, 1, 8, 2, 9, 9 };

    (void)state;
    for (guint first = 0; first < G_N_ELEMENTS(costs); first++) {
        CostLadder ladder = { .costs = costs };
        DescentResult r = descend_ladder(&ladder, G_N_ELEMENTS(costs), first);

        assert_true(ladder.evaluated[r.step]);
        for (guint i = 0; i < G_N_ELEMENTS(costs); i++)
            assert_true(!ladder.evaluated[i] || costs[i] >= costs[r.step]);
        assert_true(r.step == 0 || costs[r.step - 1] > costs[r.step]);
    }
}

static void test_descent_leaves_impossible_steps(void **state)
{
    static const double costs[] = { 5, 4, G_MAXDOUBLE, G_MAXDOUBLE };
    CostLadder ladder = { .costs = costs }, none = { .costs = costs + 2 };

    (void)state;
    assert_int_equal(descend_ladder(&ladder, 4, 3).step, 1);
    assert_true(none.costs[descend_ladder(&none, 2, 1).step] == G_MAXDOUBLE);
}

/* A known slope limits what lower steps can save, so they need not be
 * evaluated. */
static void test_a_known_rise_saves_evaluations(void **state)
{
    CostLadder flat = { .c = 100 }, steep = { .c = 100, .b = 1 };
    Descent descent = { 16, 15, TOLERANCE, 0.001, cost_of_step_counted, &flat };

    (void)state;
    assert_int_equal(descent_find_minimum(&descent).step, 15);
    assert_int_equal(flat.n_evaluated, 1);
    descent.rise = 1;
    descent.self = &steep;
    assert_int_equal(descent_find_minimum(&descent).step, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_unimodal_minimum_needs_few_evaluations),
        cmocka_unit_test(
            test_a_minimum_at_the_first_step_needs_three_evaluations),
        cmocka_unit_test(test_constant_costs_need_few_evaluations),
        cmocka_unit_test(
            test_the_smallest_evaluated_of_several_minima_is_returned),
        cmocka_unit_test(test_descent_leaves_impossible_steps),
        cmocka_unit_test(test_a_known_rise_saves_evaluations),
    };

    return cmocka_run_group_tests_name("descent", tests, NULL, NULL);
}
