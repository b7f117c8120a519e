/*
 * loads.cuh - how a vector of 16 bytes is loaded
 *
 * An SM has as much L1 cache as a block leaves of its shared memory: 28 KiB of
 * 256 on Hopper beside a block that takes all.  An ordinary load sets a line of
 * it aside until its data are there, which could hold back 64 KiB in flight.
 */
#ifndef VALIDATE_GPU_KERNELS_LOADS_CUH
#define VALIDATE_GPU_KERNELS_LOADS_CUH

#include <cuda_runtime.h>

struct Ordinary {
    static __device__ __forceinline__ uint4 load(const uint4 *at)
    {
        return __ldg(at);
    }
};

/* Of what nothing writes while the kernel runs; no line of L1 is set aside, as
 * far as the GPU does that. */
struct PastL1 {
    static __device__ __forceinline__ uint4 load(const uint4 *at)
    {
        uint4 v;

        asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(at));
        return v;
    }
};

#endif
