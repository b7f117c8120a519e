/*
 * read_write_slices.cu - reads alone and writes alone, as a copy does both
 *
 * The kernels are persistent, with one block on each of n SMs, and divide the
 * data into slices as reduce.cu does.
 *
 *   read-slices   has as many loads in flight as a copy, and combines all words
 *                 in a register of each thread, which it stores at the end: 4
 *                 bytes per thread
 *   write-slices  stores generated numbers
 */
#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/persistent_blocks.cuh"
#include "validate/gpu/kernels/prepared_case.cuh"
#include "validate/gpu/kernels/vector_loads.cuh"
#include "validate/gpu/measure/check_kernel_results.cuh"

/* Loads and stores of 16 bytes of a thread in each round. */
#define N_LOADS 8
/* Samples of the result of a read.  A sample takes the CPU a hash for each
 * element that the thread has read.  The first 128 are at both ends. */
#define READ_SAMPLES 192

/* Returns a number in [1, 2) that depends on all mantissas that a thread has
 * read.  The exclusive or is exact in any order. */
static inline MEASURE_HD uint32_t number_of_combined_words(uint32_t combined)
{
    return (combined & UINT32_C(0x7fffff)) | UINT32_C(0x3f800000);
}

static __global__ void __launch_bounds__(1024, 1)
    read_slices_kernel(const uint4 *__restrict__ in, uint32_t *__restrict__ out,
                       uint64_t n_vectors, uint16_t *sms)
{
    Walk walk = slice_walk_of_thread(n_vectors, place_of_thread(), N_LOADS);
    uint32_t combined = 0;

    record_sm(sms);
    for (; strided_walk_has_next(&walk, N_LOADS); strided_walk_advance(&walk)) {
        uint4 v[N_LOADS];

#pragma unroll
        for (int i = 0; i < N_LOADS; i++)
            v[i] = BypassL1::load(in + walk.at + i * walk.step);
#pragma unroll
        for (int i = 0; i < N_LOADS; i++)
            combined ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
    }
#pragma unroll
    for (int i = 0; i < N_LOADS; i++)
        if (walk.at + i * walk.step < walk.end) {
            uint4 v = BypassL1::load(in + walk.at + i * walk.step);

            combined ^= v.x ^ v.y ^ v.z ^ v.w;
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        number_of_combined_words(combined);
}

static __device__ __forceinline__ void write_vector(uint4 *out, uint64_t at)
{
    uint32_t element = (uint32_t)at * 4;

    out[at] = make_uint4(value_after_kernel_write(element),
                         value_after_kernel_write(element + 1),
                         value_after_kernel_write(element + 2),
                         value_after_kernel_write(element + 3));
}

static __global__ void __launch_bounds__(1024, 1)
    write_slices_kernel(uint4 *__restrict__ out, uint64_t n_vectors,
                        uint16_t *sms)
{
    Walk walk = slice_walk_of_thread(n_vectors, place_of_thread(), N_LOADS);

    record_sm(sms);
    for (; strided_walk_has_next(&walk, N_LOADS); strided_walk_advance(&walk))
#pragma unroll
        for (int i = 0; i < N_LOADS; i++)
            write_vector(out, walk.at + i * walk.step);
#pragma unroll
    for (int i = 0; i < N_LOADS; i++)
        if (walk.at + i * walk.step < walk.end)
            write_vector(out, walk.at + i * walk.step);
}

class SliceWork : public Work
{
  public:
    SliceWork(GpuContext &gpu, const WorkRequest &request);
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;
    SmSet sms() override;

  private:
    Expected expect(uint64_t set, uint64_t element) const;
    void check_set(uint64_t set);

    GpuContext &gpu;
    MeasureCase c;
    bool is_read;
    uint32_t n_samples;
    uint64_t n_vectors, out_elements;
    size_t shared_bytes;
    SmRecord record;
    uint64_t n_sets, stream_of_values;
    char *in = nullptr, *out = nullptr;
};

SliceWork::SliceWork(GpuContext &l, const WorkRequest &request)
    : gpu(l), c(request.c), is_read(c.kernel == KERNEL_READ_SLICES),
      n_samples(!request.is_real ? ALL_SAMPLES
                : is_read        ? READ_SAMPLES
                                 : 2048),
      n_vectors(c.bytes / sizeof(uint4)),
      out_elements(is_read ? (uint64_t)c.n_sms * c.n_threads : n_vectors * 4),
      shared_bytes(is_read ? shared_memory(l, read_slices_kernel, c.shared)
                           : shared_memory(l, write_slices_kernel, c.shared)),
      record(l, c.n_sms), stream_of_values(random_stream_id_of_operand(
                              request.seed, "slices.operands"))
{
    uint64_t set_bytes =
        (is_read ? c.bytes : 0) + out_elements * sizeof(uint32_t);

    if (c.n_loads != N_LOADS || c.loads != LOADS_NO_ALLOCATE)
        throw Failure("no read or write of these loads is compiled");
    n_sets = gpu.sets_that_fit(set_bytes, request.is_real);
    rotated_bytes = n_sets * set_bytes;
    out = gpu.buffer_of<char>(n_sets * out_elements * sizeof(uint32_t));
    if (!is_read)
        return;
    in = gpu.buffer_of<char>(n_sets * c.bytes);
    fill_values(gpu, in, n_sets * n_vectors * 4, DTYPE_FP32, stream_of_values);
}

void SliceWork::launch(cudaStream_t stream, uint64_t turn)
{
    uint64_t set = turn % n_sets;
    char *to = out + set * out_elements * sizeof(uint32_t);

    if (is_read)
        ::launch(read_slices_kernel, c.n_sms, c.n_threads, shared_bytes, stream,
                 (const uint4 *)(in + set * c.bytes), (uint32_t *)to, n_vectors,
                 record.at);
    else
        ::launch(write_slices_kernel, c.n_sms, c.n_threads, shared_bytes,
                 stream, (uint4 *)to, n_vectors, record.at);
}

/* Returns the expected value of @element.  That of a read is the number of one
 * thread, whose walk the CPU repeats. */
Expected SliceWork::expect(uint64_t set, uint64_t element) const
{
    uint64_t first = set * n_vectors * 4;
    uint32_t block = (uint32_t)(element / c.n_threads), combined = 0;
    uint32_t thread = (uint32_t)(element % c.n_threads);
    Walk walk;

    if (!is_read)
        return { double_from_fp32_bits(
                     value_after_kernel_write((uint32_t)element)),
                 0 };
    walk = slice_walk_of_thread(n_vectors,
                                { c.n_sms, block, c.n_threads, thread }, 1);
    for (; walk.at < walk.end; strided_walk_advance(&walk))
        for (uint64_t i = 0; i < 4; i++)
            combined ^= fp32_bits_at(stream_of_values, first + 4 * walk.at + i);
    return { double_from_fp32_bits(number_of_combined_words(combined)), 0 };
}

void SliceWork::check_set(uint64_t set)
{
    char *result = out + set * out_elements * sizeof(uint32_t);

    fill_buffer_with_poison(gpu, result, out_elements * sizeof(uint32_t));
    launch(gpu.main, set);
    check_result(gpu, { result, out_elements, DTYPE_FP32, n_samples },
                 [&](uint64_t element) { return expect(set, element); });
}

void SliceWork::check()
{
    check_set(0);
    check_set(n_sets - 1);
}

SmSet SliceWork::sms()
{
    return record.read();
}

std::unique_ptr<Work> make_slices(GpuContext &gpu, const WorkRequest &request)
{
    return std::unique_ptr<Work>(new SliceWork(gpu, request));
}
