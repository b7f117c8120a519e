/*
 * gemm_kernel.cuh - a matrix product whose tiles and waves are known
 *
 * Matrices of bf16 are stored by rows; sums are in fp32.  m, n and k are
 * multiples of 8 but need not be multiples of a tile: elements outside are read
 * as zero and not written.  A block computes one tile, and an SM runs one block
 * at a time, so that waves of tiles are visible in the times.
 *
 * Assumes  compute capability 8.0 or newer, and 140 KiB of shared memory
 */
#ifndef VALIDATE_GPU_KERNELS_GEMM_KERNEL_CUH
#define VALIDATE_GPU_KERNELS_GEMM_KERNEL_CUH

#include <cuda_bf16.h>

#include "validate/gpu/measure/gpu_context.cuh"

struct GemmMatrices {
    const __nv_bfloat16 *a, *b;
    __nv_bfloat16 *c;
    uint32_t m, n, k;
};

/* Returns whether the GPU can run the kernel. */
bool gemm_own_kernel_fits(const GpuContext &gpu);
/* Must be called once before the first launch. */
void gemm_own_prepare();
void gemm_own_launch(const GemmMatrices &g, cudaStream_t stream);

#endif
