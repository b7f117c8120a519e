/*
 * partner_window.cuh - opens and closes the window in which a partner is
 * measured
 *
 * The stream of the compute kernels executes: wait until the blocks of the
 * partner run, stamp, compute kernels, stamp.  A stamp contains the time and
 * the bytes that the partner has processed by then.  The second stamp sets the
 * stop word of the partner.
 *
 * Units    nanoseconds of the global timer; bytes of each array
 */
#ifndef VALIDATE_GPU_KERNELS_WINDOW_CUH
#define VALIDATE_GPU_KERNELS_WINDOW_CUH

#include "validate/gpu/kernels/ptx.cuh"

#define MAX_RESIDENT 256 /* maximum number of blocks, and of SMs */
/* Time after which every kernel that waits or runs without end gives up. */
#define TIMEOUT_NS UINT64_C(2000000000)

/* The counter of one block, in a separate cache line. */
struct __align__(128) Counter
{
    /* bytes of each array that are processed so far */
    unsigned long long bytes;
};

/* The time and the counters when the window opened or closed. */
struct Stamp {
    uint64_t ns, bytes;
};

/* The state of a window in device memory, cleared before each window. */
struct Control {
    uint32_t n_started, stop, timed_out, wait_timed_out;
    Stamp stamps[2];
    uint32_t sm_of_block[MAX_RESIDENT];
    /* flag per SM: probe_kernel() ran on it */
    uint32_t probe_seen[MAX_RESIDENT];
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

/* Stores the time and the sum of the counters of all blocks.  Runs in one warp.
 * The second stamp also stops the blocks. */
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

/* Marks the SM on which the block runs.  The block then stays for 50 us, so
 * that all blocks of the launch run simultaneously and fill every free
 * place. */
static __global__ void probe_kernel(Control *control)
{
    uint64_t begin_ns = global_timer_ns();

    if (threadIdx.x == 0 && sm_id() < MAX_RESIDENT)
        atomicExch(&control->probe_seen[sm_id()], 1u);
    while (global_timer_ns() - begin_ns < 50000)
        nap(500);
}

#endif
