/* gpu_context.cu - the GPU with its streams and memory, and the errors of a
 * case */
#include "validate/gpu/measure/gpu_context.cuh"

#include <algorithm>

#include "validate/gpu/host/progress.h"
#include "validate/gpu/plan/measurement_plan.h"

#define MAX_MEMORY_BYTES (UINT64_C(24) << 30)
#define PINNED_BYTES     (UINT64_C(256) << 20)
#define ALIGNMENT        UINT64_C(512)

void check(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    /* The call clears the error, so that an error that does not persist is
     * reported only once. */
    (void)cudaGetLastError();
    throw Failure(std::string(what) + ": " + cudaGetErrorString(status));
}

/* ---- CUDA events of the lab ---------------------------------------------- */

Event::Event()
{
    CHECKED(cudaEventCreate(&handle));
}

Event::~Event()
{
    (void)cudaEventDestroy(handle);
}

void Event::record(cudaStream_t stream)
{
    CHECKED(cudaEventRecord(handle, stream));
}

double Event::us_since(const Event &earlier) const
{
    float ms = 0;

    CHECKED(cudaEventElapsedTime(&ms, earlier.handle, handle));
    return (double)ms * 1000;
}

/* ---- GPU properties and memory ------------------------------------------- */

static int cuda_device_attribute(cudaDeviceAttr which)
{
    int value = 0;

    CHECKED(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

/* Returns a clock for the record, or 0 if the driver does not report it. */
static double device_clock_mhz(cudaDeviceAttr which)
{
    int khz = 0;

    if (cudaDeviceGetAttribute(&khz, which, 0) != cudaSuccess)
        (void)cudaGetLastError();
    return khz / 1e3;
}

void GpuContext::read_facts()
{
    cudaDeviceProp properties;
    char bus_id[32] = "";

    CHECKED(cudaGetDeviceProperties(&properties, 0));
    CHECKED(cudaDeviceGetPCIBusId(bus_id, (int)sizeof bus_id, 0));
    facts.name = properties.name;
    facts.bus_id = bus_id;
    facts.memory_bytes = properties.totalGlobalMem;
    facts.major = cuda_device_attribute(cudaDevAttrComputeCapabilityMajor);
    facts.minor = cuda_device_attribute(cudaDevAttrComputeCapabilityMinor);
    facts.n_sms =
        (uint32_t)cuda_device_attribute(cudaDevAttrMultiProcessorCount);
    facts.l2_bytes = (uint64_t)cuda_device_attribute(cudaDevAttrL2CacheSize);
    facts.shared_bytes_per_block =
        (size_t)cuda_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    facts.shared_bytes_per_sm = (size_t)cuda_device_attribute(
        cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    facts.shared_bytes_reserved =
        (size_t)cuda_device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    facts.memory_bus_bits =
        (uint32_t)cuda_device_attribute(cudaDevAttrGlobalMemoryBusWidth);
    facts.sm_max_mhz = device_clock_mhz(cudaDevAttrClockRate);
    facts.memory_max_mhz = device_clock_mhz(cudaDevAttrMemoryClockRate);
}

GpuContext::GpuContext()
{
    int n_devices = 0;

    ::check(cudaGetDeviceCount(&n_devices), "cudaGetDeviceCount");
    if (n_devices == 0)
        throw Failure("cudaGetDeviceCount: no device");
    CHECKED(cudaSetDevice(0));
    read_facts();
}

/* Ignores errors, because a destructor cannot report them. */
GpuContext::~GpuContext()
{
    cublas.reset();
    if (main)
        (void)cudaStreamDestroy(main);
    if (side)
        (void)cudaStreamDestroy(side);
    if (urgent)
        (void)cudaStreamDestroy(urgent);
    (void)cudaFree(memory);
    (void)cudaFreeHost(pinned);
}

void GpuContext::allocate_memory()
{
    size_t n_free = 0, n_total = 0;
    int least = 0, greatest = 0;

    CHECKED(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    /* Non-blocking streams do not synchronise with the legacy stream. */
    CHECKED(cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking));
    CHECKED(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECKED(
        cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    CHECKED(cudaMemGetInfo(&n_free, &n_total));
    memory_size = std::min(MAX_MEMORY_BYTES, (uint64_t)n_free / 10 * 8);
    memory_size -= memory_size % ALIGNMENT;
    CHECKED(cudaMalloc((void **)&memory, memory_size));
    clear();
    CHECKED(cudaHostAlloc((void **)&pinned, 2 * PINNED_BYTES,
                          cudaHostAllocDefault));
}

/* Marks all memory as free but the first bytes, which are scratch(). */
void GpuContext::clear()
{
    memory_used = ALIGNMENT;
}

void *GpuContext::scratch() const
{
    return memory;
}

uint64_t GpuContext::aligned(uint64_t n_bytes)
{
    return (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *GpuContext::buffer(uint64_t n_bytes)
{
    char *at = memory + memory_used;

    if (aligned(n_bytes) > memory_size - memory_used)
        throw Skip("needs " + std::to_string((memory_used + n_bytes) >> 20) +
                   " MiB, there are " + std::to_string(memory_size >> 20));
    memory_used += aligned(n_bytes);
    return at;
}

uint64_t GpuContext::sets_that_fit(uint64_t set_bytes, bool rotate) const
{
    uint64_t n_wanted =
        rotate ? plan_n_buffer_sets(set_bytes, facts.l2_bytes) : 2;
    /* A set may consist of several buffers, each of which is rounded up. */
    uint64_t slack = 16 * ALIGNMENT;
    uint64_t n_free = memory_size - memory_used;
    uint64_t n = n_free < slack ? 0 : (n_free - slack) / set_bytes;

    n = std::min(n, n_wanted);
    if (n == 0 || (rotate && n * set_bytes < 4 * facts.l2_bytes))
        throw Skip("needs " + std::to_string(n_wanted * set_bytes >> 20) +
                   " MiB, there are " + std::to_string(n_free >> 20));
    return n;
}

char *GpuContext::pinned_source() const
{
    return pinned;
}

char *GpuContext::pinned_target() const
{
    return pinned + PINNED_BYTES;
}

uint64_t GpuContext::pinned_bytes() const
{
    return PINNED_BYTES;
}

void GpuContext::sync()
{
    CHECKED(cudaStreamSynchronize(main));
    CHECKED(cudaStreamSynchronize(side));
    CHECKED(cudaStreamSynchronize(urgent));
}

void GpuContext::poll() const
{
    if (interrupts_pending())
        throw Interrupted();
}
