/*
 * values.h - random operands, the same on GPU and CPU without a copy
 *
 * A value is a hash of a stream and a place, so the CPU knows any operand
 * without reading it back.  Magnitudes lie in [1/16, 1), signs are fair.  No
 * operand is rounded: the mantissa has as many random bits as its type holds.
 *
 * Order    place i of a stream is the same whatever else was drawn
 * Sources  the mixing step is SplitMix64 [SPLITMIX]
 */
#ifndef VALIDATE_GPU_HOST_VALUES_H
#define VALIDATE_GPU_HOST_VALUES_H

#include <stdint.h>
#include <string.h>

#include "validate/gpu/host/case.h"

#ifdef __CUDACC__
#define MEASURE_HD __host__ __device__
#else
#define MEASURE_HD
#endif

/* A stream by the case's seed and a name, such as "lookup.indices". */
static inline uint64_t value_stream(uint64_t seed, const char *name)
{
    for (; *name != '\0'; name++)
        seed = (seed ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return seed;
}

static inline MEASURE_HD uint64_t value_hash(uint64_t stream, uint64_t place)
{
    uint64_t x = stream + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Bits of an fp32 number: sign from the top, exponent 2^-4 to 2^-1 from the
 * next two, mantissa of @n_bits from below them. */
static inline MEASURE_HD uint32_t value_bits(uint64_t stream, uint64_t place,
                                             uint32_t n_bits)
{
    uint64_t hash = value_hash(stream, place);
    uint32_t sign = (uint32_t)(hash >> 63) << 31;
    uint32_t exponent = (123 + ((uint32_t)(hash >> 61) & 3)) << 23;
    uint32_t mantissa = (uint32_t)(hash >> 38) & 0x7fffff;

    return sign | exponent | (mantissa >> (23 - n_bits) << (23 - n_bits));
}

static inline MEASURE_HD uint32_t value_bits_fp32(uint64_t stream,
                                                  uint64_t place)
{
    return value_bits(stream, place, 23);
}

/* fp16 keeps 10 mantissa bits and has an exponent bias of 15 for 127. */
static inline MEASURE_HD uint32_t value_bits_fp16(uint64_t stream,
                                                  uint64_t place)
{
    uint32_t wide = value_bits(stream, place, 10);

    return (wide >> 31) << 15 | (((wide & 0x7fffffff) >> 13) - (112 << 10));
}

/* bf16 is the upper half of an fp32 number: 7 mantissa bits. */
static inline MEASURE_HD uint32_t value_bits_bf16(uint64_t stream,
                                                  uint64_t place)
{
    return value_bits(stream, place, 7) >> 16;
}

/* An index below @n, which is at most 2^32. */
static inline MEASURE_HD uint32_t value_index(uint64_t stream, uint64_t place,
                                              uint64_t n)
{
    return (uint32_t)(((value_hash(stream, place) >> 32) * n) >> 32);
}

/* What write stores at element @i: a number in [1, 2), as cheap as can be. */
static inline MEASURE_HD uint32_t value_written(uint32_t i)
{
    return (i * UINT32_C(2654435761)) >> 9 | UINT32_C(0x3f800000);
}

static inline double value_from_fp32(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

#ifdef __cplusplus
extern "C" {
#endif

/* The value at a place of a stream, as an operand of @dtype. */
double operand_at(uint64_t stream, uint64_t place, Dtype dtype);
/* What an element of @dtype with these bits says, NaN and infinity too. */
double value_decode(uint32_t bits, Dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
