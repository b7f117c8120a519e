/*
 * driver_copies.cu - copies by the driver: from and to pinned host memory, and
 * within the device
 *
 * Copies to and from the host run on a copy engine.  For copies within the
 * device, the driver may use a kernel instead.  Batch copies carry a flag that
 * prefers overlap with compute, which requests the copy engine.
 */
#include "validate/gpu/measure/driver_copies.cuh"

#include <algorithm>

#include "validate/gpu/kernels/prepared_case.cuh"
#include "validate/gpu/measure/check_kernel_results.cuh"

#define MEMSET_BYTE 0x5a
#define MEMSET_BITS UINT32_C(0x5a5a5a5a)

/* Enqueues one copy as a batch.  The parameters of the function differ: up to
 * CUDA 12.9 it has one more, which returns the copy that failed. */
static void copy_in_batch(void *to, const void *from, size_t n_bytes,
                          cudaStream_t stream)
{
#if CUDART_VERSION >= 12080
    cudaMemcpyAttributes attributes = {};
    size_t first = 0;

    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    attributes.flags = cudaMemcpyFlagPreferOverlapWithCompute;
#if CUDART_VERSION >= 13000
    CHECKED(cudaMemcpyBatchAsync(&to, &from, &n_bytes, 1, &attributes, &first,
                                 1, stream));
#else
    void *source = (void *)from;
    size_t failed = 0;

    CHECKED(cudaMemcpyBatchAsync(&to, &source, &n_bytes, 1, &attributes, &first,
                                 1, &failed, stream));
#endif
#else
    (void)to;
    (void)from;
    (void)n_bytes;
    (void)stream;
    throw Skip("cudaMemcpyBatchAsync came with CUDA 12.8");
#endif
}

void engine_enqueue_copy(Kernel kernel, void *to, const void *from,
                         size_t n_bytes, cudaStream_t stream)
{
    switch (kernel) {
    case KERNEL_MEMCPY_D2H:
        CHECKED(
            cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyDeviceToHost, stream));
        break;
    case KERNEL_MEMCPY_H2D:
        CHECKED(
            cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyHostToDevice, stream));
        break;
    case KERNEL_MEMCPY_D2D:
        CHECKED(cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyDeviceToDevice,
                                stream));
        break;
    case KERNEL_MEMSET:
        CHECKED(cudaMemsetAsync(to, MEMSET_BYTE, n_bytes, stream));
        break;
    default:
        copy_in_batch(to, from, n_bytes, stream);
    }
}

class EngineWork : public Work
{
  public:
    EngineWork(GpuContext &gpu, const WorkRequest &request);
    void launch(cudaStream_t stream, uint64_t turn) override;
    void check() override;

  private:
    void fill_source();
    void check_set(uint64_t set);
    uint64_t source_set(uint64_t set) const;
    Expected expect(uint64_t set, uint64_t element) const;

    GpuContext &gpu;
    MeasureCase c;
    uint32_t n_samples;
    bool from_host, to_host;
    uint64_t n_sets, n_pinned, stream_of_values;
    char *from = nullptr, *to = nullptr;
};

static bool kernel_kind_is(Kernel kernel, const char *kind)
{
    return std::string(kernel_kind(kernel)) == kind;
}

/* Device memory holds the usual number of sets.  Host memory holds as many as
 * fit into the pinned memory. */
EngineWork::EngineWork(GpuContext &l, const WorkRequest &request)
    : gpu(l), c(request.c), n_samples(request.is_real ? 4096 : ALL_SAMPLES),
      from_host(kernel_kind_is(c.kernel, "engine-h2d")),
      to_host(kernel_kind_is(c.kernel, "engine-d2h")),
      n_pinned(l.pinned_bytes() / c.bytes),
      stream_of_values(
          random_stream_id_of_operand(request.seed, "engine.operands"))
{
    bool is_memset = c.kernel == KERNEL_MEMSET;
    uint64_t n_ends = from_host || to_host || is_memset ? 1 : 2;

    if ((from_host || to_host) && n_pinned == 0)
        throw Skip("there is too little pinned memory");
    n_sets = gpu.sets_that_fit(n_ends * c.bytes, request.is_real);
    rotated_bytes = n_sets * n_ends * c.bytes;
    from = from_host   ? gpu.pinned_source()
           : is_memset ? nullptr
                       : gpu.buffer_of<char>(n_sets * c.bytes);
    to = to_host ? gpu.pinned_target() : gpu.buffer_of<char>(n_sets * c.bytes);
    fill_source();
}

/* Random numbers for host memory are generated on the GPU because that is
 * faster.  They pass through the buffer of the target. */
void EngineWork::fill_source()
{
    uint64_t n_bytes =
        (from_host ? std::min(n_sets, n_pinned) : n_sets) * c.bytes;

    if (c.kernel == KERNEL_MEMSET)
        return;
    fill_values(gpu, from_host ? to : from, n_bytes / sizeof(float), DTYPE_FP32,
                stream_of_values);
    if (from_host)
        CHECKED(cudaMemcpyAsync(from, to, n_bytes, cudaMemcpyDeviceToHost,
                                gpu.main));
    gpu.sync();
}

uint64_t EngineWork::source_set(uint64_t set) const
{
    return from_host ? set % n_pinned : set;
}

void EngineWork::launch(cudaStream_t stream, uint64_t turn)
{
    uint64_t set = turn % n_sets;

    engine_enqueue_copy(
        c.kernel, to + (to_host ? set % n_pinned : set) * c.bytes,
        from ? from + source_set(set) * c.bytes : nullptr, c.bytes, stream);
}

Expected EngineWork::expect(uint64_t set, uint64_t element) const
{
    uint64_t first = source_set(set) * (c.bytes / sizeof(float));

    if (c.kernel == KERNEL_MEMSET)
        return { double_from_fp32_bits(MEMSET_BITS), 0 };
    return { operand_value_at(stream_of_values, first + element, DTYPE_FP32),
             0 };
}

void EngineWork::check_set(uint64_t set)
{
    uint64_t n = c.bytes / sizeof(float);
    char *result = to + (to_host ? set % n_pinned : set) * c.bytes;
    Reference reference = [&](uint64_t element) {
        return expect(set, element);
    };

    gpu.sync();
    if (to_host)
        memset(result, 0xff, c.bytes);
    else
        fill_buffer_with_poison(gpu, result, c.bytes);
    launch(gpu.main, set);
    gpu.sync();
    if (to_host)
        check_host_result(result, n, n_samples, reference);
    else
        check_result(gpu, { result, n, DTYPE_FP32, n_samples }, reference);
}

void EngineWork::check()
{
    check_set(0);
    check_set(n_sets - 1);
}

std::unique_ptr<Work> make_engine(GpuContext &gpu, const WorkRequest &request)
{
    return std::unique_ptr<Work>(new EngineWork(gpu, request));
}
