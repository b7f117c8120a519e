/* plan_kernels_alone.c - the kernels that run alone, without a partner, one
 * kernel family after the other */
#include "validate/gpu/plan/plan_case_families.h"

#define KIB           10
#define MIB           20
#define GIB           30
#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const uint32_t sm_counts[] = { 1, 2, 4, 6, 8, 16, 32, 64, ALL_SMS };
static const uint32_t fewer_sm_counts[] = { 1, 4, 8, 16, 32, 64, ALL_SMS };

static uint64_t bytes_of_size_in_unit(uint64_t n, int unit)
{
    return n << unit;
}

/* Returns a case of the stream family. */
static MeasureCase stream_case_of_bytes(Kernel kernel, uint32_t ways,
                                        uint64_t bytes)
{
    return (MeasureCase){ .family = FAMILY_STREAM,
                          .kernel = kernel,
                          .dtype = DTYPE_FP32,
                          .bytes = bytes,
                          .n_sms = ALL_SMS,
                          .ways = ways };
}

/* ---- cases of the launch family ------------------------------------------ */

static void add_empty_case(Plan *plan, Kernel kernel, uint32_t n_sms,
                           uint32_t n_threads)
{
    plan_add_case(plan, (MeasureCase){ .family = FAMILY_LAUNCH,
                                       .kernel = kernel,
                                       .n_sms = n_sms,
                                       .n_threads = n_threads });
}

static void add_small_copy_case(Plan *plan, uint64_t bytes, uint32_t n_sms)
{
    MeasureCase measure_case = new_copy_case(bytes, n_sms);

    measure_case.family = FAMILY_LAUNCH;
    plan_add_case(plan, measure_case);
}

static void plan_launch_cases(Plan *plan)
{
    static const Kernel kernels[] = { KERNEL_EMPTY_ENQUEUED,
                                      KERNEL_EMPTY_QUEUED, KERNEL_EMPTY_SINGLE,
                                      KERNEL_EMPTY_GRAPH };

    for (size_t i = 0; i < LENGTH(kernels); i++) {
        add_empty_case(plan, kernels[i], 1, 32);
        add_empty_case(plan, kernels[i], ALL_SMS, 256);
        add_empty_case(plan, kernels[i], ALL_SMS, 1024);
    }
    for (uint64_t bytes = bytes_of_size_in_unit(1, KIB);
         bytes <= bytes_of_size_in_unit(1, MIB); bytes *= 4) {
        add_small_copy_case(plan, bytes, 8);
        add_small_copy_case(plan, bytes, ALL_SMS);
    }
}

/* ---- cases of the bandwidth ceiling -------------------------------------- */

static void add_bandwidth_ceiling(Plan *plan, MeasureCase measure_case)
{
    measure_case.family = FAMILY_CEILING;
    plan_add_case(plan, measure_case);
}

static MeasureCase new_tiled_copy_case(uint64_t bytes)
{
    MeasureCase measure_case = new_copy_case(bytes, ALL_SMS);

    measure_case.kernel = KERNEL_COPY_TILES;
    return measure_case;
}

static void plan_bandwidth_ceiling(Plan *plan)
{
    static const uint64_t gibibytes[] = { 1, 2, 4 };

    for (size_t i = 0; i < LENGTH(gibibytes); i++) {
        uint64_t bytes = bytes_of_size_in_unit(gibibytes[i], GIB);

        add_bandwidth_ceiling(plan, new_copy_case(bytes, ALL_SMS));
        add_bandwidth_ceiling(plan, new_tiled_copy_case(bytes));
        add_bandwidth_ceiling(plan, stream_case_of_bytes(KERNEL_MIX, 1, bytes));
        add_bandwidth_ceiling(plan,
                              new_copy_engine_case(KERNEL_MEMCPY_D2D, bytes));
        add_bandwidth_ceiling(plan, new_copy_engine_case(KERNEL_MEMSET, bytes));
    }
    add_bandwidth_ceiling(plan,
                          new_gemm_case(KERNEL_GEMM_CUBLAS, 8192, 8192, 8192));
    add_bandwidth_ceiling(plan,
                          new_gemm_case(KERNEL_GEMM_OWN, 8192, 8192, 8192));
    add_bandwidth_ceiling(plan,
                          new_fma_case(bytes_of_size_in_unit(256, MIB), 2048));
}

/* ---- bandwidth cases by number of SMs ------------------------------------ */

/* Returns a reduction, a copy, a read or a write of 256 MiB. */
static MeasureCase bandwidth_case(Kernel kernel, uint32_t n_sms)
{
    uint64_t bytes = bytes_of_size_in_unit(256, MIB);
    MeasureCase measure_case = new_copy_case(bytes, n_sms);

    if (kernel == KERNEL_REDUCE || kernel == KERNEL_REDUCE_TILES)
        measure_case = new_reduce_case(DTYPE_FP32, 2, bytes, n_sms);
    if (kernel == KERNEL_READ_SLICES)
        measure_case.family = FAMILY_READ;
    if (kernel == KERNEL_WRITE_SLICES)
        measure_case.family = FAMILY_WRITE;
    measure_case.kernel = kernel;
    return measure_case;
}

/* Adds the measurements that no others replace. All SMs and powers of two come
 * first: if the run is cut off, only points between these are missing. --quick
 * measures only the first part.  Tiles show what the layout costs; a few counts
 * are enough for that. */
void plan_bandwidth_cases(Plan *plan)
{
    static const Kernel kernels[] = { KERNEL_REDUCE, KERNEL_COPY,
                                      KERNEL_READ_SLICES, KERNEL_WRITE_SLICES };
    static const Kernel tiled[] = { KERNEL_REDUCE_TILES, KERNEL_COPY_TILES };
    static const uint32_t counts[] = { ALL_SMS, 1,  2,  4,   8,  16, 32, 64,
                                       24,      48, 96, 12,  20, 40, 80, 112,
                                       3,       6,  10, 14,  18, 28, 36, 44,
                                       56,      72, 88, 104, 120 };
    static const uint32_t tiled_counts[] = { ALL_SMS, 1,  2,  3,  4,  6, 8,
                                             16,      24, 32, 48, 64, 96 };
    static const size_t ends[] = { 0, 8, LENGTH(counts) };
    size_t n_parts = plan->request.is_quick ? 1 : 2;

    for (size_t part = 1; part <= n_parts; part++)
        for (size_t k = 0; k < LENGTH(kernels); k++)
            for (size_t i = ends[part - 1]; i < ends[part]; i++)
                plan_add_case(plan, bandwidth_case(kernels[k], counts[i]));
    for (size_t k = 0; k < LENGTH(tiled) && n_parts > 1; k++)
        for (size_t i = 0; i < LENGTH(tiled_counts); i++)
            plan_add_case(plan, bandwidth_case(tiled[k], tiled_counts[i]));
}

/* ---- cases of the reduce family ------------------------------------------ */

static void plan_reduce_by_sms_and_size(Plan *plan)
{
    static const uint64_t mebibytes[] = { 1, 16, 64, 256 };
    static const uint32_t sparse[] = { 2, 8, 32 };

    for (size_t i = 0; i < LENGTH(sm_counts); i++)
        for (size_t j = 0; j < LENGTH(mebibytes); j++)
            plan_add_case(
                plan, new_reduce_case(DTYPE_FP32, 2,
                                      bytes_of_size_in_unit(mebibytes[j], MIB),
                                      sm_counts[i]));
    for (uint64_t bytes = bytes_of_size_in_unit(64, KIB);
         bytes <= bytes_of_size_in_unit(1, GIB); bytes *= 2)
        plan_add_case(plan, new_reduce_case(DTYPE_FP32, 2, bytes, ALL_SMS));
    for (size_t i = 0; i < LENGTH(sparse); i++)
        for (uint64_t bytes = bytes_of_size_in_unit(64, KIB);
             bytes <= bytes_of_size_in_unit(4, MIB); bytes *= 4)
            plan_add_case(plan,
                          new_reduce_case(DTYPE_FP32, 2, bytes, sparse[i]));
}

static void plan_reduce_by_ways_and_type(Plan *plan)
{
    static const uint64_t mebibytes[] = { 16, 128 };
    static const Dtype narrow[] = { DTYPE_FP16, DTYPE_BF16 };

    for (size_t i = 0; i < LENGTH(fewer_sm_counts); i++)
        for (size_t j = 0; j < LENGTH(mebibytes); j++) {
            uint64_t bytes = bytes_of_size_in_unit(mebibytes[j], MIB);
            uint32_t n_sms = fewer_sm_counts[i];

            plan_add_case(plan, new_reduce_case(DTYPE_FP32, 4, bytes, n_sms));
            plan_add_case(plan, new_reduce_case(DTYPE_FP32, 8, bytes, n_sms));
            for (size_t t = 0; t < LENGTH(narrow); t++)
                plan_add_case(plan,
                              new_reduce_case(narrow[t], 2, bytes, n_sms));
        }
    for (size_t t = 0; t < LENGTH(narrow); t++)
        for (uint32_t ways = 4; ways <= 8; ways *= 2) {
            plan_add_case(plan,
                          new_reduce_case(narrow[t], ways,
                                          bytes_of_size_in_unit(64, MIB), 4));
            plan_add_case(plan,
                          new_reduce_case(narrow[t], ways,
                                          bytes_of_size_in_unit(64, MIB), 16));
            plan_add_case(plan, new_reduce_case(narrow[t], ways,
                                                bytes_of_size_in_unit(64, MIB),
                                                ALL_SMS));
        }
    plan_add_case(
        plan,
        new_reduce_case(DTYPE_FP32, 4, bytes_of_size_in_unit(1, GIB), ALL_SMS));
    plan_add_case(
        plan,
        new_reduce_case(DTYPE_FP32, 8, bytes_of_size_in_unit(1, GIB), ALL_SMS));
    plan_add_case(
        plan,
        new_reduce_case(DTYPE_BF16, 2, bytes_of_size_in_unit(1, GIB), ALL_SMS));
}

/* Varies the number of threads on an SM around the default of 512. */
static void plan_reduce_by_threads(Plan *plan)
{
    static const uint32_t counts[] = { 1, 8, ALL_SMS };

    for (size_t i = 0; i < LENGTH(counts); i++)
        for (uint32_t n_threads = 128; n_threads <= 1024; n_threads *= 2) {
            MeasureCase measure_case = new_reduce_case(
                DTYPE_FP32, 2, bytes_of_size_in_unit(64, MIB), counts[i]);

            measure_case.n_threads = n_threads;
            plan_add_case(plan, measure_case);
        }
}

/* ---- cases of the copy family -------------------------------------------- */

static void plan_copy_by_sms_and_size(Plan *plan)
{
    static const uint64_t mebibytes[] = { 1, 16, 256 };

    for (size_t i = 0; i < LENGTH(sm_counts); i++)
        for (size_t j = 0; j < LENGTH(mebibytes); j++)
            plan_add_case(
                plan, new_copy_case(bytes_of_size_in_unit(mebibytes[j], MIB),
                                    sm_counts[i]));
    for (uint64_t bytes = bytes_of_size_in_unit(64, KIB);
         bytes <= bytes_of_size_in_unit(1, GIB); bytes *= 4)
        plan_add_case(plan, new_copy_case(bytes, ALL_SMS));
}

/* Varies the bytes in flight, which limit the bandwidth by Little's law. */
static void plan_copy_by_bytes_in_flight(Plan *plan)
{
    static const uint32_t counts[] = { 1, ALL_SMS };

    for (size_t i = 0; i < LENGTH(counts); i++)
        for (uint32_t n_loads = 1; n_loads <= 8; n_loads *= 2)
            for (uint32_t n_threads = 128; n_threads <= 1024; n_threads *= 2) {
                MeasureCase measure_case =
                    new_copy_case(bytes_of_size_in_unit(64, MIB), counts[i]);

                measure_case.n_loads = n_loads;
                measure_case.n_threads = n_threads;
                plan_add_case(plan, measure_case);
            }
}

/* ---- cases of load kinds and the L1 cache -------------------------------- */

/* Returns whether the kernel can use its kind of loads. Asynchronous loads need
 * shared memory for the data that arrive. With 1024 threads, these data do not
 * fit into half of it. */
static bool kernel_can_load(const MeasureCase *measure_case)
{
    return measure_case->loads != LOADS_ASYNC ||
           measure_case->shared == SHARED_WHOLE;
}

static void add_case_with_every_load_kind(Plan *plan, MeasureCase measure_case)
{
    for (measure_case.loads = LOADS_NO_ALLOCATE; measure_case.loads < N_LOADS;
         measure_case.loads++)
        for (measure_case.shared = SHARED_NONE;
             measure_case.shared <= SHARED_WHOLE; measure_case.shared++)
            if (kernel_can_load(&measure_case))
                plan_add_case(plan, measure_case);
}

/* Keeps the bytes in flight and varies the L1 cache from 256 to 28 KiB (on
 * Hopper), with loads that allocate lines in it and loads that do not. */
static void plan_load_kind_and_l1_cases(Plan *plan)
{
    static const uint32_t counts[] = { 1, 8, ALL_SMS };

    for (size_t i = 0; i < LENGTH(counts); i++) {
        MeasureCase measure_case =
            new_copy_case(bytes_of_size_in_unit(64, MIB), counts[i]);

        add_case_with_every_load_kind(plan, measure_case);
        measure_case.n_threads = 1024;
        add_case_with_every_load_kind(plan, measure_case);
        add_case_with_every_load_kind(
            plan, new_reduce_case(DTYPE_FP32, 2, bytes_of_size_in_unit(64, MIB),
                                  counts[i]));
    }
}

/* ---- cases of the stream family ------------------------------------------ */

static void plan_stream_cases(Plan *plan)
{
    static const uint64_t mebibytes[] = { 64, 256, 1024 };

    /* The chain lengths give 0.25 to 512 FLOP per byte. */
    for (uint32_t n_fma = 1; n_fma <= 2048; n_fma *= 2) {
        plan_add_case(plan,
                      new_fma_case(bytes_of_size_in_unit(64, MIB), n_fma));
        plan_add_case(plan,
                      new_fma_case(bytes_of_size_in_unit(512, MIB), n_fma));
        if (n_fma == 1 || n_fma == 32 || n_fma == 512) {
            plan_add_case(plan,
                          new_fma_case(bytes_of_size_in_unit(1, MIB), n_fma));
            plan_add_case(plan,
                          new_fma_case(bytes_of_size_in_unit(8, MIB), n_fma));
        }
    }
    for (size_t i = 0; i < LENGTH(mebibytes); i++) {
        uint64_t bytes = bytes_of_size_in_unit(mebibytes[i], MIB);

        plan_add_case(plan, stream_case_of_bytes(KERNEL_READ, 0, bytes));
        plan_add_case(plan, stream_case_of_bytes(KERNEL_WRITE, 0, bytes));
        for (uint32_t ways = 1; ways <= 8; ways *= 2)
            plan_add_case(plan, stream_case_of_bytes(KERNEL_MIX, ways, bytes));
    }
}

/* ---- cases of the gemm family -------------------------------------------- */

static void add_gemm_case(Plan *plan, uint32_t m, uint32_t n, uint32_t k)
{
    plan_add_case(plan, new_gemm_case(KERNEL_GEMM_OWN, m, n, k));
    plan_add_case(plan, new_gemm_case(KERNEL_GEMM_CUBLAS, m, n, k));
}

/* 1536 x 1408 is 132 tiles of 128, one for each SM of an H200.  1536 x 1536
 * begins a second wave, and 3072 x 1408 fills two waves. */
static void plan_gemm_cases(Plan *plan)
{
    static const uint32_t squares[] = { 1000, 1024, 1536, 2000, 2048, 2560,
                                        3000, 3072, 4096, 5000, 6144, 8192 };
    static const uint32_t others[][3] = {
        { 512, 1024, 4096 },  { 4096, 1024, 512 },  { 1024, 4096, 1024 },
        { 8192, 1024, 1024 }, { 2048, 8192, 512 },  { 128, 4096, 4096 },
        { 4096, 4096, 256 },  { 256, 256, 8192 },   { 8192, 8192, 1024 },
        { 1536, 1408, 2048 }, { 1536, 1536, 2048 }, { 3072, 1408, 2048 },
    };

    for (size_t i = 0; i < LENGTH(squares); i++)
        add_gemm_case(plan, squares[i], squares[i], squares[i]);
    for (size_t i = 0; i < LENGTH(others); i++)
        add_gemm_case(plan, others[i][0], others[i][1], others[i][2]);
}

/* ---- cases of the lookup family ------------------------------------------ */

/* Each table has at least 256 MiB, so that the L2 cache cannot hold it. */
static void plan_lookup_cases(Plan *plan)
{
    static const struct {
        uint64_t batch, rows;
        uint32_t dim, pooling;
    } shapes[] = {
        { 128, 1 << 22, 64, 32 },    { 512, 1 << 22, 64, 32 },
        { 2048, 1 << 22, 64, 32 },   { 8192, 1 << 22, 64, 32 },
        { 32768, 1 << 22, 64, 32 },  { 131072, 1 << 22, 64, 32 },
        { 8192, 1 << 20, 64, 32 },   { 8192, 1 << 21, 64, 32 },
        { 8192, 1 << 24, 64, 32 },   { 8192, 1 << 22, 16, 32 },
        { 8192, 1 << 22, 32, 32 },   { 8192, 1 << 22, 128, 32 },
        { 8192, 1 << 22, 256, 32 },  { 8192, 1 << 22, 64, 1 },
        { 8192, 1 << 22, 64, 4 },    { 8192, 1 << 22, 64, 10 },
        { 8192, 1 << 22, 64, 64 },   { 8192, 1 << 22, 64, 128 },
        { 2048, 1 << 24, 32, 64 },   { 32768, 1 << 22, 128, 16 },
        { 32768, 1 << 22, 128, 64 }, { 65536, 1 << 22, 32, 8 },
        { 4096, 1 << 21, 256, 100 }, { 16384, 1 << 23, 128, 28 },
    };

    for (size_t i = 0; i < LENGTH(shapes); i++)
        plan_add_case(plan, new_lookup_case(shapes[i].batch, shapes[i].rows,
                                            shapes[i].dim, shapes[i].pooling));
}

/* ---- cases of the copy engine -------------------------------------------- */

static void plan_copy_engine_cases(Plan *plan)
{
    static const Kernel kernels[] = { KERNEL_MEMCPY_D2H, KERNEL_MEMCPY_H2D,
                                      KERNEL_MEMCPY_D2D, KERNEL_BATCH_D2H,
                                      KERNEL_BATCH_H2D,  KERNEL_BATCH_D2D };

    for (size_t i = 0; i < LENGTH(kernels); i++)
        for (uint64_t mebibytes = 1; mebibytes <= 256; mebibytes *= 4)
            plan_add_case(
                plan, new_copy_engine_case(
                          kernels[i], bytes_of_size_in_unit(mebibytes, MIB)));
}

/* ---- cases that run for many seconds ------------------------------------- */

static void add_sustained_case(Plan *plan, MeasureCase measure_case)
{
    measure_case.family = FAMILY_LONG;
    measure_case.seconds =
        plan->request.is_quick ? PLAN_LONG_QUICK_S : PLAN_LONG_S;
    plan_add_case(plan, measure_case);
}

/* Adds the cases that draw the most power: the matrix units with both kinds of
 * products, and memory. */
void plan_sustained_cases(Plan *plan)
{
    add_sustained_case(plan,
                       new_gemm_case(KERNEL_GEMM_CUBLAS, 8192, 8192, 8192));
    add_sustained_case(plan, new_gemm_case(KERNEL_GEMM_OWN, 8192, 8192, 8192));
    add_sustained_case(plan,
                       new_copy_case(bytes_of_size_in_unit(4, GIB), ALL_SMS));
}

void plan_kernels_alone(Plan *plan)
{
    plan_launch_cases(plan);
    plan_bandwidth_ceiling(plan);
    plan_reduce_by_sms_and_size(plan);
    plan_reduce_by_ways_and_type(plan);
    plan_reduce_by_threads(plan);
    plan_copy_by_sms_and_size(plan);
    plan_copy_by_bytes_in_flight(plan);
    plan_load_kind_and_l1_cases(plan);
    plan_stream_cases(plan);
    plan_gemm_cases(plan);
    plan_lookup_cases(plan);
    plan_copy_engine_cases(plan);
}
