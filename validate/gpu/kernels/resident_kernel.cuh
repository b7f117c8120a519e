/*
 * resident_kernel.cuh - kernels that run until they receive a stop word
 *
 * If a block must have an SM for itself, it requests all shared memory of the
 * SM. The driver reserves some shared memory for every block, so no other block
 * fits, not even one without shared memory.  The probe kernel verifies that on
 * the GPU before anything is timed.
 *
 * No kernel can wait forever.  Resident blocks and the kernels that wait for
 * them stop after TIMEOUT_NS on the global timer and set a flag in Control. The
 * kernels that open and close the window need a few threads of an SM that the
 * partner leaves free, which tensor_group_plan.c guarantees.
 */
#ifndef VALIDATE_GPU_KERNELS_RESIDENT_KERNEL_CUH
#define VALIDATE_GPU_KERNELS_RESIDENT_KERNEL_CUH

#include "validate/gpu/host/work_split.h"
#include "validate/gpu/kernels/partner_window.cuh"
#include "validate/gpu/kernels/ptx.cuh"
#include "validate/gpu/kernels/reduce.cuh"

/* Maximum number of threads per block.  With more threads, a thread would have
 * fewer than 56 registers and fewer than eight loads in flight. */
#define RESIDENT_THREADS 512
/* Bytes of each array that a warp processes between two polls of the stop word.
 * The warp then also adds them to its counter. */
#define GROUP_BYTES 16384
/* Groups between two reads of the timer, which is slow to read. */
#define TIMER_GROUPS 64

struct ResidentArguments {
    const uint4 *in;
    uint4 *out;
    uint64_t way_vectors;
    uint32_t n_chunks; /* at least as many as there are warps */
    uint32_t first_chunk;
    Control *control;
};

static __device__ __forceinline__ void resident_started(Control *control)
{
    if (threadIdx.x == 0) {
        control->sm_of_block[blockIdx.x] = sm_id();
        __threadfence();
        atomicAdd(&control->n_started, 1u);
    }
}

/* Reads the stop word before a group of chunks and tests it after the group, so
 * that no thread waits for it.  The warps are not synchronised: at a barrier,
 * the loads in flight would run out. */
template <int WAYS>
static __global__ void __launch_bounds__(RESIDENT_THREADS, 1)
    resident_kernel(ResidentArguments g)
{
    constexpr int UNROLL = 8 / WAYS;
    constexpr uint32_t CHUNK_VECTORS = 32 * UNROLL;
    constexpr uint32_t GROUP = GROUP_BYTES / (CHUNK_VECTORS * sizeof(uint4));
    uint32_t n_warps = gridDim.x * (blockDim.x / 32);
    uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    uint32_t chunk = next_chunk_of_warp(g.first_chunk, warp, g.n_chunks);
    uint32_t lane = threadIdx.x % 32, stop = 0;
    uint64_t begin_ns = global_timer_ns();

    resident_started(g.control);
    for (uint32_t group = 1; !stop; group++) {
        stop = load_shared_word(&g.control->stop);
#pragma unroll 1
        for (uint32_t i = 0; i < GROUP; i++) {
            reduce_vectors<Fp32, WAYS, UNROLL, BypassL1>(
                g.in, g.way_vectors, g.out,
                (uint64_t)chunk * CHUNK_VECTORS + lane, 32);
            chunk = next_chunk_of_warp(chunk, n_warps, g.n_chunks);
        }
        if (lane == 0)
            atomicAdd(&g.control->counters[blockIdx.x].bytes,
                      (unsigned long long)GROUP_BYTES);
        if (group % TIMER_GROUPS == 0 &&
            global_timer_ns() - begin_ns > TIMEOUT_NS) {
            atomicExch(&g.control->timed_out, 1u);
            break;
        }
    }
}

/* Occupies its SMs and does not access memory except to poll the stop word. */
static __global__ void idle_kernel(Control *control)
{
    uint64_t begin_ns = global_timer_ns();

    resident_started(control);
    while (!load_shared_word(&control->stop)) {
        nap(2000);
        if (global_timer_ns() - begin_ns > TIMEOUT_NS) {
            atomicExch(&control->timed_out, 1u);
            break;
        }
    }
}

#endif
