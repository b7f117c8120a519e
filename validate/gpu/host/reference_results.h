/*
 * reference_results.h - expected results of the kernels, in double precision on
 * the CPU
 *
 * The tolerance of a result follows from how it is computed.  u is half a unit
 * in the last place of a type, relative: 2^-24 for fp32, 2^-11 for fp16, 2^-8
 * for bf16.
 *
 *   sum     n terms are added one after the other in fp32: n - 1 roundings,
 *           each of at most 2^-24 of the absolute sum of the terms.  Then the
 *           result is rounded once to a narrower type, with an error of u.
 *   gemm    Tensor cores may truncate, so one addition has an error of up to
 *           2^-23 of the partial sum.  Products have random signs, so the
 *           partial sum stays below 4 sqrt(k) times a typical product (a random
 *           walk, four standard deviations).  Over k additions, that is
 *           4 sqrt(k) 2^-23 of the absolute sum of the products.  Then the
 *           result is rounded once to bf16.
 *   fma     Each step x = x scale + offset rounds once, 2^-24 of the largest
 *           |x|, and multiplies the error of earlier steps by scale < 1.  At
 *           most min(n, 1 / (1 - scale)) roundings remain.
 *
 * All bounds are proven except that of gemm.  NaN never passes.
 */
#ifndef VALIDATE_GPU_HOST_REFERENCE_RESULTS_H
#define VALIDATE_GPU_HOST_REFERENCE_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "validate/gpu/host/measured_case.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double value;
    double tolerance;
} Expected;

/* Returns whether @got is within the tolerance. */
bool result_matches_expected_value(Expected expected, double got);

/* Returns the sum of @n_terms values of @stream, from @place on, @stride places
 * apart.  @dtype is the type of the operands and of the result. */
Expected expect_sum_of_values(uint64_t stream, uint64_t place, uint64_t stride,
                              uint32_t n_terms, Dtype dtype);

/* Returns element (@row, @column) of A (m x k) B (k x n), rounded to bf16.
 * The places of each matrix are counted by rows from 0, each in a separate
 * stream. */
Expected expect_gemm_element(uint64_t stream_a, uint64_t stream_b, uint64_t row,
                             uint64_t column, uint64_t n, uint64_t k);

/* Returns element @column of the sum over the table rows of a bag.  @first is
 * the place of the first index of the bag. */
Expected expect_lookup_element(uint64_t stream_table, uint64_t stream_indices,
                               uint64_t first, const MeasureCase *measure_case,
                               uint64_t column);

/* The constants of the multiply-add chain.  Both are exact in fp32. */
#define FMA_SCALE  (1 - 1.0 / 1024)
#define FMA_OFFSET (1.0 / 2048)
/* Returns the result of @n_fma steps x = x FMA_SCALE + FMA_OFFSET from x =
 * @value. */
Expected expect_fma_chain(double value, uint32_t n_fma);

#ifdef __cplusplus
}
#endif

#endif
