/*
 * independent_chunk_schedules.h - converts an MSCCL schedule to schedules that
 * ranks can execute
 *
 * Chunks of the payload that share no message and no thread block are
 * independent.  Each set of dependent chunks is a part, and becomes a
 * CollSchedule whose blocks are its chunks.  Identical parts are stored once
 * with their number.
 *
 * In a CollSchedule a rank has one value of each block, to which sums are
 * added.  A schedule of MSCCL may keep received chunks and copies in other
 * places; these count as received when they are added, so `r` and `re` become
 * one step that reduces.  Step numbers come from list scheduling: as early as
 * possible, with one message out and one in for each rank and step, and all
 * steps that reduce before those that store.
 *
 * Some correct schedules cannot be expressed: a rank forwards a chunk that it
 * has not added to its own, stores before the last addition, or needs more than
 * MSCCL_MAX_STEPS steps.  Every result is checked again by symbolic execution.
 *
 * Errors   CONFIG_ERROR at the step that cannot be expressed
 * Owner    the caller frees the GArray with msccl_parts_free()
 */
#ifndef MODELS_STACKS_MSCCL_INDEPENDENT_CHUNK_SCHEDULES_H
#define MODELS_STACKS_MSCCL_INDEPENDENT_CHUNK_SCHEDULES_H

#include "models/collectives/schedule.h"
#include "models/stacks/msccl/xml_schedule.h"

typedef struct {
    CollSchedule *schedule; /* owned */
    uint32_t n_copies;      /* number of identical parts of the payload */
} MscclPart;

/* Returns the independent parts of @msccl as a GArray of MscclPart. @order
 * comes from msccl_prove_all_reduce(). */
G_GNUC_WARN_UNUSED_RESULT
GArray *msccl_find_independent_parts(const MscclSchedule *msccl,
                                     const GArray *order, GError **error);
void msccl_parts_free(GArray *parts);

#endif
