/* reference_results.c - computes the expected results in double precision on
 * the CPU */
#include "validate/gpu/host/reference_results.h"

#include <math.h>

#include "validate/gpu/host/random_operands.h"

/* The bounds are of first order; this factor covers the higher orders. */
#define SLACK 1.01

static const double half_unit_fp32 = 1.0 / (1 << 24);

/* Returns the maximum error of rounding @value once from fp32 to @dtype.  fp16
 * numbers below 2^-14 have an absolute spacing of 2^-24. */
static double rounding_error_of_type(Dtype dtype, double value)
{
    switch (dtype) {
    case DTYPE_FP16:
        return fabs(value) / (1 << 11) + 1.0 / (1 << 25);
    case DTYPE_BF16:
        return fabs(value) / (1 << 8);
    default:
        return 0;
    }
}

/* Returns @value with the tolerance of a result that was summed with an error
 * of up to @error and then rounded to @dtype. */
static Expected expect_rounded_value(double value, double error, Dtype dtype)
{
    return (Expected){ .value = value,
                       .tolerance = SLACK * (error + rounding_error_of_type(
                                                         dtype, value)) };
}

bool result_matches_expected_value(Expected expected, double got)
{
    return fabs(got - expected.value) <= expected.tolerance;
}

Expected expect_sum_of_values(uint64_t stream, uint64_t place, uint64_t stride,
                              uint32_t n_terms, Dtype dtype)
{
    double sum = 0, sum_abs = 0;

    for (uint32_t i = 0; i < n_terms; i++) {
        double value = operand_value_at(stream, place + i * stride, dtype);

        sum += value;
        sum_abs += fabs(value);
    }
    return expect_rounded_value(sum, (n_terms - 1) * half_unit_fp32 * sum_abs,
                                n_terms > 1 ? dtype : DTYPE_FP32);
}

Expected expect_gemm_element(uint64_t stream_a, uint64_t stream_b, uint64_t row,
                             uint64_t column, uint64_t n, uint64_t k)
{
    double sum = 0, sum_abs = 0;

    for (uint64_t i = 0; i < k; i++) {
        double product = operand_value_at(stream_a, row * k + i, DTYPE_BF16) *
                         operand_value_at(stream_b, i * n + column, DTYPE_BF16);

        sum += product;
        sum_abs += fabs(product);
    }
    return expect_rounded_value(
        sum, 4 * sqrt((double)k) * 2 * half_unit_fp32 * sum_abs, DTYPE_BF16);
}

Expected expect_lookup_element(uint64_t stream_table, uint64_t stream_indices,
                               uint64_t first, const MeasureCase *measure_case,
                               uint64_t column)
{
    double sum = 0, sum_abs = 0;

    for (uint32_t i = 0; i < measure_case->pooling; i++) {
        uint64_t row =
            random_index_at(stream_indices, first + i, measure_case->rows);
        double value = operand_value_at(
            stream_table, row * measure_case->dim + column, DTYPE_FP32);

        sum += value;
        sum_abs += fabs(value);
    }
    return expect_rounded_value(
        sum, measure_case->pooling * half_unit_fp32 * sum_abs, DTYPE_FP32);
}

Expected expect_fma_chain(double value, uint32_t n_fma)
{
    double largest = fabs(value), n_left = fmin(n_fma, 1 / (1 - FMA_SCALE));

    for (uint32_t i = 0; i < n_fma; i++) {
        value = value * FMA_SCALE + FMA_OFFSET;
        largest = fmax(largest, fabs(value));
    }
    return expect_rounded_value(value, n_left * half_unit_fp32 * largest,
                                DTYPE_FP32);
}
