/* prepared_case.cu - the table of kernels and the files that implement them */
#include "validate/gpu/kernels/prepared_case.cuh"

typedef std::unique_ptr<Work> (*Maker)(GpuContext &gpu,
                                       const WorkRequest &request);

static const struct {
    Kernel kernel;
    Maker make;
} makers[] = {
    { KERNEL_EMPTY_ENQUEUED, make_empty },
    { KERNEL_EMPTY_QUEUED, make_empty },
    { KERNEL_EMPTY_SINGLE, make_empty },
    { KERNEL_EMPTY_GRAPH, make_empty },
    { KERNEL_REDUCE, make_reduce },
    { KERNEL_COPY, make_reduce },
    { KERNEL_REDUCE_TILES, make_reduce },
    { KERNEL_COPY_TILES, make_reduce },
    { KERNEL_READ_SLICES, make_slices },
    { KERNEL_WRITE_SLICES, make_slices },
    { KERNEL_FMA, make_stream },
    { KERNEL_READ, make_stream },
    { KERNEL_WRITE, make_stream },
    { KERNEL_MIX, make_stream },
    { KERNEL_GEMM_OWN, make_gemm },
    { KERNEL_GEMM_CUBLAS, make_gemm },
    { KERNEL_GEMM_CUBLAS_LIMITED, make_gemm },
    { KERNEL_LOOKUP, make_lookup },
    { KERNEL_MEMCPY_D2H, make_engine },
    { KERNEL_MEMCPY_H2D, make_engine },
    { KERNEL_MEMCPY_D2D, make_engine },
    { KERNEL_BATCH_D2H, make_engine },
    { KERNEL_BATCH_H2D, make_engine },
    { KERNEL_BATCH_D2D, make_engine },
    { KERNEL_MEMSET, make_engine },
};

std::unique_ptr<Work> make_work(GpuContext &gpu, const WorkRequest &request)
{
    for (const auto &maker : makers)
        if (maker.kernel == request.c.kernel)
            return maker.make(gpu, request);
    throw Failure(std::string("no kernel is called ") +
                  kernel_name(request.c.kernel));
}

void check_reduced_case(GpuContext &gpu, const MeasureCase &c, uint64_t seed)
{
    gpu.clear();
    make_work(gpu, { case_reduced_for_check(&c), seed + 1, false })->check();
    gpu.clear();
}

std::unique_ptr<Work> make_checked_work(GpuContext &gpu, const MeasureCase &c,
                                        uint64_t seed)
{
    std::unique_ptr<Work> work;

    check_reduced_case(gpu, c, seed);
    work = make_work(gpu, { c, seed, true });
    work->check();
    return work;
}
