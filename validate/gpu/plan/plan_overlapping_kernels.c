/*
 * plan_overlapping_kernels.c - compute kernels together with every kind of
 * partner
 *
 * The compute kernels have different bottlenecks: matrix units with and without
 * much memory traffic, scattered reads, and streams below, at and above the
 * balance of memory and
 * arithmetic. */
#include "validate/gpu/plan/plan_case_families.h"

#define MIB           20
#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Size of each array of a reduction.  Its three arrays have 384 MiB together,
 * more than the L2 cache. */
#define PARTNER_BYTES (UINT64_C(128) << MIB)
/* Size of one copy: short compared to a window, long compared to its launch. */
#define TO_HOST_BYTES   (UINT64_C(8) << MIB)
#define TO_DEVICE_BYTES (UINT64_C(64) << MIB)

static void add_pair_on_separate_sms(Plan *plan, MeasureCase measure_case,
                                     MeasureCase partner)
{
    plan_add_pair(plan, measure_case, partner,
                  (PlanPair){ FAMILY_OVERLAP, PLACE_SEPARATE_SMS, FIRST_NONE,
                              PRIORITY_NONE });
}

static MeasureCase idle_partner_case(uint32_t n_sms)
{
    return (
        MeasureCase){ .kernel = KERNEL_IDLE, .n_sms = n_sms, .n_threads = 32 };
}

static void add_case_with_all_partners(Plan *plan, MeasureCase measure_case)
{
    static const uint32_t reduce_sms[] = { 1, 2, 4, 6, 8, 16, 32 };
    static const uint32_t copy_sms[] = { 2, 6, 16, 32 };

    for (size_t i = 0; i < LENGTH(reduce_sms); i++) {
        uint32_t n_sms = reduce_sms[i];

        add_pair_on_separate_sms(
            plan, measure_case,
            new_reduce_case(DTYPE_FP32, 2, PARTNER_BYTES, n_sms));
        add_pair_on_separate_sms(plan, measure_case, idle_partner_case(n_sms));
    }
    for (size_t i = 0; i < LENGTH(copy_sms); i++)
        add_pair_on_separate_sms(plan, measure_case,
                                 new_copy_case(PARTNER_BYTES, copy_sms[i]));
    add_pair_on_separate_sms(
        plan, measure_case,
        new_copy_engine_case(KERNEL_MEMCPY_D2H, TO_HOST_BYTES));
    add_pair_on_separate_sms(
        plan, measure_case,
        new_copy_engine_case(KERNEL_MEMCPY_D2D, TO_DEVICE_BYTES));
    add_pair_on_separate_sms(
        plan, measure_case,
        new_copy_engine_case(KERNEL_BATCH_D2D, TO_DEVICE_BYTES));
}

/* A kernel that expects all SMs gets a second wave as soon as one SM is taken.
 * Here cuBLAS knows how many SMs the partner leaves. */
static void add_limited_cublas_pair(Plan *plan, MeasureCase measure_case)
{
    static const uint32_t counts[] = { 2, 8, 16, 32 };

    for (size_t i = 0; i < LENGTH(counts); i++) {
        add_pair_on_separate_sms(
            plan, measure_case,
            new_reduce_case(DTYPE_FP32, 2, PARTNER_BYTES, counts[i]));
        add_pair_on_separate_sms(plan, measure_case,
                                 idle_partner_case(counts[i]));
    }
}

void plan_kernels_with_partners(Plan *plan)
{
    add_case_with_all_partners(
        plan, new_gemm_case(KERNEL_GEMM_OWN, 4096, 4096, 4096));
    add_case_with_all_partners(plan,
                               new_gemm_case(KERNEL_GEMM_OWN, 4096, 4096, 256));
    add_case_with_all_partners(
        plan, new_gemm_case(KERNEL_GEMM_CUBLAS, 4096, 4096, 4096));
    add_case_with_all_partners(
        plan, new_gemm_case(KERNEL_GEMM_CUBLAS, 8192, 8192, 1024));
    add_limited_cublas_pair(
        plan, new_gemm_case(KERNEL_GEMM_CUBLAS_LIMITED, 4096, 4096, 4096));
    add_limited_cublas_pair(
        plan, new_gemm_case(KERNEL_GEMM_CUBLAS_LIMITED, 8192, 8192, 1024));
    add_case_with_all_partners(plan, new_lookup_case(32768, 1 << 22, 64, 32));
    add_case_with_all_partners(plan, new_lookup_case(32768, 1 << 22, 128, 64));
    add_case_with_all_partners(plan, new_fma_case(UINT64_C(256) << MIB, 1));
    add_case_with_all_partners(plan, new_fma_case(UINT64_C(256) << MIB, 64));
    add_case_with_all_partners(plan, new_fma_case(UINT64_C(256) << MIB, 512));
}

/* These pairs decide how a model treats a product that shares memory, SMs or
 * both with communication.  All of them are also pairs of the family. */
void plan_chosen_pairs(Plan *plan)
{
    static const Kernel kernels[] = { KERNEL_GEMM_CUBLAS, KERNEL_GEMM_OWN,
                                      KERNEL_GEMM_CUBLAS_LIMITED };
    static const uint32_t more_counts[] = { 2, 16 };
    MeasureCase cublas = new_gemm_case(KERNEL_GEMM_CUBLAS, 4096, 4096, 4096);

    for (size_t i = 0; i < LENGTH(kernels); i++)
        for (uint32_t n_sms = 8; n_sms <= 32; n_sms *= 4)
            add_pair_on_separate_sms(
                plan, new_gemm_case(kernels[i], 4096, 4096, 4096),
                new_reduce_case(DTYPE_FP32, 2, PARTNER_BYTES, n_sms));
    for (size_t i = 0; i < LENGTH(more_counts); i++)
        add_pair_on_separate_sms(
            plan, cublas,
            new_reduce_case(DTYPE_FP32, 2, PARTNER_BYTES, more_counts[i]));
    add_pair_on_separate_sms(
        plan, new_gemm_case(KERNEL_GEMM_CUBLAS, 8192, 8192, 1024),
        new_reduce_case(DTYPE_FP32, 2, PARTNER_BYTES, 16));
    add_pair_on_separate_sms(
        plan, cublas, new_copy_engine_case(KERNEL_BATCH_D2D, TO_DEVICE_BYTES));
    add_pair_on_separate_sms(
        plan, cublas, new_copy_engine_case(KERNEL_MEMCPY_D2H, TO_HOST_BYTES));
    add_pair_on_separate_sms(
        plan, new_gemm_case(KERNEL_GEMM_OWN, 4096, 4096, 4096),
        new_copy_engine_case(KERNEL_BATCH_D2D, TO_DEVICE_BYTES));
}

/* ---- partners on the same SMs as the compute kernel ---------------------- */

static void add_pair_on_same_sms(Plan *plan, MeasureCase measure_case)
{
    static const uint32_t reduce_sms[] = { 4, 8, 16, 32 };
    static const PlanPair same = { FAMILY_SAME_SM, PLACE_SAME_SMS, FIRST_NONE,
                                   PRIORITY_NONE };

    for (size_t i = 0; i < LENGTH(reduce_sms); i++)
        plan_add_pair(
            plan, measure_case,
            new_reduce_case(DTYPE_FP32, 2, PARTNER_BYTES, reduce_sms[i]), same);
    plan_add_pair(plan, measure_case, new_copy_case(PARTNER_BYTES, 16), same);
}

/* Partners on shared SMs, as in collective libraries: the blocks of the partner
 * leave resources on their SMs, which blocks of the compute kernel use if they
 * fit. */
void plan_same_sm_pairs(Plan *plan)
{
    add_pair_on_same_sms(plan,
                         new_gemm_case(KERNEL_GEMM_OWN, 4096, 4096, 4096));
    add_pair_on_same_sms(plan,
                         new_gemm_case(KERNEL_GEMM_CUBLAS, 4096, 4096, 4096));
    add_pair_on_same_sms(plan, new_lookup_case(32768, 1 << 22, 128, 64));
    add_pair_on_same_sms(plan, new_fma_case(UINT64_C(256) << MIB, 1));
    add_pair_on_same_sms(plan, new_fma_case(UINT64_C(256) << MIB, 64));
}

/* ---- release order and stream priority of pairs -------------------------- */

static void add_pair_in_all_orders(Plan *plan, MeasureCase measure_case,
                                   uint32_t n_sms)
{
    MeasureCase partner = new_reduce_case(DTYPE_FP32, 2, PARTNER_BYTES, n_sms);

    for (int place = PLACE_SEPARATE_SMS; place < N_PLACES; place++)
        for (int first = FIRST_PARTNER; first < N_RELEASE_ORDERS; first++)
            for (int priority = 0; priority < N_PRIORITIES; priority++)
                plan_add_pair(plan, measure_case, partner,
                              (PlanPair){ FAMILY_ORDER, (PartnerPlacement)place,
                                          (ReleaseOrder)first,
                                          (StreamPriority)priority });
}

void plan_order_pairs(Plan *plan)
{
    static const uint32_t counts[] = { 8, 32 };

    for (size_t i = 0; i < LENGTH(counts); i++) {
        add_pair_in_all_orders(
            plan, new_gemm_case(KERNEL_GEMM_OWN, 4096, 4096, 4096), counts[i]);
        add_pair_in_all_orders(
            plan, new_gemm_case(KERNEL_GEMM_CUBLAS, 4096, 4096, 4096),
            counts[i]);
    }
    add_pair_in_all_orders(plan, new_fma_case(UINT64_C(256) << MIB, 64),
                           counts[1]);
}
