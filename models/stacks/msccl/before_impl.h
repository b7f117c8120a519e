/*
 * before_impl.h - for this folder only: what comes before what in a schedule
 *
 * A step comes after those before it in its thread block, after the one that it
 * waits for and, if it receives, after the one that sent.  Each thread block
 * counts the steps of all that came before where it is.
 *
 * Owner    the caller owns the MscclBefore; clocks are its own until they are
 *          let go of
 */
#ifndef MODELS_STACKS_MSCCL_BEFORE_IMPL_H
#define MODELS_STACKS_MSCCL_BEFORE_IMPL_H

#include "models/stacks/msccl/form.h"

typedef struct MscclBefore MscclBefore;

MscclBefore *msccl_before_new(const Msccl *msccl, uint32_t n_places);
void msccl_before_free(MscclBefore *before);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MscclBefore, msccl_before_free)

/* Thread block @tb is at its step @at, which comes after all that @clock, if it
 * is not NULL, counts. */
void msccl_before_begin(MscclBefore *before, uint32_t tb, uint32_t at);
void msccl_before_after(MscclBefore *before, uint32_t tb,
                        const uint32_t *clock);
/* What @tb has come after, itself included.  Owner: the caller. */
uint32_t *msccl_before_clock(const MscclBefore *before, uint32_t tb);

/* A chunk that lies at @place is read or written by @step, at which @tb is. The
 * number of a step that does so too and comes neither before nor after it, one
 * of the two writing; -1: there is none. */
int64_t msccl_before_read(MscclBefore *before, uint32_t tb, uint32_t step,
                          uint32_t place);
int64_t msccl_before_write(MscclBefore *before, uint32_t tb, uint32_t step,
                           uint32_t place);
/* Who wrote it last; -1: nobody has. */
int64_t msccl_before_writer(const MscclBefore *before, uint32_t place);

#endif
