/*
 * launch.cuh - starts a kernel and checks that it could be started
 */
#ifndef VALIDATE_GPU_KERNELS_LAUNCH_CUH
#define VALIDATE_GPU_KERNELS_LAUNCH_CUH

#include <cuda_runtime.h>

#include "validate/gpu/host/split.h"
#include "validate/gpu/lab/lab.cuh"

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

/* How much @kernel has to ask for as @shared says; and the driver is told to
 * set aside no more than that, which leaves L1 the rest. */
template <typename... Params>
size_t shared_memory(const Lab &lab, void (*kernel)(Params...), Shared shared)
{
    size_t per_sm = lab.facts.shared_bytes_per_sm, bytes = 0, carved;
    size_t reserved = lab.facts.shared_bytes_reserved;

    if (shared == SHARED_WHOLE)
        bytes = whole_shared_memory(lab, kernel);
    else if (shared == SHARED_HALF)
        bytes = shared_more_than_half(per_sm, reserved);
    carved = shared == SHARED_LEFT ? per_sm : bytes ? bytes + reserved : 0;
    CHECKED(cudaFuncSetAttribute((const void *)kernel,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)bytes));
    CHECKED(cudaFuncSetAttribute((const void *)kernel,
                                 cudaFuncAttributePreferredSharedMemoryCarveout,
                                 (int)shared_carveout_percent(per_sm, carved)));
    return bytes;
}

#endif
