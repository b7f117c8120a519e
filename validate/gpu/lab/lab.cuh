/*
 * lab.cuh - the GPU, its memory, and what can go wrong with it
 *
 * All of a run's device memory is taken at the start; a case lays its buffers
 * out in it and the next one starts over.  So nothing is allocated while a
 * kernel runs that never ends by itself, which could wait for it for ever.
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

#include "validate/gpu/host/case.h"

/* A case went wrong; the run goes on if the GPU still answers. */
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/* This machine cannot do the case: too little memory, no cuBLAS. */
struct Skip : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/* The user wants an end. */
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted")
    {
    }
};

/* Throws Failure, naming @what, unless @status is success. */
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
    /* Both have been recorded and reached. */
    double us_since(const Event &earlier) const;
    cudaEvent_t handle = nullptr;
};

struct Facts {
    std::string name, bus_id;
    int major = 0, minor = 0;
    uint32_t n_sms = 0, memory_bus_bits = 0;
    uint64_t l2_bytes = 0, memory_bytes = 0;
    size_t shared_bytes_per_block = 0, shared_bytes_per_sm = 0;
    size_t shared_bytes_reserved = 0; /* by the driver, of each block */
    double sm_max_mhz = 0, memory_max_mhz = 0;
};

class Cublas; /* cublas.cuh */

class Lab
{
  public:
    /* Throws Failure when there is no GPU. */
    Lab();
    ~Lab();
    Lab(const Lab &) = delete;
    Lab &operator=(const Lab &) = delete;

    /* Takes device memory, 24 GiB or most of what is free, and pinned. */
    void take_memory();

    /* Forgets all buffers. */
    void clear();
    /* 512 bytes that are no buffer, for what is over at once. */
    void *scratch() const;
    /* A buffer, aligned to 512 bytes; throws Skip when it does not fit. */
    void *buffer(uint64_t n_bytes);
    template <typename T> T *buffer_of(uint64_t n)
    {
        return (T *)buffer(n * sizeof(T));
    }
    /* What a buffer takes. */
    static uint64_t aligned(uint64_t n_bytes);
    /* As plan_sets() says, or fewer where memory is short, or 2 when the
     * buffers need not exceed the cache; throws Skip when none fits. */
    uint64_t sets_that_fit(uint64_t set_bytes, bool rotate) const;

    /* Half of the pinned memory: copies from the host start there, or end. */
    char *pinned_source() const;
    char *pinned_target() const;
    uint64_t pinned_bytes() const;

    void sync();
    /* Throws Interrupted when the user wants an end. */
    void poll() const;

    Facts facts;
    cudaStream_t main = nullptr;   /* compute kernels and all that is timed */
    cudaStream_t side = nullptr;   /* what runs beside them */
    cudaStream_t urgent = nullptr; /* the same, before all others */
    /* Of whoever starts the run; shared, since who it is is not known here. */
    std::shared_ptr<Cublas> cublas;
    std::string cublas_missing; /* why there is none */

  private:
    void read_facts();
    char *memory = nullptr, *pinned = nullptr;
    uint64_t memory_size = 0, memory_used = 0;
};

#endif
