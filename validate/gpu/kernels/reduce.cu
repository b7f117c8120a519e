/*
 * reduce.cu - the local part of a ring step: out = a + b + ..., or out = a for
 * copies
 *
 * The kernels are persistent, with one block on each of n SMs.  A block
 * requests slightly more than half of the shared memory of the SM, so that no
 * two blocks share an SM, and processes one slice of the data.  The kernels
 * called tiles deal tiles of one round (64 KiB in flight) to the blocks in
 * rotation instead, as many libraries do, to show what the layout costs.  Loads
 * bypass the L1 cache.  Other cases show whether the L1 cache limits the loads
 * in flight: they use none or all of the shared memory, ordinary loads, or
 * copies to shared memory, which need no L1 cache.
 */
#include "validate/gpu/kernels/reduce.cuh"

#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/persistent_blocks.cuh"
#include "validate/gpu/kernels/prepared_case.cuh"
#include "validate/gpu/kernels/ptx.cuh"
#include "validate/gpu/measure/check_kernel_results.cuh"

/* How the blocks divide the data: into one slice each, or into tiles that are
 * dealt in rotation. */
struct Slices {
    static __device__ __forceinline__ Walk walk(uint64_t n, WalkPlace place,
                                                uint32_t n_loads)
    {
        return slice_walk_of_thread(n, place, n_loads);
    }
};

struct Tiles {
    static __device__ __forceinline__ Walk walk(uint64_t n, WalkPlace place,
                                                uint32_t n_loads)
    {
        return tile_walk_of_thread(n, place, n_loads);
    }
};

template <typename Type, int WAYS, int UNROLL, typename Load = BypassL1,
          typename Split = Slices>
static __global__ void __launch_bounds__(1024, 1)
    reduce_kernel(const uint4 *__restrict__ in, uint4 *__restrict__ out,
                  uint64_t n_vectors, uint16_t *sms)
{
    Walk walk = Split::walk(n_vectors, place_of_thread(), UNROLL);

    record_sm(sms);
    for (; strided_walk_has_next(&walk, UNROLL); strided_walk_advance(&walk))
        reduce_vectors<Type, WAYS, UNROLL, Load>(in, n_vectors, out, walk.at,
                                                 walk.step);
    if (strided_walk_has_next(&walk, 1))
        reduce_remainder<Type, WAYS, UNROLL, Load>(in, n_vectors, out, walk.at,
                                                   walk.step, walk.end);
}

/* Each thread copies its vectors to its own places in shared memory, next to
 * those of its neighbours, and waits only for these.  No barrier is needed. */
template <typename Type, int WAYS, int UNROLL>
static __global__ void __launch_bounds__(1024, 1)
    async_kernel(const uint4 *__restrict__ in, uint4 *__restrict__ out,
                 uint64_t n_vectors, uint16_t *sms)
{
    extern __shared__ uint4 landing[];
    uint4 *mine = landing + threadIdx.x;
    Walk walk = Slices::walk(n_vectors, place_of_thread(), UNROLL);

    record_sm(sms);
    for (; walk.at < walk.end; strided_walk_advance(&walk)) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
#pragma unroll
            for (int way = 0; way < WAYS; way++) {
                uint64_t at = walk.at + u * walk.step;
                bool is_inside = at < walk.end;

                copy_async_16(mine + (u * WAYS + way) * blockDim.x,
                              in + (is_inside ? way * n_vectors + at : 0),
                              is_inside);
            }
        copy_async_commit();
        copy_async_wait<0>();
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            uint4 v[WAYS];

#pragma unroll
            for (int way = 0; way < WAYS; way++)
                v[way] = mine[(u * WAYS + way) * blockDim.x];
            if (walk.at + u * walk.step < walk.end)
                out[walk.at + u * walk.step] = sum_over_values<Type, WAYS>(v);
        }
    }
}

typedef void (*ReduceKernel)(const uint4 *, uint4 *, uint64_t, uint16_t *);

/* All compiled kernels.  n_loads is the number of ways times the unroll
 * factor.  has_tiles is true if tiles are dealt to the blocks in rotation. */
static const struct {
    Dtype dtype;
    uint32_t ways, n_loads;
    ReduceKernel kernel;
    LoadKind loads;
    bool has_tiles = false;
} kernels[] = {
    { DTYPE_NONE, 1, 1, reduce_kernel<Fp32, 1, 1>, LOADS_NO_ALLOCATE },
    { DTYPE_NONE, 1, 2, reduce_kernel<Fp32, 1, 2>, LOADS_NO_ALLOCATE },
    { DTYPE_NONE, 1, 4, reduce_kernel<Fp32, 1, 4>, LOADS_NO_ALLOCATE },
    { DTYPE_NONE, 1, 8, reduce_kernel<Fp32, 1, 8>, LOADS_NO_ALLOCATE },
    { DTYPE_FP32, 2, 8, reduce_kernel<Fp32, 2, 4>, LOADS_NO_ALLOCATE },
    { DTYPE_FP32, 4, 8, reduce_kernel<Fp32, 4, 2>, LOADS_NO_ALLOCATE },
    { DTYPE_FP32, 8, 8, reduce_kernel<Fp32, 8, 1>, LOADS_NO_ALLOCATE },
    { DTYPE_FP16, 2, 8, reduce_kernel<Halves<Fp16>, 2, 4>, LOADS_NO_ALLOCATE },
    { DTYPE_FP16, 4, 8, reduce_kernel<Halves<Fp16>, 4, 2>, LOADS_NO_ALLOCATE },
    { DTYPE_FP16, 8, 8, reduce_kernel<Halves<Fp16>, 8, 1>, LOADS_NO_ALLOCATE },
    { DTYPE_BF16, 2, 8, reduce_kernel<Halves<Bf16>, 2, 4>, LOADS_NO_ALLOCATE },
    { DTYPE_BF16, 4, 8, reduce_kernel<Halves<Bf16>, 4, 2>, LOADS_NO_ALLOCATE },
    { DTYPE_BF16, 8, 8, reduce_kernel<Halves<Bf16>, 8, 1>, LOADS_NO_ALLOCATE },
    { DTYPE_NONE, 1, 8, reduce_kernel<Fp32, 1, 8, CachedLoad>, LOADS_ORDINARY },
    { DTYPE_FP32, 2, 8, reduce_kernel<Fp32, 2, 4, CachedLoad>, LOADS_ORDINARY },
    { DTYPE_NONE, 1, 8, async_kernel<Fp32, 1, 8>, LOADS_ASYNC },
    { DTYPE_FP32, 2, 8, async_kernel<Fp32, 2, 4>, LOADS_ASYNC },
    { DTYPE_NONE, 1, 8, reduce_kernel<Fp32, 1, 8, BypassL1, Tiles>,
      LOADS_NO_ALLOCATE, true },
    { DTYPE_FP32, 2, 8, reduce_kernel<Fp32, 2, 4, BypassL1, Tiles>,
      LOADS_NO_ALLOCATE, true },
};

static ReduceKernel find_reduce_kernel(const MeasureCase &c, uint32_t ways)
{
    bool has_tiles =
        c.kernel == KERNEL_REDUCE_TILES || c.kernel == KERNEL_COPY_TILES;

    for (const auto &entry : kernels)
        if (entry.has_tiles == has_tiles && entry.dtype == c.dtype &&
            entry.ways == ways && entry.n_loads == c.n_loads &&
            entry.loads == c.loads)
            return entry.kernel;
    throw Failure("no reduction of this type, ways and loads is compiled");
}

class ReduceWork : public Work
{
  public:
    ReduceWork(GpuContext &gpu, const WorkRequest &request);
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;
    SmSet sms() override;

  private:
    void check_set(uint64_t set);

    GpuContext &gpu;
    MeasureCase c;
    uint32_t ways, n_samples;
    Dtype dtype;
    ReduceKernel kernel;
    size_t shared_bytes;
    SmRecord record;
    uint64_t n_sets, stream_of_values;
    char *in, *out;
};

/* The inputs of all sets are contiguous, so that one launch fills them all. */
ReduceWork::ReduceWork(GpuContext &l, const WorkRequest &request)
    : gpu(l), c(request.c), ways(c.ways ? c.ways : 1),
      n_samples(request.is_real ? 4096 : ALL_SAMPLES),
      dtype(c.dtype == DTYPE_NONE ? DTYPE_FP32 : c.dtype),
      kernel(find_reduce_kernel(c, ways)),
      shared_bytes(shared_memory(l, kernel, c.shared)), record(l, c.n_sms),
      stream_of_values(
          random_stream_id_of_operand(request.seed, "reduce.operands"))
{
    uint64_t set_bytes = (ways + 1) * c.bytes;

    if (c.loads == LOADS_ASYNC &&
        (uint64_t)c.n_loads * c.n_threads * sizeof(uint4) > shared_bytes)
        throw Skip("shared memory is too little for all that is in flight");
    n_sets = gpu.sets_that_fit(set_bytes, request.is_real);
    rotated_bytes = n_sets * set_bytes;
    in = gpu.buffer_of<char>(n_sets * ways * c.bytes);
    out = gpu.buffer_of<char>(n_sets * c.bytes);
    fill_values(gpu, in, n_sets * ways * c.bytes / dtype_bytes(dtype), dtype,
                stream_of_values);
}

void ReduceWork::launch(cudaStream_t stream, uint64_t turn)
{
    uint64_t set = turn % n_sets;

    ::launch(kernel, c.n_sms, c.n_threads, shared_bytes, stream,
             (const uint4 *)(in + set * ways * c.bytes),
             (uint4 *)(out + set * c.bytes), c.bytes / sizeof(uint4),
             record.at);
}

SmSet ReduceWork::sms()
{
    return record.read();
}

void ReduceWork::check_set(uint64_t set)
{
    uint64_t n = c.bytes / dtype_bytes(dtype);
    uint64_t first = set * ways * n;
    char *result = out + set * c.bytes;

    fill_buffer_with_poison(gpu, result, c.bytes);
    launch(gpu.main, set);
    check_result(gpu, { result, n, dtype, n_samples }, [&](uint64_t element) {
        return expect_sum_of_values(stream_of_values, first + element, n, ways,
                                    dtype);
    });
}

void ReduceWork::check()
{
    check_set(0);
    check_set(n_sets - 1);
}

std::unique_ptr<Work> make_reduce(GpuContext &gpu, const WorkRequest &request)
{
    return std::unique_ptr<Work>(new ReduceWork(gpu, request));
}
