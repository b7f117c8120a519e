/* build_measurement_plan.c - builds the whole plan and keeps the requested
 * entries */
#include <stdlib.h>

#include "validate/gpu/plan/plan_case_families.h"

/* --quick keeps every n-th entry of a family, starting with the first.  The
 * strides are primes that are not the length of any inner loop of the plan, so
 * that all parameters vary. */
static const size_t quick_strides[N_FAMILIES] = {
    [FAMILY_LAUNCH] = 5,  [FAMILY_CEILING] = 3, [FAMILY_REDUCE] = 23,
    [FAMILY_COPY] = 13,   [FAMILY_READ] = 7,    [FAMILY_WRITE] = 7,
    [FAMILY_STREAM] = 7,  [FAMILY_GEMM] = 13,
    [FAMILY_LOOKUP] = 7,  [FAMILY_ENGINE] = 7,  [FAMILY_OVERLAP] = 29,
    [FAMILY_SAME_SM] = 7, [FAMILY_ORDER] = 13,  [FAMILY_LONG] = 5,
};

/* ---- selection of the requested entries ---------------------------------- */

/* Keeps the requested entries, in order. */
static void choose_planned_families(Plan *plan)
{
    size_t n_seen[N_FAMILIES] = { 0 }, n_kept = 0;

    for (size_t i = 0; i < plan->n_entries; i++) {
        PlanEntry entry = plan->entries[i];
        Family family = entry.work.family;
        size_t nth = n_seen[family]++;

        if (!plan->request.families[family] ||
            (plan->request.is_quick && !entry.is_essential &&
             nth % quick_strides[family] != 0))
            continue;
        plan->n_essential += entry.is_essential;
        plan->entries[n_kept++] = entry;
    }
    plan->n_entries = n_kept;
}

static void count_planned_rows(Plan *plan)
{
    plan->estimate_s = PLAN_START_S;
    for (size_t i = 0; i < plan->n_entries; i++) {
        PlanEntry *entry = &plan->entries[i];

        plan->n_rows += plan_entry_n_rows(entry);
        plan->estimate_s += entry->estimate_s;
        if (entry->partner.kernel != KERNEL_NONE)
            entry->work.pair = entry->partner.pair = ++plan->n_pairs;
    }
}

/* Capacity of the table: twice the number of entries of the full plan. */
#define PLAN_ROOM 2000

Plan *plan_new(const PlanRequest *request)
{
    Plan *plan = calloc(1, sizeof *plan);

    if (!plan)
        return NULL;
    plan->request = *request;
    plan->entries = calloc(PLAN_ROOM, sizeof *plan->entries);
    plan->n_room = PLAN_ROOM;
    if (plan->entries) {
        plan->is_essential = true;
        plan_bandwidth_cases(plan);
        plan->is_essential = false;
        plan_kernels_alone(plan);
        plan_kernels_with_partners(plan);
        plan_same_sm_pairs(plan);
        plan_order_pairs(plan);
        plan_sustained_cases(plan);
    }
    if (!plan->entries || plan->n_entries == plan->n_room) {
        plan_free(plan);
        return NULL;
    }
    choose_planned_families(plan);
    count_planned_rows(plan);
    return plan;
}
