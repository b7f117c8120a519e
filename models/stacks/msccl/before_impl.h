/*
 * before_impl.h - private to this folder: the happens-before relation of steps
 *
 * A step comes after the earlier steps of its thread block, after the step that
 * it waits for and, if it receives, after the step that sent.  Each thread
 * block has a vector clock, which counts the steps of every thread block that
 * came before its current step.
 *
 * Owner    the caller owns the MscclBefore and the clocks that
 *          msccl_before_clock() returns
 */
#ifndef MODELS_STACKS_MSCCL_BEFORE_IMPL_H
#define MODELS_STACKS_MSCCL_BEFORE_IMPL_H

#include "models/stacks/msccl/form.h"

typedef struct MscclBefore MscclBefore;

MscclBefore *msccl_before_new(const Msccl *msccl, uint32_t n_places);
void msccl_before_free(MscclBefore *before);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MscclBefore, msccl_before_free)

/* Begins step @at of thread block @tb.  The step comes after all steps that
 * @clock counts, if @clock is not NULL. */
void msccl_before_begin(MscclBefore *before, uint32_t tb, uint32_t at);
void msccl_before_after(MscclBefore *before, uint32_t tb,
                        const uint32_t *clock);
/* Returns a copy of the clock of @tb, which includes its current step.  The
 * caller frees it. */
uint32_t *msccl_before_clock(const MscclBefore *before, uint32_t tb);

/* Records that @step, the current step of @tb, reads or writes the chunk at
 * @place.  Returns a step that also does, with one of the two writing and no
 * defined order between them, or -1 if there is none. */
int64_t msccl_before_read(MscclBefore *before, uint32_t tb, uint32_t step,
                          uint32_t place);
int64_t msccl_before_write(MscclBefore *before, uint32_t tb, uint32_t step,
                           uint32_t place);
/* Returns the step that last wrote @place, or -1 if none did. */
int64_t msccl_before_writer(const MscclBefore *before, uint32_t place);

#endif
