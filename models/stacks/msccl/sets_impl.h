/*
 * sets_impl.h - for this folder only: chunks as sets of GPUs whose parts are
 * in them
 *
 * Owner    the caller owns the MscclSets
 */
#ifndef MODELS_STACKS_MSCCL_SETS_IMPL_H
#define MODELS_STACKS_MSCCL_SETS_IMPL_H

#include <glib.h>
#include <stdint.h>

#define MSCCL_NOTHING UINT32_MAX /* what nobody wrote */

typedef struct {
    uint32_t n, n_gpus, n_words;
    uint32_t *chunks; /* owned: which of the payload's; or MSCCL_NOTHING */
    uint64_t *bits;   /* owned: of set i from i * n_words */
} MscclSets;

MscclSets *msccl_sets_new(uint32_t n, uint32_t n_gpus);
void msccl_sets_free(MscclSets *sets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MscclSets, msccl_sets_free)

/* Set @i becomes the part of @gpu in @chunk. */
void msccl_sets_put(MscclSets *sets, uint32_t i, uint32_t chunk, uint32_t gpu);
void msccl_sets_copy(MscclSets *to, uint32_t i, const MscclSets *from,
                     uint32_t j);
/* Set @i becomes its union with @j of @from, of the same chunk. */
void msccl_sets_add(MscclSets *to, uint32_t i, const MscclSets *from,
                    uint32_t j);
/* All of set @i is in @j of @b. */
gboolean msccl_sets_within(const MscclSets *a, uint32_t i, const MscclSets *b,
                           uint32_t j);
/* A GPU that is in both; -1: none is. */
int64_t msccl_sets_common(const MscclSets *a, uint32_t i, const MscclSets *b,
                          uint32_t j);
/* A GPU that is not in it; -1: all are. */
int64_t msccl_sets_missing(const MscclSets *sets, uint32_t i);

#endif
