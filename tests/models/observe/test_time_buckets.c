/* Tests that buckets keep the sum of all values when they widen. */
#include "tests/test.h"

#include "models/observe/time_buckets.h"

static void buckets_keep_the_integral_however_long_the_run(void **state)
{
    g_autoptr(TimeBuckets) buckets = time_buckets_new(2);
    SimWide sum = 0;

    (void)state;
    time_buckets_add(buckets, 1, 7, 0, 3);
    time_buckets_add(buckets, 1, 5, 1500, 2500);
    assert_int_equal(time_buckets_width_ps(buckets), 1000);
    assert_int_equal(time_buckets_integral(buckets, 1, 0), 21);
    assert_int_equal(time_buckets_integral(buckets, 1, 1), 2500);
    assert_int_equal(time_buckets_integral(buckets, 1, 2), 2500);
    time_buckets_add(buckets, 1, 1, SIM_US(10) - 1, SIM_US(10));
    assert_int_equal(time_buckets_width_ps(buckets), 8000);
    for (guint i = 0; i < time_buckets_n_used(buckets); i++) {
        sum += time_buckets_integral(buckets, 1, i);
        assert_int_equal(time_buckets_integral(buckets, 0, i), 0);
    }
    assert_int_equal(sum, 21 + 5000 + 1);
    assert_int_equal(time_buckets_integral(buckets, 1, 0), 21 + 5000);
    assert_int_equal(time_buckets_n_used(buckets), 1250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_keep_the_integral_however_long_the_run),
    };

    return cmocka_run_group_tests_name("buckets", tests, NULL, NULL);
}
