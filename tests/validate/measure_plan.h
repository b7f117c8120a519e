/* measure_plan.h - complete plans for the tests of validate/gpu/plan */
#ifndef TESTS_VALIDATE_MEASURE_PLAN_H
#define TESTS_VALIDATE_MEASURE_PLAN_H

#include "tests/test.h"

#include "validate/gpu/host/measurement_table.h"
#include "validate/gpu/plan/measurement_plan.h"

/* Returns the plan of all kernel families, as a run without --family has it. */
static inline Plan *plan_of_all_families(PlanLimits limits, bool is_quick)
{
    bool families[N_FAMILIES];
    PlanRequest request = { .limits = limits,
                            .is_quick = is_quick,
                            .families = families,
                            .repetitions = is_quick ? 20 : 25 };
    Plan *plan;

    for (int family = 0; family < N_FAMILIES; family++)
        families[family] = true;
    plan = plan_new(&request);

    assert_non_null(plan);
    return plan;
}

/* Returns whether there is an entry with this family, kernel, partner and
 * number of SMs.  The number is that of the partner, if there is one. */
static inline bool plan_has_case(const Plan *plan, Family family, Kernel kernel,
                                 Kernel partner, uint32_t n_sms)
{
    for (size_t i = 0; i < plan->n_entries; i++) {
        const PlanEntry *entry = &plan->entries[i];
        uint32_t wanted =
            partner == KERNEL_NONE ? entry->work.n_sms : entry->partner.n_sms;

        if (entry->work.family == family && entry->work.kernel == kernel &&
            entry->partner.kernel == partner && wanted == n_sms)
            return true;
    }
    return false;
}

#endif
