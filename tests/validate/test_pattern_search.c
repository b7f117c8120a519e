/* Tests of validate/fit/pattern_search.c */
#include "tests/test.h"

#include <math.h>

#include "validate/fit/pattern_search.h"

/* A narrow curved valley with its minimum at (0.3, 0.09 + 0.2). */
static double value_of_curved_valley(gpointer self, const double *x)
{
    double across = x[1] - 0.2 - x[0] * x[0], along = x[0] - 0.3;

    (*(guint *)self)++;
    return 100 * across * across + along * along;
}

static void test_search_follows_a_valley_to_its_minimum(void **state)
{
    double x[2] = { 0.9, 0.1 };
    guint n_calls = 0;

    (void)state;
    assert_true(search_minimum(value_of_curved_valley, &n_calls, x, 2, 1e-6) <
                1e-8);
    assert_true(fabs(x[0] - 0.3) < 1e-3);
    assert_true(fabs(x[1] - 0.29) < 1e-3);
    assert_true(n_calls < 20000);
}

static void test_the_search_stops_at_the_border_of_its_range(void **state)
{
    double x[2] = { 0.5, 0.5 };
    guint n_calls = 0;

    (void)state;
    /* The minimum along x[0] is at the border; that along x[1] is then at
     * 0.2. */
    x[0] = 0;
    (void)search_minimum(value_of_curved_valley, &n_calls, x, 2, 1e-6);
    assert_in_range((uint64_t)(x[0] * 1e6), 0, 1000000);
    assert_in_range((uint64_t)(x[1] * 1e6), 0, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_follows_a_valley_to_its_minimum),
        cmocka_unit_test(test_the_search_stops_at_the_border_of_its_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
