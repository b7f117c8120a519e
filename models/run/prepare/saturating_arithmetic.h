/* saturating_arithmetic.h - sums and products of 64 bits that saturate at
 * UINT64_MAX */
#ifndef MODELS_RUN_PREPARE_SATURATING_ARITHMETIC_H
#define MODELS_RUN_PREPARE_SATURATING_ARITHMETIC_H

#include "sim/core/time.h"

/* Returns @a x @b, or UINT64_MAX if that is larger. */
static inline uint64_t saturated_product(uint64_t a, uint64_t b)
{
    SimWide wide = (SimWide)a * b;

    return wide > UINT64_MAX ? UINT64_MAX : (uint64_t)wide;
}

/* Returns @a + @b, or UINT64_MAX if that is larger. */
static inline uint64_t saturated_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
