/*
 * gemm.cu - matrix products: a kernel with known tiles and waves, and cuBLAS,
 * which is faster and selects its tiles itself
 *
 * Optionally cuBLAS knows how many SMs a partner leaves it.
 */
#include "validate/gpu/kernels/cublas.cuh"
#include "validate/gpu/kernels/gemm_kernel.cuh"
#include "validate/gpu/kernels/prepared_case.cuh"
#include "validate/gpu/measure/check_kernel_results.cuh"

#include <vector>

class GemmWork : public Work
{
  public:
    GemmWork(GpuContext &gpu, const WorkRequest &request);
    ~GemmWork() override;
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;
    void expect_partner(bool has_partner) override;

  private:
    void check_set(uint64_t set);

    GpuContext &gpu;
    MeasureCase c;
    uint32_t n_samples;
    uint64_t seed;
    std::vector<GemmMatrices> sets;
};

/* The streams of values differ from set to set. */
static uint64_t stream_of_matrix_a(uint64_t seed, uint64_t set)
{
    return random_stream_id_of_operand(seed + set, "gemm.a");
}

static uint64_t stream_of_matrix_b(uint64_t seed, uint64_t set)
{
    return random_stream_id_of_operand(seed + set, "gemm.b");
}

GemmWork::GemmWork(GpuContext &l, const WorkRequest &request)
    : gpu(l), c(request.c), n_samples(request.is_real ? 256 : ALL_SAMPLES),
      seed(request.seed)
{
    uint64_t n_a = (uint64_t)c.m * c.k, n_b = (uint64_t)c.k * c.n;
    uint64_t n_c = (uint64_t)c.m * c.n, element = sizeof(__nv_bfloat16);
    uint64_t n_sets = gpu.sets_that_fit(GpuContext::aligned(n_a * element) +
                                            GpuContext::aligned(n_b * element) +
                                            GpuContext::aligned(n_c * element),
                                        request.is_real);

    for (uint64_t set = 0; set < n_sets; set++) {
        __nv_bfloat16 *a = gpu.buffer_of<__nv_bfloat16>(n_a);
        __nv_bfloat16 *b = gpu.buffer_of<__nv_bfloat16>(n_b);

        fill_values(gpu, a, n_a, DTYPE_BF16, stream_of_matrix_a(seed, set));
        fill_values(gpu, b, n_b, DTYPE_BF16, stream_of_matrix_b(seed, set));
        sets.push_back(
            { a, b, gpu.buffer_of<__nv_bfloat16>(n_c), c.m, c.n, c.k });
    }
    rotated_bytes = n_sets * (n_a + n_b + n_c) * element;
    warm_up_us = 100e3;
    if (c.kernel == KERNEL_GEMM_OWN)
        gemm_own_prepare();
}

/* Resets the number of SMs of cuBLAS for the next case. */
GemmWork::~GemmWork()
{
    try {
        expect_partner(false);
    } catch (const Failure &) {
        /* A destructor cannot report the error. */
    }
}

void GemmWork::expect_partner(bool has_partner)
{
    if (c.kernel == KERNEL_GEMM_CUBLAS_LIMITED)
        gpu.cublas->limit_sms(has_partner ? c.n_sms : 0);
}

/* cuBLAS always runs in the main stream.  All callers pass that stream. */
void GemmWork::launch(cudaStream_t stream, uint64_t turn)
{
    const GemmMatrices &g = sets[turn % sets.size()];

    if (c.kernel == KERNEL_GEMM_OWN)
        gemm_own_launch(g, stream);
    else
        gpu.cublas->gemm(g.a, g.b, g.c, c.m, c.n, c.k);
}

void GemmWork::check_set(uint64_t set)
{
    uint64_t n_elements = (uint64_t)c.m * c.n;

    fill_buffer_with_poison(gpu, sets[set].c,
                            n_elements * sizeof(__nv_bfloat16));
    launch(gpu.main, set);
    check_result(gpu, { sets[set].c, n_elements, DTYPE_BF16, n_samples },
                 [&](uint64_t element) {
                     return expect_gemm_element(stream_of_matrix_a(seed, set),
                                                stream_of_matrix_b(seed, set),
                                                element / c.n, element % c.n,
                                                c.n, c.k);
                 });
}

/* Runs with and without a partner, so that no kernel is loaded while a partner
 * runs. */
void GemmWork::check()
{
    expect_partner(true);
    check_set(0);
    expect_partner(false);
    check_set(sets.size() - 1);
}

std::unique_ptr<Work> make_gemm(GpuContext &gpu, const WorkRequest &request)
{
    bool is_own = request.c.kernel == KERNEL_GEMM_OWN;

    if (!is_own && !gpu.cublas)
        throw Skip(gpu.cublas_missing);
    if (is_own && !gemm_own_kernel_fits(gpu))
        throw Skip("our gemm needs compute capability 8.0 and 140 KiB of "
                   "shared memory");
    return std::unique_ptr<Work>(new GemmWork(gpu, request));
}
