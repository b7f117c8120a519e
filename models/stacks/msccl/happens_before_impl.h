/*
 * happens_before_impl.h - private to this folder: the happens-before relation
 * of steps
 *
 * A step comes after the earlier steps of its thread block, after the step that
 * it waits for and, if it receives, after the step that sent.  Each thread
 * block has a vector clock, which counts the steps of every thread block that
 * came before its current step.
 *
 * Owner    the caller owns the MscclHappensBefore and the clocks that
 *          msccl_happens_before_copy_clock() returns
 */
#ifndef MODELS_STACKS_MSCCL_HAPPENS_BEFORE_IMPL_H
#define MODELS_STACKS_MSCCL_HAPPENS_BEFORE_IMPL_H

#include "models/stacks/msccl/xml_schedule.h"

typedef struct MscclHappensBefore MscclHappensBefore;

MscclHappensBefore *msccl_happens_before_new(const MscclSchedule *msccl,
                                             uint32_t n_places);
void msccl_happens_before_free(MscclHappensBefore *before);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MscclHappensBefore, msccl_happens_before_free)

/* Begins step @position of thread block @tb.  The step comes after all steps
 * that
 * @clock counts, if @clock is not NULL. */
void msccl_happens_before_begin_step(MscclHappensBefore *before, uint32_t tb,
                                     uint32_t position);
void msccl_happens_before_merge_clock(MscclHappensBefore *before, uint32_t tb,
                                      const uint32_t *clock);
/* Returns a copy of the clock of @tb, which includes its current step.  The
 * caller frees it. */
uint32_t *msccl_happens_before_copy_clock(const MscclHappensBefore *before,
                                          uint32_t tb);

/* Record that @step, the current step of @tb, reads or writes the chunk at
 * @place.  Return a step that races with it, or -1 if there is none: it
 * accesses the same place without a defined order, and one of the two
 * writes. */
int64_t msccl_happens_before_record_read(MscclHappensBefore *before,
                                         uint32_t tb, uint32_t step,
                                         uint32_t place);
int64_t msccl_happens_before_record_write(MscclHappensBefore *before,
                                          uint32_t tb, uint32_t step,
                                          uint32_t place);
/* Returns the step that last wrote @place, or -1 if none did. */
int64_t msccl_happens_before_last_writer(const MscclHappensBefore *before,
                                         uint32_t place);

#endif
