/*
 * measurement_plan.h - the list of cases to measure, its order and its
 * estimated time
 *
 * The plan depends only on its request.  Estimates come from approximate rates
 * of an H200 (assumed, plan_time_estimate.c). They only pace the run; no result
 * uses them.
 *
 * Units    seconds
 * Order    essential entries first: bandwidth by number of SMs.  Then twelve
 *          chosen pairs, and the families in the order of measured_case.h. With
 *          a budget, one entry of each family precedes the others.  All keys
 *          are different.
 * Owner    plan_free() frees the plan and its
 * entries */
#ifndef VALIDATE_GPU_PLAN_MEASUREMENT_PLAN_H
#define VALIDATE_GPU_PLAN_MEASUREMENT_PLAN_H

#include "validate/gpu/host/measured_case.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of the GPU.  Those of an H200 are used if there is no GPU. */
typedef struct {
    uint32_t n_sms;
    uint64_t l2_bytes;
} PlanLimits;

#define PLAN_LIMITS_H200 ((PlanLimits){ 132, UINT64_C(60) << 20 })

/* Maximum time of one pass over all cases, and the part of it for starting up
 * (assumed). */
#define PLAN_FULL_S  570
#define PLAN_QUICK_S 60
#define PLAN_START_S 4

/* Duration of each kernel of the long family. */
#define PLAN_LONG_S       20
#define PLAN_LONG_QUICK_S 3

/* Minimum length of a window with two kernels.  It is longer with the copy
 * engine because the progress of copies is known only per copy. */
#define PLAN_WINDOW_US        2000
#define PLAN_ENGINE_WINDOW_US 5000

/* The worth of an entry if there is little time, most first. */
typedef enum { WORTH_BANDWIDTH, WORTH_PAIRS, WORTH_REST } PlanWorth;

typedef struct {
    MeasureCase work;
    /* The kernel that runs at the same time; KERNEL_NONE if there is none. */
    MeasureCase partner;
    uint64_t key;
    double estimate_s; /* The estimated time of one pass. */
    /* TRUE if the entry precedes all other entries and is also part of
     * --quick. */
    bool is_essential;
    PlanWorth worth;
    /* The number of the entry in its family, from 0, if worth is WORTH_REST. */
    uint32_t nth_of_family;
    bool is_kept; /* FALSE if the entry does not fit into the budget. */
} PlanEntry;

typedef struct {
    PlanLimits limits;
    bool is_quick;
    /* The array of N_FAMILIES flags belongs to the caller. */
    const bool *families;
    uint32_t repetitions;
    /* The maximum time of one pass; 0 for that of the plan. */
    double budget_s;
    /* The keys of the only entries that are wanted.  The array belongs to the
     * caller.  If there are none, all entries are wanted. */
    const uint64_t *keys;
    size_t n_keys;
} PlanRequest;

typedef struct {
    PlanEntry *entries; /* The struct owns this memory. */
    size_t n_entries, n_room;
    size_t n_rows; /* The number of rows of the table in one pass. */
    size_t n_essential;
    size_t n_left_out; /* The entries that do not fit into request.budget_s. */
    PlanWorth worth;   /* The worth of the entries that are being added. */
    uint32_t n_pairs;
    /* The estimated time of one pass, including the start. */
    double estimate_s;
    PlanRequest request;
} Plan;

/* Returns the plan for @request, or NULL if memory is short. */
Plan *plan_new(const PlanRequest *request);
void plan_free(Plan *plan);

/* Returns the maximum time of one pass. */
double plan_budget_s(const Plan *plan);

/* Returns the number of rows of @entry: one per second for a sustained run, one
 * for a case without a partner or with an idle partner, and two for any other
 * pair. */
size_t plan_entry_n_rows(const PlanEntry *entry);

/* Returns the number of buffer sets that launches use in rotation.  Together,
 * they are four times as large as the L2 cache.  There are at least two, so
 * that no launch finds its own data in the cache. */
uint64_t plan_n_buffer_sets(uint64_t set_bytes, uint64_t l2_bytes);

/* Threads of a partner's block on an SM that it shares.  With 56 registers per
 * thread, the block leaves 38 Ki of the 64 Ki registers, which a block of the
 * gemm kernel of this program needs. */
#define PLAN_SHARED_SM_THREADS 448

/* ---- functions for the files that add entries to a plan ------------------ */

/* A number of SMs that means all SMs of the GPU. */
#define ALL_SMS 0

/* Adds @measure_case, unless it needs more SMs than the GPU has or its key
 * exists. */
void plan_add_case(Plan *plan, MeasureCase measure_case);
/* How a compute kernel and its partner run together. */
typedef struct {
    Family family;
    PartnerPlacement place; /* The placement of a partner that needs SMs. */
    ReleaseOrder first;
    StreamPriority priority;
} PlanPair;

/* Adds @measure_case with @partner.  Both get the same number of the
 * experiment. */
void plan_add_pair(Plan *plan, MeasureCase measure_case, MeasureCase partner,
                   PlanPair how);

/* Returns the estimated time of @entry in one pass, in seconds. */
double plan_entry_time_s(const PlanEntry *entry, const PlanRequest *request);

/* Return cases with the default launch of their kernels. */
MeasureCase new_reduce_case(Dtype dtype, uint32_t ways, uint64_t bytes,
                            uint32_t n_sms);
MeasureCase new_copy_case(uint64_t bytes, uint32_t n_sms);
MeasureCase new_gemm_case(Kernel kernel, uint32_t m, uint32_t n, uint32_t k);
MeasureCase new_lookup_case(uint64_t batch, uint64_t rows, uint32_t dim,
                            uint32_t pooling);
MeasureCase new_fma_case(uint64_t bytes, uint32_t n_fma);
MeasureCase new_copy_engine_case(Kernel kernel, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
