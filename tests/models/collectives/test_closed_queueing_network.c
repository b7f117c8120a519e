/* test_closed_queueing_network.c - Tests of
 * models/collectives/cost/closed_queueing_network.h: a closed queueing network
 * with one server. */
#include "tests/test.h"

#include "models/collectives/cost/closed_queueing_network.h"

static void test_one_customer_of_a_closed_queue_never_waits(void **state)
{
    (void)state;
    assert_int_equal(closed_queue_period_ps(3, 7, 1), 10);
    assert_int_equal(closed_queue_period_ps(0, 7, 1), 7);
}

/* R(2) = 10 + 10 x 10 / 40 = 12.5, so the period is (30 + 12.5) / 2. */
static void test_two_customers_of_a_closed_queue_sometimes_wait(void **state)
{
    (void)state;
    assert_int_equal(closed_queue_period_ps(10000, 30000, 2), 21250);
}

static void test_a_closed_queue_without_service_time_is_empty(void **state)
{
    (void)state;
    assert_int_equal(closed_queue_period_ps(0, 1000, 4), 250);
    assert_int_equal(closed_queue_period_ps(0, 0, 4), 0);
}

static void test_the_closed_queue_period_is_bounded(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 100; n++) {
        SimTime ps = closed_queue_period_ps(1000, 20000, n);

        assert_true(ps >= 1000 && ps >= 21000 / n);
        assert_true(ps <= 1000 + 20000 / n + 1);
        assert_true(n == 1 || ps <= closed_queue_period_ps(1000, 20000, n - 1));
    }
    assert_int_equal(closed_queue_period_ps(1000, 20000, 1000), 1000);
    assert_int_equal(closed_queue_period_ps(1000, 20000, UINT64_MAX), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_customer_of_a_closed_queue_never_waits),
        cmocka_unit_test(test_two_customers_of_a_closed_queue_sometimes_wait),
        cmocka_unit_test(test_a_closed_queue_without_service_time_is_empty),
        cmocka_unit_test(test_the_closed_queue_period_is_bounded),
    };

    return cmocka_run_group_tests_name("closed", tests, NULL, NULL);
}
