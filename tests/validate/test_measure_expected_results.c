/* Tests of what acesim-measure computes on the CPU: operands, expected results
 * with their tolerances, statistics. */
#include "tests/test.h"

#include <math.h>

#include "validate/gpu/host/random_operands.h"
#include "validate/gpu/host/reference_results.h"
#include "validate/gpu/host/repetition_statistics.h"
#include "validate/gpu/plan/measurement_plan.h"

/* ---- statistics of repetitions ------------------------------------------- */

static void test_percentiles_lie_between_their_neighbours(void **state)
{
    static const double sorted[] = { 1, 2, 4, 8, 16 };
    double samples[] = { 5, 3, 1, 4, 2 }, one[] = { 7 };
    Summary summary = summary_of_samples(samples, 5);

    (void)state;
    assert_true(interpolated_percentile(sorted, 5, 0) == 1);
    assert_true(interpolated_percentile(sorted, 5, 0.5) == 4);
    assert_true(interpolated_percentile(sorted, 5, 1) == 16);
    assert_true(interpolated_percentile(sorted, 5, 0.625) == 6);
    assert_true(interpolated_percentile(sorted, 4, 0.5) == 3);
    assert_true(summary.median == 3);
    assert_true(fabs(summary.p10 - 1.4) < 1e-12);
    assert_true(fabs(summary.p90 - 4.6) < 1e-12);
    summary = summary_of_samples(one, 1);
    assert_true(summary.median == 7 && summary.p10 == 7 && summary.p90 == 7);
}

static void test_copies_are_counted_inside_the_window(void **state)
{
    static const double ends[] = { 10, 30, 40 };

    (void)state;
    assert_true(bytes_copied_in_window(0, ends, 3, 100, 0, 40) == 300);
    assert_true(bytes_copied_in_window(0, ends, 3, 100, 5, 20) == 100);
    assert_true(bytes_copied_in_window(0, ends, 3, 100, 10, 30) == 100);
    assert_true(bytes_copied_in_window(0, ends, 3, 100, 15, 20) == 25);
    assert_true(bytes_copied_in_window(0, ends, 3, 100, 40, 50) == 0);
}

/* ---- operand values and expected results --------------------------------- */

static void test_operand_bits_and_numbers_agree(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        double fp16 = operand_value_at(3, i, DTYPE_FP16);
        double bf16 = operand_value_at(3, i, DTYPE_BF16);
        double fp32 = operand_value_at(3, i, DTYPE_FP32);

        assert_true(decode_value(fp16_bits_at(3, i), DTYPE_FP16) == fp16);
        assert_true(decode_value(bf16_bits_at(3, i), DTYPE_BF16) == bf16);
        assert_true(fabs(fp32) >= 1.0 / 16 && fabs(fp32) < 1);
        /* The narrower types hold the leading bits of the same number. */
        assert_true(fabs(fp32 - fp16) < fabs(fp32) / 1024);
        assert_true(fabs(fp32 - bf16) < fabs(fp32) / 128);
    }
}

static void test_operand_values_have_mean_zero(void **state)
{
    double sum = 0, n = 100000;
    uint64_t stream = random_stream_id_of_operand(1, "test");

    (void)state;
    for (uint64_t i = 0; i < (uint64_t)n; i++)
        sum += operand_value_at(stream, i, DTYPE_FP32);
    /* Four standard deviations; that of one number is below 0.5. */
    assert_true(fabs(sum) < 4 * 0.5 * sqrt(n));
    assert_true(random_stream_id_of_operand(1, "a") !=
                random_stream_id_of_operand(1, "b"));
    assert_true(random_stream_id_of_operand(1, "a") !=
                random_stream_id_of_operand(2, "a"));
}

static void test_random_indices_cover_their_range(void **state)
{
    bool seen[10] = { false };

    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        uint32_t index = random_index_at(7, i, 10);

        assert_true(index < 10);
        seen[index] = true;
    }
    for (int i = 0; i < 10; i++)
        assert_true(seen[i]);
}

static void test_fp16_is_decoded_at_its_edges(void **state)
{
    (void)state;
    assert_true(decode_value(0x3c00, DTYPE_FP16) == 1);
    assert_true(decode_value(0xc000, DTYPE_FP16) == -2);
    assert_true(decode_value(0x7bff, DTYPE_FP16) == 65504);
    assert_true(decode_value(0x0001, DTYPE_FP16) == ldexp(1, -24));
    assert_true(isinf(decode_value(0x7c00, DTYPE_FP16)));
    assert_true(isnan(decode_value(0xffff, DTYPE_FP16)));
    assert_true(isnan(decode_value(0xffff, DTYPE_BF16)));
    assert_true(isnan(decode_value(0xffffffff, DTYPE_FP32)));
}

static void test_the_tolerance_of_a_sum_covers_its_roundings(void **state)
{
    Expected two = expect_sum_of_values(5, 10, 100, 2, DTYPE_FP32);
    Expected copy = expect_sum_of_values(5, 10, 100, 1, DTYPE_FP16);
    Expected narrow = expect_sum_of_values(5, 10, 100, 2, DTYPE_BF16);
    float sum = (float)operand_value_at(5, 10, DTYPE_FP32) +
                (float)operand_value_at(5, 110, DTYPE_FP32);

    (void)state;
    assert_true(result_matches_expected_value(two, (double)sum));
    assert_false(result_matches_expected_value(two, (double)sum * 1.000001));
    assert_true(copy.tolerance == 0);
    assert_true(result_matches_expected_value(
        copy, operand_value_at(5, 10, DTYPE_FP16)));
    assert_true(narrow.tolerance > fabs(narrow.value) / 256);
    assert_true(narrow.tolerance < fabs(narrow.value) / 200 + 1e-6);
    assert_false(result_matches_expected_value(two, (double)NAN));
}

/* Computes every step in fp32, as the GPU does. */
static void test_the_fp32_fma_chain_is_within_tolerance(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        float value = (float)operand_value_at(9, i, DTYPE_FP32);
        Expected expected = expect_fma_chain((double)value, 512);

        for (int step = 0; step < 512; step++)
            value = fmaf(value, (float)FMA_SCALE, (float)FMA_OFFSET);
        assert_true(result_matches_expected_value(expected, (double)value));
        assert_true(expected.tolerance < 1e-4);
    }
}

/* Adds in another order and in fp32.  The expected values of wrong elements
 * must not match. */
static void test_a_product_matches_only_its_own_element(void **state)
{
    uint64_t k = 1024, n = 8;
    float sum = 0;

    (void)state;
    for (uint64_t i = k; i-- > 0;)
        sum += (float)(operand_value_at(1, 2 * k + i, DTYPE_BF16) *
                       operand_value_at(2, i * n + 3, DTYPE_BF16));
    assert_true(result_matches_expected_value(
        expect_gemm_element(1, 2, 2, 3, n, k), (double)sum));
    assert_false(result_matches_expected_value(
        expect_gemm_element(1, 2, 2, 4, n, k), (double)sum));
    assert_false(result_matches_expected_value(
        expect_gemm_element(1, 2, 1, 3, n, k), (double)sum));
}

static void test_a_lookup_sums_the_rows_of_its_bag(void **state)
{
    MeasureCase measure_case = new_lookup_case(4, 50, 8, 3);
    double sum = 0;

    (void)state;
    for (uint64_t i = 6; i < 9; i++)
        sum += operand_value_at(1, (uint64_t)random_index_at(2, i, 50) * 8 + 5,
                                DTYPE_FP32);
    assert_true(fabs(expect_lookup_element(1, 2, 6, &measure_case, 5).value -
                     sum) < 1e-12);
    assert_false(result_matches_expected_value(
        expect_lookup_element(1, 2, 9, &measure_case, 5), sum));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percentiles_lie_between_their_neighbours),
        cmocka_unit_test(test_copies_are_counted_inside_the_window),
        cmocka_unit_test(test_operand_bits_and_numbers_agree),
        cmocka_unit_test(test_operand_values_have_mean_zero),
        cmocka_unit_test(test_random_indices_cover_their_range),
        cmocka_unit_test(test_fp16_is_decoded_at_its_edges),
        cmocka_unit_test(test_the_tolerance_of_a_sum_covers_its_roundings),
        cmocka_unit_test(test_the_fp32_fma_chain_is_within_tolerance),
        cmocka_unit_test(test_a_product_matches_only_its_own_element),
        cmocka_unit_test(test_a_lookup_sums_the_rows_of_its_bag),
    };

    return cmocka_run_group_tests_name("measure-values", tests, NULL, NULL);
}
