/*
 * reduce.cuh - sums of 16-byte vectors, for the kernels of reduce.cu and the
 * resident kernels of resident_partner.cu
 *
 * Operands of 16 bits are summed in fp32 and rounded once.  All loads are
 * issued before the first value is used: WAYS * UNROLL loads of 16 bytes are in
 * flight.
 */
#ifndef VALIDATE_GPU_KERNELS_REDUCE_CUH
#define VALIDATE_GPU_KERNELS_REDUCE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "validate/gpu/kernels/vector_loads.cuh"

struct Fp32 {
    static constexpr int n = 4;
    static __device__ __forceinline__ void add(float *sum, uint4 v)
    {
        sum[0] += __uint_as_float(v.x);
        sum[1] += __uint_as_float(v.y);
        sum[2] += __uint_as_float(v.z);
        sum[3] += __uint_as_float(v.w);
    }
    static __device__ __forceinline__ uint4 narrow(const float *sum)
    {
        return make_uint4(__float_as_uint(sum[0]), __float_as_uint(sum[1]),
                          __float_as_uint(sum[2]), __float_as_uint(sum[3]));
    }
};

/* Adds the two 16-bit numbers in a word, the lower half first. */
struct Fp16 {
    static constexpr int n = 8;
    static __device__ __forceinline__ void add_word(float *sum, uint32_t word)
    {
        sum[0] += __half2float(__ushort_as_half((unsigned short)word));
        sum[1] += __half2float(__ushort_as_half((unsigned short)(word >> 16)));
    }
    static __device__ __forceinline__ uint32_t word(const float *sum)
    {
        return (uint32_t)__half_as_ushort(__float2half_rn(sum[0])) |
               (uint32_t)__half_as_ushort(__float2half_rn(sum[1])) << 16;
    }
};

struct Bf16 {
    static constexpr int n = 8;
    static __device__ __forceinline__ void add_word(float *sum, uint32_t word)
    {
        sum[0] += __uint_as_float(word << 16);
        sum[1] += __uint_as_float(word & 0xffff0000u);
    }
    static __device__ __forceinline__ uint32_t word(const float *sum)
    {
        return (uint32_t)__bfloat16_as_ushort(__float2bfloat16_rn(sum[0])) |
               (uint32_t)__bfloat16_as_ushort(__float2bfloat16_rn(sum[1]))
                   << 16;
    }
};

/* A vector of four words with two 16-bit numbers each. */
template <typename Half> struct Halves {
    static constexpr int n = 8;
    static __device__ __forceinline__ void add(float *sum, uint4 v)
    {
        Half::add_word(sum, v.x);
        Half::add_word(sum + 2, v.y);
        Half::add_word(sum + 4, v.z);
        Half::add_word(sum + 6, v.w);
    }
    static __device__ __forceinline__ uint4 narrow(const float *sum)
    {
        return make_uint4(Half::word(sum), Half::word(sum + 2),
                          Half::word(sum + 4), Half::word(sum + 6));
    }
};

/* Returns the sum of WAYS vectors.  With one way, returns the vector
 * unchanged. */
template <typename Type, int WAYS>
static __device__ __forceinline__ uint4 sum_over_values(const uint4 *v)
{
    if constexpr (WAYS == 1) {
        return v[0];
    } else {
        float sum[Type::n] = {};

#pragma unroll
        for (int way = 0; way < WAYS; way++)
            Type::add(sum, v[way]);
        return Type::narrow(sum);
    }
}

/* Computes UNROLL vectors of the output, at @at, @at + @step, and so on.  Input
 * w begins @way_vectors * w vectors behind the first. */
template <typename Type, int WAYS, int UNROLL, typename Load>
static __device__ __forceinline__ void
reduce_vectors(const uint4 *__restrict__ in, uint64_t way_vectors,
               uint4 *__restrict__ out, uint64_t at, uint64_t step)
{
    uint4 v[UNROLL][WAYS];

#pragma unroll
    for (int u = 0; u < UNROLL; u++)
#pragma unroll
        for (int way = 0; way < WAYS; way++)
            v[u][way] = Load::load(in + way * way_vectors + at + u * step);
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        out[at + u * step] = sum_over_values<Type, WAYS>(v[u]);
}

/* Computes those vectors that lie before @end.  All their loads are in flight
 * together too: one by one, the last few would take as long as all before. */
template <typename Type, int WAYS, int UNROLL, typename Load>
static __device__ __forceinline__ void
reduce_remainder(const uint4 *__restrict__ in, uint64_t way_vectors,
                 uint4 *__restrict__ out, uint64_t at, uint64_t step,
                 uint64_t end)
{
    uint4 v[UNROLL][WAYS];

#pragma unroll
    for (int u = 0; u < UNROLL; u++)
#pragma unroll
        for (int way = 0; way < WAYS; way++)
            v[u][way] = at + u * step < end
                            ? Load::load(in + way * way_vectors + at + u * step)
                            : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (at + u * step < end)
            out[at + u * step] = sum_over_values<Type, WAYS>(v[u]);
}

#endif
