/*
 * parts.h - a schedule of MSCCL as schedules that ranks can carry out
 *
 * Chunks of the payload that no message and no thread block has in common are
 * independent: each set of them is a part, and becomes a CollSchedule whose
 * blocks are its chunks.  Parts that are alike are one, which stands for all.
 *
 * A rank has one value of each block here, its own, and sums grow in it.  What
 * a schedule keeps in other places - what came, until it is added; a copy - is
 * taken in when it is added, so `r` and `re` are one step that reduces. Numbers
 * of steps are given by list: as early as may be, one message out and one in a
 * rank and step; all that reduce before those that store.
 *
 * What has no such form is refused, though it holds: a rank that passes on what
 * it has not added to its own, a store before the last that is added, one that
 * needs more than MSCCL_MAX_STEPS steps.  What comes out is replayed on sets
 * again.
 *
 * Errors   CONFIG_ERROR at the step that has no such form
 * Owner    the caller owns the GArray, and by msccl_parts_free() what is in it
 */
#ifndef MODELS_STACKS_MSCCL_PARTS_H
#define MODELS_STACKS_MSCCL_PARTS_H

#include "models/collectives/schedule.h"
#include "models/stacks/msccl/form.h"

typedef struct {
    CollSchedule *schedule; /* owned */
    uint32_t n_alike;       /* parts of the payload that it is of */
} MscclPart;

/* @order is msccl_prove()'s. */
G_GNUC_WARN_UNUSED_RESULT
GArray *msccl_parts(const Msccl *msccl, const GArray *order, GError **error);
void msccl_parts_free(GArray *parts);

#endif
