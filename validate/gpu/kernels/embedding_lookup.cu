/*
 * embedding_lookup.cu - embedding lookup: sums the table rows of the indices of
 * each bag
 *
 * A bag is computed by as many threads as a row has vectors of 16 bytes.  Each
 * thread keeps eight rows in flight.  Indices are uniformly random.  Launches
 * use several sets of indices in rotation, because one set may touch fewer rows
 * than the L2 cache holds.
 */
#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/prepared_case.cuh"
#include "validate/gpu/measure/check_kernel_results.cuh"

#define N_THREADS        256
#define N_ROWS_IN_FLIGHT 8
/* Minimum number of blocks per SM.  It leaves 64 registers per thread, enough
 * for all rows in flight. */
#define MIN_BLOCKS_PER_SM 4

struct LookupArguments {
    const float4 *table;
    const uint32_t *indices;
    float4 *out;
    uint64_t batch;
    uint32_t row_vectors, pooling;
};

static __device__ __forceinline__ void add_vector_of_16_bytes(float4 *sum,
                                                              float4 v)
{
    sum->x += v.x;
    sum->y += v.y;
    sum->z += v.z;
    sum->w += v.w;
}

/* Adds rows @first to @first + N - 1 of a bag.  All are loaded before the first
 * is added. */
template <int N>
static __device__ __forceinline__ void
add_table_rows(float4 *sum, const LookupArguments &g, const uint32_t *first,
               uint32_t column)
{
    float4 rows[N];

#pragma unroll
    for (int i = 0; i < N; i++)
        rows[i] = __ldg(g.table + (uint64_t)__ldg(first + i) * g.row_vectors +
                        column);
#pragma unroll
    for (int i = 0; i < N; i++)
        add_vector_of_16_bytes(sum, rows[i]);
}

static __global__ void __launch_bounds__(N_THREADS, MIN_BLOCKS_PER_SM)
    lookup_kernel(LookupArguments g)
{
    uint64_t thread = blockIdx.x * (uint64_t)N_THREADS + threadIdx.x;
    uint64_t bag = thread / g.row_vectors;
    uint32_t column = (uint32_t)(thread % g.row_vectors), i = 0;
    const uint32_t *indices = g.indices + bag * g.pooling;
    float4 sum = make_float4(0, 0, 0, 0);

    if (bag >= g.batch)
        return;
    for (; i + N_ROWS_IN_FLIGHT <= g.pooling; i += N_ROWS_IN_FLIGHT)
        add_table_rows<N_ROWS_IN_FLIGHT>(&sum, g, indices + i, column);
    for (; i < g.pooling; i++)
        add_table_rows<1>(&sum, g, indices + i, column);
    g.out[thread] = sum;
}

class LookupWork : public Work
{
  public:
    LookupWork(GpuContext &gpu, const WorkRequest &request);
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;

  private:
    void check_set(uint64_t set);
    uint64_t operand_stream_of_indices(uint64_t set) const;

    GpuContext &gpu;
    MeasureCase c;
    uint32_t n_samples;
    uint64_t n_indices, n_out, n_sets, seed;
    float *table;
    uint32_t *indices;
    float *out;
};

uint64_t LookupWork::operand_stream_of_indices(uint64_t set) const
{
    return random_stream_id_of_operand(seed + set, "lookup.indices");
}

/* A set consists of the table rows that a launch touches, each counted as often
 * as it is read, and of the result. */
LookupWork::LookupWork(GpuContext &l, const WorkRequest &request)
    : gpu(l), c(request.c), n_samples(request.is_real ? 512 : ALL_SAMPLES),
      n_indices(c.batch * c.pooling), n_out(c.batch * c.dim), seed(request.seed)
{
    uint64_t touched_bytes =
        n_indices * c.dim * sizeof(float) + n_out * sizeof(float);

    table = gpu.buffer_of<float>(c.rows * c.dim);
    n_sets = gpu.sets_that_fit(touched_bytes, request.is_real);
    indices = gpu.buffer_of<uint32_t>(n_sets * n_indices);
    out = gpu.buffer_of<float>(n_sets * n_out);
    rotated_bytes = n_sets * touched_bytes;
    fill_values(gpu, table, c.rows * c.dim, DTYPE_FP32,
                random_stream_id_of_operand(seed, "lookup.table"));
    for (uint64_t set = 0; set < n_sets; set++)
        fill_lookup_indices(gpu, indices + set * n_indices, n_indices, c.rows,
                            operand_stream_of_indices(set));
}

void LookupWork::launch(cudaStream_t stream, uint64_t turn)
{
    uint64_t set = turn % n_sets;
    uint64_t n_threads = n_out / 4;
    LookupArguments g = { (const float4 *)table,
                          indices + set * n_indices,
                          (float4 *)(out + set * n_out),
                          c.batch,
                          c.dim / 4,
                          c.pooling };

    ::launch(lookup_kernel, (n_threads + N_THREADS - 1) / N_THREADS, N_THREADS,
             0, stream, g);
}

void LookupWork::check_set(uint64_t set)
{
    float *result = out + set * n_out;

    fill_buffer_with_poison(gpu, result, n_out * sizeof(float));
    launch(gpu.main, set);
    check_result(gpu, { result, n_out, DTYPE_FP32, n_samples },
                 [&](uint64_t element) {
                     return expect_lookup_element(
                         random_stream_id_of_operand(seed, "lookup.table"),
                         operand_stream_of_indices(set),
                         element / c.dim * c.pooling, &c, element % c.dim);
                 });
}

void LookupWork::check()
{
    check_set(0);
    check_set(n_sets - 1);
}

std::unique_ptr<Work> make_lookup(GpuContext &gpu, const WorkRequest &request)
{
    return std::unique_ptr<Work>(new LookupWork(gpu, request));
}
