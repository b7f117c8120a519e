/*
 * window.cuh - opens and closes the time in which a partner is watched
 *
 * In the compute kernels' stream: wait until the partner's blocks run, stamp,
 * the compute kernels, stamp.  A stamp holds the time and the bytes that the
 * partner had done by then; the second one tells the partner to stop.
 *
 * Units    nanoseconds of the global timer; bytes of each array
 */
#ifndef VALIDATE_GPU_KERNELS_WINDOW_CUH
#define VALIDATE_GPU_KERNELS_WINDOW_CUH

#include "validate/gpu/kernels/ptx.cuh"

#define MAX_RESIDENT 256 /* blocks, and SMs of a GPU */
/* After this all that waits or runs without end gives up. */
#define TIMEOUT_NS UINT64_C(2000000000)

/* A block's own, in a cache line of its own. */
struct __align__(128) Counter
{
    unsigned long long bytes; /* of each array, done so far */
};

/* What Control held when the window opened, or closed. */
struct Stamp {
    uint64_t ns, bytes;
};

/* In device memory, cleared before each window. */
struct Control {
    uint32_t n_started, stop, timed_out, wait_timed_out;
    Stamp stamps[2];
    uint32_t sm_of_block[MAX_RESIDENT];
    uint32_t probe_seen[MAX_RESIDENT]; /* by SM */
    Counter counters[MAX_RESIDENT];
};

/* Holds its stream until @n_started blocks run and @hold_ns have passed. */
static __global__ void wait_kernel(Control *control, uint32_t n_started,
                                   uint64_t hold_ns)
{
    uint64_t begin_ns = global_timer_ns(), waited_ns = 0;

    while (waited_ns < hold_ns ||
           load_shared_word(&control->n_started) < n_started) {
        nap(500);
        waited_ns = global_timer_ns() - begin_ns;
        if (waited_ns > hold_ns + TIMEOUT_NS) {
            atomicExch(&control->wait_timed_out, 1u);
            break;
        }
    }
}

/* One warp: the time, and what all blocks have done by then.  The second
 * stamp stops them. */
static __global__ void stamp_kernel(Control *control, uint32_t n_blocks,
                                    uint32_t which)
{
    uint64_t bytes = 0;

    for (uint32_t i = threadIdx.x; i < n_blocks; i += 32)
        bytes +=
            load_shared_long((const uint64_t *)&control->counters[i].bytes);
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        bytes += __shfl_down_sync(0xffffffffu, bytes, step);
    if (threadIdx.x != 0)
        return;
    control->stamps[which].ns = global_timer_ns();
    control->stamps[which].bytes = bytes;
    if (which == 1)
        atomicExch(&control->stop, 1u);
}

/* Marks the SM it runs on, and stays for a while, so that all blocks of a
 * launch are there at once and take every place there is. */
static __global__ void probe_kernel(Control *control)
{
    uint64_t begin_ns = global_timer_ns();

    if (threadIdx.x == 0 && sm_id() < MAX_RESIDENT)
        atomicExch(&control->probe_seen[sm_id()], 1u);
    while (global_timer_ns() - begin_ns < 50000)
        nap(500);
}

#endif
