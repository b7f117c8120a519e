/*
 * lookup.cu - embedding lookup: sums the table rows of the indices of each bag
 *
 * A bag is computed by as many threads as a row has vectors of 16 bytes.  Each
 * thread keeps eight rows in flight.  Indices are uniformly random.  Launches
 * use several sets of indices in rotation, because one set may touch fewer rows
 * than the L2 cache holds.
 */
#include "validate/gpu/kernels/launch.cuh"
#include "validate/gpu/kernels/work.cuh"
#include "validate/gpu/lab/check.cuh"

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

static __device__ __forceinline__ void add_vector(float4 *sum, float4 v)
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
        add_vector(sum, rows[i]);
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
    LookupWork(Lab &lab, const WorkRequest &request);
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;

  private:
    void check_set(uint64_t set);
    uint64_t indices_stream(uint64_t set) const;

    Lab &lab;
    MeasureCase c;
    uint32_t n_samples;
    uint64_t n_indices, n_out, n_sets, seed;
    float *table;
    uint32_t *indices;
    float *out;
};

uint64_t LookupWork::indices_stream(uint64_t set) const
{
    return value_stream_id(seed + set, "lookup.indices");
}

/* A set consists of the table rows that a launch touches, each counted as often
 * as it is read, and of the result. */
LookupWork::LookupWork(Lab &l, const WorkRequest &request)
    : lab(l), c(request.c), n_samples(request.is_real ? 512 : ALL_SAMPLES),
      n_indices(c.batch * c.pooling), n_out(c.batch * c.dim), seed(request.seed)
{
    uint64_t touched_bytes =
        n_indices * c.dim * sizeof(float) + n_out * sizeof(float);

    table = lab.buffer_of<float>(c.rows * c.dim);
    n_sets = lab.sets_that_fit(touched_bytes, request.is_real);
    indices = lab.buffer_of<uint32_t>(n_sets * n_indices);
    out = lab.buffer_of<float>(n_sets * n_out);
    rotated_bytes = n_sets * touched_bytes;
    fill_values(lab, table, c.rows * c.dim, DTYPE_FP32,
                value_stream_id(seed, "lookup.table"));
    for (uint64_t set = 0; set < n_sets; set++)
        fill_indices(lab, indices + set * n_indices, n_indices, c.rows,
                     indices_stream(set));
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

    fill_with_poison(lab, result, n_out * sizeof(float));
    launch(lab.main, set);
    check_result(
        lab, { result, n_out, DTYPE_FP32, n_samples }, [&](uint64_t element) {
            return expect_lookup_element(
                value_stream_id(seed, "lookup.table"), indices_stream(set),
                element / c.dim * c.pooling, &c, element % c.dim);
        });
}

void LookupWork::check()
{
    check_set(0);
    check_set(n_sets - 1);
}

std::unique_ptr<Work> make_lookup(Lab &lab, const WorkRequest &request)
{
    return std::unique_ptr<Work>(new LookupWork(lab, request));
}
