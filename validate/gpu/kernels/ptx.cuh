/* ptx.cuh - instructions that CUDA C++ does not offer, as inline PTX */
#ifndef VALIDATE_GPU_KERNELS_PTX_CUH
#define VALIDATE_GPU_KERNELS_PTX_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* Returns the nanoseconds of a clock that all SMs share.  It ticks at least
 * once per microsecond. */
static __device__ __forceinline__ uint64_t global_timer_ns()
{
    uint64_t value;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
    return value;
}

static __device__ __forceinline__ uint32_t sm_id()
{
    uint32_t value;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
    return value;
}

/* Reads from the L2 cache, where writes of other SMs are visible.  The load is
 * volatile: it is issued at this place, and the thread waits only where the
 * value is used. */
static __device__ __forceinline__ uint32_t load_shared_word(const uint32_t *at)
{
    uint32_t value;

    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(at)
                 : "memory");
    return value;
}

static __device__ __forceinline__ uint64_t load_shared_long(const uint64_t *at)
{
    uint64_t value;

    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(value)
                 : "l"(at)
                 : "memory");
    return value;
}

static __device__ __forceinline__ void nap(uint32_t ns)
{
    __nanosleep(ns);
}

/* ---- asynchronous copies from global to shared memory ------------------- */

/* Copies 16 bytes, or writes 16 zeros if @is_inside is false. */
static __device__ __forceinline__ void copy_async_16(void *to, const void *from,
                                                     bool is_inside)
{
#if __CUDA_ARCH__ >= 800
    uint32_t to_shared = (uint32_t)__cvta_generic_to_shared(to);
    uint32_t n_bytes = is_inside ? 16 : 0;

    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(to_shared), "l"(from), "r"(n_bytes)
                 : "memory");
#else
    uint4 zero = { 0, 0, 0, 0 };

    *(uint4 *)to = is_inside ? *(const uint4 *)from : zero;
#endif
}

/* Closes the current group of copies, which may be empty. */
static __device__ __forceinline__ void copy_async_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all groups but the last @N_PENDING have arrived. */
template <int N_PENDING>
static __device__ __forceinline__ void copy_async_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N_PENDING) : "memory");
#endif
}

/* ---- matrix fragments of bf16 from shared memory ------------------------ */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/* Load a tile of 16 x 16 numbers stored by rows, @stride apart, into four
 * registers per thread, in the distribution that wmma uses. */
static __device__ __forceinline__ void
load_fragment_a(uint32_t *to, const void *from, uint32_t stride)
{
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 "
                 "{%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(from)), "r"(stride)
                 : "memory");
}

static __device__ __forceinline__ void
load_fragment_b(uint32_t *to, const void *from, uint32_t stride)
{
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.shared.bf16 "
                 "{%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(from)), "r"(stride)
                 : "memory");
}
#endif

#endif
