/*
 * pairs_impl.h - for operators.c only: kernels of a program that may become one
 *
 * Owner    the caller owns the array; nodes and texts are the document's
 */
#ifndef SIM_STUDY_OPTIMISE_MOVES_PAIRS_IMPL_H
#define SIM_STUDY_OPTIMISE_MOVES_PAIRS_IMPL_H

#include "sim/config/config_node.h"
#include "sim/study/optimise/move.h"

#define NO_OP G_MAXUINT

/* A kernel that may become one with that before it. */
typedef struct {
    guint role, op, before;
    guint launch;           /* a host's, that is for it alone; NO_OP */
    gboolean is_waited_for; /* others wait for the one before it */
} Pair;

/* Of Pair, role by role, in the order of its list. */
GArray *pairs_find(const Known *known);

/* Of a workload that is no program 0. */
guint pairs_n_roles(const Known *known);
const ConfigNode *pairs_ops(const Known *known, guint role);
/* The value of @key of an operation; NULL: it has none. */
const ConfigNode *pairs_child(const ConfigNode *map, const char *key);
const char *pairs_text(const ConfigNode *map, const char *key);
/* @op waits for these two, either of which may be NULL, and nothing else. */
gboolean pairs_waits_for(const ConfigNode *op, const char *before,
                         const char *launch);

static inline const Pair *pair_at(const GArray *pairs, guint i)
{
    return &g_array_index(pairs, Pair, i);
}

#endif
