/*
 * timing.cuh - how long a launch takes
 *
 * Device events around launches that were all enqueued before the first of
 * them began: a gate kernel holds the stream until then.  Short kernels are
 * launched back to back and the time is divided; the launch of one then
 * overlaps the run of the one before.  A launch that is not timed goes
 * before, so that the first timed one finds the SMs as its followers do.
 *
 * Units    microseconds
 */
#ifndef VALIDATE_GPU_LAB_TIMING_CUH
#define VALIDATE_GPU_LAB_TIMING_CUH

#include <vector>

#include "validate/gpu/kernels/work.cuh"

/* A repetition of kernels shorter than SHORT_US lasts BATCH_US at least. */
#define SHORT_US  50.0
#define BATCH_US  200.0
#define MAX_BATCH 500

/* Holds @stream for @hold_us after all before it is done. */
void hold(cudaStream_t stream, double hold_us);

/* How long the host needs to enqueue @n launches, with some to spare; and
 * they have been waited for. */
double enqueue_time_us(Lab &lab, Work &work, uint64_t n);

/* The time of one launch, from a few of them after a first one. */
double rough_time_us(Lab &lab, Work &work);

struct Times {
    std::vector<double> us; /* of one kernel, a repetition each */
    uint64_t batch_launches;
};

/* Throws Failure when @repetitions would take longer than @cap_s. */
Times time_work(Lab &lab, Work &work, uint32_t repetitions, double cap_s);

/* The SM clock in MHz, counted while one thread runs for @wait_us: what a load
 * before it has left.  Buffers are not touched. */
#define CLOCK_US 500.0
double measure_sm_clock_mhz(Lab &lab, double wait_us);

/* Keeps the GPU busy until it has left its idle clock. */
void wake(Lab &lab);

#endif
