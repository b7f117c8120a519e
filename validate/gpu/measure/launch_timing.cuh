/*
 * launch_timing.cuh - measures the time of launches, and the SM clock
 *
 * Device events enclose launches that are all enqueued before the first of them
 * begins: a gate kernel holds the stream until then.  Short kernels are
 * launched back to back, and the time is divided by their number; the launch of
 * one then overlaps with the execution of the previous one.  An untimed launch
 * precedes them, so that the first timed launch finds the SMs in the same state
 * as the others.
 *
 * Units    microseconds
 */
#ifndef VALIDATE_GPU_LAB_TIMING_CUH
#define VALIDATE_GPU_LAB_TIMING_CUH

#include <vector>

#include "validate/gpu/kernels/prepared_case.cuh"

/* A repetition of kernels shorter than SHORT_US takes at least BATCH_US, unless
 * it would need more than MAX_BATCH launches. */
#define SHORT_US  50.0
#define BATCH_US  200.0
#define MAX_BATCH 500

/* Holds @stream for @hold_us after all earlier work in it is done. */
void hold_stream(cudaStream_t stream, double hold_us);

/* Returns how long the host needs to enqueue @n launches, with a reserve.  The
 * launches are enqueued and complete before the function returns. */
double measure_enqueue_time_us(GpuContext &gpu, Work &work, uint64_t n);

/* Returns the approximate time of one launch, from a few launches after an
 * untimed one. */
double measure_rough_time_us(GpuContext &gpu, Work &work);

struct Times {
    std::vector<double> us; /* time of one kernel in each repetition */
    uint64_t batch_launches;
};

/* Times @work.  Throws Failure if @repetitions would take longer than
 * @cap_s. */
Times time_work(GpuContext &gpu, Work &work, uint32_t repetitions,
                double cap_s);

/* Returns the SM clock in MHz: the cycles that one thread counts in @wait_us.
 * The call follows a load directly, so it shows the clock under that load.
 * Buffers are not touched. */
#define CLOCK_US 500.0
double measure_sm_clock_mhz(GpuContext &gpu, double wait_us);

/* Keeps the GPU busy until it has left its idle clock. */
void wake_gpu(GpuContext &gpu);

#endif
