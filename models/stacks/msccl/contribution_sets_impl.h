/*
 * contribution_sets_impl.h - private to this folder: chunks as sets of
 * contributing GPUs
 *
 * Owner    the caller owns the MscclContributionSets
 */
#ifndef MODELS_STACKS_MSCCL_CONTRIBUTION_SETS_IMPL_H
#define MODELS_STACKS_MSCCL_CONTRIBUTION_SETS_IMPL_H

#include <glib.h>
#include <stdint.h>

#define MSCCL_UNWRITTEN UINT32_MAX /* marks a place that was never written */

typedef struct {
    uint32_t n, n_gpus, n_words;
    /* Owned: for each set, the chunk of the payload, or MSCCL_UNWRITTEN. */
    uint32_t *chunks;
    uint64_t *bits; /* owned: the bits of set i begin at i * n_words */
} MscclContributionSets;

MscclContributionSets *msccl_contributions_new(uint32_t n, uint32_t n_gpus);
void msccl_contributions_free(MscclContributionSets *sets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MscclContributionSets, msccl_contributions_free)

/* Sets set @i to the contribution of @gpu to @chunk. */
void msccl_contributions_set_single_gpu(MscclContributionSets *sets, uint32_t i,
                                        uint32_t chunk, uint32_t gpu);
/* Sets set @i of @to to a copy of set @j of @from. */
void msccl_contributions_copy(MscclContributionSets *to, uint32_t i,
                              const MscclContributionSets *from, uint32_t j);
/* Adds set @j of @from to set @i.  Both are of the same chunk. */
void msccl_contributions_add(MscclContributionSets *to, uint32_t i,
                             const MscclContributionSets *from, uint32_t j);
/* Returns whether set @i of @a is a subset of set @j of @b, of the same
 * chunk. */
gboolean msccl_contributions_is_subset(const MscclContributionSets *a,
                                       uint32_t i,
                                       const MscclContributionSets *b,
                                       uint32_t j);
/* Returns a GPU that is in both sets, or -1 if there is none. */
int64_t msccl_contributions_find_common_gpu(const MscclContributionSets *a,
                                            uint32_t i,
                                            const MscclContributionSets *b,
                                            uint32_t j);
/* Returns a GPU that is not in set @i, or -1 if all GPUs are. */
int64_t msccl_contributions_find_missing_gpu(const MscclContributionSets *sets,
                                             uint32_t i);

#endif
