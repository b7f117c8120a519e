/* measurement_plan.c - adds cases and pairs of cases to a plan */
#include "validate/gpu/plan/measurement_plan.h"

#include <stdlib.h>

#include "validate/gpu/host/measurement_table.h"

/* ---- cases with default launch parameters -------------------------------- */

/* 512 threads with 8 loads of 16 bytes keep 64 KiB of an SM in flight. */
MeasureCase new_reduce_case(Dtype dtype, uint32_t ways, uint64_t bytes,
                            uint32_t n_sms)
{
    return (MeasureCase){ .family = FAMILY_REDUCE,
                          .kernel = KERNEL_REDUCE,
                          .dtype = dtype,
                          .bytes = bytes,
                          .n_sms = n_sms,
                          .ways = ways,
                          .n_loads = 8,
                          .n_threads = 512,
                          .loads = LOADS_NO_ALLOCATE,
                          .shared = SHARED_HALF };
}

MeasureCase new_copy_case(uint64_t bytes, uint32_t n_sms)
{
    return (MeasureCase){ .family = FAMILY_COPY,
                          .kernel = KERNEL_COPY,
                          .bytes = bytes,
                          .n_sms = n_sms,
                          .n_loads = 8,
                          .n_threads = 512,
                          .loads = LOADS_NO_ALLOCATE,
                          .shared = SHARED_HALF };
}

MeasureCase new_gemm_case(Kernel kernel, uint32_t m, uint32_t n, uint32_t k)
{
    return (MeasureCase){ .family = FAMILY_GEMM,
                          .kernel = kernel,
                          .dtype = DTYPE_BF16,
                          .n_sms = ALL_SMS,
                          .m = m,
                          .n = n,
                          .k = k };
}

MeasureCase new_lookup_case(uint64_t batch, uint64_t rows, uint32_t dim,
                            uint32_t pooling)
{
    return (MeasureCase){ .family = FAMILY_LOOKUP,
                          .kernel = KERNEL_LOOKUP,
                          .dtype = DTYPE_FP32,
                          .n_sms = ALL_SMS,
                          .batch = batch,
                          .rows = rows,
                          .dim = dim,
                          .pooling = pooling };
}

MeasureCase new_fma_case(uint64_t bytes, uint32_t n_fma)
{
    return (MeasureCase){ .family = FAMILY_STREAM,
                          .kernel = KERNEL_FMA,
                          .dtype = DTYPE_FP32,
                          .bytes = bytes,
                          .n_sms = ALL_SMS,
                          .n_fma = n_fma };
}

/* A copy by the copy engine.  Its number of SMs is 0: it uses none, or a number
 * that the driver does not report. */
MeasureCase new_copy_engine_case(Kernel kernel, uint64_t bytes)
{
    return (MeasureCase){ .family = FAMILY_ENGINE,
                          .kernel = kernel,
                          .bytes = bytes };
}

/* ---- adding of cases to a plan ------------------------------------------- */

static bool plan_holds_key(const Plan *plan, uint64_t key)
{
    for (size_t i = 0; i < plan->n_entries; i++)
        if (plan->entries[i].key == key)
            return true;
    return false;
}

/* Adds an entry unless its key exists.  If the table is full, the entry is
 * dropped; plan_new() detects the full table and fails. */
static void append_plan_entry(Plan *plan, PlanEntry entry)
{
    entry.worth = plan->worth;
    entry.is_essential = plan->worth == WORTH_BANDWIDTH;
    entry.key = table_key_of_case(&entry.work);
    entry.estimate_s = plan_entry_time_s(&entry, &plan->request);
    if (plan->n_entries < plan->n_room && !plan_holds_key(plan, entry.key))
        plan->entries[plan->n_entries++] = entry;
}

void plan_add_case(Plan *plan, MeasureCase measure_case)
{
    uint32_t n_sms = plan->request.limits.n_sms;

    /* Cases of the copy engine keep 0 SMs. */
    if (measure_case.n_sms == ALL_SMS &&
        !kernel_is_copy_engine(measure_case.kernel))
        measure_case.n_sms = n_sms;
    if (measure_case.n_sms <= n_sms)
        append_plan_entry(plan, (PlanEntry){ .work = measure_case });
}

/* The compute kernel keeps at least half of the SMs: one SM must be free for
 * the time stamps, and training does not give more than half to communication.
 * A partner on separate SMs takes their whole shared memory; a partner on
 * shared SMs leaves it to the compute kernel. */
void plan_add_pair(Plan *plan, MeasureCase measure_case, MeasureCase partner,
                   PlanPair how)
{
    uint32_t n_sms = plan->request.limits.n_sms;
    Traffic traffic = traffic_of_case(&measure_case);

    if (partner.n_sms > n_sms / 2)
        return;
    measure_case.family = partner.family = how.family;
    measure_case.place = partner.place =
        partner.n_sms > 0 ? how.place : PLACE_NONE;
    measure_case.first = partner.first = how.first;
    measure_case.priority = partner.priority = how.priority;
    if (partner.n_sms > 0)
        partner.shared =
            how.place == PLACE_SAME_SMS ? SHARED_FOR_OTHERS : SHARED_WHOLE;
    if (how.place == PLACE_SAME_SMS)
        partner.n_threads = PLAN_SHARED_SM_THREADS;
    measure_case.n_sms =
        how.place == PLACE_SAME_SMS ? n_sms : n_sms - partner.n_sms;
    measure_case.beside = partner.kernel;
    measure_case.beside_n_sms = partner.n_sms;
    measure_case.beside_bytes = partner.bytes;
    partner.beside = measure_case.kernel;
    partner.beside_n_sms = measure_case.n_sms;
    partner.beside_bytes = traffic.read_bytes + traffic.write_bytes;
    append_plan_entry(plan,
                      (PlanEntry){ .work = measure_case, .partner = partner });
}

size_t plan_entry_n_rows(const PlanEntry *entry)
{
    Kernel partner = entry->partner.kernel;

    if (entry->work.seconds > 0)
        return entry->work.seconds;
    return partner == KERNEL_NONE || partner == KERNEL_IDLE ? 1 : 2;
}

uint64_t plan_n_buffer_sets(uint64_t set_bytes, uint64_t l2_bytes)
{
    uint64_t n_sets = (4 * l2_bytes + set_bytes - 1) / set_bytes;

    return n_sets < 2 ? 2 : n_sets;
}

void plan_free(Plan *plan)
{
    if (plan)
        free(plan->entries);
    free(plan);
}

double plan_budget_s(const Plan *plan)
{
    if (plan->request.budget_s > 0)
        return plan->request.budget_s;
    return plan->request.is_quick ? PLAN_QUICK_S : PLAN_FULL_S;
}
