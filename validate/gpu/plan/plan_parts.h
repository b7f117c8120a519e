/* plan_parts.h - the functions that fill a plan, in the order of the calls */
#ifndef VALIDATE_GPU_PLAN_PLAN_PARTS_H
#define VALIDATE_GPU_PLAN_PLAN_PARTS_H

#include "validate/gpu/plan/plan.h"

/* reductions and copies by number of SMs; essential */
void plan_bandwidth(Plan *plan);
void plan_alone(Plan *plan); /* all families without a partner */
void plan_overlap(Plan *plan);
void plan_same_sm(Plan *plan); /* pairs on the same SMs */
void plan_order(Plan *plan);   /* release order and priority of pairs */
void plan_long(Plan *plan);    /* kernels that run for many seconds */

#endif
