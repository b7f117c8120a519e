/*
 * rng.h - random numbers that belong to a name, not to a moment
 *
 * A stream is a seed and a name.  Its value at a place (three numbers, such
 * as NPU, operation, iteration) is a hash of all of them: it does not depend
 * on what else was drawn, or in which order.
 *
 * Units    parts per million, where the name says so
 * Rounding integers throughout, the same on every machine
 * Sources  the mixing step is SplitMix64 [SPLITMIX]
 */
#ifndef SIM_CORE_RNG_H
#define SIM_CORE_RNG_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t key;
} RngStream;

RngStream rng_stream(uint64_t seed, const char *name);

/* Uniform over all of uint64_t. */
uint64_t rng_at(RngStream stream, uint64_t a, uint64_t b, uint64_t c);

/* What a value of rng_at() stands for in a distribution of mean 0 and scale
 * one million: uniform over [-1, 1], normal of deviation 1 (the sum of twelve
 * uniform ones, so within [-6, 6]), exponential of mean 1, less 1. */
int64_t rng_uniform_ppm(uint64_t value);
int64_t rng_normal_ppm(uint64_t value);
int64_t rng_exponential_ppm(uint64_t value);

#endif
