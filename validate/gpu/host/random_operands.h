/*
 * random_operands.h - random operands that the GPU and the CPU compute
 * independently
 *
 * A value is a hash of a stream and a place, so the CPU can compute any operand
 * without a copy from the GPU.  Magnitudes are in [1/16, 1), and both signs are
 * equally likely.  Operands are never rounded: the mantissa has as many random
 * bits as the type holds.
 *
 * Order    a value depends on its stream and place only
 * Sources  the mixing step is SplitMix64
 * [SPLITMIX] */
#ifndef VALIDATE_GPU_HOST_RANDOM_OPERANDS_H
#define VALIDATE_GPU_HOST_RANDOM_OPERANDS_H

#include <stdint.h>
#include <string.h>

#include "validate/gpu/host/measured_case.h"

#ifdef __CUDACC__
#define MEASURE_HD __host__ __device__
#else
#define MEASURE_HD
#endif

/* Returns the stream for the seed of a case and a name such as
 * "lookup.indices". */
static inline uint64_t random_stream_id_of_operand(uint64_t seed,
                                                   const char *name)
{
    for (; *name != '\0'; name++)
        seed = (seed ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return seed;
}

static inline MEASURE_HD uint64_t random_hash_at_index(uint64_t stream,
                                                       uint64_t place)
{
    uint64_t x = stream + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Returns the bits of an fp32 number.  The top bit of the hash is the sign, the
 * next two select an exponent from 2^-4 to 2^-1, and the bits below are the
 * @n_bits of the mantissa. */
static inline MEASURE_HD uint32_t random_bits_at(uint64_t stream,
                                                 uint64_t place,
                                                 uint32_t n_bits)
{
    uint64_t hash = random_hash_at_index(stream, place);
    uint32_t sign = (uint32_t)(hash >> 63) << 31;
    uint32_t exponent = (123 + ((uint32_t)(hash >> 61) & 3)) << 23;
    uint32_t mantissa = (uint32_t)(hash >> 38) & 0x7fffff;

    return sign | exponent | (mantissa >> (23 - n_bits) << (23 - n_bits));
}

static inline MEASURE_HD uint32_t fp32_bits_at(uint64_t stream, uint64_t place)
{
    return random_bits_at(stream, place, 23);
}

/* Returns the bits of an fp16 number, which keeps 10 bits of the mantissa. Its
 * exponent bias is 15 instead of 127. */
static inline MEASURE_HD uint32_t fp16_bits_at(uint64_t stream, uint64_t place)
{
    uint32_t wide = random_bits_at(stream, place, 10);

    return (wide >> 31) << 15 | (((wide & 0x7fffffff) >> 13) - (112 << 10));
}

/* Returns the bits of a bf16 number, the upper half of an fp32 number with 7
 * mantissa bits. */
static inline MEASURE_HD uint32_t bf16_bits_at(uint64_t stream, uint64_t place)
{
    return random_bits_at(stream, place, 7) >> 16;
}

/* Returns an index below @n, which must be at most 2^32. */
static inline MEASURE_HD uint32_t random_index_at(uint64_t stream,
                                                  uint64_t place, uint64_t n)
{
    return (uint32_t)(((random_hash_at_index(stream, place) >> 32) * n) >> 32);
}

/* Returns what the kernel `write` stores at element @i: a number in [1, 2) that
 * takes few instructions to compute. */
static inline MEASURE_HD uint32_t value_after_kernel_write(uint32_t i)
{
    return (i * UINT32_C(2654435761)) >> 9 | UINT32_C(0x3f800000);
}

static inline double double_from_fp32_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the value at a place of a stream, as an operand of @dtype. */
double operand_value_at(uint64_t stream, uint64_t place, Dtype dtype);
/* Returns the value of an element of @dtype with these bits, including NaN and
 * infinity. */
double decode_value(uint32_t bits, Dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
