/*
 * rng.h - random numbers that depend on a name and a place, not on the order of
 * calls
 *
 * A stream is a seed and a name.  Its value at a place (three numbers, such as
 * NPU, operation and iteration) is a hash of all of them.  So a value does not
 * depend on which other values were drawn.
 *
 * Units    parts per million, if the name says so
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

RngStream rng_new_stream(uint64_t seed, const char *name);

/* Returns a value that is uniform over all of uint64_t. */
uint64_t rng_value_at_indices(RngStream stream, uint64_t a, uint64_t b,
                              uint64_t c);

/* Convert a value of rng_value_at_indices() to a distribution of mean 0, in
 * parts per million: uniform over [-1, 1]; normal with deviation 1 (a sum of
 * twelve uniform values, within [-6, 6]); exponential with mean 1, minus 1. */
int64_t rng_uniform_ppm(uint64_t value);
int64_t rng_normal_ppm(uint64_t value);
int64_t rng_exponential_ppm(uint64_t value);

#endif
