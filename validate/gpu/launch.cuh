/*
 * launch.cuh - starts a kernel and checks that it could be started
 */
#ifndef VALIDATE_GPU_LAUNCH_CUH
#define VALIDATE_GPU_LAUNCH_CUH

#include <cuda_runtime.h>

#include "validate/gpu/lab.cuh"

/* @args are converted to what @kernel takes. */
template <typename... Params, typename... Args>
void launch(void (*kernel)(Params...), uint64_t n_blocks, uint32_t n_threads,
            size_t shared_bytes, cudaStream_t stream, Args... args)
{
    kernel<<<(uint32_t)n_blocks, n_threads, shared_bytes, stream>>>(
        static_cast<Params>(args)...);
    check(cudaGetLastError(), "launch of a kernel");
}

/* Lets @kernel have all of an SM's shared memory that one block can get, and
 * returns how much it has to ask for, so that no second block fits beside it.
 * The driver keeps cudaDevAttrReservedSharedMemoryPerBlock for each block, so
 * that even a block without shared memory of its own finds no room. */
template <typename... Params>
size_t whole_shared_memory(const Lab &lab, void (*kernel)(Params...))
{
    CHECKED(cudaFuncSetAttribute((const void *)kernel,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)lab.facts.shared_bytes_per_block));
    return lab.facts.shared_bytes_per_block;
}

#endif
