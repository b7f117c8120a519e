/* plan_case_families.h - the functions that fill a plan, in the order of the
 * calls */
#ifndef VALIDATE_GPU_PLAN_PLAN_CASE_FAMILIES_H
#define VALIDATE_GPU_PLAN_PLAN_CASE_FAMILIES_H

#include "validate/gpu/plan/measurement_plan.h"

/* Adds reductions and copies by number of SMs, which are essential. */
void plan_bandwidth_cases(Plan *plan);
/* Adds the twelve pairs that are measured before the families: products beside
 * reductions and beside the copy engine. */
void plan_chosen_pairs(Plan *plan);
/* Adds all kernel families that run alone. */
void plan_kernels_alone(Plan *plan);
void plan_kernels_with_partners(Plan *plan);
/* Adds pairs on the same SMs. */
void plan_same_sm_pairs(Plan *plan);
/* Adds the release orders and priorities of pairs. */
void plan_order_pairs(Plan *plan);
/* Adds kernels that run for many seconds. */
void plan_sustained_cases(Plan *plan);

#endif
