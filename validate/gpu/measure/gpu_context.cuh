/*
 * gpu_context.cuh - the GPU with its streams and memory, and the errors of a
 * case
 *
 * All device memory of a run is allocated at the start.  A case places its
 * buffers in it, and the next case starts again at its beginning.  Therefore
 * nothing is allocated while a resident kernel runs: the allocation could wait
 * for a kernel that does not end by itself.
 *
 * Errors   exceptions: Failure, Skip, Interrupted
 * Owner    the Lab owns its memory and streams
 */
#ifndef VALIDATE_GPU_LAB_LAB_CUH
#define VALIDATE_GPU_LAB_LAB_CUH

#include <cuda_runtime.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "validate/gpu/host/measured_case.h"

/* A case failed.  The run continues if the GPU still answers. */
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/* This machine cannot run the case: too little memory, no cuBLAS. */
struct Skip : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/* The user has interrupted the run. */
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted")
    {
    }
};

/* Throws Failure with @what in its text if @status is not success. */
void check(cudaError_t status, const char *what);
#define CHECKED(call) ::check((call), #call)

class Event
{
  public:
    Event();
    ~Event();
    Event(const Event &) = delete;
    Event &operator=(const Event &) = delete;
    void record(cudaStream_t stream);
    /* Returns the time between two events, which must both have been
     * reached. */
    double us_since(const Event &earlier) const;
    cudaEvent_t handle = nullptr;
};

struct Facts {
    std::string name, bus_id;
    int major = 0, minor = 0;
    uint32_t n_sms = 0, memory_bus_bits = 0;
    uint64_t l2_bytes = 0, memory_bytes = 0;
    size_t shared_bytes_per_block = 0, shared_bytes_per_sm = 0;
    size_t shared_bytes_reserved = 0; /* of each block, by the driver */
    double sm_max_mhz = 0, memory_max_mhz = 0;
};

class Cublas; /* cublas.cuh */

class GpuContext
{
  public:
    /* Opens the GPU.  Throws Failure if there is none. */
    GpuContext();
    ~GpuContext();
    GpuContext(const GpuContext &) = delete;
    GpuContext &operator=(const GpuContext &) = delete;

    /* Allocates device memory (80 % of the free memory, at most 24 GiB) and
     * pinned memory. */
    void allocate_memory();

    /* Releases all buffers for reuse. */
    void clear();
    /* Returns 512 bytes outside the buffers, for short-lived data. */
    void *scratch() const;
    /* Returns a buffer, aligned to 512 bytes.  Throws Skip if it does not
     * fit. */
    void *buffer(uint64_t n_bytes);
    template <typename T> T *buffer_of(uint64_t n)
    {
        return (T *)buffer(n * sizeof(T));
    }
    /* Returns the size of a buffer after rounding up. */
    static uint64_t aligned(uint64_t n_bytes);
    /* Returns the number of buffer sets: plan_n_buffer_sets() if @rotate is set
     * and 2 otherwise, but at most as many as fit.  Throws Skip if none fits,
     * or if the sets that fit are too small to exceed the cache. */
    uint64_t sets_that_fit(uint64_t set_bytes, bool rotate) const;

    /* Two halves of the pinned memory: copies from the host read the first, and
     * copies to the host write the second. */
    char *pinned_source() const;
    char *pinned_target() const;
    uint64_t pinned_bytes() const;

    void sync();
    /* Throws Interrupted if the user has interrupted the run. */
    void poll() const;

    Facts facts;
    /* compute kernels and everything that is timed */
    cudaStream_t main = nullptr;
    cudaStream_t side = nullptr; /* partners */
    /* partners with a higher priority than all others */
    cudaStream_t urgent = nullptr;
    /* The cuBLAS library, or null.  A shared pointer, because it accepts the
     * incomplete type here. */
    std::shared_ptr<Cublas> cublas;
    std::string cublas_missing; /* why cuBLAS is missing */

  private:
    void read_facts();
    char *memory = nullptr, *pinned = nullptr;
    uint64_t memory_size = 0, memory_used = 0;
};

#endif
