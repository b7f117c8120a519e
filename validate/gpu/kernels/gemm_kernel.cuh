/*
 * gemm_kernel.cuh - our own matrix product, whose tiles and waves are known
 *
 * Matrices of bf16 are stored by rows; sums are in fp32.  m, n and k are
 * multiples of 8 and need not be multiples of a tile: what lies outside is
 * read as zero and not written.  A block has one tile, an SM one block at a
 * time, so that waves of tiles can be seen.
 *
 * Assumes  compute capability 8.0 or more, and 140 KiB of shared memory
 */
#ifndef VALIDATE_GPU_KERNELS_GEMM_KERNEL_CUH
#define VALIDATE_GPU_KERNELS_GEMM_KERNEL_CUH

#include <cuda_bf16.h>

#include "validate/gpu/lab/lab.cuh"

struct GemmMatrices {
    const __nv_bfloat16 *a, *b;
    __nv_bfloat16 *c;
    uint32_t m, n, k;
};

bool gemm_own_fits(const Lab &lab);
/* Once before the first launch. */
void gemm_own_prepare();
void gemm_own(const GemmMatrices &g, cudaStream_t stream);

#endif
