/*
 * resident_kernel.cuh - kernels that run until they are told to stop
 *
 * Where a block is to have an SM for itself, it asks for all of the SM's shared
 * memory, and the driver sets some aside for every block, so that no other
 * block fits beside it, not even one without shared memory.  (The probe shows
 * it on the GPU at hand before anything is timed.)
 *
 * None of this can wait for ever.  Resident blocks stop by themselves after
 * TIMEOUT_NS on the global timer, and so does what waits for them; both
 * leave a mark in Control.  What opens and closes the window needs a few
 * threads of an SM that the partner left free; plan.c sees to that.
 */
#ifndef VALIDATE_GPU_KERNELS_RESIDENT_KERNEL_CUH
#define VALIDATE_GPU_KERNELS_RESIDENT_KERNEL_CUH

#include "validate/gpu/host/split.h"
#include "validate/gpu/kernels/ptx.cuh"
#include "validate/gpu/kernels/reduce.cuh"
#include "validate/gpu/kernels/window.cuh"

/* At most.  With fewer registers than 56 a thread has fewer than eight loads
 * in flight. */
#define RESIDENT_THREADS 512
/* Chunks between looks at the stop word and additions to the counter: a warp
 * counts every 16 KiB of each array. */
#define GROUP_BYTES 16384
/* Looks between two at the timer, which is slow to read. */
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

/* The stop word is asked for before a group of chunks and looked at after it,
 * so that nothing waits for it.  Warps go on their own: a barrier would let
 * the loads in flight run dry. */
template <int WAYS>
static __global__ void __launch_bounds__(RESIDENT_THREADS, 1)
    resident_kernel(ResidentArguments g)
{
    constexpr int UNROLL = 8 / WAYS;
    constexpr uint32_t CHUNK_VECTORS = 32 * UNROLL;
    constexpr uint32_t GROUP = GROUP_BYTES / (CHUNK_VECTORS * sizeof(uint4));
    uint32_t n_warps = gridDim.x * (blockDim.x / 32);
    uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    uint32_t chunk = chunk_after(g.first_chunk, warp, g.n_chunks);
    uint32_t lane = threadIdx.x % 32, stop = 0;
    uint64_t begin_ns = global_timer_ns();

    resident_started(g.control);
    for (uint32_t group = 1; !stop; group++) {
        stop = load_shared_word(&g.control->stop);
#pragma unroll 1
        for (uint32_t i = 0; i < GROUP; i++) {
            reduce_vectors<Fp32, WAYS, UNROLL, PastL1>(
                g.in, g.way_vectors, g.out,
                (uint64_t)chunk * CHUNK_VECTORS + lane, 32);
            chunk = chunk_after(chunk, n_warps, g.n_chunks);
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

/* Holds its SMs and leaves the memory alone. */
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
