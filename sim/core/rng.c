/*
 * rng.c - random numbers that depend on a name and a place, not on the order of
 * calls; see rng.h
 */
#include "sim/core/rng.h"

#define MILLION 1000000

/* Computes the output function of SplitMix64: every bit of @x affects every bit
 * of the result. */
static uint64_t splitmix64_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

RngStream rng_new_stream(uint64_t seed, const char *name)
{
    uint64_t key = splitmix64_mix(seed);

    for (const char *c = name; *c != '\0'; c++)
        key = splitmix64_mix(key ^ (uint8_t)*c);
    return (RngStream){ key };
}

uint64_t rng_value_at_indices(RngStream stream, uint64_t a, uint64_t b,
                              uint64_t c)
{
    return splitmix64_mix(splitmix64_mix(splitmix64_mix(stream.key ^ a) ^ b) ^
                          c);
}

int64_t rng_uniform_ppm(uint64_t value)
{
    return (int64_t)((value >> 32) * (2 * MILLION + 1) >> 32) - MILLION;
}

int64_t rng_normal_ppm(uint64_t value)
{
    int64_t sum = 0;

    /* Twelve uniform values over [0, 1) have mean 6 and variance 1. */
    for (int i = 0; i < 12; i++) {
        value = splitmix64_mix(value);
        sum += (int64_t)((value >> 32) * MILLION >> 32);
    }
    return sum - 6 * MILLION;
}

/* Computes -ln(u) = (32 - log2(w)) ln 2 for u = w / 2^32.  The loop finds the
 * binary digits of the logarithm one by one: it squares the mantissa, and the
 * digit is 1 if the result passes 2. */
int64_t rng_exponential_ppm(uint64_t value)
{
    const uint64_t ln2_ppm = 693147; /* derived: ln 2 x 10^6 */
    uint64_t w = (value >> 32) + 1;  /* w is in 1 .. 2^32 */
    uint64_t whole = 63 - (uint64_t)__builtin_clzll(w);
    uint64_t mantissa = w << (63 - whole) >> 32; /* in [2^31, 2^32) */
    uint64_t log2_q20 = whole << 20;

    for (int bit = 19; bit >= 0; bit--) {
        mantissa = mantissa * mantissa >> 31;
        if (mantissa >> 32) {
            mantissa >>= 1;
            log2_q20 |= UINT64_C(1) << bit;
        }
    }
    return (int64_t)((((UINT64_C(32) << 20) - log2_q20) * ln2_ppm) >> 20) -
           MILLION;
}
