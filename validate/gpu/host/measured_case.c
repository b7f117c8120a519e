/* measured_case.c - the kernels that are measured: names, traffic, small
 * variants */
#include "validate/gpu/host/measured_case.h"

#include <string.h>

static const char *const family_names[N_FAMILIES] = {
    [FAMILY_LAUNCH] = "launch",   [FAMILY_CEILING] = "ceiling",
    [FAMILY_REDUCE] = "reduce",   [FAMILY_COPY] = "copy",
    [FAMILY_READ] = "read",       [FAMILY_WRITE] = "write",
    [FAMILY_STREAM] = "stream",   [FAMILY_GEMM] = "gemm",
    [FAMILY_LOOKUP] = "lookup",   [FAMILY_ENGINE] = "engine",
    [FAMILY_OVERLAP] = "overlap", [FAMILY_SAME_SM] = "same-sm",
    [FAMILY_ORDER] = "order",     [FAMILY_LONG] = "long",
};

static const struct {
    const char *name;
    uint32_t n_bytes;
} dtypes[] = {
    [DTYPE_NONE] = { "", 0 },
    [DTYPE_FP32] = { "fp32", 4 },
    [DTYPE_FP16] = { "fp16", 2 },
    [DTYPE_BF16] = { "bf16", 2 },
};

static const struct {
    const char *name;
    const char *kind;
    bool is_copy_engine;
} kernels[N_KERNELS] = {
    [KERNEL_NONE] = { "", "", false },
    [KERNEL_EMPTY_ENQUEUED] = { "empty-enqueued", "empty", false },
    [KERNEL_EMPTY_QUEUED] = { "empty-queued", "empty", false },
    [KERNEL_EMPTY_SINGLE] = { "empty-single", "empty", false },
    [KERNEL_EMPTY_GRAPH] = { "empty-graph", "empty", false },
    [KERNEL_REDUCE] = { "reduce", "reduce", false },
    [KERNEL_COPY] = { "copy", "copy", false },
    [KERNEL_REDUCE_TILES] = { "reduce-tiles", "reduce", false },
    [KERNEL_COPY_TILES] = { "copy-tiles", "copy", false },
    [KERNEL_READ_SLICES] = { "read-slices", "read", false },
    [KERNEL_WRITE_SLICES] = { "write-slices", "write", false },
    [KERNEL_FMA] = { "fma", "stream", false },
    [KERNEL_READ] = { "read", "stream", false },
    [KERNEL_WRITE] = { "write", "stream", false },
    [KERNEL_MIX] = { "mix", "stream", false },
    [KERNEL_GEMM_OWN] = { "own", "gemm", false },
    [KERNEL_GEMM_CUBLAS] = { "cublas", "gemm", false },
    [KERNEL_GEMM_CUBLAS_LIMITED] = { "cublas-told", "gemm", false },
    [KERNEL_LOOKUP] = { "lookup", "lookup", false },
    [KERNEL_MEMCPY_D2H] = { "memcpy-d2h", "engine-d2h", true },
    [KERNEL_MEMCPY_H2D] = { "memcpy-h2d", "engine-h2d", true },
    [KERNEL_MEMCPY_D2D] = { "memcpy-d2d", "engine-d2d", true },
    [KERNEL_BATCH_D2H] = { "batch-d2h", "engine-d2h", true },
    [KERNEL_BATCH_H2D] = { "batch-h2d", "engine-h2d", true },
    [KERNEL_BATCH_D2D] = { "batch-d2d", "engine-d2d", true },
    [KERNEL_MEMSET] = { "memset", "engine-memset", true },
    [KERNEL_IDLE] = { "idle", "idle", false },
};

const char *kernel_family_name(Family family)
{
    return family_names[family];
}

bool kernel_family_find(const char *name, size_t length, Family *ret)
{
    for (int i = 0; i < N_FAMILIES; i++)
        if (strlen(family_names[i]) == length &&
            strncmp(family_names[i], name, length) == 0) {
            *ret = (Family)i;
            return true;
        }
    return false;
}

const char *dtype_name(Dtype dtype)
{
    return dtypes[dtype].name;
}

uint32_t dtype_bytes(Dtype dtype)
{
    return dtypes[dtype].n_bytes;
}

const char *kernel_name(Kernel kernel)
{
    return kernels[kernel].name;
}

const char *kernel_kind(Kernel kernel)
{
    return kernels[kernel].kind;
}

bool kernel_is_copy_engine(Kernel kernel)
{
    return kernels[kernel].is_copy_engine;
}

/* ---- memory traffic of a case -------------------------------------------- */

static Traffic gemm_traffic(const MeasureCase *measure_case)
{
    uint64_t element = dtype_bytes(measure_case->dtype), m = measure_case->m,
             n = measure_case->n, k = measure_case->k;

    return (Traffic){ .read_bytes = (m * k + k * n) * element,
                      .write_bytes = m * n * element,
                      .flop = 2 * m * n * k };
}

/* Each index is read once.  A pooled row that occurs several times counts as
 * often as it occurs. */
static Traffic lookup_traffic(const MeasureCase *measure_case)
{
    uint64_t row_bytes = (uint64_t)measure_case->dim * sizeof(float);
    uint64_t n_rows = measure_case->batch * measure_case->pooling;

    return (Traffic){ .read_bytes = n_rows * (row_bytes + sizeof(uint32_t)),
                      .write_bytes = measure_case->batch * row_bytes,
                      .flop = n_rows * measure_case->dim };
}

static Traffic streaming_kernel_traffic(const MeasureCase *measure_case)
{
    uint64_t n_elements = measure_case->bytes / sizeof(float);

    switch (measure_case->kernel) {
    case KERNEL_READ:
        return (Traffic){ .read_bytes = measure_case->bytes,
                          .flop = n_elements };
    case KERNEL_WRITE:
        return (Traffic){ .write_bytes = measure_case->bytes };
    case KERNEL_FMA:
        return (Traffic){ .read_bytes = measure_case->bytes,
                          .write_bytes = measure_case->bytes,
                          .flop = 2 * n_elements * measure_case->n_fma };
    default:
        return (Traffic){ .read_bytes =
                              measure_case->bytes * measure_case->ways,
                          .write_bytes = measure_case->bytes,
                          .flop = n_elements * (measure_case->ways - 1) };
    }
}

Traffic traffic_of_case(const MeasureCase *measure_case)
{
    switch (measure_case->kernel) {
    case KERNEL_REDUCE:
    case KERNEL_REDUCE_TILES:
        return (Traffic){ .read_bytes =
                              measure_case->bytes * measure_case->ways,
                          .write_bytes = measure_case->bytes,
                          .flop = measure_case->bytes /
                                  dtype_bytes(measure_case->dtype) *
                                  (measure_case->ways - 1) };
    case KERNEL_COPY:
    case KERNEL_COPY_TILES:
    case KERNEL_MEMCPY_D2D:
    case KERNEL_BATCH_D2D:
        return (Traffic){ .read_bytes = measure_case->bytes,
                          .write_bytes = measure_case->bytes };
    case KERNEL_READ_SLICES:
    case KERNEL_MEMCPY_D2H:
    case KERNEL_BATCH_D2H:
        return (Traffic){ .read_bytes = measure_case->bytes };
    case KERNEL_WRITE_SLICES:
    case KERNEL_MEMCPY_H2D:
    case KERNEL_BATCH_H2D:
    case KERNEL_MEMSET:
        return (Traffic){ .write_bytes = measure_case->bytes };
    case KERNEL_FMA:
    case KERNEL_READ:
    case KERNEL_WRITE:
    case KERNEL_MIX:
        return streaming_kernel_traffic(measure_case);
    case KERNEL_GEMM_OWN:
    case KERNEL_GEMM_CUBLAS:
    case KERNEL_GEMM_CUBLAS_LIMITED:
        return gemm_traffic(measure_case);
    case KERNEL_LOOKUP:
        return lookup_traffic(measure_case);
    default:
        return (Traffic){ 0 };
    }
}

/* ---- reduced cases that the CPU can check completely --------------------- */

/* Sizes of small cases. The number of 16-byte vectors is prime, so neither
 * blocks nor unrolled loops divide it. Cases with long chains of multiply-adds
 * are smaller because the CPU needs long for them. */
#define SMALL_BYTES  (UINT64_C(10007) * 16)
#define SMALL_CHAINS (UINT64_C(1259) * 16)
#define LONG_CHAIN   100

static uint64_t min_u64(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

static uint32_t min_u32(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

/* Matrix sizes stay multiples of 8.  They are chosen so that tiles of 128 and
 * steps of 64 leave a remainder. */
MeasureCase case_reduced_for_check(const MeasureCase *measure_case)
{
    MeasureCase small = *measure_case;

    small.bytes =
        min_u64(measure_case->bytes,
                measure_case->n_fma > LONG_CHAIN ? SMALL_CHAINS : SMALL_BYTES);
    small.m = min_u32(measure_case->m, 136);
    small.n = min_u32(measure_case->n, 136);
    small.k = min_u32(measure_case->k, 328);
    small.batch = min_u64(measure_case->batch, 333);
    small.rows = min_u64(measure_case->rows, 5003);
    return small;
}
