/*
 * gemm_kernel.cu - C = A B on tensor cores, one tile per block
 *
 * The sum over k proceeds in steps of GEMM_TILE_K.  While one step is
 * multiplied, the operands of the next GEMM_STAGES - 1 steps are copied into
 * shared
 * memory. */
#include "validate/gpu/kernels/gemm_kernel.cuh"

#include <mma.h>

#include "validate/gpu/host/work_split.h"
#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/ptx.cuh"

#define GEMM_THREADS 256
#define GEMM_STAGES  4
/* Rows of tiles in shared memory are padded, so that 8 rows that are read
 * together lie in different banks. */
#define GEMM_A_STRIDE (GEMM_TILE_K + 8)
#define GEMM_B_STRIDE (GEMM_TILE_N + 8)
#define GEMM_C_STRIDE 24
#define GEMM_A_SIZE   (GEMM_TILE_M * GEMM_A_STRIDE)
#define GEMM_B_SIZE   (GEMM_TILE_K * GEMM_B_STRIDE)
/* More than half of the shared memory of an SM, so that it runs one tile at a
 * time. */
#define GEMM_SHARED_BYTES                                                      \
    (GEMM_STAGES * (GEMM_A_SIZE + GEMM_B_SIZE) * sizeof(__nv_bfloat16))

/* Eight warps share a tile: two rows of four warps, each with 64 x 32
 * numbers. */
#define WARP_ROWS    4 /* The warp rows are counted in fragments of 16 x 16. */
#define WARP_COLUMNS 2

/* True if the tensor cores support bf16.  Otherwise the fragment types do not
 * exist. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define GEMM_IS_COMPILED 1
#else
#define GEMM_IS_COMPILED 0
#endif

#if GEMM_IS_COMPILED

/* Copies a tile of @ROWS x @COLUMNS into shared memory, starting at (@row,
 * @column) of a matrix with @n_rows x @n_columns. */
template <int ROWS, int COLUMNS, int STRIDE>
static __device__ __forceinline__ void
gemm_copy_tile_async(__nv_bfloat16 *to, const __nv_bfloat16 *from, uint32_t row,
                     uint32_t column, uint32_t n_rows, uint32_t n_columns)
{
    constexpr int ROW_VECTORS = COLUMNS / 8;

#pragma unroll
    for (int i = 0; i < ROWS * ROW_VECTORS / GEMM_THREADS; i++) {
        uint32_t vector = threadIdx.x + i * GEMM_THREADS;
        uint32_t in_row = vector / ROW_VECTORS;
        uint32_t in_column = vector % ROW_VECTORS * 8;
        bool is_inside =
            row + in_row < n_rows && column + in_column < n_columns;
        const __nv_bfloat16 *place =
            from + (uint64_t)(row + in_row) * n_columns + column + in_column;

        copy_async_16(to + in_row * STRIDE + in_column,
                      is_inside ? place : from, is_inside);
    }
}

/* Loads the operands of step @step of the sum over k into stage @step %
 * GEMM_STAGES. */
static __device__ __forceinline__ void
gemm_load_tiles(const GemmMatrices &g, GemmTile tile, uint32_t step,
                __nv_bfloat16 *a_shared, __nv_bfloat16 *b_shared)
{
    uint32_t stage = step % GEMM_STAGES;

    gemm_copy_tile_async<GEMM_TILE_M, GEMM_TILE_K, GEMM_A_STRIDE>(
        a_shared + stage * GEMM_A_SIZE, g.a, tile.row * GEMM_TILE_M,
        step * GEMM_TILE_K, g.m, g.k);
    gemm_copy_tile_async<GEMM_TILE_K, GEMM_TILE_N, GEMM_B_STRIDE>(
        b_shared + stage * GEMM_B_SIZE, g.b, step * GEMM_TILE_K,
        tile.column * GEMM_TILE_N, g.k, g.n);
}

typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16,
                               __nv_bfloat16, nvcuda::wmma::row_major>
    GemmA;
typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16,
                               __nv_bfloat16, nvcuda::wmma::row_major>
    GemmB;
typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>
    GemmSum;

/* Does the same as load_matrix_sync(), but with an address that is known to be
 * in shared memory.  A generic pointer would need four times as many loads. */
static __device__ __forceinline__ void
gemm_load_fragment(GemmA *to, const __nv_bfloat16 *from)
{
    load_fragment_a((uint32_t *)to->x, from, GEMM_A_STRIDE);
}

static __device__ __forceinline__ void
gemm_load_fragment(GemmB *to, const __nv_bfloat16 *from)
{
    load_fragment_b((uint32_t *)to->x, from, GEMM_B_STRIDE);
}

/* Adds the warp's part of the product of the tiles in one stage. */
static __device__ __forceinline__ void
gemm_multiply_tiles(GemmSum (&sum)[WARP_ROWS][WARP_COLUMNS],
                    const __nv_bfloat16 *a, const __nv_bfloat16 *b)
{
    uint32_t warp = threadIdx.x / 32;
    const __nv_bfloat16 *warp_a = a + warp / 4 * 64 * GEMM_A_STRIDE;
    const __nv_bfloat16 *warp_b = b + warp % 4 * 32;

#pragma unroll
    for (int k = 0; k < GEMM_TILE_K; k += 16) {
        GemmA fragment_a[WARP_ROWS];
        GemmB fragment_b[WARP_COLUMNS];

#pragma unroll
        for (int i = 0; i < WARP_ROWS; i++)
            gemm_load_fragment(&fragment_a[i],
                               warp_a + i * 16 * GEMM_A_STRIDE + k);
#pragma unroll
        for (int j = 0; j < WARP_COLUMNS; j++)
            gemm_load_fragment(&fragment_b[j],
                               warp_b + k * GEMM_B_STRIDE + j * 16);
#pragma unroll
        for (int i = 0; i < WARP_ROWS; i++)
#pragma unroll
            for (int j = 0; j < WARP_COLUMNS; j++)
                nvcuda::wmma::mma_sync(sum[i][j], fragment_a[i], fragment_b[j],
                                       sum[i][j]);
    }
}

/* Each lane writes 8 numbers of a row of the 16 x 16 patch of its warp. */
static __device__ __forceinline__ void gemm_store_patch(const GemmMatrices &g,
                                                        const float *patch,
                                                        uint32_t row,
                                                        uint32_t column)
{
    uint32_t lane = threadIdx.x % 32;
    const float *from = patch + lane / 2 * GEMM_C_STRIDE + lane % 2 * 8;
    __align__(16) __nv_bfloat162 pairs[4];

    row += lane / 2;
    column += lane % 2 * 8;
    if (row >= g.m || column >= g.n)
        return;
#pragma unroll
    for (int i = 0; i < 4; i++)
        pairs[i] = __floats2bfloat162_rn(from[2 * i], from[2 * i + 1]);
    *(uint4 *)(g.c + (uint64_t)row * g.n + column) = *(const uint4 *)pairs;
}

/* Stores the tile.  The numbers pass through shared memory because the layout
 * of a fragment is not documented.  Each warp has a separate patch. */
static __device__ __forceinline__ void
gemm_store_tile(const GemmMatrices &g, GemmTile tile,
                const GemmSum (&sum)[WARP_ROWS][WARP_COLUMNS], float *shared)
{
    uint32_t warp = threadIdx.x / 32;
    float *patch = shared + warp * 16 * GEMM_C_STRIDE;
    uint32_t row = tile.row * GEMM_TILE_M + warp / 4 * 64;
    uint32_t column = tile.column * GEMM_TILE_N + warp % 4 * 32;

#pragma unroll
    for (int i = 0; i < WARP_ROWS; i++)
#pragma unroll
        for (int j = 0; j < WARP_COLUMNS; j++) {
            nvcuda::wmma::store_matrix_sync(patch, sum[i][j], GEMM_C_STRIDE,
                                            nvcuda::wmma::mem_row_major);
            __syncwarp();
            gemm_store_patch(g, patch, row + i * 16, column + j * 16);
            __syncwarp();
        }
}

/* Computes one tile.  One group of copies is committed per step, even an empty
 * one.  Waiting for all but the last GEMM_STAGES - 2 groups therefore
 * guarantees that the operands of this step have arrived.  The barrier makes
 * them visible to all warps.  It also guarantees that all warps have finished
 * with the stage that is loaded next, which is that of the previous step. */
static __device__ __forceinline__ void gemm_run_block(const GemmMatrices &g,
                                                      __nv_bfloat16 *shared)
{
    __nv_bfloat16 *a = shared, *b = shared + GEMM_STAGES * GEMM_A_SIZE;
    GemmTile tile =
        gemm_tile_of_block(blockIdx.x, divide_rounding_up(g.m, GEMM_TILE_M),
                           divide_rounding_up(g.n, GEMM_TILE_N));
    uint32_t n_steps = divide_rounding_up(g.k, GEMM_TILE_K);
    GemmSum sum[WARP_ROWS][WARP_COLUMNS];

#pragma unroll
    for (int i = 0; i < WARP_ROWS; i++)
#pragma unroll
        for (int j = 0; j < WARP_COLUMNS; j++)
            nvcuda::wmma::fill_fragment(sum[i][j], 0.0f);
    for (uint32_t step = 0; step < GEMM_STAGES - 1; step++) {
        if (step < n_steps)
            gemm_load_tiles(g, tile, step, a, b);
        copy_async_commit();
    }
    for (uint32_t step = 0; step < n_steps; step++) {
        uint32_t ahead = step + GEMM_STAGES - 1, stage = step % GEMM_STAGES;

        copy_async_wait<GEMM_STAGES - 2>();
        __syncthreads();
        if (ahead < n_steps)
            gemm_load_tiles(g, tile, ahead, a, b);
        copy_async_commit();
        gemm_multiply_tiles(sum, a + stage * GEMM_A_SIZE,
                            b + stage * GEMM_B_SIZE);
    }
    /* Slower warps may still read the last stages. */
    copy_async_wait<0>();
    __syncthreads();
    gemm_store_tile(g, tile, sum, (float *)shared);
}

#endif /* GEMM_IS_COMPILED */

static __global__ void __launch_bounds__(GEMM_THREADS, 1)
    gemm_kernel(GemmMatrices g)
{
#if GEMM_IS_COMPILED
    extern __shared__ __align__(128) __nv_bfloat16 gemm_shared[];

    gemm_run_block(g, gemm_shared);
#endif
}

/* The driver selects the compiled code that suits the GPU, which may be the
 * version without tensor cores. */
bool gemm_own_kernel_fits(const GpuContext &gpu)
{
    cudaFuncAttributes attributes = {};

    CHECKED(cudaFuncGetAttributes(&attributes, (const void *)gemm_kernel));
    return attributes.ptxVersion >= 80 &&
           gpu.facts.shared_bytes_per_block >= GEMM_SHARED_BYTES;
}

void gemm_own_launch(const GemmMatrices &g, cudaStream_t stream)
{
    uint64_t n_tiles = (uint64_t)divide_rounding_up(g.m, GEMM_TILE_M) *
                       divide_rounding_up(g.n, GEMM_TILE_N);

    launch(gemm_kernel, n_tiles, GEMM_THREADS, GEMM_SHARED_BYTES, stream, g);
}

void gemm_own_prepare()
{
    CHECKED(cudaFuncSetAttribute((const void *)gemm_kernel,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)GEMM_SHARED_BYTES));
}
