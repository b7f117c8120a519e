/*
 * reference.h - what kernels must produce, in double precision on the CPU
 *
 * How far off a result may be follows from how it is computed.  u is half a
 * unit in the last place of a type, relative: 2^-24 for fp32, 2^-11 for fp16,
 * 2^-8 for bf16.
 *   sum     n terms are added one after the other in fp32: n - 1 roundings,
 *           each of at most 2^-24 of the terms' absolute sum; then one
 *           rounding to a narrower type, u of the result
 *   gemm    tensor cores may truncate, so one addition errs by up to 2^-23
 *           of the partial sum.  Products have random signs: the partial sum
 *           stays below 4 sqrt(k) times a typical product (a random walk,
 *           four deviations), over k additions 4 sqrt(k) 2^-23 of the
 *           products' absolute sum; then one rounding to bf16
 *   fma     each step x = x scale + offset rounds once, 2^-24 of the largest
 *           |x|, and shrinks what earlier steps erred by scale < 1: at most
 *           min(n, 1 / (1 - scale)) roundings are left
 * All but gemm's are proven bounds.  NaN is never near enough.
 */
#ifndef VALIDATE_GPU_HOST_REFERENCE_H
#define VALIDATE_GPU_HOST_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "validate/gpu/host/case.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double value;
    double tolerance;
} Expected;

bool expected_holds(Expected expected, double got);

/* The sum over @n_terms values of @stream, @stride places apart. */
Expected expect_sum(uint64_t stream, uint64_t place, uint64_t stride,
                    uint32_t n_terms, Dtype dtype);

/* Element (@row, @column) of A (m x k) B (k x n), both of places counted by
 * rows from 0 in streams of their own, rounded to bf16. */
Expected expect_gemm(uint64_t stream_a, uint64_t stream_b, uint64_t row,
                     uint64_t column, uint64_t n, uint64_t k);

/* Element @column of the sum over a bag's rows of the table; @first is the
 * place of the bag's first index. */
Expected expect_lookup(uint64_t stream_table, uint64_t stream_indices,
                       uint64_t first, const MeasureCase *c, uint64_t column);

/* Both are exact in fp32. */
#define FMA_SCALE  (1 - 1.0 / 1024)
#define FMA_OFFSET (1.0 / 2048)
Expected expect_fma(double value, uint32_t n_fma);

#ifdef __cplusplus
}
#endif

#endif
