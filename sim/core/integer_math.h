/*
 * integer_math.h - division that rounds up, and the greatest common divisor
 *
 * Assumes  divisors are not 0
 */
#ifndef SIM_CORE_INTEGER_MATH_H
#define SIM_CORE_INTEGER_MATH_H

#include <stdint.h>

/* Returns ceil(n / divisor), for all @n without overflow. */
static inline uint64_t divide_rounding_up(uint64_t n, uint64_t divisor)
{
    return n / divisor + (n % divisor != 0);
}

/* Returns the greatest common divisor of @a and @b; the other one if one is
 * 0. */
static inline uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t remainder = a % b;

        a = b;
        b = remainder;
    }
    return a;
}

#endif
