/*
 * prepared_case.cuh - a case that is ready to run: buffers are filled, its
 * kernel is set
 *
 * Launches use several sets of buffers in rotation, so that no launch finds its
 * operands in the L2 cache.  A new kind of kernel is a subclass and a line in
 * the table of prepared_case.cu.
 *
 * Owner    buffers belong to the lab and are invalid after its clear()
 */
#ifndef VALIDATE_GPU_KERNELS_WORK_CUH
#define VALIDATE_GPU_KERNELS_WORK_CUH

#include <memory>

#include "validate/gpu/host/sm_set.h"
#include "validate/gpu/measure/gpu_context.cuh"

class Work
{
  public:
    virtual ~Work() = default;
    /* Enqueues a launch with buffer set @turn modulo the number of sets. */
    virtual void launch(cudaStream_t stream, uint64_t turn) = 0;
    /* Enqueues a launch with the set that was not used for the longest time. */
    void launch_next(cudaStream_t stream)
    {
        launch(stream, next_turn++);
    }
    /* Launches with poisoned results and compares them.  Throws Failure if they
     * differ. */
    virtual void check() = 0;
    /* Announces whether the next launches have a partner that occupies SMs. */
    virtual void expect_partner(bool has_partner)
    {
        (void)has_partner;
    }

    /* Returns the SMs on which the blocks of the latest launch ran, if the
     * kernel records them, and otherwise an empty set.  Waits for the GPU. */
    virtual SmSet sms()
    {
        return {};
    }

    uint64_t rotated_bytes = 0;
    /* Number of kernels in one launch; the result is the time of one of
     * them. */
    uint32_t n_inner = 1;
    /* Whether the start is held until all launches of a batch are enqueued.  If
     * not, the time is the time that the host needs to enqueue them. */
    bool is_held = true;
    /* Whether one launch is timed between two events, even if it is short. */
    bool is_single = false;
    /* Duration of the untimed launches.  A kernel that draws much power needs
     * longer until the clock has settled. */
    double warm_up_us = 20e3;

  private:
    uint64_t next_turn = 0;
};

/* A case and how to prepare it. */
struct WorkRequest {
    MeasureCase c;
    uint64_t seed;
    /* True: enough buffer sets to exceed the cache, and samples of the result
     * are compared.  False: two sets, and the whole result is compared. */
    bool is_real;
};

/* Prepares a case.  Throws Skip if this machine cannot run it. */
std::unique_ptr<Work> make_work(GpuContext &gpu, const WorkRequest &request);

/* Checks the whole result of the kernel on little data.  Clears the buffers of
 * the lab before and after. */
void check_reduced_case(GpuContext &gpu, const MeasureCase &c, uint64_t seed);

/* Checks the kernel on little data, then on the data of the case, and returns
 * it ready to be timed.  Clears the buffers of the lab first. */
std::unique_ptr<Work> make_checked_work(GpuContext &gpu, const MeasureCase &c,
                                        uint64_t seed);

/* One function for each file of kernels. */
std::unique_ptr<Work> make_empty(GpuContext &gpu, const WorkRequest &request);
std::unique_ptr<Work> make_reduce(GpuContext &gpu, const WorkRequest &request);
std::unique_ptr<Work> make_slices(GpuContext &gpu, const WorkRequest &request);
std::unique_ptr<Work> make_stream(GpuContext &gpu, const WorkRequest &request);
std::unique_ptr<Work> make_gemm(GpuContext &gpu, const WorkRequest &request);
std::unique_ptr<Work> make_lookup(GpuContext &gpu, const WorkRequest &request);
std::unique_ptr<Work> make_engine(GpuContext &gpu, const WorkRequest &request);

#endif
