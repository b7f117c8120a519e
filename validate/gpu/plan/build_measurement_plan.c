/* build_measurement_plan.c - builds the whole plan and keeps the requested
 * entries */
#include <stdlib.h>

#include "validate/gpu/plan/plan_case_families.h"

/* --quick keeps every n-th entry of a family, starting with the first.  The
 * strides are primes that are not the length of any inner loop of the plan, so
 * that all parameters vary. */
static const size_t quick_strides[N_FAMILIES] = {
    [FAMILY_LAUNCH] = 5, [FAMILY_CEILING] = 3,  [FAMILY_REDUCE] = 23,
    [FAMILY_COPY] = 13,  [FAMILY_READ] = 7,     [FAMILY_WRITE] = 7,
    [FAMILY_STREAM] = 7, [FAMILY_GEMM] = 13,    [FAMILY_LOOKUP] = 7,
    [FAMILY_ENGINE] = 7, [FAMILY_OVERLAP] = 29, [FAMILY_SAME_SM] = 7,
    [FAMILY_ORDER] = 13, [FAMILY_LONG] = 5,
};

/* ---- selection of the requested entries ---------------------------------- */

static bool request_has_key(const PlanRequest *request, uint64_t key)
{
    for (size_t i = 0; i < request->n_keys; i++)
        if (request->keys[i] == key)
            return true;
    return false;
}

/* Returns whether @entry, number @nth of its family, is requested.  Keys
 * prevail over --quick. */
static bool entry_is_requested(const PlanRequest *request,
                               const PlanEntry *entry, size_t nth)
{
    Family family = entry->work.family;

    if (!request->families[family])
        return false;
    if (request->n_keys > 0)
        return request_has_key(request, entry->key);
    return !request->is_quick || entry->is_essential ||
           nth % quick_strides[family] == 0;
}

/* Keeps the requested entries, in order. */
static void choose_planned_families(Plan *plan)
{
    size_t n_seen[N_FAMILIES] = { 0 }, n_kept = 0;

    for (size_t i = 0; i < plan->n_entries; i++) {
        PlanEntry entry = plan->entries[i];
        Family family = entry.work.family;
        size_t nth = n_seen[family]++;

        if (!entry_is_requested(&plan->request, &entry, nth))
            continue;
        plan->entries[n_kept++] = entry;
    }
    plan->n_entries = n_kept;
}

/* ---- choice of the entries that fit into a budget ------------------------ */

/* Numbers the entries of each family that are neither bandwidth nor chosen
 * pairs.  Returns the largest number of entries of a family. */
static uint32_t number_entries_of_families(Plan *plan)
{
    uint32_t n[N_FAMILIES] = { 0 }, most = 0;

    for (size_t i = 0; i < plan->n_entries; i++) {
        PlanEntry *entry = &plan->entries[i];

        if (entry->worth != WORTH_REST)
            continue;
        entry->nth_of_family = n[entry->work.family]++;
        if (n[entry->work.family] > most)
            most = n[entry->work.family];
    }
    return most;
}

/* Marks the entries of @worth, number @nth of their families, that still fit
 * into the budget.  *@sum_s is the time of all marked entries. */
static void keep_plan_entries_within_budget(Plan *plan, PlanWorth worth,
                                            uint32_t nth, double *sum_s)
{
    for (size_t i = 0; i < plan->n_entries; i++) {
        PlanEntry *entry = &plan->entries[i];

        if (entry->worth != worth || entry->nth_of_family != nth ||
            *sum_s + entry->estimate_s > plan->request.budget_s)
            continue;
        entry->is_kept = true;
        *sum_s += entry->estimate_s;
    }
}

/* Returns the place of @entry in a run with a budget: bandwidth, the chosen
 * pairs, one of each family, the rest. */
static int priority_of_plan_entry(const PlanEntry *entry)
{
    return entry->worth == WORTH_REST && entry->nth_of_family > 0
               ? WORTH_REST + 1
               : (int)entry->worth;
}

/* Moves the marked entries into a new array, in the order of their ranks. */
static bool sort_kept_entries(Plan *plan)
{
    PlanEntry *sorted = calloc(plan->n_room, sizeof *sorted);
    size_t n = 0;

    for (int rank = 0; sorted && rank <= WORTH_REST + 1; rank++)
        for (size_t i = 0; i < plan->n_entries; i++)
            if (plan->entries[i].is_kept &&
                priority_of_plan_entry(&plan->entries[i]) == rank)
                sorted[n++] = plan->entries[i];
    if (!sorted)
        return false;
    free(plan->entries);
    plan->entries = sorted;
    plan->n_left_out = plan->n_entries - n;
    plan->n_entries = n;
    return true;
}

/* Leaves out the entries that do not fit into the budget.  The families share
 * the time that bandwidth and the chosen pairs leave: the first entry of each,
 * then the second of each, and so on.  Returns false if memory is short. */
static bool apply_plan_budget(Plan *plan)
{
    uint32_t most = number_entries_of_families(plan);
    double sum_s = PLAN_START_S;

    if (plan->request.budget_s <= 0)
        return true;
    keep_plan_entries_within_budget(plan, WORTH_BANDWIDTH, 0, &sum_s);
    keep_plan_entries_within_budget(plan, WORTH_PAIRS, 0, &sum_s);
    for (uint32_t nth = 0; nth < most; nth++)
        keep_plan_entries_within_budget(plan, WORTH_REST, nth, &sum_s);
    return sort_kept_entries(plan);
}

static void count_planned_rows(Plan *plan)
{
    plan->estimate_s = PLAN_START_S;
    for (size_t i = 0; i < plan->n_entries; i++) {
        PlanEntry *entry = &plan->entries[i];

        plan->n_essential += entry->is_essential;
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
        plan->worth = WORTH_BANDWIDTH;
        plan_bandwidth_cases(plan);
        plan->worth = WORTH_PAIRS;
        plan_chosen_pairs(plan);
        plan->worth = WORTH_REST;
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
    if (!apply_plan_budget(plan)) {
        plan_free(plan);
        return NULL;
    }
    count_planned_rows(plan);
    return plan;
}
