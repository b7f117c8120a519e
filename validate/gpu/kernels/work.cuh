/*
 * work.cuh - a case made ready: its buffers filled, its kernel to be launched
 *
 * Launches take turns with sets of buffers, so that none finds its operands
 * in the L2 cache.  A new kind of kernel is a subclass and a line in
 * work.cu's table.
 *
 * Owner    buffers are the lab's, and gone when that is cleared
 */
#ifndef VALIDATE_GPU_KERNELS_WORK_CUH
#define VALIDATE_GPU_KERNELS_WORK_CUH

#include <memory>

#include "validate/gpu/lab/lab.cuh"

class Work
{
  public:
    virtual ~Work() = default;
    /* Enqueues a launch; @turn chooses its buffers. */
    virtual void launch(cudaStream_t stream, uint64_t turn) = 0;
    /* The same, with the buffers that were not used for longest. */
    void launch_next(cudaStream_t stream)
    {
        launch(stream, next_turn++);
    }
    /* Launches with poisoned results and compares them: Failure. */
    virtual void check() = 0;
    /* From now on launches have a partner that holds SMs, or none. */
    virtual void expect_partner(bool has_partner)
    {
        (void)has_partner;
    }

    uint64_t rotated_bytes = 0;
    /* Kernels in one launch, of which the time of one is wanted. */
    uint32_t n_inner = 1;
    /* Is the start held back until all launches of a batch are enqueued?  If
     * not, the time is what the host needs to enqueue. */
    bool is_held = true;
    /* One launch between two events, however short it is. */
    bool is_single = false;
    /* Launches before the first that is timed go on for so long.  What draws
     * much power takes longer to find the clock that it can hold. */
    double warm_up_us = 20e3;

  private:
    uint64_t next_turn = 0;
};

/* How a case is made ready. */
struct WorkRequest {
    MeasureCase c;
    uint64_t seed;
    /* As many buffers as it takes to exceed the cache, or just two; and
     * samples of the result are compared, or all of it. */
    bool is_real;
};

/* Throws Skip when this machine cannot do it. */
std::unique_ptr<Work> make_work(Lab &lab, const WorkRequest &request);

/* Checks the kernel on little data, all of it.  The lab's buffers are cleared
 * first, and are forgotten. */
void check_small(Lab &lab, const MeasureCase &c, uint64_t seed);

/* Checks the kernel on little data, all of it, then on the case's own, then
 * returns it ready to be timed.  The lab's buffers are cleared first. */
std::unique_ptr<Work> make_checked_work(Lab &lab, const MeasureCase &c,
                                        uint64_t seed);

/* One for each file of kernels. */
std::unique_ptr<Work> make_empty(Lab &lab, const WorkRequest &request);
std::unique_ptr<Work> make_reduce(Lab &lab, const WorkRequest &request);
std::unique_ptr<Work> make_stream(Lab &lab, const WorkRequest &request);
std::unique_ptr<Work> make_gemm(Lab &lab, const WorkRequest &request);
std::unique_ptr<Work> make_lookup(Lab &lab, const WorkRequest &request);
std::unique_ptr<Work> make_engine(Lab &lab, const WorkRequest &request);

#endif
