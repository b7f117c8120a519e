/* plan_parts.h - what a plan is put together of, in this order */
#ifndef VALIDATE_GPU_PLAN_PLAN_PARTS_H
#define VALIDATE_GPU_PLAN_PLAN_PARTS_H

#include "validate/gpu/plan/plan.h"

void plan_bandwidth(Plan *plan); /* reduce and copy by number of SMs */
void plan_alone(Plan *plan);     /* all families but overlap */
void plan_overlap(Plan *plan);
void plan_same_sm(Plan *plan); /* overlap on the same SMs */
void plan_order(Plan *plan);   /* who comes first, and with priority */
void plan_long(Plan *plan);    /* what goes on for many seconds */

#endif
