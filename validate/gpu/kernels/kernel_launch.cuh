/* kernel_launch.cuh - launches kernels, and requests shared memory for their
 * blocks */
#ifndef VALIDATE_GPU_KERNELS_LAUNCH_CUH
#define VALIDATE_GPU_KERNELS_LAUNCH_CUH

#include <cuda_runtime.h>

#include "validate/gpu/host/work_split.h"
#include "validate/gpu/measure/gpu_context.cuh"

/* Launches @kernel with @args, which are converted to its parameter types.
 * Throws Failure if the launch fails. */
template <typename... Params, typename... Args>
void launch(void (*kernel)(Params...), uint64_t n_blocks, uint32_t n_threads,
            size_t shared_bytes, cudaStream_t stream, Args... args)
{
    kernel<<<(uint32_t)n_blocks, n_threads, shared_bytes, stream>>>(
        static_cast<Params>(args)...);
    check(cudaGetLastError(), "launch of a kernel");
}

/* Lets @kernel use all shared memory of an SM that one block can get.  Returns
 * the size to request, so that no second block fits on the SM.  The driver
 * reserves cudaDevAttrReservedSharedMemoryPerBlock for each block, so even a
 * block without shared memory does not fit. */
template <typename... Params>
size_t whole_shared_memory(const GpuContext &gpu, void (*kernel)(Params...))
{
    CHECKED(cudaFuncSetAttribute((const void *)kernel,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)gpu.facts.shared_bytes_per_block));
    return gpu.facts.shared_bytes_per_block;
}

/* Returns how much shared memory a block of @kernel must request for @shared.
 * Also limits the carve-out to that size, so that the L1 cache gets the
 * remainder. */
template <typename... Params>
size_t shared_memory(const GpuContext &gpu, void (*kernel)(Params...),
                     SharedMemoryUse shared)
{
    size_t per_sm = gpu.facts.shared_bytes_per_sm, bytes = 0, carved;
    size_t reserved = gpu.facts.shared_bytes_reserved;

    if (shared == SHARED_WHOLE)
        bytes = whole_shared_memory(gpu, kernel);
    else if (shared == SHARED_HALF)
        bytes = shared_memory_bytes_above_half_of_sm(per_sm, reserved);
    carved = shared == SHARED_FOR_OTHERS ? per_sm
             : bytes                     ? bytes + reserved
                                         : 0;
    CHECKED(cudaFuncSetAttribute((const void *)kernel,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)bytes));
    CHECKED(cudaFuncSetAttribute((const void *)kernel,
                                 cudaFuncAttributePreferredSharedMemoryCarveout,
                                 (int)shared_carveout_percent(per_sm, carved)));
    return bytes;
}

#endif
