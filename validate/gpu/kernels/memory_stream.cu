/*
 * memory_stream.cu - kernels that walk through memory once, on a normal grid
 *
 *   fma    out = a chain of n_fma multiply-adds on each element of in
 *   read   sums in; writes one number per block
 *   write  writes generated numbers
 *   mix    out = a + b + ..., `ways` reads per
 * write */
#include "validate/gpu/host/work_split.h"
#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/prepared_case.cuh"
#include "validate/gpu/kernels/reduce.cuh"
#include "validate/gpu/measure/check_kernel_results.cuh"

#define N_THREADS 256
/* Minimum number of blocks per SM.  It leaves 64 registers per thread, enough
 * to issue all loads before the first value is used. */
#define MIN_BLOCKS_PER_SM 4
/* Vectors per thread, one block width apart; also the loads in flight. */
#define VECTORS_PER_THREAD 4
#define BLOCK_VECTORS      (N_THREADS * VECTORS_PER_THREAD)
/* From this chain length on, arithmetic draws more power than memory. */
#define HOT_CHAIN 64

static __device__ __forceinline__ uint64_t first_vector_of_thread()
{
    return blockIdx.x * (uint64_t)BLOCK_VECTORS + threadIdx.x;
}

static __device__ __forceinline__ float4 fma_vector_step(float4 v, float scale,
                                                         float offset)
{
    v.x = fmaf(v.x, scale, offset);
    v.y = fmaf(v.y, scale, offset);
    v.z = fmaf(v.z, scale, offset);
    v.w = fmaf(v.w, scale, offset);
    return v;
}

/* Scale and offset are parameters, so that the compiler cannot shorten the
 * chain.  The 16 independent chains of a thread hide the latency of one. */
static __global__ void __launch_bounds__(N_THREADS, MIN_BLOCKS_PER_SM)
    fma_kernel(const float4 *__restrict__ in, float4 *__restrict__ out,
               uint64_t n_vectors, uint32_t n_fma, float scale, float offset)
{
    uint64_t at = first_vector_of_thread();
    float4 v[VECTORS_PER_THREAD];

#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; i++)
        v[i] = at + i * N_THREADS < n_vectors ? in[at + i * N_THREADS]
                                              : make_float4(0, 0, 0, 0);
#pragma unroll 8
    for (uint32_t step = 0; step < n_fma; step++)
#pragma unroll
        for (int i = 0; i < VECTORS_PER_THREAD; i++)
            v[i] = fma_vector_step(v[i], scale, offset);
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; i++)
        if (at + i * N_THREADS < n_vectors)
            out[at + i * N_THREADS] = v[i];
}

static __device__ __forceinline__ float sum_over_warp(float sum)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    return sum;
}

static __global__ void __launch_bounds__(N_THREADS, MIN_BLOCKS_PER_SM)
    read_kernel(const float4 *__restrict__ in, float *__restrict__ out,
                uint64_t n_vectors)
{
    __shared__ float of_warp[N_THREADS / 32];
    uint64_t at = first_vector_of_thread();
    float4 v[VECTORS_PER_THREAD];
    float sum = 0;

#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; i++)
        v[i] = at + i * N_THREADS < n_vectors ? in[at + i * N_THREADS]
                                              : make_float4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; i++)
        sum += v[i].x + v[i].y + (v[i].z + v[i].w);
    sum = sum_over_warp(sum);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < N_THREADS / 32 ? of_warp[threadIdx.x] : 0;
        sum = sum_over_warp(sum);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

static __global__ void __launch_bounds__(N_THREADS, MIN_BLOCKS_PER_SM)
    write_kernel(uint4 *__restrict__ out, uint64_t n_vectors)
{
    uint64_t at = first_vector_of_thread();

#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; i++) {
        uint64_t place = at + i * N_THREADS;
        uint32_t element = (uint32_t)place * 4;

        if (place < n_vectors)
            out[place] = make_uint4(value_after_kernel_write(element),
                                    value_after_kernel_write(element + 1),
                                    value_after_kernel_write(element + 2),
                                    value_after_kernel_write(element + 3));
    }
}

/* Each thread keeps eight loads in flight for any number of ways. */
template <int WAYS>
static __global__ void __launch_bounds__(N_THREADS, MIN_BLOCKS_PER_SM)
    mix_kernel(const uint4 *__restrict__ in, uint4 *__restrict__ out,
               uint64_t n_vectors)
{
    constexpr int UNROLL = 8 / WAYS;
    uint64_t at = blockIdx.x * (uint64_t)(N_THREADS * UNROLL) + threadIdx.x;

    if (at + (UNROLL - 1) * N_THREADS < n_vectors) {
        reduce_vectors<Fp32, WAYS, UNROLL, CachedLoad>(in, n_vectors, out, at,
                                                       N_THREADS);
        return;
    }
    reduce_remainder<Fp32, WAYS, UNROLL, CachedLoad>(in, n_vectors, out, at,
                                                     N_THREADS, n_vectors);
}

class StreamWork : public Work
{
  public:
    StreamWork(GpuContext &gpu, const WorkRequest &request);
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;

  private:
    void launch_mix(cudaStream_t stream, const void *from, void *to);
    Expected expect(uint64_t set, uint64_t element) const;
    void check_set(uint64_t set);

    GpuContext &gpu;
    MeasureCase c;
    /* The member ways is 0 if the kernel reads nothing. */
    uint32_t ways, n_samples;
    uint64_t n_vectors, n_blocks, out_elements;
    uint64_t n_sets, stream_of_values;
    char *in = nullptr, *out = nullptr;
};

StreamWork::StreamWork(GpuContext &l, const WorkRequest &request)
    : gpu(l), c(request.c),
      ways(c.kernel == KERNEL_WRITE ? 0 : (c.ways ? c.ways : 1)),
      n_samples(request.is_real ? 2048 : ALL_SAMPLES),
      n_vectors(c.bytes / sizeof(uint4)),
      n_blocks((n_vectors + BLOCK_VECTORS - 1) / BLOCK_VECTORS),
      out_elements(c.kernel == KERNEL_READ ? n_blocks : n_vectors * 4),
      stream_of_values(
          random_stream_id_of_operand(request.seed, "stream.operands"))
{
    uint64_t set_bytes = ways * c.bytes + out_elements * sizeof(float);

    n_sets = gpu.sets_that_fit(set_bytes, request.is_real);
    rotated_bytes = n_sets * set_bytes;
    if (c.n_fma >= HOT_CHAIN)
        warm_up_us = 100e3;
    in = gpu.buffer_of<char>(n_sets * ways * c.bytes);
    out = gpu.buffer_of<char>(n_sets * out_elements * sizeof(float));
    if (ways > 0)
        fill_values(gpu, in, n_sets * ways * n_vectors * 4, DTYPE_FP32,
                    stream_of_values);
}

void StreamWork::launch_mix(cudaStream_t stream, const void *from, void *to)
{
    uint64_t block_vectors = N_THREADS * (8 / ways);
    auto kernel = ways == 1   ? mix_kernel<1>
                  : ways == 2 ? mix_kernel<2>
                  : ways == 4 ? mix_kernel<4>
                              : mix_kernel<8>;

    ::launch(kernel, (n_vectors + block_vectors - 1) / block_vectors, N_THREADS,
             0, stream, (const uint4 *)from, (uint4 *)to, n_vectors);
}

void StreamWork::launch(cudaStream_t stream, uint64_t turn)
{
    uint64_t set = turn % n_sets;
    const char *from = in + set * ways * c.bytes;
    char *to = out + set * out_elements * sizeof(float);

    if (c.kernel == KERNEL_FMA)
        ::launch(fma_kernel, n_blocks, N_THREADS, 0, stream,
                 (const float4 *)from, (float4 *)to, n_vectors, c.n_fma,
                 FMA_SCALE, FMA_OFFSET);
    else if (c.kernel == KERNEL_READ)
        ::launch(read_kernel, n_blocks, N_THREADS, 0, stream,
                 (const float4 *)from, (float *)to, n_vectors);
    else if (c.kernel == KERNEL_WRITE)
        ::launch(write_kernel, n_blocks, N_THREADS, 0, stream, (uint4 *)to,
                 n_vectors);
    else
        launch_mix(stream, from, to);
}

/* Returns the expected value of @element.  A block of `read` sums BLOCK_VECTORS
 * vectors of four numbers; the last block may have fewer. */
Expected StreamWork::expect(uint64_t set, uint64_t element) const
{
    uint64_t n = n_vectors * 4, first = set * ways * n;
    uint64_t block_elements = BLOCK_VECTORS * 4;
    uint64_t begin = element * block_elements;

    switch (c.kernel) {
    case KERNEL_FMA:
        return expect_fma_chain(
            operand_value_at(stream_of_values, first + element, DTYPE_FP32),
            c.n_fma);
    case KERNEL_READ:
        return expect_sum_of_values(
            stream_of_values, first + begin, 1,
            (uint32_t)(n - begin < block_elements ? n - begin : block_elements),
            DTYPE_FP32);
    case KERNEL_WRITE:
        return { double_from_fp32_bits(
                     value_after_kernel_write((uint32_t)element)),
                 0 };
    default:
        return expect_sum_of_values(stream_of_values, first + element, n, ways,
                                    DTYPE_FP32);
    }
}

void StreamWork::check_set(uint64_t set)
{
    char *result = out + set * out_elements * sizeof(float);

    fill_buffer_with_poison(gpu, result, out_elements * sizeof(float));
    launch(gpu.main, set);
    check_result(gpu, { result, out_elements, DTYPE_FP32, n_samples },
                 [&](uint64_t element) { return expect(set, element); });
}

void StreamWork::check()
{
    check_set(0);
    check_set(n_sets - 1);
}

std::unique_ptr<Work> make_stream(GpuContext &gpu, const WorkRequest &request)
{
    return std::unique_ptr<Work>(new StreamWork(gpu, request));
}
