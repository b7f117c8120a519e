/*
 * plan.h - what is measured, in which order, and how long that should take
 *
 * The plan depends on its request alone.  Estimates come from rough rates of
 * an H200 (assumed, plan_time.c); they pace the run, no result uses them.
 *
 * Units    seconds
 * Order    what is essential first: bandwidth by number of SMs; then families
 *          as case.h lists them; of no two entries keys are equal
 * Owner    plan_free() frees all of it
 */
#ifndef VALIDATE_GPU_PLAN_PLAN_H
#define VALIDATE_GPU_PLAN_PLAN_H

#include "validate/gpu/host/case.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the GPU; what an H200 has when there is none. */
typedef struct {
    uint32_t n_sms;
    uint64_t l2_bytes;
} PlanLimits;

#define PLAN_LIMITS_H200 ((PlanLimits){ 132, UINT64_C(60) << 20 })

/* What one pass may take, and what starting up takes of it (assumed). */
#define PLAN_FULL_S  570
#define PLAN_QUICK_S 60
#define PLAN_START_S 8

/* How long a kernel of the long family goes on. */
#define PLAN_LONG_S       20
#define PLAN_LONG_QUICK_S 3

/* A window with something beside it lasts at least this long, or longer
 * beside the copy engine, whose copies are coarse. */
#define PLAN_WINDOW_US        2000
#define PLAN_ENGINE_WINDOW_US 5000

typedef struct {
    MeasureCase work;
    MeasureCase partner; /* what runs beside it; kernel NONE: nothing */
    uint64_t key;
    double estimate_s; /* of one pass */
    bool is_essential; /* stands before all that is not; --quick has it, too */
} PlanEntry;

typedef struct {
    PlanLimits limits;
    bool is_quick;
    const bool *families; /* N_FAMILIES of them, borrowed */
    uint32_t repetitions;
} PlanRequest;

typedef struct {
    PlanEntry *entries; /* owned */
    size_t n_entries, n_room;
    size_t n_rows; /* of the table, a pass */
    size_t n_essential;
    bool is_essential; /* what is added now */
    uint32_t n_pairs;
    double estimate_s; /* of a pass, with starting up */
    PlanRequest request;
} Plan;

/* NULL when memory is short. */
Plan *plan_new(const PlanRequest *request);
void plan_free(Plan *plan);

/* What one pass may take at most. */
double plan_budget_s(const Plan *plan);

/* A case without traffic beside it has one row, one beside an idle partner
 * too, any other two; one that goes on has one for each second. */
size_t plan_entry_rows(const PlanEntry *entry);

/* Sets of buffers that launches take turns with, so that together they are
 * four times as large as the L2 cache; two at least, so that no launch finds
 * its own. */
uint64_t plan_sets(uint64_t set_bytes, uint64_t l2_bytes);

/* A partner's block on an SM that it shares: with 56 registers a thread it
 * leaves the 38 Ki of 64 that a block of our gemm takes. */
#define PLAN_SHARING_THREADS 448

/* ---- for the files that fill the plan ----------------------------------- */

/* A number of SMs that means all there are. */
#define ALL_SMS 0

/* Takes @c unless it needs more SMs than there are or is there already. */
void plan_add(Plan *plan, MeasureCase c);
/* How two run beside each other. */
typedef struct {
    Family family;
    Place place; /* of a partner that needs SMs */
    First first;
    Priority priority;
} PlanPair;

/* The same with @partner beside it; the two get a number of their own. */
void plan_add_pair(Plan *plan, MeasureCase c, MeasureCase partner,
                   PlanPair how);

/* Seconds that @entry should take. */
double plan_entry_time_s(const PlanEntry *entry, const PlanRequest *request);

/* Cases with the launch that all of their kind have. */
MeasureCase case_reduce(Dtype dtype, uint32_t ways, uint64_t bytes,
                        uint32_t n_sms);
MeasureCase case_copy(uint64_t bytes, uint32_t n_sms);
MeasureCase case_gemm(Kernel kernel, uint32_t m, uint32_t n, uint32_t k);
MeasureCase case_lookup(uint64_t batch, uint64_t rows, uint32_t dim,
                        uint32_t pooling);
MeasureCase case_fma(uint64_t bytes, uint32_t n_fma);
MeasureCase case_engine(Kernel kernel, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
