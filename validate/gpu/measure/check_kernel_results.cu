/*
 * check_kernel_results.cu - fills buffers with random operands, and compares
 * results with the CPU
 */
#include "validate/gpu/measure/check_kernel_results.cuh"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "validate/gpu/host/work_split.h"
#include "validate/gpu/kernels/kernel_launch.cuh"

#define N_THREADS    256
#define END_ELEMENTS 64

/* ---- filling of buffers with random operands ----------------------------- */

static uint64_t n_blocks_for(uint64_t n)
{
    return (n + N_THREADS - 1) / N_THREADS;
}

/* Returns one 32-bit word: one value of 32 bits, or two values of 16 bits with
 * the earlier one in the lower half. */
template <Dtype DTYPE>
static __device__ uint32_t random_word(uint64_t stream, uint64_t word)
{
    if (DTYPE == DTYPE_FP16)
        return fp16_bits_at(stream, 2 * word) |
               fp16_bits_at(stream, 2 * word + 1) << 16;
    if (DTYPE == DTYPE_BF16)
        return bf16_bits_at(stream, 2 * word) |
               bf16_bits_at(stream, 2 * word + 1) << 16;
    return fp32_bits_at(stream, word);
}

template <Dtype DTYPE>
static __global__ void fill_kernel(uint4 *to, uint64_t n_vectors,
                                   uint64_t stream)
{
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;

    if (i < n_vectors)
        to[i] = make_uint4(random_word<DTYPE>(stream, 4 * i),
                           random_word<DTYPE>(stream, 4 * i + 1),
                           random_word<DTYPE>(stream, 4 * i + 2),
                           random_word<DTYPE>(stream, 4 * i + 3));
}

static __global__ void fill_indices_kernel(uint32_t *to, uint64_t n,
                                           uint64_t n_rows, uint64_t stream)
{
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = random_index_at(stream, i, n_rows);
}

void fill_values(GpuContext &gpu, void *to, uint64_t n_elements, Dtype dtype,
                 uint64_t stream)
{
    uint64_t n_vectors = (n_elements * dtype_bytes(dtype) + 15) / 16;
    auto kernel = dtype == DTYPE_FP16   ? fill_kernel<DTYPE_FP16>
                  : dtype == DTYPE_BF16 ? fill_kernel<DTYPE_BF16>
                                        : fill_kernel<DTYPE_FP32>;

    launch(kernel, n_blocks_for(n_vectors), N_THREADS, 0, gpu.main, (uint4 *)to,
           n_vectors, stream);
}

void fill_lookup_indices(GpuContext &gpu, uint32_t *to, uint64_t n_elements,
                         uint64_t n_rows, uint64_t stream)
{
    launch(fill_indices_kernel, n_blocks_for(n_elements), N_THREADS, 0,
           gpu.main, to, n_elements, n_rows, stream);
}

void fill_buffer_with_poison(GpuContext &gpu, void *what, uint64_t n_bytes)
{
    CHECKED(cudaMemsetAsync(what, 0xff, n_bytes, gpu.main));
}

/* ---- poison values: is every element written? ---------------------------- */

struct PoisonCount {
    unsigned long long n, first;
};

template <typename Word>
static __global__ void count_poison_kernel(const Word *at, uint64_t n,
                                           PoisonCount *count)
{
    uint64_t step = gridDim.x * (uint64_t)blockDim.x;
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;

    for (; i < n; i += step)
        if (at[i] == (Word)~UINT32_C(0)) {
            atomicAdd(&count->n, 1ull);
            atomicMin(&count->first, (unsigned long long)i);
        }
}

template <typename Word>
static __global__ void gather_elements_kernel(const Word *at,
                                              const uint64_t *elements,
                                              uint32_t n, uint32_t *to)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = at[elements[i]];
}

/* Small device memory for counters and samples, separate from the buffers of
 * the case. */
template <typename T> class Scratch
{
  public:
    explicit Scratch(uint64_t n) : n_bytes(n * sizeof(T))
    {
        CHECKED(cudaMalloc((void **)&at, n_bytes));
    }
    ~Scratch()
    {
        (void)cudaFree(at);
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    void put(GpuContext &gpu, const T *from)
    {
        CHECKED(cudaMemcpyAsync(at, from, n_bytes, cudaMemcpyHostToDevice,
                                gpu.main));
    }
    void get(GpuContext &gpu, T *to)
    {
        CHECKED(
            cudaMemcpyAsync(to, at, n_bytes, cudaMemcpyDeviceToHost, gpu.main));
        gpu.sync();
    }
    T *at = nullptr;

  private:
    uint64_t n_bytes;
};

static PoisonCount count_poisoned_elements(GpuContext &gpu, const void *at,
                                           uint64_t n, uint32_t element_bytes)
{
    PoisonCount count = { 0, ~0ull };
    Scratch<PoisonCount> scratch(1);
    uint64_t n_blocks =
        std::min(n_blocks_for(n), UINT64_C(8) * gpu.facts.n_sms);

    scratch.put(gpu, &count);
    if (element_bytes == 2)
        launch(count_poison_kernel<uint16_t>, n_blocks, N_THREADS, 0, gpu.main,
               (const uint16_t *)at, n, scratch.at);
    else
        launch(count_poison_kernel<uint32_t>, n_blocks, N_THREADS, 0, gpu.main,
               (const uint32_t *)at, n, scratch.at);
    scratch.get(gpu, &count);
    return count;
}

uint64_t count_poisoned_words(GpuContext &gpu, const void *at, uint64_t n_words)
{
    return count_poisoned_elements(gpu, at, n_words, 4).n;
}

/* ---- comparison of sampled elements with the CPU ------------------------- */

static void compare_element(uint64_t element, double got, Expected expected)
{
    char text[160];

    if (result_matches_expected_value(expected, got))
        return;
    (void)snprintf(text, sizeof text,
                   "wrong result at element %llu: got %.9g, expected %.9g "
                   "within %.3g",
                   (unsigned long long)element, got, expected.value,
                   expected.tolerance);
    throw Failure(text);
}

/* Returns all elements if there are at most @n_samples.  Otherwise returns
 * elements at both ends and random ones between them. */
static std::vector<uint64_t> choose_sampled_elements(uint64_t n,
                                                     uint32_t n_samples)
{
    std::vector<uint64_t> elements;

    if (n <= n_samples) {
        for (uint64_t i = 0; i < n; i++)
            elements.push_back(i);
        return elements;
    }
    for (uint64_t i = 0; i < std::min<uint64_t>(END_ELEMENTS, n / 2); i++) {
        elements.push_back(i);
        elements.push_back(n - 1 - i);
    }
    while (elements.size() < n_samples)
        elements.push_back(random_hash_at_index(n, elements.size()) % n);
    return elements;
}

void check_result(GpuContext &gpu, const Result &result,
                  const Reference &reference)
{
    uint32_t n_bytes = dtype_bytes(result.dtype);
    PoisonCount count =
        count_poisoned_elements(gpu, result.at, result.n_elements, n_bytes);
    std::vector<uint64_t> elements =
        choose_sampled_elements(result.n_elements, result.n_samples);
    uint32_t n = (uint32_t)elements.size();
    std::vector<uint32_t> got(n);
    Scratch<uint64_t> places(n);
    Scratch<uint32_t> samples(n);

    if (count.n > 0)
        throw Failure(std::to_string(count.n) +
                      " elements were not written, the first is " +
                      std::to_string(count.first));
    places.put(gpu, elements.data());
    if (n_bytes == 2)
        launch(gather_elements_kernel<uint16_t>, n_blocks_for(n), N_THREADS, 0,
               gpu.main, (const uint16_t *)result.at, places.at, n, samples.at);
    else
        launch(gather_elements_kernel<uint32_t>, n_blocks_for(n), N_THREADS, 0,
               gpu.main, (const uint32_t *)result.at, places.at, n, samples.at);
    samples.get(gpu, got.data());
    for (uint32_t i = 0; i < n; i++)
        compare_element(elements[i], decode_value(got[i], result.dtype),
                        reference(elements[i]));
}

void check_host_result(const void *at, uint64_t n_elements, uint32_t n_samples,
                       const Reference &reference)
{
    for (uint64_t i : choose_sampled_elements(n_elements, n_samples)) {
        uint32_t bits;

        memcpy(&bits, (const char *)at + i * sizeof bits, sizeof bits);
        compare_element(i, double_from_fp32_bits(bits), reference(i));
    }
}
