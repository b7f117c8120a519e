/*
 * vector_loads.cuh - ways to load a vector of 16 bytes
 *
 * The L1 cache of an SM has the size that blocks leave of the shared memory: 28
 * of 256 KiB on Hopper if a block takes all.  An ordinary load reserves a line
 * of the cache until its data arrive.  With little L1 cache, that could limit
 * the loads in flight to less than 64 KiB.
 */
#ifndef VALIDATE_GPU_KERNELS_LOADS_CUH
#define VALIDATE_GPU_KERNELS_LOADS_CUH

#include <cuda_runtime.h>

struct CachedLoad {
    static __device__ __forceinline__ uint4 load(const uint4 *at)
    {
        return __ldg(at);
    }
};

/* Loads data that no thread writes while the kernel runs.  The load reserves no
 * line of the L1 cache if the GPU supports that. */
struct BypassL1 {
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
