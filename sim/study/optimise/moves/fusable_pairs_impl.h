/*
 * fusable_pairs_impl.h - pairs of kernels of a program that can be fused;
 * private to kernel_fusion.c
 *
 * Owner    the caller owns the array; the document owns nodes and texts
 */
#ifndef SIM_STUDY_OPTIMISE_MOVES_FUSABLE_PAIRS_IMPL_H
#define SIM_STUDY_OPTIMISE_MOVES_FUSABLE_PAIRS_IMPL_H

#include "sim/config/config_node.h"
#include "sim/study/optimise/search_moves.h"

#define NO_OP G_MAXUINT

/* A kernel that can be fused with the one before it. */
typedef struct {
    guint role, op, before;
    guint launch;           /* the host operation that only launches it; NO_OP:
                             * there is none */
    gboolean is_waited_for; /* other operations wait for the kernel before it */
} FusablePair;

/* Returns the pairs (of Pair) by role, in the order of the role's list. */
GArray *fusable_pairs_find(const RunProfile *profile);

/* Returns the number of roles, or 0 if the workload is not a program. */
guint fusable_pairs_count_roles(const RunProfile *profile);
/* Returns the list of operations of a role. */
const ConfigNode *program_role_ops_node(const RunProfile *profile, guint role);
/* Returns whether @op waits for nothing but @before and @launch, each of which
 * may be NULL. */
gboolean fusable_pairs_waits_only_for(const ConfigNode *op, const char *before,
                                      const char *launch);

static inline const FusablePair *fusable_pair_at(const GArray *pairs, guint i)
{
    return &g_array_index(pairs, FusablePair, i);
}

#endif
