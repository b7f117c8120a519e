/* Tests of sim/core/integer_math.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/integer_math.h"

static void test_division_rounds_up(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 50; n++)
        for (uint64_t divisor = 1; divisor < 20; divisor++) {
            uint64_t quotient = divide_rounding_up(n, divisor);

            assert_true(quotient * divisor >= n);
            assert_true(quotient * divisor < n + divisor);
        }
}

static void test_division_of_nothing_gives_nothing(void **state)
{
    (void)state;
    assert_int_equal(divide_rounding_up(0, 1), 0);
    assert_int_equal(divide_rounding_up(0, UINT64_MAX), 0);
}

static void test_division_of_large_numbers_does_not_overflow(void **state)
{
    (void)state;
    assert_true(divide_rounding_up(UINT64_MAX, 1) == UINT64_MAX);
    assert_int_equal(divide_rounding_up(UINT64_MAX, UINT64_MAX), 1);
    assert_int_equal(divide_rounding_up(UINT64_MAX, UINT64_MAX - 1), 2);
}

static void test_greatest_common_divisor_divides_both(void **state)
{
    (void)state;
    for (uint64_t a = 1; a < 40; a++)
        for (uint64_t b = 1; b < 40; b++) {
            uint64_t divisor = greatest_common_divisor(a, b);

            assert_int_equal(a % divisor + b % divisor, 0);
            assert_int_equal(greatest_common_divisor(a / divisor, b / divisor),
                             1);
        }
}

static void test_greatest_common_divisor_with_zero_is_the_other(void **state)
{
    (void)state;
    assert_int_equal(greatest_common_divisor(0, 12), 12);
    assert_int_equal(greatest_common_divisor(12, 0), 12);
    assert_int_equal(greatest_common_divisor(0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_division_rounds_up),
        cmocka_unit_test(test_division_of_nothing_gives_nothing),
        cmocka_unit_test(test_division_of_large_numbers_does_not_overflow),
        cmocka_unit_test(test_greatest_common_divisor_divides_both),
        cmocka_unit_test(test_greatest_common_divisor_with_zero_is_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
